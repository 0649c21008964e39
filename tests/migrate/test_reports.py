"""The report in its formats: the same findings, escaped for each, in the shape that readers of the format expect."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.codes import CODES
from migrate.outcome import FileOutcome, Finding, Level, Span
from migrate.report import github, sarif, text
from migrate.report import json as json_report
from migrate.report.diff import diff
from migrate.report.run import Exit, Problem, Run
from tests.examples import examples

BASE = Path("/project")
A, B = BASE / "a b.py", BASE / "ä<script>.py"
CAUSE = Span(3, 4, 3, 9)


def finding(path: Path, span: Span, code: str = "", level: Level = Level.SAFE, **rest: Any) -> Finding:
    return Finding("sendto", code, level, path, span, "ep<b>", f"about {code} & <i>", **rest)


FINDINGS = (
    finding(A, Span(1, 0, 1, 5), change="comch"),
    finding(A, CAUSE, "CCM033", Level.MANUAL),
    finding(A, Span(5, 0, 5, 1), "CCM003", Level.MANUAL, because=(A, CAUSE)),
    finding(A, Span(6, 0, 6, 1), "CCM003", Level.MANUAL, because=(A, Span(5, 0, 5, 1))),
    finding(A, Span(7, 0, 7, 1), "CCM083", Level.NEEDS_EVIDENCE),
    finding(A, Span(8, 0, 8, 1), "CCM061"),
)
RUN = Run(
    BASE,
    (
        FileOutcome(A, b"old\nsame\n", b"new\nsame\n", FINDINGS),
        FileOutcome(B, b"x", b"y", (finding(B, Span(1, 0, 1, 1), "CCM003", Level.MANUAL, because=(A, CAUSE)),)),
    ),
    (Problem(Path("/elsewhere/c.py"), "cannot be read: <no>"), Problem(B, "careful", Exit.CLEAN)),
    frozenset({B}),
)


def test_the_status_is_made_of_everything() -> None:
    assert RUN.status == Exit.PENDING | Exit.MANUAL | Exit.FILES
    assert Run(BASE).status == Exit.CLEAN
    assert Run(BASE, (), (Problem(A, "", Exit.CLEAN),)).status == Exit.CLEAN


def test_the_text_has_causes_first_and_counts_what_follows() -> None:
    assert [line.text for line in text.lines(RUN)] == [
        "a b.py: 1 reference would be rewritten, 2 need you (2 more depend on what needs you)",
        "  a b.py:3: CCM033 ep<b>: about CCM033 & <i>",
        "  a b.py:7: CCM083 ep<b>: about CCM083 & <i>",
        "  a b.py:8: CCM061 note: ep<b>: about CCM061 & <i>",
        "  2 references not rewritten because a b.py:3 (CCM033) was not: lines 5-6",
        "ä<script>.py: no references were rewritten, none need you (1 more depends on what needs you)",
        "  1 reference not rewritten because a b.py:3 (CCM033) was not: line 1",
        "2 files used the old API: 1 reference was rewritten, 2 need you (3 more depend on what needs you); 1 error",
        "python -m migrate explain CCM003 CCM033 CCM061 CCM083 describes these codes",
    ]
    assert [line.text for line in text.problems(RUN)] == [
        "/elsewhere/c.py: error: cannot be read: <no>",
        "ä<script>.py: warning: careful",
    ]


def test_a_file_that_was_not_given_is_named() -> None:
    findings = [finding(A, Span(line, 0, line, 1), "CCM003", Level.MANUAL, because=(B, CAUSE)) for line in (1, 4)]
    run = Run(BASE, (FileOutcome(A, b"x", b"x", (*findings, findings[0]._replace(because=(A, findings[1].span)))),))
    assert [line.text for line in text.lines(run)][1:] == [
        "  3 references not rewritten because ä<script>.py:3, which you did not give (CCM049), was not: lines 1, 4",
        "1 file uses the old API: no references would be rewritten, none need you (3 more depend on what needs you)",
        "give migrate what these files share handles with, too: ä<script>.py",
        "python -m migrate explain CCM003 CCM049 describes these codes",
    ]
    assert github.text(run).splitlines()[:-1] == [
        "::error file=a b.py,line=1,endLine=1,title=CCM049::ep<b>: not rewritten because ä<script>.py:3, "
        "which you did not give (CCM049), was not",
    ]


def test_imports_are_counted_where_nothing_else_changes() -> None:
    spans = (Span(1, at, 1, at + 1) for at in (0, 2))
    imports = tuple(Finding("imports", "", Level.SAFE, A, span, "Again", "rewritten") for span in spans)
    run = Run(BASE, (FileOutcome(A, b"old", b"new", imports), FileOutcome(B, b"x", b"x", FINDINGS[:1])))
    assert next(line.text for line in text.lines(run)) == "a b.py: 2 imports would be rewritten, none need you"


@pytest.mark.parametrize(("written", "verb"), [(frozenset[Path](), "would be"), (frozenset({A, B}), "was")])
def test_a_file_without_references_that_changes_with_others(written: frozenset[Path], verb: str) -> None:
    """Such as one that only reads the cells that another one fills."""
    one = FileOutcome(A, b"x", b"y", (finding(A, CAUSE, change="comch"),))
    note = FileOutcome(B, b"x", b"y", (finding(B, CAUSE, "CCM061"),))
    for other in (FileOutcome(B, b"x", b"y"), note):
        run = Run(BASE, (one, other), written=written)
        lines = [line.text for line in text.lines(run)]
        assert lines[1] == f"ä<script>.py: {verb} changed together with files that use the old API"
        assert f"script>.py,title=migrate::{verb} changed together" in github.text(run)
        assert ("; 1 other file " in run.summary()) == (other is not note)
    assert Run(BASE, (one, FileOutcome(B, b"x", b"y")), written=written).summary() == (
        f"1 file {'used' if written else 'uses'} the old API: 1 reference {verb} rewritten, none need you; "
        f"1 other file {verb} changed"
    )


def test_a_file_whose_references_are_the_same_is_done_with_the_others() -> None:
    """`ep.listen(name)` is one that stays as it is."""
    same = FileOutcome(A, b"x", b"x", (finding(A, CAUSE, change="listen"),))
    other = FileOutcome(B, b"x", b"y", (finding(B, CAUSE, change="comch"),))
    for written, verb in ((frozenset({B}), "was"), (frozenset[Path](), "would be")):
        lines = [line.text for line in text.lines(Run(BASE, (same, other), written=written))]
        assert lines[0] == f"a b.py: 1 reference {verb} rewritten, none need you"


def test_circles_of_causes_end() -> None:
    one, two = Span(1, 0, 1, 1), Span(2, 0, 2, 1)
    findings = (
        finding(A, one, "CCM003", Level.MANUAL, because=(A, two)),
        finding(A, two, "CCM003", Level.MANUAL, because=(A, one)),
    )
    assert list(text.lines(Run(BASE, (FileOutcome(A, b"", b"", findings),))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\nb\n", b"a\nc\n"),
        (b"a", b"b"),
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"\xe4\n", b"\xf6\n"),
        (b"a\rb\x0cc\n", b"a\n"),
    ],
)
def test_a_diff_can_be_applied(tmp_path: Path, old: bytes, new: bytes) -> None:
    """By git: it leaves the rest of the report, which comes after, alone."""
    path = tmp_path / "x y.py"
    path.write_bytes(old)
    outcome = FileOutcome(path, old, new)
    patch = b"".join(diff(Run(tmp_path), outcome)) + b"x y.py: 1 reference would be rewritten\n  x y.py:3: CCM033\n"
    try:
        done = subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, capture_output=True, timeout=60)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == new


def applied(old: bytes, patch: list[bytes]) -> bytes:
    """A text with a diff applied, hunk by hunk."""
    lines, done, at = old.splitlines(keepends=True), b"", 0
    for line in patch[2:]:
        body = line[1:].removesuffix(b"\n\\ No newline at end of file\n")
        if line.startswith(b"@@"):
            start, _, count = line.split()[1][1:].partition(b",")
            begin = int(start) - (count != b"0")
            done, at = done + b"".join(lines[at:begin]), begin
        else:
            if line[:1] != b"+":
                assert lines[at] == body
                at += 1
            done += body if line[:1] != b"-" else b""
    return done + b"".join(lines[at:])


@examples(100)
@given(
    st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"])),
    st.lists(st.sampled_from([b"a\n", b"b\n", b"d\n"])),
    st.booleans(),
)
def test_every_diff_leads_from_the_old_to_the_new(old: list[bytes], new: list[bytes], open_end: bool) -> None:
    before, after = b"".join(old), b"".join(new) + b"x" * open_end
    if before != after:
        assert applied(before, list(diff(Run(BASE), FileOutcome(A, before, after)))) == after


def test_a_long_change_is_found_too() -> None:
    old = b"".join(b"%d\n" % number for number in range(1000))
    new = old.replace(b"500\n", b"".join(b"new %d\n" % number for number in range(300)))
    lines = list(diff(Run(BASE), FileOutcome(A, old, new)))
    assert applied(old, lines) == new
    assert len(lines) == 2 + 1 + 6 + 301


def test_json_has_everything() -> None:
    document = json.loads(json_report.text(RUN))
    assert (document["format"], document["status"]) == (1, RUN.status)
    assert [file["path"] for file in document["files"]] == ["a b.py", "ä<script>.py"]
    assert [file["written"] for file in document["files"]] == [False, True]
    assert document["files"][0]["counts"] == {"rewritten": 1, "causes": 2, "consequences": 2}
    assert document["files"][0]["findings"][2] == {
        "rule": "sendto", "code": "CCM003", "level": "manual", "line": 5, "column": 0, "end_line": 5, "end_column": 1,
        "name": "ep<b>", "message": "about CCM003 & <i>", "change": "",
        "because": {"path": "a b.py", "line": 3, "column": 4, "end_line": 3, "end_column": 9}, "evidence": "",
    }  # fmt: skip
    assert document["problems"][0]["path"] == "/elsewhere/c.py"


def test_sarif_has_its_required_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the standard's schema (2.1.0) asks: required properties, enumerations, indices and addresses."""
    monkeypatch.setattr(sarif, "release", lambda: "1.2")
    log = json.loads(sarif.text(RUN))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("migrate", "1.2")
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    assert set(run["originalUriBaseIds"]) == {"ROOT"}
    assert run["originalUriBaseIds"]["ROOT"]["uri"] == "file:///project/"
    assert len(run["results"]) == 7
    for result in run["results"]:
        assert result["level"] in ("none", "note", "warning", "error")
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["message"]["text"]
        for location in result["locations"] + result.get("relatedLocations", []):
            physical = location["physicalLocation"]
            assert physical["artifactLocation"]["uri"] in ("a%20b.py", "%C3%A4%3Cscript%3E.py")
            assert physical["artifactLocation"]["uriBaseId"] == "ROOT"
            region = physical["region"]
            assert min(region["startLine"], region["startColumn"], region["endLine"], region["endColumn"]) >= 1
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is True
    assert [notice["level"] for notice in invocation["toolExecutionNotifications"]] == ["error", "warning"]
    elsewhere = invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert elsewhere == {"uri": "file:///elsewhere/c.py"}


@examples(100)
@given(
    st.lists(st.sampled_from(["a\n", "ä\n", "\n"])),
    st.lists(st.sampled_from(["a\n", "b\n", "d\n"])),
    st.booleans(),
)
def test_a_fix_leads_from_the_old_to_the_new(old: list[str], new: list[str], open_end: bool) -> None:
    before, after = "".join(old), "".join(new) + "x" * open_end
    outcome = FileOutcome(A, before.encode(), after.encode(), FINDINGS)
    results = json.loads(sarif.text(Run(BASE, (outcome,))))["runs"][0]["results"]
    fixes = [fix for result in results for fix in result.get("fixes", ())]
    assert len(fixes) == (before != after)
    lines, done, at = before.splitlines(keepends=True), "", 0
    for replacement in fixes[0]["artifactChanges"][0]["replacements"] if fixes else ():
        region = replacement["deletedRegion"]
        assert region["startColumn"] == region["endColumn"] == 1
        done += "".join(lines[at : region["startLine"] - 1]) + replacement["insertedContent"]["text"]
        at = region["endLine"] - 1
    assert done + "".join(lines[at:]) == after


def test_what_is_written_and_what_is_not_utf_8_has_no_fix() -> None:
    outcomes = (FileOutcome(A, b"old", b"\xff", FINDINGS), FileOutcome(B, b"old", b"new", FINDINGS))
    results = json.loads(sarif.text(Run(BASE, outcomes, (), frozenset({B}))))["runs"][0]["results"]
    assert not any("fixes" in result for result in results)


def test_annotations_escape_what_ends_them() -> None:
    assert github.text(RUN).splitlines() == [
        "::error file=/elsewhere/c.py,title=migrate::cannot be read: <no>",
        "::warning file=ä<script>.py,title=migrate::careful",
        "::notice file=a b.py,title=migrate::1 reference would be rewritten, 2 need you "
        "(2 more depend on what needs you)",
        "::error file=a b.py,line=3,endLine=3,title=CCM033::ep<b>: about CCM033 & <i>",
        "::warning file=a b.py,line=7,endLine=7,title=CCM083::ep<b>: about CCM083 & <i>",
        "::notice file=a b.py,line=8,endLine=8,title=CCM061::ep<b>: about CCM061 & <i>",
        "::notice file=ä<script>.py,title=migrate::no references were rewritten, none need you "
        "(1 more depends on what needs you)",
        RUN.summary(),
    ]
    strange = Run(BASE, (), (Problem(BASE / "a,b:c%.py", "two\nlines, 100%: all"),))
    expected = "::error file=a%2Cb%3Ac%25.py,title=migrate::two%0Alines, 100%25: all"
    assert github.text(strange).splitlines()[0] == expected


def test_equal_notes_of_a_file_are_one() -> None:
    places = [Span(line, 0, line, 1) for line in (3, 4, 9)]
    notes = tuple(finding(A, place, "CCM074", change="x") for place in places)
    asked = tuple(finding(A, place, "CCM033", Level.MANUAL) for place in places[:2])
    run = Run(BASE, (FileOutcome(A, b"", b"", (*notes, finding(A, Span(5, 0, 5, 1), "CCM061"), *asked)),))
    folded = "about CCM074 & <i>: 3 places, lines 3-4, 9"
    assert [line.text for line in text.lines(run)][1:-2] == [
        "  a b.py:3: CCM033 ep<b>: about CCM033 & <i>",
        "  a b.py:4: CCM033 ep<b>: about CCM033 & <i>",
        f"  a b.py:3: CCM074 note: {folded}",
        "  a b.py:5: CCM061 note: ep<b>: about CCM061 & <i>",
    ]
    lines = github.text(run).splitlines()
    assert [line for line in lines if "CCM074" in line] == [
        f"::notice file=a b.py,line=3,endLine=3,title=CCM074::{folded}"
    ]
    assert sum("title=CCM033" in line for line in lines) == 2


def test_sarif_rules_tell_what_the_codes_mean() -> None:
    rules = json.loads(sarif.text(RUN))["runs"][0]["tool"]["driver"]["rules"]
    assert next(rule for rule in rules if rule["id"] == "CCM033")["help"]["text"] == CODES["CCM033"].advice


def test_what_stays_between_two_changes_is_shown_once() -> None:
    old = b"a = 1\nsame\nb = 2\n\nc = 3\nkept\nd = 4\n"
    new = b"a = 10\nsame\nb = 20\n\nc = 30\nkept\nd = 40\n"
    changed = [line for line in diff(Run(BASE), FileOutcome(A, old, new)) if line[:1] in (b"-", b"+")][2:]
    assert changed == [
        sign + line for name in (b"a = 1", b"b = 2", b"c = 3", b"d = 4")
        for sign, line in ((b"-", name + b"\n"), (b"+", name + b"0\n"))
    ]  # fmt: skip
