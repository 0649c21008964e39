"""The verdict as an HTML page: runs, differences, what is open, and both timelines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from migrate.cli import main
from migrate.outcome import FileOutcome
from migrate.report.run import Exit
from migrate.verify import command, page, timeline
from migrate.verify.rounds import Rounds
from migrate.verify.stage import Line
from migrate.verify.trees import Stays
from migrate.verify.verdict import Result, Run
from tests import pages
from tests.verify.accounts import CALL, Acted, remains

HOSTILE = '<script>alert(1)</script> & "it\'s" </pre>'


def sent(number: int, service: str = "svc") -> Line:
    facts = {"side": "client", "connection": 1, "n": number, "length": 1, "digest": "ab" * 8}
    return {"seq": number, "t": number, "pid": 7, "what": "send", "result": "DOCA_SUCCESS", "service": service, **facts}


def test_a_page_shows_runs_differences_and_both_timelines() -> None:
    stage = Acted([remains("same", trace=(sent(1),))], [remains("other", trace=(sent(1), sent(2)))])
    result = Rounds(stage, ["again:send@1"], times=2).result()
    shown = pages.read(page.text(result))
    for words in (
        " runs, the first differences",
        "program, stdout, number 1 (new)",
        "oldsame",
        "newother",
        "again:send@14 differences in 2 runs",
    ):
        assert words in shown.words, words
    assert len(shown.sources) == 2
    assert (shown.words.count("send 1 1 B"), shown.words.count("send 2 1 B")) == (2, 1)


def test_the_first_run_that_differs_is_shown_beside_the_first() -> None:
    calm, wild = remains("same", trace=(sent(1),)), remains("other", trace=(sent(1),))
    scenes = Rounds(Acted([calm], [calm, wild]), ["again:send@1", "drop:send@1"]).result().scenes
    assert [scene.run for scene in scenes] == [Run((True,)), Run((True,), "again:send@1")]
    assert [len(scene.old) for scene in scenes] == [1, 1]


def test_what_is_not_proved_is_on_the_page() -> None:
    stays = Stays(Path("a.py"), 9, "CCM033", "a handle goes away")
    result = Rounds(Acted([remains(watched=())], [remains(watched=())], stays=(stays,))).result()
    words = pages.read(page.text(result)).words
    assert "the old side made no call of the old API in any run" in words
    assert "1 call of the old API never ran; what may reach them: --args, " in words
    assert f"a.py:3: {CALL.name}" in words
    assert "Verification of a.py\n" in words
    assert "nothing on a channel" in words


def test_files_of_other_programs_in_the_folder_are_not_on_the_page() -> None:
    stage = Acted([remains()], [remains()])
    outcomes = tuple(FileOutcome(stage.trees.new / name, b"import old\n", b"import new\n") for name in ("a.py", "b.py"))
    stage.trees = replace(stage.trees, outcomes=outcomes)
    words = pages.read(page.text(Rounds(stage).result())).words
    assert "a.py" in words
    assert "b.py" not in words


def test_nothing_that_a_program_says_becomes_markup() -> None:
    old, new = (remains(f"{HOSTILE} {name}", trace=(sent(1, HOSTILE),)) for name in ("old", "new"))
    hostile = pages.read(page.text(Rounds(Acted([old], [new]), [HOSTILE]).result()))
    plain = Acted([remains("old", trace=(sent(1),))], [remains("new", trace=(sent(1),))])
    assert {*hostile.tags} == {*pages.read(page.text(Rounds(plain, ["again:send@1"]).result())).tags}
    assert hostile.words.count(HOSTILE) >= 5


def test_a_long_trace_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_MOST", 3)
    drawing = timeline.draw([sent(number) for number in (5, 4, 3, 2, 1)])
    assert drawing is not None
    assert drawing.left_out == 2
    assert [line.split()[2] for line in drawing.text.splitlines()[1:]] == ["1", "2", "3"]
    assert drawing.picture.startswith(f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawing.width}"')
    assert timeline.draw([{"t": 1, "what": "nothing"}]) is None


def test_a_report_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def verify(settings: object) -> Result:
        return Rounds(Acted([remains()], [remains()])).result()

    monkeypatch.setattr(command, "verify", verify)
    script = tmp_path / "a.py"
    script.touch()
    assert main(["verify", str(script), "--report", str(tmp_path / "nowhere" / "a.html")]) == Exit.FILES
    assert "cannot be written" in capsys.readouterr().err
    assert (
        main(["verify", str(script), *(f"--report={tmp_path}/a.{suffix}" for suffix in ("txt", "json", "html"))]) == 0
    )
    assert {path.name for path in tmp_path.iterdir()} == {"a.py", "a.txt", "a.json", "a.html"}
    assert (tmp_path / "a.txt").read_text() == capsys.readouterr().out
