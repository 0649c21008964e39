"""The runs of a verification, and what they come to."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from migrate import _progress
from migrate.verify import report
from migrate.verify.ignored import Ignored
from migrate.verify.rounds import Rounds
from migrate.verify.stage import KILLED, Remains
from migrate.verify.trees import Call, Stays
from migrate.verify.verdict import Result, Verdict
from tests.verify.accounts import CALL, Acted, remains

SAME = [remains("same")]


def rounds(stage: Acted, faults: tuple[str, ...] = (), times: int = 1) -> Result:
    return Rounds(stage, faults, times).result()


def test_equivalent() -> None:
    stage = Acted(SAME, SAME)
    result = rounds(stage, ("again:send@1",), times=2)
    assert (result.verdict, result.runs) == (Verdict.EQUIVALENT, 8)
    assert stage.asked == [(False, ""), (True, ""), (False, "again:send@1"), (True, "again:send@1")] * 2
    assert report.text(result) == "equivalent: 8 runs, no difference; every call of the old API ran\n"


def test_a_terminal_shows_which_run_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(_progress, "_EVERY_S", 0)
    rounds(Acted(SAME, SAME), ("again:send@1",))
    shown = ["run 1: old", "run 2: new", "run 3: old, faults again:send@1", "run 4: new, faults again:send@1"]
    assert [part.removeprefix("\x1b[K") for part in terminal.getvalue().split("\r")[1:]] == shown


def test_diverged() -> None:
    """Both sides are run again, to see that they repeat themselves."""
    stage = Acted(SAME, [remains("other")])
    result = rounds(stage)
    assert result.verdict is Verdict.DIVERGED
    assert stage.asked == [(False, ""), (True, "")] * 3
    assert stage.held == [None, None, 0, None, 0, None]
    lines = report.text(result).splitlines()
    assert lines[1:] == ["  program, stdout, number 1 (new)", "    old: same", "    new: other"]
    (found,) = json.loads(report.to_json(result))["divergences"]
    assert (found["peer"], found["topic"], found["old"]["text"], found["new"]["text"]) == (
        "program", "stdout", "same", "other",
    )  # fmt: skip


def test_work_that_may_go_to_whoever_is_free_is_watched_longer() -> None:
    """The same events in another order are a divergence when the old program has not shown it in seven runs."""
    old, new = remains("red\nblue"), remains("blue\nred")
    stage = Acted([old] * 6 + [new], [new])
    assert (rounds(stage).verdict, len(stage.asked)) == (Verdict.EQUIVALENT, 14)
    stage = Acted([old], [new])
    assert (rounds(stage).verdict, len(stage.asked)) == (Verdict.DIVERGED, 14)


def test_what_the_old_program_does_at_times_is_no_divergence() -> None:
    assert rounds(Acted([remains("a"), remains("b")], [remains("b")])).verdict is Verdict.EQUIVALENT


def test_what_the_new_program_does_at_times_is_no_certain_divergence() -> None:
    """Until the old one has been seen to do it, too."""
    stage = Acted(SAME, [remains("other"), *SAME])
    assert rounds(stage).verdict is Verdict.INCONCLUSIVE
    seldom = [*SAME * 5, remains("other")]
    assert rounds(Acted(seldom, [remains("other"), *SAME])).verdict is Verdict.EQUIVALENT


def test_a_clock_is_no_divergence() -> None:
    assert rounds(Acted([remains("at 1"), remains("at 2")], [remains("at 3")])).verdict is Verdict.EQUIVALENT


def test_the_order_of_those_who_come_at_once_is_no_divergence() -> None:
    old = [remains("red 1\nblue 2"), remains("blue 1\nred 2")]
    assert rounds(Acted(old.copy(), [remains("blue 3\nred 4")])).verdict is Verdict.EQUIVALENT


def test_what_is_wrong_beside_what_varies_is_a_divergence() -> None:
    """Where the runs of the old program agree but for numbers, or the order, and no run of the new one with them."""
    for olds, new in (
        (("took 1\nend", "took 2\nend"), "end\ntook 3"),
        (("took 1\nend", "took 2\nend"), "took 3"),
        (("red 1\nblue 2", "blue 1\nred 2"), "blue 1\nblue 2"),
    ):
        stage = Acted([*map(remains, olds)], [remains(new)])
        assert (rounds(stage).verdict, len(stage.asked)) == (Verdict.DIVERGED, 14)
        stage = Acted([*map(remains, olds)], [remains(new), remains(olds[0])])
        assert rounds(stage).verdict is Verdict.INCONCLUSIVE


def test_a_line_that_is_missing_in_a_log_with_times() -> None:
    def logged(*lines: str) -> Remains:
        return replace(remains("same"), files={"a.log": "".join(f"{line}\n" for line in lines).encode()})

    old = [logged("10:01 up", "10:02 down"), logged("10:03 up", "10:04 down")]
    result = rounds(Acted(old.copy(), [logged("10:05 up")]))
    assert result.verdict is Verdict.DIVERGED
    assert [line.strip() for line in report.text(result).splitlines()[1:]] == [
        "program, file a.log, number 2 (new)", "old: #:# down", "new: nothing",
    ]  # fmt: skip
    assert rounds(Acted(old.copy(), [logged("10:05 up", "10:06 down")])).verdict is Verdict.EQUIVALENT


def test_an_old_program_that_varies_proves_nothing() -> None:
    """But for what the user has left out; the verdict says how, and what was."""
    olds, new = ["token a\nend\n", "token b\nend\n"], remains("token c\nend\n")
    result = rounds(Acted([*map(remains, olds)], [new]))
    assert result.verdict is Verdict.INCONCLUSIVE
    text = report.text(result)
    assert "it differs from run to run" in text
    assert "  what differs from run to run proves nothing; --ignore REGEX leaves it out\n" in text
    ignored = Ignored.of(["(?<=token )\\w+$", "0x"])
    result = Rounds(Acted([*map(remains, olds)], [new]), (), ignored=ignored).result()
    assert result.verdict is Verdict.EQUIVALENT
    assert "  left out (--ignore): (?<=token )\\w+$\n  left out (--ignore): 0x\n" in report.text(result)
    assert json.loads(report.to_json(result))["ignored"] == ["(?<=token )\\w+$", "0x"]
    wrong = Rounds(Acted([*map(remains, olds)], [remains("token c\n")]), (), ignored=ignored).result()
    assert wrong.verdict is Verdict.DIVERGED


def test_a_steady_difference_counts_beside_one_that_varies() -> None:
    assert rounds(Acted([remains("a"), remains("b")], [remains("c", 1)])).verdict is Verdict.DIVERGED


def test_a_call_that_never_ran() -> None:
    never = Call(Path("a.py"), 8, 8, "disconnect")
    result = rounds(Acted(SAME, SAME, (CALL, never)))
    assert (result.verdict, result.never_ran, result.reasons) == (Verdict.INCONCLUSIVE, (never,), ())
    assert "a.py:8: disconnect" in report.text(result)


def test_calls_of_other_programs_in_the_folder_do_not_matter() -> None:
    other = Call(Path("other.py"), 8, 8, "disconnect")
    assert rounds(Acted(SAME, SAME, (CALL, other))).verdict is Verdict.EQUIVALENT


def test_a_module_that_ran_matters_however_it_was_found() -> None:
    plugin, ran = Call(Path("plugin.py"), 8, 8, "disconnect"), {"what": "ran", "at": "/program/plugin.py:2"}
    old = [remains("same", watched=(*SAME[0].watched, ran))]
    assert rounds(Acted(old, SAME, (CALL, plugin))).never_ran == (plugin,)


def test_no_old_call_is_never_equivalent() -> None:
    assert rounds(Acted(SAME, SAME, ())).reasons == ("the old side calls no old API",)
    stays = Stays(Path("a.py"), 3, "CCM120", "no successor")
    assert rounds(Acted(SAME, SAME, (), (stays,))).reasons == ()  # it has calls, in files that were left
    silent = [remains("same", watched=())]
    result = rounds(Acted(silent, SAME))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.reasons == ("the old side made no call of the old API in any run",)


def test_what_stays_old() -> None:
    result = rounds(Acted(SAME, SAME, stays=(Stays(Path("a.py"), 3, "CCM033", "it goes somewhere"),)))
    assert result.verdict is Verdict.INCONCLUSIVE
    text = report.text(result)
    assert "a.py:3: stays old (CCM033: it goes somewhere)" in text
    assert "what stays old: see python -m migrate explain CCM033; --evidence and --unsafe may settle it" in text


def test_an_old_program_that_does_not_end() -> None:
    hangs = [remains("same", KILLED)]
    result = rounds(Acted(hangs, hangs))
    assert (result.verdict, result.reasons) == (
        Verdict.INCONCLUSIVE,
        ("the old program was killed at the time limit (--timeout)",),
    )


def test_faults_under_which_the_old_program_does_not_end() -> None:
    """Under others it is compared."""
    stage = Acted([SAME[0], remains("same", KILLED), SAME[0]], SAME)
    result = Rounds(stage, ("drop", "again")).result()
    assert stage.asked == [(False, ""), (True, ""), (False, "drop"), (False, "again"), (True, "again")]
    hung = "the old program was killed at the time limit (--timeout) (faults: drop; nothing was compared under them)"
    assert (result.verdict, result.reasons) == (Verdict.INCONCLUSIVE, (hung,))


def test_a_new_program_that_does_not_end() -> None:
    """Every run would take its whole time, and the verdict is certain."""
    stage = Acted(SAME, [remains("same", KILLED)])
    result = rounds(stage, ("again:send@1",), times=4)
    assert stage.asked == [(False, ""), (True, "")] * 3
    late = "program was killed at the time limit (--timeout) in new; nothing more was run"
    assert (result.verdict, result.reasons) == (Verdict.DIVERGED, (late,))


def test_a_new_program_that_does_not_end_at_times() -> None:
    stage = Acted(SAME, [remains("same", KILLED), SAME[0]])
    assert (rounds(stage, times=2).verdict, stage.asked[-2:]) == (Verdict.INCONCLUSIVE, [(False, ""), (True, "")])
    assert len(stage.asked) > 6


def test_the_end_that_showed_a_difference_first_comes_first() -> None:
    """The service receives what the client has sent before."""

    class Pair(Acted):
        def run(
            self, name: str, new: Sequence[bool], faults: str = "", held: int | None = None, *, apart: bool = False
        ) -> list[Remains]:
            facts = {"pid": 1, "service": "svc", "connection": 1, "result": "DOCA_SUCCESS", "length": 5 + any(new)}
            ends = (("receive", "server", 9), ("send", "client", 8))
            return [remains(trace=({**facts, "what": what, "side": side, "t": t},)) for what, side, t in ends]

    stage = Pair(SAME, SAME)
    stage.peers = [replace(stage.peers[0], name=name) for name in ("service", "client")]
    result = Rounds(stage, (), pairings=[(True, True)]).result()
    assert [divergence.peer for divergence in result.divergences] == ["client", "service"]


@pytest.mark.parametrize(("alike", "verdict"), [(True, Verdict.EQUIVALENT), (False, Verdict.DIVERGED)])
def test_ends_of_both_sides_do_not_find_each_other_s_files(alike: bool, verdict: Verdict) -> None:
    """What the old program does in folders of its own is no difference then."""

    class Pair(Acted):
        def run(
            self, name: str, new: Sequence[bool], faults: str = "", held: int | None = None, *, apart: bool = False
        ) -> list[Remains]:
            assert not (apart and len({*new}) > 1)
            finds = len({*new}) == 1 and not (apart and alike)
            return [remains("listening"), remains("found" if finds else "no pid file")]

    stage = Pair(SAME, SAME)
    stage.peers = [replace(stage.peers[0], name=name) for name in ("service", "client")]
    assert Rounds(stage, ()).result().verdict is verdict


@pytest.mark.parametrize(("varies", "verdict", "runs"), [(False, Verdict.DIVERGED, 14), (True, Verdict.EQUIVALENT, 4)])
def test_an_order_of_sends_and_receives(varies: bool, verdict: Verdict, runs: int) -> None:
    """One that varies on the new side is a race, even if no run of the old side shows it: more runs need not."""
    facts = {"pid": 1, "service": "svc", "connection": 1, "side": "client", "result": "DOCA_SUCCESS", "length": 5}

    def ran(*whats: str) -> Remains:
        return remains(trace=tuple({**facts, "what": what, "t": t} for t, what in enumerate(whats)))

    straight, crossed = ran("send", "receive"), ran("receive", "send")
    result = rounds(Acted([straight], [crossed, straight] if varies else [crossed]))
    assert (result.verdict, result.runs) == (verdict, runs)
