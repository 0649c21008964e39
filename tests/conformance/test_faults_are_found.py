"""A driver with a fault does not pass: each row breaks the emulated driver in one place, and names who must notice."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from comch_next.driver.emulated._engine import Engines
from comch_next.driver.emulated._send_task import TaskPool
from comch_next.testing import CHECKS, _fast_overlaps, _fast_streams, in_one_process
from tests.conformance import control_faults, dpa_faults, fast_faults
from tests.conformance.faults import nothing
from tests.leftovers import close_leftovers
from tests.processes import SOON_S

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # what a faulty driver leaves behind

BY_NAME = {check.__name__.removeprefix("check_"): check for check in CHECKS}

FAULTS = control_faults.FAULTS + fast_faults.FAULTS + dpa_faults.FAULTS
SILENCES = control_faults.SILENCES + fast_faults.SILENCES + dpa_faults.SILENCES
SILENT_S = 0.5
FEW = (_fast_overlaps, "_ROUNDS", 2), (_fast_streams, "_COUNT", 4)  # the faults are there in every round


def test_each_check_has_a_fault() -> None:
    assert sorted({check for _, _, _, check in FAULTS + SILENCES}) == sorted(BY_NAME)


@pytest.fixture(autouse=True)
def no_remains() -> Iterator[None]:
    """What a check that fails leaves is closed by the whole driver, and the rest collected where that is expected."""
    yield
    close_leftovers()
    gc.collect()


def expect_failure(place: Any, name: str, fault: Any, check: str, timeout: float) -> None:
    with pytest.MonkeyPatch.context() as driver:
        for noun, quick in ((TaskPool, "quick_alloc"), (Engines, "quick_request")):
            driver.setattr(noun, quick, nothing)  # the fault may be in a call that a quick one stands before
        for module, number, few in FEW:
            driver.setattr(module, number, few)
        driver.setattr(place, name, fault)
        with pytest.raises(AssertionError) as noticed:
            BY_NAME[check](partial(in_one_process, timeout=timeout))
    said_in = Path(noticed.traceback[-1].path)
    assert said_in.parent.name == "testing", f"{said_in}: this assertion is none of the suite's"


def named(value: Any) -> str | None:
    return getattr(value, "__name__", None)


@pytest.mark.parametrize(("place", "name", "fault", "check"), FAULTS, ids=named)
def test_the_check_fails_at_once(place: Any, name: str, fault: Any, check: str) -> None:
    expect_failure(place, name, fault, check, SOON_S)


@pytest.mark.parametrize(("place", "name", "fault", "check"), SILENCES, ids=named)
def test_the_check_fails_when_its_time_is_up(place: Any, name: str, fault: Any, check: str) -> None:
    """Something never comes, or a sleep never ends or never begins."""
    expect_failure(place, name, fault, check, SILENT_S)
