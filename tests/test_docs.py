"""What the documents say of each other: links lead somewhere, and each decision is listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.processes import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISIONS = ROOT / "docs" / "decisions"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_each_decision_is_listed_under_its_title() -> None:
    listed = (DECISIONS / "README.md").read_text(encoding="utf-8")
    for page in DECISIONS.glob("[0-9]*.md"):
        number, title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").split(". ", 1)
        assert f"- [{number}]({page.name}): {title}\n" in listed
