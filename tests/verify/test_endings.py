"""Endings that were modernised are listed with a code; what else differs is still a divergence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from migrate.verify import report
from migrate.verify.endings import as_of_generation_1
from migrate.verify.rounds import Rounds
from migrate.verify.stage import Line, Remains
from migrate.verify.verdict import Result, Verdict
from tests.verify.accounts import RAN, Acted, account, remains
from tests.verify.conftest import Bench

SHUTDOWN, RESET, ABORTED = (f"DOCA_ERROR_{name}" for name in ("SHUTDOWN", "CONNECTION_RESET", "CONNECTION_ABORTED"))
OTHER = "DOCA_ERROR_INVALID_VALUE"


@pytest.mark.parametrize(
    ("old", "new", "left", "coded"),
    [
        ("", SHUTDOWN, "", 1),  # no event, as a peer left in order
        (RESET, SHUTDOWN, RESET, 1),  # after a message to it had failed
        (OTHER, f"{SHUTDOWN} {OTHER}", OTHER, 1),
        (OTHER, f"{OTHER} {SHUTDOWN} {OTHER}", OTHER, 1),  # a result that repeats the last one counts once
        ("", f"{SHUTDOWN} {ABORTED}", "", 2),  # update_info behind it
        (ABORTED, f"{SHUTDOWN} {ABORTED}", ABORTED, 2),
        (SHUTDOWN, SHUTDOWN, SHUTDOWN, 0),
        (RESET, ABORTED, RESET, 1),
        (SHUTDOWN, RESET, RESET, 0),  # not what was meant
        ("", OTHER, OTHER, 0),
    ],
)
def test_results(old: str, new: str, left: str, coded: int) -> None:
    found, differences = as_of_generation_1(account(results=old, stdout=""), account(results=new, stdout=""))
    assert [event.text for event in found.topics["results"]] == left.split()
    assert [difference.code for difference in differences] == ["CCM061"] * coded


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("ConnectionReset", "Shutdown", "ConnectionReset"),
        ("", "Shutdown", ""),
        ("KeyError", "KeyError Shutdown", "KeyError"),
        ("KeyError", "Shutdown", "Shutdown"),  # another one is gone
    ],
)
def test_tracebacks_that_name_the_ending(old: str, new: str, left: str) -> None:
    was = account(results=RESET, stdout="", tracebacks=old)
    found, _ = as_of_generation_1(was, account(results=SHUTDOWN, stdout="", tracebacks=new))
    assert [event.text for event in found.topics["tracebacks"]] == left.split()


def test_lines_that_name_the_ending() -> None:
    old = account(results=RESET, stdout=f"lost:{RESET} end")
    found, differences = as_of_generation_1(old, account(results=SHUTDOWN, stdout=f"lost:{SHUTDOWN} end"))
    assert [event.text for event in found.topics["stdout"]] == [f"lost:{RESET}", "end"]
    assert [difference.topic for difference in differences] == ["results", "stdout"]


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("answered lost end", "Shutdown lost end", "answered lost end"),  # in the place of a line
        ("answered end", "answered Shutdown end", "answered end"),  # put before one
        ("answered", "answered Shutdown", "answered"),
        ("answered end", "Shutdown left", "answered left"),  # a line that names no ending is no part of it
        ("answered end", "left end", "left end"),
    ],
)
def test_lines_that_name_another_ending(old: str, new: str, left: str) -> None:
    found, _ = as_of_generation_1(account(results="", stdout=old), account(results=SHUTDOWN, stdout=new))
    assert [event.text for event in found.topics["stdout"]] == left.split()


def test_no_line_counts_without_the_result() -> None:
    """The program may print what it likes; its calls show what has happened."""
    new = account(results="", stdout="Shutdown")
    assert as_of_generation_1(account(results="", stdout="lost"), new) == (new, [])


def failed(result: str, line: int) -> Line:
    return {"what": "failed", "t": line, "result": result, "thread": "MainThread", "at": f"/program/a.py:{line}"}


OLD = [remains(f"lost {RESET}", watched=(RAN, failed(RESET, 7)))]
NEW = [remains(f"lost {SHUTDOWN}", watched=(RAN, failed(SHUTDOWN, 9)))]


def result_of(by_hand: bool, new: Sequence[Remains] = NEW) -> Result:
    stage = Acted(OLD, list(new))
    stage.trees = replace(stage.trees, by_hand=by_hand)
    return Rounds(stage, ()).result()


def test_what_somebody_has_modernised() -> None:
    result = result_of(by_hand=True)
    assert result.verdict is Verdict.EQUIVALENT
    assert report.text(result).splitlines() == [
        "equivalent but for 2 coded differences: 2 runs, no difference; every call of the old API ran",
        "  CCM061, program, results, number 1 (new)",
        f"    old: {RESET}  [a.py:7]",
        f"    new: {SHUTDOWN}  [a.py:9]",
        "  CCM061, program, stdout, number 1 (new)",
        f"    old: lost {RESET}",
        f"    new: lost {SHUTDOWN}",
    ]


def test_what_migrate_makes_keeps_its_endings() -> None:
    assert result_of(by_hand=False).verdict is Verdict.DIVERGED


def test_another_difference_beside_it_is_a_divergence() -> None:
    assert result_of(by_hand=True, new=[replace(NEW[0], status=1)]).verdict is Verdict.DIVERGED


EDITS = {
    "Server(one_sided=True)": "Server()",
    "except comch.Again:": "except (comch.Again, comch.Shutdown):",
    "except comch.ConnectionReset": "except (comch.ConnectionReset, comch.Shutdown)",
}


def test_a_program_whose_service_learns_of_those_who_leave(bench: Callable[[str], Bench]) -> None:
    """The old one answered into the void, once; the new one knows at once."""
    stage = bench("farewell")
    text = stage.right
    for old, new in EDITS.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    stage.script.write_text(text)
    by_hand = replace(stage.stage, trees=replace(stage.stage.trees, by_hand=True))
    result = Rounds(by_hand, ()).result()
    assert result.verdict is Verdict.EQUIVALENT, report.text(result)
    listed = [(found.difference.topic, found.difference.old.text, found.difference.new.text) for found in result.coded]
    lines = text.splitlines()
    assert listed == [
        ("results", RESET, SHUTDOWN),
        ("stdout", "answered", f"not answered: {SHUTDOWN}"),
        ("stdout", f"not answered: {RESET}", f"not answered: {SHUTDOWN}"),
    ]
    (path, _, number) = result.coded[0].difference.new.at.partition(":")
    assert (path, lines[int(number) - 1].strip()) == ("farewell.py", "service.send_to(answer, peer, timeout=0)")
