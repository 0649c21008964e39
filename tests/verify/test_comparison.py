"""What of a run is an event, and where two accounts part."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from migrate.verify.account import ORDER, Account, Event, Topics, ran
from migrate.verify.comparison import differences, without_numbers, without_order
from tests.verify.accounts import account, events, remains


def line(what: str, **facts: Any) -> dict[str, Any]:
    return {
        "what": what, "t": 1, "pid": 7, "service": "svc", "side": "client", "connection": 1, "at": "/program/a.py:5",
        **facts,
    }  # fmt: skip


def message(what: str, data: bytes, **facts: Any) -> dict[str, Any]:
    payload = base64.b64encode(data).decode()
    return line(what, length=len(data), digest="d", payload=payload, result="DOCA_SUCCESS", **facts)


def test_equal_accounts() -> None:
    assert differences(account(stdout="a b", results="c"), account(stdout="a b", results="c")) == []


@pytest.mark.parametrize(
    ("old", "new", "number", "texts"),
    [
        ("a b c", "a x c", 2, ("b", "x")),
        ("a b", "a", 2, ("b", "nothing")),
        ("a", "a b", 2, ("nothing", "b")),
    ],
)
def test_the_first_difference_of_a_topic(old: str, new: str, number: int, texts: tuple[str, str]) -> None:
    (found,) = differences(account(stdout=old), account(stdout=new))
    assert (found.topic, found.number, (found.old.text, found.new.text)) == ("stdout", number, texts)


def test_work_that_goes_to_whoever_is_free() -> None:
    red, blue = {"sends": events("job 1", "job 2")}, {"sends": events("job 3", "job 4")}
    old, new = account(red, blue), account({"sends": events("job 1")}, {"sends": events("job 2", "job 3", "job 4")})
    assert differences(without_numbers(old), without_numbers(new))
    assert differences(without_order(old), without_order(new)) == []
    assert differences(without_order(old), without_order(account(red)))


def test_connections_of_one_end_are_compared() -> None:
    """A process may have both ends: a server's connection is not compared with a client's."""
    server, client = {"sends of the server": events("1")}, {"sends of the client": events("2")}
    wrong = {"sends of the client": events("3")}
    (found,) = differences(account(server, client), account(wrong, server))
    assert (found.topic, found.old.text, found.new.text) == ("sends of the client", "2", "3")
    (first, second) = differences(account(server, client), account({"sends of the server": events("4")}, wrong))
    assert {(found.old.text, found.new.text) for found in (first, second)} == {("1", "4"), ("2", "3")}


def test_the_earliest_comes_first() -> None:
    late, early = events("a", "b"), events("c")
    old, new = Account({"late": late, "early": early}, ()), Account({"late": late[:1], "early": ()}, ())
    assert [difference.topic for difference in differences(old, new)] == ["early", "late"]


def test_connections_have_no_order() -> None:
    one, two = {"sends": events("1")}, {"sends": events("2")}
    assert differences(account(one, two), account(two, one)) == []
    (found,) = differences(account(one, two), account(two, two))
    assert (found.old.text, found.new.text) == ("1", "2")


def test_a_lost_connection_is_a_difference() -> None:
    assert differences(account({"ups": events("up")}), account())


def test_numbers_can_be_taken_away() -> None:
    old, new = account(stdout="at:12.5s 0x7f"), account(stdout="at:8s 0x80")
    assert differences(old, new)
    assert differences(without_numbers(old), without_numbers(new)) == []


def test_messages_by_content_and_line() -> None:
    trace = (message("send", b"hello", t=2), message("receive", b"x" * 60, t=1), line("up", ok=True, t=0))
    (topics,) = Account.of(remains(trace=trace)).connections
    assert topics["sends of the client of svc"] == (Event("5 bytes b'hello'", "a.py:5", 2),)
    (received,) = topics["receives of the client of svc"]
    assert received.text.startswith("60 bytes b'xxx")
    assert received.text.endswith("'... d")
    assert topics["ups of the client of svc"] == (Event("up", "a.py:5", 0),)


def ordered(words: str, sends: str = "1", receives: str = "2") -> Topics:
    return {"sends": events(sends), "receives": events(receives), ORDER: events(*words.split())}


def test_the_order_of_sends_and_receives() -> None:
    """It is told where nothing else differs: what is sent in another connection stays apart."""
    early, late, other = ordered("send receive"), ordered("receive send"), ordered("send receive", sends="3")
    (found,) = differences(account(early, other), account(other, late))
    assert (found.topic, found.number, found.old.text, found.new.text) == (ORDER, 1, "send", "receive")
    assert differences(account(early, late), account(late, early)) == []
    (found,) = differences(account(early), account(ordered("receive send", sends="3")))
    assert found.topic == "sends"


def test_the_order_is_that_of_the_control_path() -> None:
    trace = (message("send", b"1", t=2), message("receive", b"2", t=1), message("send", b"3", t=3, producer=1))
    (topics,) = Account.of(remains(trace=trace)).connections
    order = topics[f"{ORDER} of the client of svc"]
    assert [(event.text, event.t) for event in order] == [("receive", 1), ("send", 2)]
    (topics,) = Account.of(remains(trace=trace), order=False).connections
    assert not [topic for topic in topics if topic.startswith(ORDER)]


def test_waiting_is_no_event() -> None:
    refused = {**message("send", b"1"), "result": "DOCA_ERROR_AGAIN"}
    trace = (refused, line("down"), line("lost", result="DOCA_ERROR_CONNECTION_RESET"), line("up", ok=False))
    assert Account.of(remains(trace=trace)).connections == ()


def test_failures_by_thread() -> None:
    failed = [
        {"what": "failed", "t": t, "result": result, "thread": thread, "at": "/program/a.py:9"}
        for t, result, thread in ((2, "B", "MainThread"), (1, "A", "MainThread"), (3, "C", "Thread-1"))
    ]
    topics = Account.of(remains("said\n", 3, watched=tuple(failed))).topics
    assert [event.text for event in topics["results"]] == ["A", "B"]
    assert [event.text for event in topics["results in Thread-1"]] == ["C"]
    assert [event.text for event in topics["stdout"]] == ["said"]
    assert [event.text for event in topics["exit status"]] == ["3"]


def test_the_folder_of_a_run_does_not_show() -> None:
    assert Account.of(remains("in /program/data\n")).topics["stdout"] == (Event("in data"),)
    assert list(ran(remains())) == [("a.py", 4)]
