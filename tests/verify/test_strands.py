"""What one thread does has an order: prints, messages and failures among each other, and whose turn it is."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.verify.account import Account
from migrate.verify.comparison import Difference, differences, without_numbers, without_order
from migrate.verify.rounds import Rounds
from migrate.verify.stage import Line
from migrate.verify.verdict import Verdict
from tests.verify.accounts import RAN, Acted, remains

OK, WRONG = "DOCA_SUCCESS", "DOCA_ERROR_INVALID_VALUE"
Step = tuple[str, dict[str, Any]]


def send(connection: int = 1) -> Step:
    facts = {"service": "svc", "side": "server", "connection": connection, "length": 1, "result": OK}
    return "send", facts


def receive(connection: int = 1) -> Step:
    return "receive", {"service": "svc", "side": "server", "connection": connection, "length": 1}


def failed(result: str = WRONG, *, raised: bool = True) -> Step:
    return "failed", {"result": result, "raised": raised, "thread": "MainThread"}


def printed(lines: int = 1, rest: int = 0) -> Step:
    return "printed", {"lines": lines, "rest": rest}


def did(*steps: Step, thread: int = 1) -> list[Line]:
    who = {"pid": 7, "thread_id": thread}
    return [{"what": what, "t": t, "at": f"/program/a.py:{t}", **who, **facts} for t, (what, facts) in enumerate(steps)]


def of(*threads: list[Line]) -> Account:
    return Account.of(remains(watched=tuple(line for lines in threads for line in lines)))


def apart(old: Account, new: Account) -> list[tuple[str, int, str, str]]:
    return [(topic, number, before.text, after.text) for topic, number, before, after, _ in differences(old, new)]


def test_the_topics_of_a_thread() -> None:
    (topics,) = of(did(printed(), send(), printed(0, 3), failed(), failed(), receive())).strands
    assert {topic: [event.text for event in events] for topic, events in topics.items()} == {
        "order of stdout and sends": ["send after 1 line", "the end after 1 line and 3 bytes and 1 send"],
        "order of stdout and receives": [
            "receive after 1 line and 3 bytes",
            "the end after 1 line and 3 bytes and 1 receive",
        ],
        "order of stdout and failures": [
            f"{WRONG} after 1 line and 3 bytes",  # once, as nothing lies between the two
            "the end after 1 line and 3 bytes and 1 failure",
        ],
        "order of sends and failures": [f"{WRONG} after 1 send", "the end after 1 send and 1 failure"],
        "order of receives and failures": [f"{WRONG} after 0 receives", "the end after 1 receive and 1 failure"],
        "order of exceptions": [WRONG, WRONG, "the end"],
    }
    assert topics["order of stdout and sends"][0].at == "a.py:1"


MOVED = [
    ((printed(), send()), (send(), printed()), "order of stdout and sends"),
    ((receive(), printed()), (printed(), receive()), "order of stdout and receives"),
    ((failed(), send()), (send(), failed()), "order of sends and failures"),
    ((failed(), receive()), (receive(), failed()), "order of receives and failures"),
    ((failed(), printed()), (printed(), failed()), "order of stdout and failures"),
    ((printed(0, 2), send(), printed()), (send(), printed(0, 2), printed()), "order of stdout and sends"),
]


@pytest.mark.parametrize(("old", "new", "topic"), MOVED)
def test_what_has_moved(old: tuple[Step, ...], new: tuple[Step, ...], topic: str) -> None:
    (found,) = differences(of(did(*old)), of(did(*new)))
    assert (found.topic, found.number, found.is_minor) == (topic, 1, True)


def test_a_failure_more() -> None:
    """Of exceptions; a code need not come from a call."""
    assert apart(of(did(failed())), of(did(failed(), failed()))) == [("order of exceptions", 2, "the end", WRONG)]
    assert apart(of(did(failed(raised=False))), of(did(failed(raised=False), failed(raised=False)))) == []


def test_failures_that_only_one_side_shows_have_no_place() -> None:
    codes = failed(raised=False), printed(), failed(raised=False), send()
    assert apart(of(did(*codes)), of(did(*codes[1:]))) == []
    moved = apart(of(did(*codes)), of(did(*codes[2:], *codes[1:2])))
    assert [topic for topic, *_ in moved] == ["order of stdout and sends"]


def test_whose_turn_it_is() -> None:
    (found,) = differences(of(did(send(1), send(2))), of(did(send(2), send(1))))
    assert (found.topic, found.old.text) == (
        "order of sends to several peers",
        "send on connection 1 of the server of svc",
    )
    assert apart(of(did(send(1), send(1))), of(did(send(1), send(1)))) == []


def test_whom_a_thread_leaves_first() -> None:
    def stopped(service: str) -> Step:
        return "state", {"service": service, "side": "client", "old": "RUNNING", "new": "STOPPING"}

    def disconnected(connection: int, result: str = OK) -> Step:
        return "disconnect", {"service": "svc", "side": "server", "connection": connection, "result": result}

    for one, other in ((stopped("a"), stopped("b")), (disconnected(1), disconnected(2))):
        (found,) = apart(of(did(one, other)), of(did(other, one)))
        assert found[:2] == ("order of disconnects", 1)
        assert apart(of(did(one, other)), of(did(one))) == []  # it is told as what it is: left open, or still connected
    assert of(did(disconnected(1), disconnected(2, "DOCA_ERROR_NOT_CONNECTED"))).strands == ()


def test_whose_message_comes_first_is_not_for_the_program_to_say() -> None:
    answers = receive(1), send(1), receive(2), send(2)
    assert apart(of(did(*answers)), of(did(*answers[2:], *answers[:2]))) == []


def test_threads_have_no_order_to_each_other() -> None:
    """Neither to each other, nor in which of them is which."""
    old = of(did(printed(), thread=1), did(send(), thread=2))
    assert apart(old, of(did(send(), printed(), thread=1))) == []
    swapped = of(did(printed(), send(), thread=1), did(send(), printed(), thread=2))
    assert apart(swapped, of(did(send(), printed(), thread=1), did(printed(), send(), thread=2))) == []


def test_forms_without_numbers_have_no_order_either() -> None:
    old, new = of(did(printed(), send())), of(did(send(), printed()))
    for form in (without_numbers, without_order):
        assert apart(form(old), form(new)) == []


def result(old: list[list[Line]], new: list[list[Line]], said: str = "same") -> tuple[Verdict, list[Difference]]:
    before = [remains("same", watched=(RAN, *lines)) for lines in old]
    after = [remains(said, watched=(RAN, *lines)) for lines in new]
    found = Rounds(Acted(before, after), ()).result()
    return found.verdict, [divergence.difference for divergence in found.divergences]


STRAIGHT, CROSSED = did(printed(), send()), did(send(), printed())


def test_an_order_counts_where_every_run_shows_it() -> None:
    verdict, (found,) = result([STRAIGHT], [CROSSED])
    assert (verdict, found.topic) == (Verdict.DIVERGED, "order of stdout and sends")
    assert result([STRAIGHT, CROSSED], [CROSSED]) == (Verdict.EQUIVALENT, [])
    assert result([STRAIGHT], [CROSSED, STRAIGHT]) == (Verdict.EQUIVALENT, [])


def test_an_order_is_not_told_beside_what_else_is_certain() -> None:
    _, found = result([STRAIGHT], [CROSSED], "other")
    assert [difference.topic for difference in found] == ["stdout"]
