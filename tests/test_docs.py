"""What the documents say of each other: links lead somewhere, and each decision is listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.processes import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISIONS = ROOT / "docs" / "decisions"
README_LINES = 150  # a newcomer reads it to its end; what is longer belongs into docs/


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def anchors(page: Path) -> set[str]:
    """What a link to a page may name: its headings as GitHub and the site spell them, and ids of its own."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_name_a_place_that_is_there(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text(encoding="utf-8"))
    assert [
        (link, anchor) for link, anchor in links if anchor not in anchors(page.parent / link if link else page)
    ] == []


def test_each_decision_is_listed_under_its_title() -> None:
    listed = (DECISIONS / "README.md").read_text(encoding="utf-8")
    for page in DECISIONS.glob("[0-9]*.md"):
        number, title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").split(". ", 1)
        assert f"- [{number}]({page.name}): {title}\n" in listed


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= README_LINES
