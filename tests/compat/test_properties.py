"""The properties of an endpoint: defaults, rounding, limits, and when they freeze."""

from __future__ import annotations

from pathlib import Path

import pytest

from comm_channel_compat import (
    BadState,
    Endpoint,
    InvalidValue,
    Unexpected,
    get_max_message_size,
    get_max_service_name_len,
    open_device,
)
from tests.compat import support

pytestmark = pytest.mark.usefixtures("form")

SIZES = ("max_msg_size", "send_queue_size", "recv_queue_size")


def test_the_defaults() -> None:
    ep = Endpoint()
    assert [getattr(ep, f"get_{size}")() for size in SIZES] == [4080, 64, 64]


@pytest.mark.parametrize(
    ("size", "wanted", "in_force"),
    [
        ("max_msg_size", 1, 64),
        ("max_msg_size", 64, 64),
        ("max_msg_size", 65, 65),
        ("max_msg_size", 65535, 65535),
        ("send_queue_size", 1, 8),
        ("send_queue_size", 8, 8),
        ("send_queue_size", 9, 16),
        ("send_queue_size", 8190, 8192),
        ("recv_queue_size", 10, 16),
        ("recv_queue_size", 512, 512),
        ("recv_queue_size", 513, 1024),
    ],
)
def test_a_value_is_rounded_up(client: Endpoint, size: str, wanted: int, in_force: int) -> None:
    getattr(client, f"set_{size}")(wanted)
    assert getattr(client, f"get_{size}")() == in_force


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("value", [0, -1, 65536, 1.0, "8", None, True])
def test_a_value_that_cannot_be(client: Endpoint, size: str, value: object) -> None:
    with pytest.raises(InvalidValue, match=size):
        getattr(client, f"set_{size}")(value)
    assert getattr(client, f"get_{size}")() in (4080, 64)


@pytest.mark.parametrize("size", ["send_queue_size", "recv_queue_size"])
def test_above_the_device_limit(client: Endpoint, size: str) -> None:
    with pytest.raises(InvalidValue, match="8192"):
        getattr(client, f"set_{size}")(8193)


def test_a_limit_that_is_known_too_late(service: Endpoint) -> None:
    ep = Endpoint()
    ep.set_send_queue_size(20000)
    ep.set_device(open_device(support.HOST))
    with pytest.raises(InvalidValue):
        ep.connect(support.NAME)
    ep.set_send_queue_size(100)
    ep.connect(support.NAME)
    ep.destroy()


def test_a_default_never_exceeds_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topology = tmp_path / "topology.toml"
    topology.write_text(
        "[limits]\nmax_msg_size = 1000\nmax_queue_size = 20\ndefault_msg_size = 500\n"
        "default_queue_size = 4\nmax_send_tasks = 20\n[[device]]\npci_addr = 'b1:00.0'\nside = 'host'\n"
    )
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))
    ep = support.client()
    assert [getattr(ep, f"get_{size}")() for size in SIZES] == [1000, 20, 20]
    ep.set_recv_queue_size(17)
    assert ep.get_recv_queue_size() == 20


def test_properties_are_frozen_once_active(pair: support.Pair) -> None:
    for ep in (pair.client, pair.service):
        device = ep.get_device()
        for setter, value in (
            ("set_device", device),
            ("set_device_rep", pair.service.get_device_rep()),
            *((f"set_{size}", 100) for size in SIZES),
        ):
            with pytest.raises(BadState, match="before listen and connect"):
                getattr(ep, setter)(value)
        assert ep.get_device() is device
        assert [getattr(ep, f"get_{size}")() for size in SIZES] == [4080, 64, 64]


def test_devices_that_were_set_are_given_back() -> None:
    ep, device = Endpoint(), open_device(support.DPU)
    rep = device.open_representor(support.REP)
    with pytest.raises(InvalidValue):
        ep.get_device()
    with pytest.raises(InvalidValue):
        ep.get_device_rep()
    ep.set_device(device)
    ep.set_device_rep(rep)
    assert ep.get_device() is device
    assert ep.get_device_rep() is rep


@pytest.mark.parametrize("wrong", [None, "03:00.0", 3])
@pytest.mark.parametrize("setter", ["set_device", "set_device_rep"])
def test_devices_that_are_none(setter: str, wrong: object) -> None:
    with pytest.raises(InvalidValue):
        getattr(Endpoint(), setter)(wrong)


def test_a_device_that_does_not_answer_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit that is asked of no device in particular is that of those that answer."""
    (tmp_path / "topology.toml").write_text(
        "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\nlimits = { max_name_len = 8 }\nanswers = false\n"
        "[[device]]\npci_addr = 'b1:00.0'\nside = 'host'\nlimits = { max_name_len = 64 }\n"
    )
    monkeypatch.setenv("COMCH_TOPOLOGY", str(tmp_path / "topology.toml"))
    assert get_max_service_name_len() == 64
    dpu, host = (open_device(pci).as_devinfo() for pci in (support.DPU, support.HOST))
    assert get_max_message_size(host) == 65535
    with pytest.raises(Unexpected, match="does not answer"):
        get_max_message_size(dpu)


def test_devices_that_were_set_behind_the_endpoint() -> None:
    """As another thread finds them, which asks while they are being set."""
    ep = Endpoint()
    device = open_device(support.DPU)
    representor = device.open_representor(support.REP)
    ep.modern.device, ep.modern.device_rep = device.modern, representor.modern
    assert ep.get_device().modern is device.modern
    assert ep.get_device_rep().modern is representor.modern


@pytest.mark.parametrize("name", ["device", "device_rep", *SIZES])
def test_what_is_not_set_where_a_callback_receives(name: str) -> None:
    """The context is pushed to then, and no longer knows what generation 1 assumed."""
    ep = Endpoint()
    ep.modern.event_msg_recv_register(lambda message: None)
    with pytest.raises(InvalidValue, match=f"get_{name}: none has been set"):
        getattr(ep, f"get_{name}")()
