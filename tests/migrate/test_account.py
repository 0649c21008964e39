"""Old references are counted by a scanner of its own: each is edited, or commented, or not code."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate import Level, rewrite
from migrate.explain import cases
from migrate.outcome import FileOutcome
from migrate.rewriting import rewrite_project
from tests.migrate.scan import scan
from tools.side_by_side import LEGACY, REWRITTEN

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "samples_legacy").glob("*.py"), *(ROOT / "tests" / "migrate" / "foreign").glob("*.py")])
SPELLINGS = {
    "import doca_comm_channel as cc\n": "import {} as cc\n",
    "from doca_comm_channel import *\n": "from {} import *\n",
}
# A line that is skipped on request has no finding of its own.
# Names that are bound in the file in a way that only scope rules tell from the import; the scanner has none.
UNCOUNTED = {"codes: a shadowed name", "idioms.send: kept: a line in the loop is left alone on request"}


def texts() -> list[tuple[str, str]]:
    """Name and text of everything that is counted."""
    found = [(path.name, path.read_text()) for path in FILES if path.name != "py2_tool.py"]
    for case in cases():
        if f"{case.rule}: {case.title}" not in UNCOUNTED:
            found.append((f"{case.rule}: {case.title}", case.before))
            package = "comm_channel_compat" + ".blocking" * case.rule.startswith("gen1x.")
            for old, new in SPELLINGS.items():
                if old in case.before:
                    text = case.before.replace(old, new.format(package))
                    found.append((f"{case.rule}: {case.title} ({package})", text))
    return found


@pytest.mark.parametrize(("name", "text"), texts(), ids=[name for name, _ in texts()])
def test_every_reference_is_found_and_what_stays_is_in_the_new_text(name: str, text: str) -> None:
    outcome = rewrite(text.encode(), name)
    assert not outcome.skipped
    places = {(finding.span.line, finding.span.column) for finding in outcome.findings}
    assert [place for place in scan(text) if (place.line, place.column) not in places] == []
    stays = {(found.span.line, found.span.column) for found in outcome.findings if found.level is not Level.SAFE}
    before = len([place for place in scan(text) if (place.line, place.column) in stays])
    assert len(scan(outcome.new.decode())) == before


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_second_run_edits_nothing(path: Path) -> None:
    once = rewrite(path.read_bytes(), path.name)
    again = rewrite(once.new, path.name)
    assert again.new == once.new


@pytest.fixture(scope="module")
def samples() -> dict[str, FileOutcome]:
    """The samples, rewritten together: some import each other."""
    outcomes = rewrite_project({Path(script): (LEGACY / script).read_bytes() for script in REWRITTEN})
    return {outcome.path.name: outcome for outcome in outcomes}


@pytest.mark.parametrize("script", REWRITTEN)
def test_no_legacy_call_is_left_in_a_sample(samples: dict[str, FileOutcome], script: str) -> None:
    outcome = samples[script]
    assert {finding.level for finding in outcome.findings} == {Level.SAFE}
    assert not scan(outcome.new.decode())
