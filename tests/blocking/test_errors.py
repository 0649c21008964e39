"""Every documented error of DOCA 1.2 to 1.4: provoked through public calls, or why it cannot be."""

from __future__ import annotations

import inspect
import re

import pytest

from comch_next import DocaError, ErrorCode
from comch_next.api import functions
from tests.blocking import provocations
from tests.blocking import stage as stage_module
from tests.blocking.provocations import EXHAUSTED, HARDWARE_ONLY, PREFIX, PROVOCATIONS, ROWS, Row
from tests.blocking.stage import Stage, cc
from tests.compat.exhaustion import END, PREAMBLE
from tests.error_rows.public import private_names, watched
from tests.processes import StartPython
from tools.proofs import Proofs, combined

FILE = "tests/blocking/test_errors.py"


def name(row: Row) -> str:
    return "-".join(row)


def proofs() -> Proofs:
    """How each row is proved, for the table in the docs."""
    tests = {row: f"{FILE}::test_a_documented_error_is_provoked[{name(row)}]" for row in PROVOCATIONS}
    starved = {row: f"{FILE}::test_an_exhausted_process_is_refused[{name(row)}]" for row in EXHAUSTED}
    reasons = ("hardware only", HARDWARE_ONLY)
    return combined(("proved", tests), ("proved", starved), reasons, name=lambda short: PREFIX + short)


@pytest.mark.parametrize("row", sorted(PROVOCATIONS), ids=name)
def test_a_documented_error_is_provoked(row: Row, stage: Stage, errors: list[DocaError]) -> None:
    provoke, condition = PROVOCATIONS[row]
    private: list[str] = []
    with watched(private):
        answer = provoke(stage)
    code, *outputs = answer if isinstance(answer, tuple) else (answer,)
    assert cc.doca_error_get_name(code) == f"DOCA_ERROR_{row[1]}"
    table = next(each for each in functions("comm_channel_1x") if each.name == PREFIX + row[0])
    assert outputs == [None] * len(table.outputs)
    texts = [str(error) for error in errors if error.code is ErrorCode[row[1]]]
    assert [text for text in texts if re.search(condition, text)], texts
    assert private == [], "a proof makes public calls only"


@pytest.mark.parametrize("row", sorted(EXHAUSTED), ids=name)
def test_an_exhausted_process_is_refused(start_python: StartPython, row: Row) -> None:
    preamble = f"{PREAMBLE}import comm_channel_compat.blocking as cc\n"
    done = start_python("-c", preamble + EXHAUSTED[row] + END).finish()
    assert (done.returncode, done.stdout) == (0, f"DOCA_ERROR_{row[1]} True\n"), done.stderr


def test_each_documented_error_is_in_one_class() -> None:
    assert sorted([*PROVOCATIONS, *EXHAUSTED, *HARDWARE_ONLY]) == ROWS
    assert all(HARDWARE_ONLY.values())


def test_the_proofs_name_nothing_private() -> None:
    for module in (provocations, stage_module):
        assert [name for name in private_names(inspect.getsource(module)) if name != "_made"] == []
