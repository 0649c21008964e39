"""docs/status.md: every name of the modern API has a row, and every spelling is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import comch_next
from comch_next import AccessFlag, BufInventory, Mmap, dpa
from comch_next._names import has
from comch_next._spellings import ABSENT, GENERATION_1, SPELLINGS
from tests.fast_path.lane import Lane
from tests.processes import ROOT
from tools import status
from tools.status import IMPLEMENTED, spelling

TITLES = ("DOCA Comch", "DOCA Core", "DOCA DPA")
PAGE = ROOT / "docs" / "status.md"
FUNCTION = re.compile(r"^\| `(\w+)` \| [\w.]* \| [^|]* \| ([^|]*) \| ([^|]+) \| [^|]*\|$", re.MULTILINE)
OTHER = re.compile(r"^\| `(\w+)` \| [a-z ]+ \| ([^|]*) \| ([^|]+) \|$", re.MULTILINE)


def section(title: str) -> str:
    """The part of the page below a heading."""
    return PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> list[tuple[str, list[str], str]]:
    """Name, spellings and status of each row: functions, then everything else."""
    text = section(title)
    found = [*FUNCTION.findall(text), *OTHER.findall(text)]
    return [(name, re.findall(r"`([^`]+)`", python), told) for name, python, told in found]


def every_row() -> list[tuple[str, list[str], str]]:
    return [row for title in TITLES for row in rows(title)]


def facts(generation: str) -> dict[str, Any]:
    return dict(json.loads((ROOT / "comch_next" / "api" / f"{generation}.json").read_text(encoding="utf-8")))


def names(generation: str) -> tuple[list[str], set[str]]:
    """Functions and other names of a table, told by the file itself, not by the loader that the page is made with."""
    table = facts(generation)
    parts = ("functions", "legacy_functions", "inferred_functions")
    functions = [row["name"] for part in parts for row in table.get(part, ())]
    others = {row["name"] for part in ("callbacks", "enums", "typedefs", "unions") for row in table.get(part, ())}
    others |= {value for row in table["enums"] for value in row["values"]}
    others |= {row if isinstance(row, str) else row["name"] for row in table["structs"]}
    others |= {row["name"] for row in table.get("open_structs", ())}
    return functions, others | set(table["constants"]) | set(table.get("macros", ()))


@pytest.fixture
def objects() -> Iterator[dict[str, Any]]:
    """One object of each class that can be had, by the name of the class; of the others the class."""
    lane = Lane().run()
    send = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
    post = lane.inbox.consumer.task_post_recv_alloc_init()
    message = lane.here.task()
    device = lane.there.context.device
    rep = lane.there.context.device_rep
    with Mmap(device, 4096, AccessFlag.PCI_READ_WRITE) as mmap, BufInventory(1) as inventory:
        buf = inventory.buf_get_by_addr(mmap, mmap.addr, 64)
        made = [lane.there.context, lane.here.context, lane.here.connection, lane.there.engine]
        made += [lane.inbox.consumer, lane.outbox.producer, message, post, send]
        made += [device, device.devinfo, rep, rep.devinfo_rep, mmap, inventory, buf]
        found = {name: getattr(comch_next, name) for name in comch_next.__all__} | {"dpa": dpa}
        yield found | {type(each).__name__: each for each in made} | {"Context": lane.there.context}
        buf.dec_refcount()
    for task in (send, post, message):
        task.free()
    lane.close()


@pytest.mark.parametrize(
    ("title", "generation", "functions", "others"),
    [("DOCA Comch", "comch", 113, 31), ("DOCA Core", "core", 199, 148), ("DOCA DPA", "dpa", 41, 16)],
)
def test_every_name_has_a_row(title: str, generation: str, functions: int, others: int) -> None:
    wanted = names(generation)
    found = [name for name, _, _ in rows(title)]
    assert (len(wanted[0]), len(wanted[1])) == (functions, others)
    assert sorted(found[:functions]) == sorted(wanted[0])
    assert sorted(found[functions:]) == sorted(wanted[1])
    assert f"\n{functions} functions: " in section(title)
    assert f"\n{others} types, values and macros: " in section(title)


def test_every_row_has_a_spelling_or_the_reason_why_not() -> None:
    for name, spellings, told in every_row():
        if spellings:
            assert told.startswith(IMPLEMENTED), name
        else:
            assert re.match(r"[A-Za-z ]+: \w", told), f"{name}: one word for the kind, and why"
    functions = set(names("comch")[0])
    assert all(spellings for name, spellings, _ in rows("DOCA Comch") if name in functions)


def test_the_counts_are_those_of_the_rows() -> None:
    for title in TITLES:
        counts = re.findall(r"(\d+) implemented, (\d+) without a counterpart", section(title))
        told = [row[2] for row in rows(title)]
        implemented = sum(each.startswith(IMPLEMENTED) for each in told)
        expected = (implemented, len(told) - implemented)
        assert tuple(sum(int(each[place]) for each in counts) for place in range(2)) == expected


def test_every_spelling_is_there(objects: dict[str, Any]) -> None:
    """The expressions themselves, with an object for the class; Task is each kind of task."""
    for name, spellings, _ in every_row():
        for spelled in spellings:
            for kind in status.TASKS if spelled.startswith("Task.") else ("",):
                expression = spelled.replace("Task", kind, 1) if kind else spelled
                try:
                    eval(expression, {"len": len}, objects)
                except AttributeError as error:
                    raise AssertionError(f"{name} is spelled {expression}: {error}") from None


def test_the_hints_know_the_same_names() -> None:
    told = {name: spellings for name, spellings, _ in every_row()}
    assert {name: text.split(" | ") for name, text in SPELLINGS.items()} == {k: v for k, v in told.items() if v}
    assert set(ABSENT) == {name for name, spellings in told.items() if not spellings}


def test_a_hint_for_generation_1_names_what_some_class_has() -> None:
    classes = [comch_next.Server, comch_next.Client, comch_next.Connection]
    for name, here in GENERATION_1.items():
        assert [each for each in here for cls in classes if has(cls, each.rpartition(".")[2])], name


def test_a_name_without_a_row_is_told() -> None:
    with pytest.raises(ValueError, match=r"doca_pe_fly has no spelling.*tools/status\.toml"):
        status.spelled(status.Symbol("doca_pe_fly", "function"))


def test_a_row_of_no_table_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"spelled": {"doca_pe_fly": "ProgressEngine.fly"}, "types": {}, "absent": [{"names": ["doca_fly_*"]}]}
    monkeypatch.setattr(status, "_config", lambda: config)
    with pytest.raises(ValueError, match=r"\['doca_pe_fly', 'doca_fly_\*'\] are in no table"):
        status.page()


def test_a_function_without_a_spelling_is_told() -> None:
    unknown: Any = SimpleNamespace(name="doca_comch_server_fly", replaced_by=None)
    with pytest.raises(ValueError, match="doca_comch_server_fly has no spelling"):
        spelling(unknown)


def test_a_name_with_two_reasons_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = [{"why": "logging: one", "names": ["doca_log*"]}, {"why": "C only: two", "names": ["doca_log"]}]
    monkeypatch.setattr(status, "_config", lambda: {"absent": absent})
    assert status.reason("doca_log_backend") == "logging: one"
    with pytest.raises(ValueError, match="doca_log is absent for two reasons"):
        status.reason("doca_log")


def test_the_guide_and_the_readme_lead_to_the_page() -> None:
    for name in ("MIGRATION.md", "README.md"):
        assert "(docs/status.md)" in Path(ROOT / name).read_text(encoding="utf-8")
