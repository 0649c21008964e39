"""``python -m comch_next devices`` and ``caps``: what the driver says of its devices, as tables and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

import comch_next as comch
from tests.commands.support import ask, run
from tests.processes import StartPython

TOPOLOGY = """
[limits]
max_clients = 0

[[device]]
pci_addr = "03:00.0"
side = "dpu"
working = false

[[device]]
pci_addr = "04:00.0"
side = "dpu"
capable = false
limits = { max_msg_size = 5000 }

[[device.representor]]
pci_addr = "b1:00.7"
func_type = "VF"
vuid = "MT \\u001b[31m 名前"
vhca_id = 12

[[device]]
pci_addr = "b1:00.7"
side = "host"
"""


@pytest.fixture
def topology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pair.toml"
    path.write_text(TOPOLOGY, encoding="utf-8")
    monkeypatch.setenv("COMCH_TOPOLOGY", str(path))


def columns(table: str) -> list[int]:
    """Where the columns of a left-aligned table begin, by its headings."""
    heading = table.splitlines()[1]
    return [at for at in range(len(heading)) if heading[at] != " " and heading[max(0, at - 2) : at].strip() == ""]


def test_the_built_in_pair(start_python: StartPython) -> None:
    found = ask(start_python, "devices")
    assert [(row["pci_addr_str"], row["side"]) for row in found["devices"]] == [
        ("0000:03:00.0", "dpu"),
        *((f"0000:b1:00.{function}", "host") for function in range(4)),
    ]
    assert [(row["device"], row["pci_addr_str"], row["pci_func_type"]) for row in found["representors"]] == [
        ("0000:03:00.0", f"0000:b1:00.{function}", kind) for function, kind in enumerate(("PF", "PF", "VF", "SF"))
    ]
    assert found["notes"] == []


def test_every_field_is_what_the_library_says(start_python: StartPython) -> None:
    found = ask(start_python, "devices")
    for info, row in zip(comch.devices(), found["devices"], strict=True):
        assert row["iface_name"] == info.iface_name
        assert row["ibdev_name"] == info.ibdev_name
    with comch.open_device("03:00.0") as device:
        for rep, row in zip(device.representors(), found["representors"], strict=True):
            named = (row["vuid"], row["iface_name"], row["vhca_id"], row["is_hotplug"])
            assert named == (rep.vuid, rep.iface_name, rep.vhca_id, rep.is_hotplug)


@pytest.mark.parametrize(("side", "devices", "representors"), [("host", 4, 0), ("dpu", 1, 4)])
def test_one_side_only(start_python: StartPython, side: str, devices: int, representors: int) -> None:
    found = ask(start_python, "devices", env={"COMCH_SIDE": side})
    assert (len(found["devices"]), len(found["representors"])) == (devices, representors)
    assert {row["side"] for row in found["devices"]} == {side}


@pytest.mark.usefixtures("topology")
def test_a_device_that_does_not_work_is_listed_and_spoken_of(start_python: StartPython) -> None:
    found = ask(start_python, "devices")
    assert [row["pci_addr_str"] for row in found["devices"]] == ["0000:03:00.0", "0000:04:00.0", "0000:b1:00.7"]
    (rep,) = found["representors"]
    assert (rep["device"], rep["pci_func_type"], rep["vhca_id"]) == ("0000:04:00.0", "VF", 12)
    (note,) = found["notes"]
    assert "0000:03:00.0" in note
    assert "not working" in note
    assert run(start_python, "devices").splitlines()[-1] == note


SILENT = "working = false", "answers = false"


def test_a_device_that_does_not_answer_is_listed_beside_the_others(start_python: StartPython, tmp_path: Path) -> None:
    path = tmp_path / "silent.toml"
    path.write_text(TOPOLOGY.replace(*SILENT), encoding="utf-8")
    found = ask(start_python, "devices", env={"COMCH_TOPOLOGY": str(path)})
    assert [row["side"] for row in found["devices"]] == [None, "dpu", "host"]
    (note,) = found["notes"]
    assert note.startswith("the side of 0000:03:00.0 cannot be told: rep_cap_is_filter_all_supported: the kernel")
    caps = ask(start_python, "caps", env={"COMCH_TOPOLOGY": str(path)})
    silent, _, host = caps["caps"]
    assert ({*silent.values()}, host["cap_client_is_supported"]) == ({"0000:03:00.0", None}, True)
    (note,) = caps["notes"]
    assert note.startswith("not all capabilities of 0000:03:00.0 can be told: cap_server_is_supported: the kernel")


def test_tables_align(start_python: StartPython) -> None:
    for table in run(start_python, "devices").split("\n\n"):
        lines = table.rstrip("\n").splitlines()[1:]
        assert len(lines) >= 4
        for line in lines:
            assert line == line.rstrip()
        starts = columns(table)[:4]  # of text; numbers align at their end
        assert len(starts) == 4
        for line in lines:
            assert all(line[at] != " " and line[max(0, at - 2) : at].strip() == "" for at in starts)


@pytest.mark.usefixtures("topology")
def test_no_text_can_move_the_cursor_or_break_the_columns(start_python: StartPython) -> None:
    *_, heading, row, _, _ = run(start_python, "devices").splitlines()
    assert "MT \\x1b[31m 名前" in row
    assert heading.index("Interface") == row.index("r0000b100f7") + 2  # two characters are twice as wide
    assert "  MT \\x1b[31m \\u5...  r0000b100f7  " in run(start_python, "devices", env={"PYTHONIOENCODING": "ascii"})


# Capabilities


SECTIONS = {"caps": "cap_", "consumers": "consumer_cap_", "producers": "producer_cap_", "memory": "mmap_cap_"}


def test_caps_are_what_the_library_says(start_python: StartPython) -> None:
    found = ask(start_python, "caps")
    for section, prefix in SECTIONS.items():
        calls = [name for name in dir(comch.DevInfo) if name.startswith(prefix)]
        for info, row in zip(comch.devices(), found[section], strict=True):
            assert row == {"pci_addr_str": info.pci_addr_str, **{call: getattr(info, call)() for call in calls}}


@pytest.mark.usefixtures("topology")
def test_caps_of_other_devices(start_python: StartPython) -> None:
    found = ask(start_python, "caps")
    _, incapable, host = found["caps"]
    assert (incapable["cap_server_is_supported"], incapable["cap_get_max_msg_size"]) == (False, 5000)
    assert (host["cap_client_is_supported"], host["cap_get_max_clients"]) == (True, 0)
    consumers = {row["pci_addr_str"]: row["consumer_cap_get_max_buf_size"] for row in found["consumers"]}
    assert consumers["0000:04:00.0"] is None, "what cannot be had has no limits"
    assert consumers["0000:b1:00.7"] == 1 << 30
    title, heading, *rows = run(start_python, "caps").split("\n\n")[0].splitlines()
    assert title == "Control path (name and message in bytes; clients 0: no limit)"
    assert len(rows) == 3
    assert len({len(line) for line in (heading, *rows)}) == 1


@pytest.mark.parametrize("command", ["devices", "caps"])
def test_tables_fit_a_terminal(start_python: StartPython, command: str) -> None:
    assert max(map(len, run(start_python, command).splitlines())) <= 80
