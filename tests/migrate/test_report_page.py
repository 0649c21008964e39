"""The report as an HTML page: whole, escaped, alone, and with everything that a run found."""

from __future__ import annotations

from dataclasses import replace

from migrate._findings import with_evidence
from migrate.codes import CODES
from migrate.outcome import FileOutcome, Finding, Level, Span
from migrate.report import html
from migrate.report.causes import causes, notes
from migrate.report.page.markup import joined, tag
from migrate.report.page.sides import Row, Side, hunks
from migrate.report.run import Problem, Run
from tests import pages
from tests.migrate.test_reports import BASE, CAUSE, FINDINGS, RUN, A, B, finding

HOSTILE = "<script>alert(1)</script>\"' onload=x &amp; </details>\x1b[31m\udcff"


def test_causes_have_what_follows_from_them_wherever_it_is() -> None:
    found = {cause.span.line: [finding.span.line for finding in follow] for cause, follow in causes(RUN).items()}
    assert found == {3: [5, 6, 1], 7: []}
    noted = {of: [finding.span.line for finding in found] for of, found in notes(RUN).items()}
    assert noted == {("CCM061", "note"): [8]}


def test_what_evidence_has_settled_is_marked() -> None:
    """The message says so, once."""
    found = (
        finding(A, CAUSE, "CCM083", Level.EVIDENCE, change="x", evidence="<2 runs>"),
        finding(A, CAUSE, "CCM005", Level.MANUAL, evidence="the file has changed since"),
    )
    settled, open_still = (
        part._replace(message=with_evidence(part.message, part.level, part.evidence)) for part in found
    )
    run = Run(BASE, (FileOutcome(A, b"", b"x", (settled, open_still)),))
    words = pages.read(html.text(run)).words
    assert f"CCM083 evidence {CODES['CCM083'].title} (1 place)about CCM083 & <i>; settled by <2 runs> a b.py:3" in words
    assert words.count("the file has changed since") == 1


def test_a_circle_has_a_cause_all_the_same() -> None:
    one, two = Span(1, 0, 1, 1), Span(2, 0, 2, 1)
    circle = (
        finding(A, one, "CCM003", Level.MANUAL, because=(A, two)),
        finding(A, two, "CCM003", Level.MANUAL, because=(A, one)),
    )
    found = causes(Run(BASE, (FileOutcome(A, b"", b"", circle),)))
    assert {one, two} == {finding.span for cause, follow in found.items() for finding in (cause, *follow)}


def test_the_page_of_a_run_has_everything() -> None:
    page = pages.read(html.text(RUN))
    for words in (
        RUN.summary(),
        "a b.py:3 CCM033 manual ep<b> about CCM033 & <i>3 references waiting",
        "ä<script>.py:1",
        "/elsewhere/c.py: error: cannot be read: <no>",
        CODES["CCM061"].advice,
    ):
        assert words in page.words, words
    assert page.links.count("#file-2-line-1") == 1
    assert {"filter", "file-1", "file-1-diff", "file-2-line-1", "CCM033"} <= {*page.ids}


def test_a_run_without_anything_has_a_page() -> None:
    assert "nothing uses the old API" in pages.read(html.text(Run(BASE))).words


def test_nothing_that_a_program_holds_becomes_markup() -> None:
    path = BASE / HOSTILE
    hostile = Finding(HOSTILE, HOSTILE, Level.MANUAL, path, CAUSE, HOSTILE, HOSTILE)
    outcome = FileOutcome(
        path, HOSTILE.encode("utf-8", "replace"), b"new", (hostile, hostile._replace(level=Level.SAFE))
    )
    page = pages.read(html.text(Run(BASE, (outcome,), (Problem(path, HOSTILE),))))
    plain = pages.read(html.text(Run(BASE, (replace(outcome, path=A),))))
    assert {*page.tags} - {*plain.tags} == set()
    assert page.words.count("<script>alert(1)</script>\"' onload=x &amp; </details>\\x1b[31m") >= 8
    assert not {"\x1b", "\udcff"} & {*page.text}


def test_elements_escape_what_is_no_element() -> None:
    assert (
        tag("a", "<", tag("b", "&"), href='"', class_="x", data_y=None)
        == '<a href="&quot;" class="x">&lt;<b>&amp;</b></a>'
    )
    assert joined("<", tag("p")) == "&lt;<p></p>"


def test_lines_stand_side_by_side_with_what_differs_in_them() -> None:
    (hunk,) = hunks(FileOutcome(A, b"a\nep.sendto(x)\nb\n", b"a\nep.send_to(x)\nc\nb"))
    assert hunk == [
        Row(Side(1, "a"), Side(1, "a"), changed=False),
        Row(Side(2, "ep.", "sendto", "(x)"), Side(2, "ep.", "send_to", "(x)"), changed=True),
        Row(Side(3, "", "b"), Side(3, "", "c"), changed=True),
        Row(None, Side(4, "b"), changed=True),
    ]


def test_changes_far_apart_are_hunks_of_their_own() -> None:
    lines = [b"%d\n" % number for number in range(40)]
    found = hunks(FileOutcome(A, b"".join(lines), b"".join([b"first\xff\n", *lines[1:-1], b"last"])))
    ends = [row.new for row in (found[0][0], found[-1][-1])]
    assert len(found) == 2
    assert ends == [Side(1, "", "first\ufffd", ""), Side(40, "", "last", "")]


def test_the_filter_knows_every_code_of_a_part() -> None:
    text = html.text(Run(BASE, (FileOutcome(A, b"", b"", FINDINGS), FileOutcome(B, b"", b"x"))))
    assert '<tr data-codes="CCM003 CCM033 CCM061 CCM083" id="file-1">' in text
    assert '<option value="CCM033">CCM033 (1)</option>' in text
    assert '<tr id="file-2">' in text


def test_code_in_the_pages_of_codes_is_code() -> None:
    page = html.text(Run(BASE, (FileOutcome(A, b"", b"x", (finding(A, CAUSE, "CCM005", Level.MANUAL),)),)))
    assert "`" in CODES["CCM005"].advice
    assert "`" not in page
    assert "<code>methodcaller</code>" in page
