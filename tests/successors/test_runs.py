"""Programs of generation 2 that stay cffi or ctypes run on libdoca_comch, and do what they did."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from migrate.outcome import Options
from migrate.rewriting import rewrite_project
from tests.verify.cases import GUESTS, SAMPLES

KEPT = Options(keep_spelling=True)
STAYS = {"cffi/caps_of_25": "CCM123"}  # it asks for the words of 2.5 and of 2.6
SHOWN = {"ctypes/pump_package": ("cc_client_task", "comch_client_task")}  # it prints the name of what fails
COUNTS = {"cffi/metered", "ctypes/ring_of_25"}  # they print how many callbacks one progress has run: all that are due
OF_C = {name: SAMPLES[name] for name in ("with_cffi/cc_ctrl_path", "with_ctypes/cc_ctrl_path")}
OLD = ("doca_cc_", "libdoca_cc")

pytestmark = pytest.mark.usefixtures("forked")


@pytest.mark.parametrize("name", [name for name in GUESTS if name not in STAYS])
def test_a_guest_runs_on_the_new_library(tmp_path: Path, runtime_dir: Path, name: str) -> None:
    """It prints what the old one does; that stands in its transcript."""
    case = GUESTS[name]
    sides = case.migrated(tmp_path, KEPT)
    assert not sides.stays
    assert not [path for path in sides.new.rglob("*.py") if any(old in path.read_text() for old in OLD)]
    assert not any(outcome.changed for outcome in rewrite_project(read(sides.new), options=KEPT))
    remains = case.stage(sides, runtime_dir).run("new", [True] * len(case.commands))
    for end, left in zip(case.ends(), remains, strict=True):
        print(left.stderr, file=sys.stderr)
        assert left.status == end.status
        assert name in COUNTS or left.stdout == end.output.replace(*SHOWN.get(name, ("", "")))


def read(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*.py"))}


@pytest.mark.parametrize("name", STAYS)
def test_a_guest_that_stays_is_whole(tmp_path: Path, name: str) -> None:
    sides = GUESTS[name].migrated(tmp_path, KEPT)
    assert {stays.code for stays in sides.stays} == {STAYS[name]}
    for outcome in sides.outcomes:
        kept = [line for line in outcome.new.splitlines() if not line.lstrip().startswith(b"# CCM")]
        assert kept == outcome.old.splitlines()


@pytest.mark.parametrize("name", OF_C)
@pytest.mark.parametrize("new", [(True, True), (True, False), (False, True)])
def test_a_sample_talks_to_either(tmp_path: Path, runtime_dir: Path, name: str, new: tuple[bool, ...]) -> None:
    case = OF_C[name]
    sides = case.migrated(tmp_path, KEPT)
    assert {stays.code for stays in sides.stays} == {"CCM120"}  # generation 1, beside it
    stage = case.stage(sides, runtime_dir)
    outputs = [
        [(left.status, sorted(left.stdout.splitlines())) for left in stage.run(str(number), pairing)]
        for number, pairing in enumerate(((False, False), new))
    ]
    assert outputs[0] == outputs[1]  # which of two lines is first varies
    assert all(status == 0 and "result DOCA_SUCCESS" in lines for status, lines in outputs[1])
