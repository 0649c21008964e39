"""Every documented error of generation 2: provoked through public calls, or why it cannot be."""

from __future__ import annotations

import inspect
import re

import pytest

from comch_next import DocaError
from comch_next.api import functions
from tests.cc import provocations
from tests.cc import world as world_module
from tests.cc.provocations import EXHAUSTED, HARDWARE_ONLY, HEADER_SLIPS, PREFIX, PROVOCATIONS, ROWS, Row
from tests.cc.world import World, cc
from tests.error_rows.exhaustion import PREAMBLE
from tests.error_rows.public import private_names, watched
from tests.processes import StartPython
from tools.proofs import Proofs, combined

FILE = "tests/cc/test_errors.py"


def name(row: Row) -> str:
    return "-".join(row)


def proofs() -> Proofs:
    """How each row is proved, for the table in the docs."""
    tests = {row: f"{FILE}::test_a_documented_error_is_provoked[{name(row)}]" for row in PROVOCATIONS}
    starved = {row: f"{FILE}::test_an_exhausted_process_is_refused[{name(row)}]" for row in EXHAUSTED}
    reasons = (("hardware only", HARDWARE_ONLY), ("error in the header", HEADER_SLIPS))
    return combined(("proved", tests), ("proved", starved), *reasons, name=lambda short: PREFIX + short)


@pytest.mark.parametrize("row", sorted(PROVOCATIONS), ids=name)
def test_a_documented_error_is_provoked(row: Row, world: World, errors: list[DocaError]) -> None:
    provoke, condition = PROVOCATIONS[row]
    private: list[str] = []
    with watched(private):
        answer = provoke(world)
    code, *outputs = answer if isinstance(answer, tuple) else (answer,)
    assert cc.doca_error_get_name(code) == f"DOCA_ERROR_{row[1]}"
    table = next(each for each in functions("cc") if each.name == PREFIX + row[0])
    assert outputs == [None] * len(table.outputs)
    texts = [str(error) for error in errors if error.code is cc.ErrorCode[row[1]]]
    assert [text for text in texts if re.search(condition, text)], texts
    assert private == [], "a proof makes public calls only"


@pytest.mark.parametrize("row", sorted(EXHAUSTED), ids=name)
def test_an_exhausted_process_is_refused(start_python: StartPython, row: Row) -> None:
    source, condition = EXHAUSTED[row]
    done = start_python("-c", f"{PREAMBLE}import comm_channel_compat.cc as cc\n{source}").finish()
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == row[1]
    assert re.search(condition, done.stdout), "another condition than that of the row"


def test_each_documented_error_is_in_one_class() -> None:
    assert sorted([*PROVOCATIONS, *EXHAUSTED, *HARDWARE_ONLY, *HEADER_SLIPS]) == ROWS
    assert all([*HARDWARE_ONLY.values(), *HEADER_SLIPS.values()])


def test_the_proofs_name_nothing_private() -> None:
    for module in (provocations, world_module):
        assert private_names(inspect.getsource(module)) == []
    for source, _ in EXHAUSTED.values():
        assert private_names(source) == []
