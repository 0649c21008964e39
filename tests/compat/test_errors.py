"""Every documented error of generation 1: provoked through public calls, or why it cannot be."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import comch_next._threaded  # noqa: F401  # else the first port imports it, with no descriptor to spare
import comm_channel_compat
from comch_next import DocaError
from comch_next.api import functions
from tests.compat import provocations, support
from tests.compat.exhaustion import END, EXHAUSTED, PREAMBLE
from tests.compat.provocations import (
    C_ONLY,
    CONDITIONS,
    HARDWARE_ONLY,
    HEADER_SLIPS,
    PREFIX,
    PROVOCATIONS,
    WITHOUT_ERROR,
    Stage,
    descriptors,
)
from tests.descriptors import collected_fds, open_fds
from tests.error_rows.public import private_names, watched
from tests.processes import StartPython
from tests.pull.support import until
from tools.proofs import Proofs, combined

pytestmark = pytest.mark.usefixtures("form")

cc: Any = comm_channel_compat  # it makes the C names at import, where mypy cannot see them

ROWS = sorted(
    {
        (row.name.removeprefix(PREFIX), error.code.removeprefix("DOCA_ERROR_"))
        for row in functions("comm_channel")
        for error in row.errors
    }
)


def proofs() -> Proofs:
    """How each row is proved, for the table in the docs; every test runs on the other form of the pull port, too."""
    file = "tests/compat/test_errors.py"
    tests = {row: f"{file}::test_a_documented_error_is_provoked[driver-{'-'.join(row)}]" for row in PROVOCATIONS}
    starved = {row: f"{file}::test_an_exhausted_process_is_told[driver-{'-'.join(row)}]" for row in EXHAUSTED}
    reasons = (("C only", C_ONLY), ("hardware only", HARDWARE_ONLY), ("error in the header", HEADER_SLIPS))
    return combined(("proved", tests), ("proved", starved), *reasons, name=lambda name: PREFIX + name)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython) -> Stage:
    return Stage(tmp_path, monkeypatch, start_python)


@pytest.mark.parametrize(("name", "code"), sorted(PROVOCATIONS))
def test_a_documented_error_is_provoked(name: str, code: str, stage: Stage, errors: list[DocaError]) -> None:
    private: list[str] = []
    with watched(private):
        answer = PROVOCATIONS[name, code](stage)
    told, *outputs = answer if isinstance(answer, tuple) else (answer,)
    assert cc.doca_error_get_name(told) == f"DOCA_ERROR_{code}"
    assert len(outputs) == len(cc_outputs(name))
    if (name, code) != ("ep_recvfrom", "CONNECTION_RESET"):
        assert set(outputs) <= {None}
    if (name, code) not in WITHOUT_ERROR:
        texts = [str(error) for error in errors if error.code is cc.ErrorCode[code]]
        assert [text for text in texts if re.search(CONDITIONS[name, code], text)], texts
    assert private == [], "a proof makes public calls only"


def cc_outputs(name: str) -> tuple[Any, ...]:
    """The outputs that the table gives the function."""
    return next(row for row in functions("comm_channel") if row.name == PREFIX + name).outputs


@pytest.mark.parametrize(("name", "code"), sorted(EXHAUSTED))
def test_an_exhausted_process_is_told(name: str, code: str, start_python: StartPython) -> None:
    done = start_python("-c", PREAMBLE + EXHAUSTED[name, code] + END).finish()
    assert (done.returncode, done.stdout) == (0, f"DOCA_ERROR_{code} True\n"), done.stderr


def test_each_documented_error_is_in_one_class() -> None:
    assert sorted([*PROVOCATIONS, *EXHAUSTED, *C_ONLY, *HARDWARE_ONLY, *HEADER_SLIPS]) == ROWS
    assert all([*C_ONLY.values(), *HARDWARE_ONLY.values(), *HEADER_SLIPS.values()])
    assert set(CONDITIONS) | WITHOUT_ERROR == set(PROVOCATIONS)


def test_the_proofs_name_nothing_private() -> None:
    for module in (provocations, support):
        assert private_names(inspect.getsource(module)) == []
    for program in EXHAUSTED.values():
        assert private_names(PREAMBLE + program + END) == []


@pytest.mark.parametrize("call", ["listen", "connect"])
def test_few_descriptors_leave_nothing_behind(call: str, stage: Stage) -> None:
    stage.serve()
    ep = stage.to_service() if call == "listen" else stage.fresh(support.HOST)
    name = "another" if call == "listen" else support.NAME
    before = collected_fds()
    refused = [cc.ErrorCode.INITIALIZATION, cc.ErrorCode.NO_MEMORY, cc.ErrorCode.CONNECTION_ABORTED]
    spare = 0
    while True:
        with descriptors(spare):
            code, _ = cc.outcome(getattr(ep, call), name)
        if code not in refused:
            break
        until(lambda: open_fds() == before)  # what came with a welcome is closed by a thread, perhaps later
        spare += 1
    assert code == cc.ErrorCode.SUCCESS
    assert spare > 3
    ep.destroy()
    assert open_fds() == before
