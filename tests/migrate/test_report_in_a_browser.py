"""The HTML report in a browser: it shows, opens and filters what it should, at any width, dark and light."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.outcome import FileOutcome
from migrate.report import html
from migrate.report.run import Run
from migrate.verify import page
from migrate.verify.rounds import Rounds
from tests import browser
from tests.browser import Browser
from tests.migrate.test_report_page import HOSTILE
from tests.migrate.test_reports import BASE, FINDINGS, RUN
from tests.verify.accounts import Acted, remains
from tests.verify.test_page import sent

LONG = b"".join(b"call(%d)  # %b\n" % (number, b"long " * 60) for number in range(1, 20))
CONTRAST = """(() => {
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255).map(
      (part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (part) => {
    for (; part; part = part.parentElement) {
      const colour = getComputedStyle(part).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  let least = [Infinity, ""];
  for (const part of document.querySelectorAll("body *:not(script)")) {
    if (![...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const [one, two] = [luminance(getComputedStyle(part).color), luminance(behind(part))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (two + 0.05);
    if (ratio < least[0]) least = [ratio, part.outerHTML.slice(0, 80)];
  }
  return least;
})()"""
SHOWN = "[...document.querySelectorAll('[data-codes]')].filter((part) => part.checkVisibility()).length"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser, one for all pages."""
    if browser.PROGRAM is None:
        pytest.skip("chromium is not installed")
    with browser.started(browser.PROGRAM, tmp_path_factory.mktemp("browser")) as reader:
        yield reader


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run, with changes that are long and names that are hostile."""
    hostile = BASE / "<img src=x onerror=\"document.title='taken'\">.py"
    outcomes = (FileOutcome(hostile, LONG, LONG.replace(b"call(7)", b"new(7)"), FINDINGS), *RUN.outcomes)
    path = tmp_path_factory.mktemp("report") / "page.html"
    path.write_text(html.text(Run(BASE, outcomes, RUN.problems)))
    return path


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a verification."""
    old, new = (remains(f"{HOSTILE[:30]} {name}", trace=(sent(1, "<b>"),)) for name in ("old", "new"))
    path = tmp_path_factory.mktemp("verdict") / "page.html"
    path.write_text(page.text(Rounds(Acted([old], [new])).result()))
    return path


def test_nothing_is_loaded_and_no_name_is_run(reader: Browser, report: Path) -> None:
    reader.open(report)
    assert reader.addresses == [report.as_uri()]
    assert reader.evaluate("document.title") == "Migration report"
    assert reader.evaluate("document.images.length") == 0


def test_a_link_opens_what_it_leads_into(reader: Browser, report: Path) -> None:
    reader.open(report, "#file-1-line-7")
    assert reader.evaluate("document.getElementById('file-1-diff').open") is True
    assert reader.evaluate("document.getElementById('file-2-diff').open") is False


def test_one_code_can_be_shown_alone(reader: Browser, report: Path) -> None:
    reader.open(report)
    reader.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")  # else none is visible
    everything = reader.evaluate(SHOWN)
    counts = {}
    for code in ("CCM061", "CCM033", ""):
        reader.evaluate(
            f"var choice = document.querySelector('#filter select'); choice.value = '{code}';"
            "choice.dispatchEvent(new Event('change'))"
        )
        counts[code] = reader.evaluate(SHOWN)
        headings = reader.evaluate("[...document.querySelectorAll('h3')].filter((h) => h.checkVisibility()).length")
        assert headings == (1 if code else 4)
    assert 0 < counts["CCM061"] < everything
    assert counts[""] == everything


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["report", "verdict"])
def test_it_can_be_read_at_any_width_in_any_light(
    reader: Browser, request: pytest.FixtureRequest, name: str, dark: bool, width: int
) -> None:
    """It never scrolls sideways as a whole, and its texts stand out (4.5, as WCAG 2 asks for)."""
    reader.open(request.getfixturevalue(name))
    reader.look(width=width, dark=dark)
    reader.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    assert reader.evaluate("document.documentElement.scrollWidth") <= width
    ratio, part = reader.evaluate(CONTRAST)
    assert ratio >= 4.5, part


def test_the_numbers_show_on_a_telephone(reader: Browser, report: Path) -> None:
    """Without scrolling; a long name of a file takes more lines."""
    reader.open(report)
    reader.look(width=400)
    hidden = "[...document.querySelectorAll('.wide')].map((table) => table.scrollWidth - table.clientWidth)"
    assert reader.evaluate(hidden)[0] == 0


def test_the_bars_have_a_legend(reader: Browser, report: Path) -> None:
    reader.open(report)
    colours = "[...new Set([...document.querySelectorAll('{}')].map((part) => getComputedStyle(part).backgroundColor))]"
    used, named = (reader.evaluate(colours.format(parts)) for parts in (".bar span", ".wide thead .key"))
    assert len(named) == 3
    assert set(used) <= set(named)


def test_both_timelines_are_drawn(reader: Browser, verdict: Path) -> None:
    reader.open(verdict)
    reader.look(width=1600)
    widths = reader.evaluate("[...document.images].map((image) => image.naturalWidth)")
    assert len(widths) == 2
    assert min(widths) > 100
    tops = reader.evaluate("[...document.images].map((image) => image.getBoundingClientRect().top)")
    assert tops[0] == tops[1]
    reader.look(width=360)
    assert min(reader.evaluate("[...document.images].map((image) => image.clientWidth)")) >= 0.8 * min(widths)
