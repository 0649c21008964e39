"""The guests' transcripts against the API's documents: no code, state or number in them stands only because it came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from comch_next import ErrorCode, State, api
from comch_next.driver.emulated._state import TRANSITIONS

TRANSCRIPTS = sorted((Path(__file__).parent / "guests").glob("*.golden"))
_CALL = re.compile(r"(doca_\w+)\(.*\): DOCA_(?:ERROR_)?(\w+)$")
_MOVE = re.compile(r"(?:client|server) ([A-Z]+) -> ([A-Z]+)$")
_NUMBER = re.compile(r"(\d+) (DOCA_\w+)$")

# Codes that a function's own rows lack, and what says so: the header's notes, or a rule of the C libraries.
STALE = "a handle that has been given back is refused as NULL is (docs/c_programs.md)"
RANGE = "the header says that the range stays inside; outside is INVALID_VALUE, as for other ranges (docs/errors.md)"
ELSEWHERE = {
    ("doca_ctx_start", "IN_PROGRESS"): "the header's notes: IN_PROGRESS means STARTING, not an error",
    ("doca_dev_close", "INVALID_VALUE"): STALE,
    ("doca_task_submit", "INVALID_VALUE"): STALE,
    ("doca_buf_dec_refcount", "INVALID_VALUE"): STALE,
    ("doca_buf_inventory_buf_get_by_addr", "INVALID_VALUE"): RANGE,
    ("doca_buf_set_data", "INVALID_VALUE"): RANGE,
    ("doca_buf_set_data_len", "INVALID_VALUE"): RANGE,
}


def _lines(pattern: re.Pattern[str]) -> Iterator[tuple[str, ...]]:
    for path in TRANSCRIPTS:
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := pattern.search(line):
                yield match.groups()


REFUSED = sorted({(name, code) for name, code in _lines(_CALL) if code != "SUCCESS"})


@pytest.mark.parametrize(("name", "code"), REFUSED)
def test_each_refusal_is_documented(name: str, code: str) -> None:
    rows = (row for generation in api.GENERATIONS for row in api.functions(generation) if row.name == name)
    documented = {error.code for row in rows for error in row.errors}
    assert (f"DOCA_ERROR_{code}" in documented) != ((name, code) in ELSEWHERE)


def test_each_reason_is_needed() -> None:
    assert set(ELSEWHERE) <= set(REFUSED)


def test_each_change_of_state_is_one_of_the_table() -> None:
    moves = set(_lines(_MOVE))
    assert len(moves) > 4
    known = {(state.name, new.name) for (state, _), new in TRANSITIONS.items()}
    assert moves <= known
    assert {State[name] for move in moves for name in move} == set(State)


def test_each_number_is_its_codes() -> None:
    for number, name in _lines(_NUMBER):
        assert ErrorCode(int(number)).name == name.removeprefix("DOCA_").removeprefix("ERROR_")
