"""Devices, representors, capabilities and the topology that they come from."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import InvalidValue, NotFound, NotSupported, PciBdf, PciFuncType, RepFilter
from comch_next.driver import load
from comch_next.driver.emulated import _device
from comch_next.driver.protocol import WeakSet
from tests.control_path.pulled import connected, listening
from tests.processes import SOON_S, StartPython
from tests.pull.support import FORMS
from tests.topologies import limited

FUNCTIONS = ["0000:b1:00.0", "0000:b1:00.1", "0000:b1:00.2", "0000:b1:00.3"]


@pytest.fixture
def topology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "topology.toml"
    monkeypatch.setenv("COMCH_TOPOLOGY", str(path))
    return path


def test_the_built_in_pair() -> None:
    found = comch.devices()
    assert [info.pci_addr_str for info in found] == ["0000:03:00.0", *FUNCTIONS]
    assert [info.cap_server_is_supported() for info in found] == [True] + [False] * 4
    assert [info.cap_client_is_supported() for info in found] == [False] + [True] * 4
    for info in found:
        assert info.cap_get_max_name_len() == 128
        assert info.cap_get_max_msg_size() == 65535
        assert info.cap_get_max_recv_queue_size() == 8192
        assert info.cap_get_max_send_tasks() == 8192
        assert info.cap_get_max_clients() == 512
        assert len({info.iface_name, info.ibdev_name}) == 2
    for name in ("iface_name", "ibdev_name"):
        assert len({getattr(info, name) for info in found}) == len(found)


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = " + "{ b = " * 100_000], ids=["lists", "tables"])
def test_a_topology_that_is_nested_too_deeply(topology: Path, text: str) -> None:
    topology.write_text(text)
    with pytest.raises(InvalidValue, match="which is not a TOML file"):
        comch.devices()


def test_threads_that_open_a_device_have_one_handle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits for the other in the middle of it, but not for long."""
    info = comch.devices()[0]._handle
    both, opened = threading.Barrier(2), list[Any]()

    def slow() -> object:
        with suppress(threading.BrokenBarrierError):
            both.wait(0.2)
        return WeakSet[Any]()

    monkeypatch.setattr(_device, "WeakSet", slow)
    devices = load().devices
    threads = [threading.Thread(target=lambda: opened.append(devices.open(info))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened[0] is opened[1]
    for device in opened:
        devices.close(device)
    with pytest.raises(InvalidValue, match="has been closed"):
        devices.close(opened[0])


@pytest.mark.parametrize(("side", "count"), [("dpu", 1), ("host", 4), ("", 5)])
def test_a_side_hides_the_other(monkeypatch: pytest.MonkeyPatch, side: str, count: int) -> None:
    monkeypatch.setenv("COMCH_SIDE", side)
    assert len(comch.devices()) == count
    if side == "host":
        with pytest.raises(NotFound, match=r"no device 03:00\.0 here; there are: 0000:b1:00\.0"):
            comch.open_device("03:00.0")


def test_an_unknown_side_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_SIDE", "moon")
    with pytest.raises(InvalidValue, match="legal are host, dpu"):
        comch.devices()


@pytest.mark.parametrize("text", ["03:00.0", "0000:03:00.0", "3:0.0", "0000:03:00.0".upper()])
def test_addresses_in_either_form(text: str) -> None:
    with comch.open_device(text) as device:
        assert device.devinfo.pci_addr_str == "0000:03:00.0"
        assert device.devinfo.is_equal_pci_addr(text)
        assert not device.devinfo.is_equal_pci_addr("04:00.0")


@pytest.mark.parametrize("text", ["", "03:00", "03:00.8", "03:00.0 ", "x3:00.0", "0:0:0:0.0", "03:00.0\n", None, 3])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="PCI address"):
        comch.open_device(text)
    with pytest.raises(InvalidValue, match="PCI address"):
        PciBdf.of(text)


@pytest.mark.parametrize("text", ["b1:1f.7", "0000:b1:1f.7", "FFFF:B1:1F.7"])
def test_an_address_in_numbers(text: str) -> None:
    assert PciBdf.of(text) == (0xFFB1, 0xB1, 0x1F, 7)


@pytest.mark.parametrize("driver", ["none", 3, ["emulated"], [10**5000]])
def test_what_is_no_driver_is_refused(driver: Any) -> None:
    with pytest.raises(InvalidValue, match=r"there is no driver|a driver is named by text"):
        comch.devices(driver)


def test_representors() -> None:
    with comch.open_device("03:00.0") as device:
        found = device.representors()
        assert [info.pci_addr_str for info in found] == FUNCTIONS
        kinds = [PciFuncType.PF, PciFuncType.PF, PciFuncType.VF, PciFuncType.SF]
        assert [info.pci_func_type for info in found] == kinds
        assert [info.vhca_id for info in found] == [0, 1, 2, 3]
        assert not any(info.is_hotplug for info in found)
        assert len({info.vuid for info in found}) == len({info.iface_name for info in found}) == 4
        assert found[2].is_equal_pci_addr("b1:00.2")
        assert device.representors(RepFilter.NET) != []
        assert device.representors(RepFilter.EMULATED) == []
        with device.open_representor("b1:00.1") as rep:
            assert rep.devinfo_rep.pci_addr_str == "0000:b1:00.1"
        with pytest.raises(NotFound, match=r"no representor b2:00\.0"):
            device.open_representor("b2:00.0")


def test_a_representor_filter_is_a_bitmap() -> None:
    """Listed are the functions of every kind whose bit is set; no bit stands for all, an unknown one is refused."""
    with comch.open_device("03:00.0") as device:
        every = [info.pci_addr_str for info in device.representors()]
        for wanted in (RepFilter.ALL, RepFilter.NET, RepFilter.NET | RepFilter.EMULATED, RepFilter(0)):
            assert [info.pci_addr_str for info in device.representors(wanted)] == every
        for wrong in (1, 8, 99, -1, int(RepFilter.NET) | 1, True, None, "NET"):
            with pytest.raises(InvalidValue, match="RepFilter"):
                device.representors(wrong)  # type: ignore[arg-type]
        supports = device._driver.devices.rep_cap_is_filter_supported
        for bits, answer in ((0, True), (2, True), (4, False), (6, False)):
            assert supports(device.devinfo._handle, RepFilter(bits)) is answer
        with pytest.raises(InvalidValue, match="RepFilter"):
            supports(device.devinfo._handle, 1)  # type: ignore[arg-type]
    assert str(RepFilter.NET) == "2"


def test_representors_stand_on_the_dpu_only() -> None:
    with comch.open_device("b1:00.0") as host:
        for call in (
            host.representors,
            host.devinfo.rep_cap_is_filter_all_supported,
            host.devinfo.rep_cap_is_filter_net_supported,
            host.devinfo.rep_cap_is_filter_emulated_supported,
        ):
            with pytest.raises(NotSupported, match="DPU"):
                call()
    with comch.open_device("03:00.0") as dpu:
        assert dpu.devinfo.rep_cap_is_filter_all_supported()
        assert dpu.devinfo.rep_cap_is_filter_net_supported()
        assert not dpu.devinfo.rep_cap_is_filter_emulated_supported()


def test_devices_are_independent_and_close_once() -> None:
    first, second = comch.open_device("03:00.0"), comch.open_device("03:00.0")
    first.close()
    first.close()
    with pytest.raises(InvalidValue, match="closed"):
        first.representors()
    assert second.representors()
    second.close()


def test_a_representor_of_a_closed_device_is_not_opened() -> None:
    device = comch.open_device("03:00.0")
    info = device.representors()[0]
    device.close()
    with pytest.raises(InvalidValue, match=r"dev_rep_open: .* has been closed"):
        info.open()


def test_another_object_in_the_place_of_a_device() -> None:
    """The text has the names of the program's objects, and not the whole topology."""
    info = comch.devices()[0]
    with info.open() as device:
        rep = device.representors()[0]
        for wrong, told in ((5, "5"), (info, "DevInfo(0000:03:00.0)"), (rep, "RepInfo(0000:b1:00.0)")):
            with pytest.raises(InvalidValue) as refused:
                comch.Mmap().add_dev(wrong)  # type: ignore[arg-type]
            assert str(refused.value) == f"mmap_add_dev takes a Device, not {told}"


def test_what_still_uses_a_device_is_named() -> None:
    with comch.open_device("03:00.0") as device:
        server = comch.Server(device, "b1:00.0", "user")
        with pytest.raises(comch.InUse, match=r"still uses 0000:03:00.0 \(server 'user'\); destroy it first"):
            device.close()
        server.close()


def test_a_topology_of_ones_own(topology: Path) -> None:
    topology.write_text(
        """
        [limits]
        max_clients = 0
        max_name_len = 16
        [[device]]
        pci_addr = "0a:00.0"
        side = "dpu"
        limits = { max_msg_size = 4096, default_msg_size = 1024 }
        representor = [{ pci_addr = "c1:00.0", func_type = "VF", vuid = "mine", vhca_id = 7 }]
        [[device]]
        pci_addr = "c1:00.0"
        side = "host"
        """
    )
    dpu, host = comch.devices()
    assert (dpu.pci_addr_str, host.pci_addr_str) == ("0000:0a:00.0", "0000:c1:00.0")
    assert (dpu.cap_get_max_msg_size(), host.cap_get_max_msg_size()) == (4096, 65535)
    assert (dpu.cap_get_max_clients(), dpu.cap_get_max_name_len()) == (0, 16)
    with dpu.open() as device:
        (rep,) = device.representors()
        assert (rep.pci_func_type, rep.vuid, rep.vhca_id) == (PciFuncType.VF, "mine", 7)
        with comch.Server(device, "c1:00.0", "short") as server, comch.ProgressEngine() as engine:
            assert server.max_msg_size == 1024
            with host.open() as other:
                client = comch.Client(other, "short", engine=engine)
                connection = client.connect(timeout=0)
                assert comch.outcome(server.receive, timeout=0)[0] == comch.ErrorCode.AGAIN
                engine.progress()
                connection.update_info()
                with pytest.raises(InvalidValue, match="15 bytes"):
                    comch.Client(other, "sixteen letters!")
                client.close()


BAD = [
    "",
    "no toml at all",
    "[[device]]\nside = 'dpu'",
    "[[device]]\npci_addr = '03:00.0'",
    "[[device]]\npci_addr = '03:00.0'\nside = 'moon'",
    "[[device]]\npci_addr = 'three'\nside = 'dpu'",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\ncolour = 'red'",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n[device.limits]\nmax_wishes = 3",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n[[device.representor]]\nfunc_type = 'PF'",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n[[device.representor]]\npci_addr='b1:00.0'\nfunc_type = 'XF'",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n[[device]]\npci_addr = '0000:03:00.0'\nside = 'host'",
    "device = 3",
    "device = [3]",
    "limits = 3\ndevice = []",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\nrepresentor = 3",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\nlimits = 3",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n[device.limits]\nmax_msg_size = 'large'",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n[device.limits]\nmax_msg_size = -1",
    "[limits]\ndefault_msg_size = 70000\n[[device]]\npci_addr = '03:00.0'\nside = 'dpu'",
    "[limits]\ndefault_queue_size = 10000\n[[device]]\npci_addr = '03:00.0'\nside = 'dpu'",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\nlimits = { default_msg_size = 101, max_msg_size = 100 }",
    "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\nlimits = { max_name_len = 1 }",
    "\xff",
]


@pytest.mark.parametrize("text", BAD)
def test_a_bad_topology_is_named_with_its_fault(topology: Path, text: str) -> None:
    topology.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidValue, match="topology"):
        comch.devices()


@pytest.mark.parametrize("limits", [{"max_msg_size": 100}, {"max_queue_size": 16}, {"max_msg_size": 1}])
@pytest.mark.parametrize("form", FORMS)
def test_a_maximum_bounds_the_default_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, limits: dict[str, int]
) -> None:
    """Set alone, so that the program that states no size gets one that its device can have."""
    monkeypatch.setenv("COMCH_PULL", form)
    limited(tmp_path, monkeypatch, **limits)
    with listening() as there, connected(there) as here:
        assert here.max_msg_size == there.max_msg_size == limits.get("max_msg_size", 4080)
        here.connection.send(b"1")
        assert there.receive(timeout=SOON_S).data == b"1"


def test_the_maximum_of_one_device_bounds_its_default_only(topology: Path) -> None:
    topology.write_text(
        "[limits]\nmax_msg_size = 2000\n"
        "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\nlimits = { max_msg_size = 1000 }\n"
        "[[device]]\npci_addr = 'b1:00.0'\nside = 'host'\nlimits = { max_msg_size = 8000 }\n"
    )
    sizes = []
    for info in comch.devices():
        with info.open() as device:
            sizes.append(comch.Client(device, "narrow").max_msg_size)
    assert sizes == [1000, 4080]


def test_a_missing_topology_file_is_named(topology: Path) -> None:
    with pytest.raises(NotFound, match=str(topology)):
        comch.devices()


def test_an_unknown_driver_lists_the_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidValue, match="emulated, native"):
        comch.devices("cardboard")
    monkeypatch.setenv("COMCH_DRIVER", "cardboard")
    with pytest.raises(InvalidValue, match="COMCH_DRIVER: there is no driver 'cardboard'"):
        comch.devices()


def test_the_side_holds_in_a_process_of_its_own(start_python: StartPython) -> None:
    program = "import comch_next; print([info.pci_addr_str for info in comch_next.devices()])"
    child = start_python("-c", program, env={"COMCH_SIDE": "dpu"})
    assert child.finish() == (0, "['0000:03:00.0']\n", "")
