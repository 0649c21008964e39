"""Every failure that the tables document for the functions built here happens when it should.

A row is provoked through public calls with real arguments or resource limits; or it is listed, with the
reason, among those that only hardware can cause, that only C can spell, or that the headers have by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from comch_next import DocaError, ErrorCode
from comch_next.api import functions
from tests.error_rows.cases import C_ONLY, CASES, HARDWARE_ONLY, HEADER_SLIPS, NOT_BUILT, SAME_AS, Answer, Key, World
from tests.error_rows.exhaustion import PREAMBLE, PROGRAMS
from tests.processes import StartPython

HEADERS = ("doca_pe.h", "doca_ctx.h", "doca_dev.h", "doca_comch.h")


def rows() -> Iterator[Key]:
    """Every (function, code) of the headers at hand, older spellings under their newer name."""
    for generation in ("core", "comch"):
        for function in functions(generation):
            if function.header in HEADERS and function.name not in NOT_BUILT:
                for error in function.errors:
                    yield SAME_AS.get(function.name, function.name), error.code.removeprefix("DOCA_ERROR_")


ROWS = sorted(set(rows()))


def exhausting(row: Key) -> str | None:
    """The program that provokes a row by running out of something."""
    return PROGRAMS.get(" ".join(row)) or (PROGRAMS.get(row[0]) if row[1] == "NO_MEMORY" else None)


def in_this_process() -> list[Key]:
    return [row for row in ROWS if row in CASES]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.delenv("COMCH_TOPOLOGY", raising=False)
    made = World(tmp_path)
    yield made
    made.close()


def ways(row: Key) -> int:
    return sum(
        (
            row in CASES,
            exhausting(row) is not None,
            row in HARDWARE_ONLY,
            row in HEADER_SLIPS,
            row in C_ONLY,
        )
    )


def test_every_row_is_provoked_or_has_its_reason() -> None:
    assert [row for row in ROWS if ways(row) != 1] == []


def test_nothing_is_listed_that_no_table_has() -> None:
    listed = {*CASES, *HARDWARE_ONLY, *HEADER_SLIPS, *C_ONLY}
    assert listed - set(ROWS) == set()
    named = {function.name for generation in ("core", "comch") for function in functions(generation)}
    assert set(NOT_BUILT) | set(SAME_AS) <= named
    assert {name.split()[0] for name in PROGRAMS} <= named


def test_every_reason_is_told() -> None:
    for table in (HARDWARE_ONLY, HEADER_SLIPS, C_ONLY):
        assert all(table.values())
    assert all(NOT_BUILT.values())


@pytest.mark.parametrize("row", in_this_process(), ids=lambda row: f"{row[0]}-{row[1]}")
def test_row(world: World, row: Key) -> None:
    case = CASES[row]
    if isinstance(case, Answer):
        assert case.call(world) == case.value
        return
    with pytest.raises(DocaError) as caught:
        case(world)
    assert caught.value.code is ErrorCode[row[1]]
    assert len(str(caught.value)) > 20, "an error says what was attempted"


@pytest.mark.parametrize("row", [row for row in ROWS if exhausting(row)], ids=lambda row: f"{row[0]}-{row[1]}")
def test_row_of_an_exhausted_process(start_python: StartPython, row: Key) -> None:
    program = exhausting(row)
    assert program is not None
    done = start_python("-c", PREAMBLE + program).finish()
    assert (done.returncode, done.stdout) == (0, row[1] + "\n"), done.stderr


def test_getters_that_the_headers_wrong_work_in_every_state(world: World) -> None:
    """The rows that are header slips: no getter refuses an active context."""
    for side in (world.there, world.here, world.idle_server, world.idle_client):
        assert side.context.max_msg_size == 4080
        assert side.context.device is not None
    assert world.lib.contexts.get_device(world.here.context._handle) is not None
    assert world.there.context.device_rep.devinfo_rep.pci_addr_str == "0000:b1:00.0"
