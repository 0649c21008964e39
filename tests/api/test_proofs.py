"""docs/proofs.md: every documented failure has one proof, and every test that it names is there."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from comch_next import ErrorCode, from_code
from comch_next.api import function
from tests.processes import ROOT, SOON_S, StartPython
from tools.proofs import KINDS, Proof, Proofs, Section, check, combined, table

PAGE = ROOT / "docs" / "proofs.md"
DISCONNECT = function("doca_comm_channel_ep_disconnect")
CODES = ("INVALID_VALUE", "NO_MEMORY", "NOT_CONNECTED", "UNKNOWN")
KEYS = [(DISCONNECT.name, code) for code in CODES]


def section(title: str) -> str:
    """The part of the page below a heading that begins so."""
    return PAGE.read_text(encoding="utf-8").partition(f"## {title}")[2].partition("\n## ")[0]


def rows(text: str) -> list[tuple[str, str, str, str]]:
    """Function, failure, class and proof of each row."""
    kinds = "|".join(KINDS)
    return re.findall(rf"^\| `(\w+)` \| (\w+) \| .* \| ({kinds}) \| (.+) \|$", text, re.MULTILINE)


def counts(text: str) -> dict[str, int]:
    """The first line of counts in a text."""
    line = next(line for line in text.splitlines() if re.search(r"\d+ rows: ", line))
    return {kind: int(number) for number, kind in re.findall(rf"(\d+) ({'|'.join(KINDS)})", line)}


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
    collected = start_python("-m", "pytest", "--collect-only", "-q", *files, deadline_s=4 * SOON_S).finish()
    assert collected.returncode == 0, collected.stdout
    assert named
    assert named - set(collected.stdout.splitlines()) == set()


USERS_PAGE = ROOT / "docs" / "errors.md"


def test_the_guides_lead_to_the_pages() -> None:
    assert "(docs/errors.md)" in (ROOT / "MIGRATION.md").read_text(encoding="utf-8")
    assert "(proofs.md)" in USERS_PAGE.read_text(encoding="utf-8")


def test_the_page_for_users_has_every_row_and_every_class() -> None:
    text = USERS_PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^\| `(doca_\w+)` \| `(\w+)` \|", text, re.MULTILINE)
    proved = [
        (name, type(from_code(ErrorCode[code])).__name__) for name, code, *_ in rows(PAGE.read_text(encoding="utf-8"))
    ]
    assert shown == proved
    classes = [type(from_code(code)).__name__ for code in ErrorCode if code is not ErrorCode.SUCCESS]
    assert [name for name in classes if f"\n| `{name}` | " not in text] == []


def test_the_counts_are_those_of_the_rows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for part in (text, *(section(title) for title in ("Generation 1", "Generation 3", "DOCA Core"))):
        kinds = [kind for *_, kind, _ in rows(part)]
        assert counts(part) == {kind: kinds.count(kind) for kind in KINDS}
        assert kinds


def test_a_row_is_a_test_or_has_a_reason() -> None:
    for *_, kind, proof in rows(PAGE.read_text(encoding="utf-8")):
        assert (kind in ("proved", "returns", "C only")) == proof.startswith("`tests/")


def test_a_table_of_tests_and_reasons() -> None:
    proofs = {key: Proof("proved", "a.py::test") for key in KEYS[:2]}
    proofs |= {KEYS[2]: Proof("hardware only", "a | b"), KEYS[3]: Proof("returns", "a.py::value")}
    text = table(Section("Here", (DISCONNECT,), proofs))
    assert (
        "1 functions, 4 rows: 2 proved, 1 returns, 0 C only, 1 hardware only, 0 error in the header, 0 not built."
        in text
    )
    assert [row[1:] for row in rows(text)] == [
        *((code, "proved", "`a.py::test`") for code in CODES[:2]),
        (CODES[2], "hardware only", r"a \| b"),
        (CODES[3], "returns", "`a.py::value`"),
    ]


def proved(*keys: tuple[str, str], text: str = "test", kind: str = "proved") -> Proofs:
    return {key: Proof(kind, text) for key in keys}


@pytest.mark.parametrize(
    ("proofs", "told"),
    [
        (proved(*KEYS[1:]), "have no proof"),
        ({}, "have no proof"),
        ({**proved(*KEYS), **proved(KEYS[0], text="")}, "have an empty proof"),
        ({**proved(*KEYS), **proved(KEYS[0], kind="maybe")}, "have an unknown class"),
        (proved(*KEYS, ("f", "DRIVER")), "have a proof, but are no rows"),
    ],
)
def test_what_is_not_proved_once_is_refused(proofs: Proofs, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        check(Section("Here", (DISCONNECT,), proofs).rows(), proofs)


def test_a_row_in_two_classes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'NO_MEMORY'\) is in two classes: proved, hardware only"):
        combined(("proved", {KEYS[1]: "test"}), ("hardware only", {KEYS[1]: "why"}))


def test_a_stale_page_is_told(start_python: StartPython, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("comch_next", "comm_channel_compat", "migrate", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "docs").mkdir()
    for name in ("symbols.md", "overview.svg", "benchmarks.json"):
        (tmp_path / "docs" / name).symlink_to(ROOT / "docs" / name)
    names = ("proofs.md", "errors.md", "status.md", "states.md", "states.svg", "benchmarks.svg")
    pages = [f"docs/{name}" for name in names]
    for page in pages:
        (tmp_path / page).write_text("# old\n")
    finished = start_python("-m", "tools.generate", "--check", cwd=tmp_path).finish()
    assert finished == (1, "".join(f"{page}: stale\n" for page in pages), "")
