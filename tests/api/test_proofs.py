"""docs/errors.md: every documented failure has one proof, and every test that it names is there."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from comch_next.api import function
from tests.processes import ROOT, StartPython
from tools.proofs import Proofs, Section, check, table

PAGE = ROOT / "docs" / "errors.md"
DISCONNECT = function("doca_comm_channel_ep_disconnect")
CODES = ("INVALID_VALUE", "NO_MEMORY", "NOT_CONNECTED", "UNKNOWN")
KEYS = [(DISCONNECT.name, code) for code in CODES]


def section(title: str) -> str:
    """The part of the page below a heading that begins so."""
    return PAGE.read_text(encoding="utf-8").partition(f"## {title}")[2].partition("\n## ")[0]


def rows(text: str) -> list[tuple[str, str, str]]:
    """Function, failure and proof of each row."""
    return re.findall(r"^\| `(\w+)` \| (\w+) \| .* \| (.+) \|$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("title", "generation", "functions", "failures"),
    [("Generation 1", "comm_channel", 37, 90), ("Generation 3", "comch", 113, 119)],
)
def test_the_page_has_every_row(title: str, generation: str, functions: int, failures: int) -> None:
    """Told by the files themselves, not by the loader that the page is made with."""
    facts = json.loads((ROOT / "comch_next" / "api" / f"{generation}.json").read_text(encoding="utf-8"))
    every = [*facts["functions"], *facts.get("legacy_functions", ())]
    wanted = [(each["name"], row["code"].removeprefix("DOCA_ERROR_")) for each in every for row in each["errors"]]
    text = section(title)
    assert (len(every), len(wanted)) == (functions, failures)
    assert [row[:2] for row in rows(text)] == wanted
    assert f"{functions} functions, {failures} rows" in text
    assert all(f"`{each['name']}`" in text for each in every)


def test_every_test_that_is_named_is_there(start_python: StartPython) -> None:
    named = set(re.findall(r"`(tests/[^`]+)`", PAGE.read_text(encoding="utf-8")))
    files = sorted({each.partition("::")[0] for each in named})
    collected = start_python("-m", "pytest", "--collect-only", "-q", *files).finish()
    assert collected.returncode == 0, collected.stdout
    assert named
    assert named - set(collected.stdout.splitlines()) == set()


def test_the_guide_leads_to_the_page() -> None:
    assert "(docs/errors.md)" in (ROOT / "MIGRATION.md").read_text(encoding="utf-8")


def test_a_table_of_tests_and_reasons() -> None:
    proofs = Proofs(dict.fromkeys(KEYS[:2], "a.py::test"), dict.fromkeys(KEYS[2:], "hardware only: a | b"))
    text = table(Section("Here", (DISCONNECT,), proofs))
    assert "1 functions, 4 rows: 2 provoked, 2 not." in text
    assert [row[1:] for row in rows(text)] == [
        *((code, "`a.py::test`") for code in CODES[:2]),
        *((code, r"hardware only: a \| b") for code in CODES[2:]),
    ]


@pytest.mark.parametrize(
    ("proofs", "told"),
    [
        (Proofs(dict.fromkeys(KEYS[1:], "test"), {}), "have no proof"),
        (Proofs({}, {}), "have no proof"),
        (Proofs(dict.fromkeys(KEYS, "test"), {KEYS[0]: "hardware only"}), "have both a test and a reason"),
        (Proofs(dict.fromkeys(KEYS[1:], "test"), {KEYS[0]: ""}), "have an empty proof"),
        (Proofs(dict.fromkeys([*KEYS, ("f", "DRIVER")], "test"), {}), "have a proof, but are no rows"),
    ],
)
def test_what_is_not_proved_once_is_refused(proofs: Proofs, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        check(Section("Here", (DISCONNECT,), proofs).rows(), proofs)


def test_a_stale_page_is_told(start_python: StartPython, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    for name in ("comch_next", "comm_channel_compat", "migrate", "tests", "MIGRATION.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "docs").mkdir()
    for name in ("errors.md", "status.md"):
        (tmp_path / "docs" / name).write_text("# old\n")
    finished = start_python("-m", "tools.generate", "--check", cwd=tmp_path).finish()
    assert finished == (1, "docs/errors.md: stale\ndocs/status.md: stale\n", "")
