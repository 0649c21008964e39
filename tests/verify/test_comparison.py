"""What of a run is an event, and where two accounts part."""

from __future__ import annotations

import base64
import hashlib
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from migrate.verify.account import MESSAGES, Account, ran
from migrate.verify.comparison import differences, without_numbers, without_order
from migrate.verify.events import Event, Topics
from migrate.verify.ignored import Ignored
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


def test_numbers_are_taken_out_of_messages_before_their_digest() -> None:
    """Of one that the trace does not have in full, the digest stays."""

    def sent(data: bytes, **facts: Any) -> Account:
        digest = hashlib.sha256(data).hexdigest()
        return Account.of(remains(trace=(message("send", data) | {"digest": digest} | facts,)))

    def at(clock: bytes, tail: bytes = b"") -> Account:
        return sent(b"at " + clock + b" a line that is longer than what is shown of a message" + tail)

    for old, new in ((at(b"9.75"), at(b"10.125")), (sent(b"1" * 48), sent(b"1" * 49))):
        assert differences(old, new)
        assert differences(without_numbers(old), without_numbers(new)) == []
    for old, new in (
        (at(b"9.75"), at(b"9.75", b"!")),
        (sent(b"\x01"), sent(b"\x02")),
        (sent(b"1" * 60, length=2000), sent(b"2" * 60, length=2000)),
    ):
        assert differences(without_numbers(old), without_numbers(new))


def test_messages_by_content_and_line() -> None:
    trace = (message("send", b"hello", t=2), message("receive", b"x" * 60, t=1), line("up", ok=True, t=0))
    (topics,) = Account.of(remains(trace=trace)).connections
    assert topics["sends of the client of svc"] == (Event("5 bytes b'hello'", "a.py:5", 2, bare="# bytes b'hello'"),)
    (received,) = topics["receives of the client of svc"]
    assert received.text.startswith("60 bytes b'xxx")
    assert received.text.endswith("'... d")
    assert topics["ups of the client of svc"] == (Event("up", "a.py:5", 0),)


def ordered(words: str, sends: str = "1", receives: str = "2") -> Topics:
    return {"sends": events(sends), "receives": events(receives), MESSAGES: events(*words.split())}


def test_the_order_of_sends_and_receives() -> None:
    """It is told where nothing else differs: what is sent in another connection stays apart."""
    early, late, other = ordered("send receive"), ordered("receive send"), ordered("send receive", sends="3")
    (found,) = differences(account(early, other), account(other, late))
    assert (found.topic, found.number, found.old.text, found.new.text) == (MESSAGES, 1, "send", "receive")
    assert differences(account(early, late), account(late, early)) == []
    (found,) = differences(account(early), account(ordered("receive send", sends="3")))
    assert found.topic == "sends"


def test_each_path_has_its_order_and_so_have_both() -> None:
    control = (message("send", b"1", t=2), message("receive", b"2", t=1))
    fast = (message("send", b"3", t=3, producer=1, consumer=5), message("receive", b"4", t=0, producer=6, consumer=2))
    (topics,) = Account.of(remains(trace=(*control, *fast))).connections
    sent, received = "send, producer 1, consumer 5", "receive, producer 6, consumer 2"
    places = {topic: [event.text for event in events] for topic, events in topics.items() if topic.startswith(MESSAGES)}
    assert places == {
        f"{MESSAGES} of the client of svc": ["receive", "send"],
        f"{MESSAGES} on the fast path of the client of svc": [received, sent],
        f"{MESSAGES} on both paths of the client of svc": ["receive", received, "send", sent],
    }
    (topics,) = Account.of(remains(trace=control)).connections
    assert [topic for topic in topics if topic.startswith(MESSAGES)] == [f"{MESSAGES} of the client of svc"]
    (topics,) = Account.of(remains(trace=(*control, *fast)), order=False).connections
    assert not [topic for topic in topics if topic.startswith(MESSAGES)]


def test_what_comes_from_different_ends_has_no_order_until_something_is_sent() -> None:
    def at(*times: int) -> Account:
        slow, fast, sent = times
        trace = (
            message("receive", b"1", t=slow),
            message("receive", b"2", t=fast, producer=6, consumer=2),
            message("send", b"3", t=sent),
        )
        return Account.of(remains(trace=trace))

    assert differences(at(1, 2, 3), at(2, 1, 3)) == []
    (found,) = differences(at(1, 2, 3), at(1, 3, 2))
    assert found.topic == f"{MESSAGES} on both paths of the client of svc"


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


def life(what: str, handle: int, t: int, noun: str = "device", **facts: Any) -> dict[str, Any]:
    return {"what": what, "t": t, "pid": 7, "noun": noun, "handle": handle, "at": f"/program/a.py:{t}", **facts}


DEVICE, SERVER = {"pci_addr": "03:00.0"}, {"service": "svc", "side": "server"}
OPENED = (life("open", 1, 1, **DEVICE), life("open", 2, 2, **DEVICE), life("open", 3, 3, "context", **SERVER))


def test_what_only_the_new_side_leaves_open() -> None:
    """The one that is left is named, whichever was closed."""
    old = Account.of(remains(trace=(*OPENED, life("close", 1, 8, **DEVICE), life("close", 2, 9, **DEVICE))))
    new = Account.of(remains(trace=(*OPENED, life("close", 2, 9, **DEVICE))))
    (found,) = differences(old, new)
    assert (found.topic, found.number) == ("life of device 03:00.0", 1)
    assert (found.old, found.new) == (Event("closed", "a.py:9", 9), Event("left open", "a.py:1"))
    assert differences(new, old) == []  # it is no harm to close more


@pytest.mark.parametrize(
    ("facts", "topic"),
    [
        ({"noun": "engine"}, "engine"),
        ({"noun": "representor", "rep_pci_addr": "b1:00.0"}, "representor b1:00.0"),
        ({"noun": "context", **SERVER}, "the server of svc"),
        ({"noun": "context", **SERVER, "connection": 1, "producer": 4}, "the producers on the server of svc"),
        ({"noun": "context", "msgq": 1, "consumer": 2}, "the consumers on message queue 1"),
    ],
)
def test_lives_by_what_lives(facts: dict[str, Any], topic: str) -> None:
    opened, closed = life("open", 1, 1, **facts), life("close", 1, 2, **facts)
    assert Account.of(remains(trace=(opened, closed))).topics[f"life of {topic}"] == (Event("closed", "a.py:2", 2),)
    assert Account.of(remains(trace=(opened,))).topics[f"life of {topic}"] == (Event("left open", "a.py:1"),)


def test_the_devices_of_servers_and_clients() -> None:
    """Which there are counts, and not how often a context was made anew."""
    here = life("open", 1, 1, "context", **SERVER, **DEVICE, rep_pci_addr="b1:00.0")
    there = {**here, "rep_pci_addr": "b1:00.1", "handle": 2, "t": 2}
    old, again, new = (Account.of(remains(trace=trace)) for trace in ((here,), (here, {**here, "t": 3}), (there,)))
    (found,) = (difference for difference in differences(old, new) if difference.topic.startswith("device"))
    assert (found.topic, found.old.text) == ("device of the server of svc", "03:00.0 for b1:00.0")
    assert found.new.text == "03:00.0 for b1:00.1"
    assert again.topics["device of the server of svc"] == old.topics["device of the server of svc"]


def test_the_sizes_with_which_an_end_starts() -> None:
    started = line("state", old="IDLE", new="STARTING", max_msg_size=256, send_queue_size=8)
    topics = Account.of(remains(trace=(started, {**started, "t": 2}))).topics
    assert [(topic, events[0].text) for topic, events in topics.items() if topic.endswith("svc")] == [
        ("max_msg_size of the client of svc", "256"),
        ("send_queue_size of the client of svc", "8"),
    ]


def test_sizes_are_compared_where_both_sides_have_them() -> None:
    """A context without one_sided has no send queue, but a number of tasks."""
    topic = "send_queue_size of the client of svc"
    assert differences(Account({topic: events("8")}, ()), Account({topic: events("9")}, ()))
    assert differences(Account({topic: events("8")}, ()), Account({}, ())) == []


BLOCK = "Traceback (most recent call last):\n  File 'a.py', line 1, in f\n    f(\n\n"
FRAME = (
    "  File 'a.py', line 2, in a_function_with_a_name\n    another_one_with_a_longer_name(message, peer, endpoint)\n"
)
CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
WHILE = "\nDuring handling of the above exception, another exception occurred:\n\n"


@pytest.mark.parametrize(
    ("stderr", "classes"),
    [
        ("no failure\n", []),
        (f"{BLOCK}KeyError: 'a'\n", ["KeyError"]),
        (f"log: lost\n{BLOCK}doca_comm_channel.Again: no room\nfor\nit\nlog: end\n", ["Again"]),
        (f"{BLOCK}KeyError: 'a'\n{CAUSE}{BLOCK}a.b.Wrong\n", ["Wrong"]),
        (f"{BLOCK}Error: a\nb\n{WHILE}{BLOCK}a.b.Wrong: c\nd\n", ["Wrong"]),
        (f"{BLOCK}KeyError: 'a'\n{WHILE}{BLOCK}a.Wrong\nException in thread b:\n{BLOCK}Other\n", ["Other", "Wrong"]),
    ],
)
def test_tracebacks_by_class(stderr: str, classes: list[str]) -> None:
    topics = Account.of(replace(remains(), stderr=stderr)).topics
    assert [event.text for event in topics["tracebacks"]] == classes


def test_a_long_log_behind_a_traceback() -> None:
    """Each line is looked at a few times, not once for each way in which a traceback could begin."""
    text = f"up\n{BLOCK}{FRAME * 9}a.b.Wrong: no\n" + "2024-01-01 00:00:00 DEBUG received 17 bytes\n" * 30_000
    before = time.thread_time()
    topics = Account.of(replace(remains(text), stderr=text)).topics
    assert time.thread_time() - before < 10
    assert [event.text for event in topics["stdout"][:2]] == ["up", "traceback of Wrong"]
    assert len(topics["stderr"]) == 30_001


def test_tracebacks_in_a_log_and_on_standard_output() -> None:
    """Their lines are those of either program, and so are the texts of errors."""

    def logged(line: str, said: str) -> Account:
        text = f"up\n{BLOCK}    {line}\nKeyError: 'a'\n{CAUSE}{BLOCK}a.b.Wrong: {said}\ndown\n"
        return Account.of(replace(remains(text), files={"a.log": text.encode()}))

    assert differences(logged("ep.sendto(msg, peer)", "sendto: no"), logged("ep.send_to(msg, peer)", "send_to")) == []
    account = logged("f()", "no")
    for topics, topic in ((account.topics, "stdout"), (account.files or {}, "file a.log")):
        assert [event.text for event in topics[topic]] == ["up", "traceback of Wrong", "down"]


FILES = {"a.log": b"in /program/x\nb\n", "gone": None, "none": b"", "picture": b"\xff\x00"}


TOLD = """\
try 1
Traceback (most recent call last):
  File "a.py", line 1, in f
    f()

KeyError: 'a'
send: full
up
"""


def test_what_is_told_on_standard_error() -> None:
    """How many lines there are beside tracebacks, not what they say: the first one that is missing, or more."""

    def told(stderr: str, *, order: bool = True) -> Account:
        return Account.of(replace(remains(), stderr=stderr), order=order)

    assert [event.text for event in told(TOLD).topics["stderr"]] == ["try 1", "send: full", "up"]
    assert "stderr" not in told(TOLD, order=False).topics
    other = TOLD.replace("send: full", "send_to: the queue is full").replace("    f()\n", "")
    assert differences(told(TOLD), told(other)) == []
    for less, line, number in ((TOLD.replace("send: full\n", ""), "send: full", 2), ("try 2\nsend: full\n", "up", 3)):
        found = [part for part in differences(told(TOLD), told(less)) if part.topic == "stderr"]
        assert [(part.number, part.old.text, part.new.text) for part in found] == [(number, line, "nothing")]
        assert all(part.is_minor for part in found)
    (more,) = differences(told("a\nb\n"), told("a\nc\nb\n"))
    assert (more.number, more.old.text, more.new.text) == (2, "nothing", "c")


def test_what_is_left_out_of_messages_and_files() -> None:
    """The rest of a message is compared, with the digest of what there is of it."""

    def left(token: bytes, end: bytes = b".") -> Account:
        trace = tuple(message("send", b"token " + token + b" " + rest) for rest in (end, end * 50))
        files = {"a.log": b"got " + token + b"\n", "b.bin": b"\xff" + end}
        return Account.of(replace(remains(trace=trace), files=files), ignored=Ignored.of([r"\b[a-f]{2,}\b"]))

    (topics,) = left(b"abc").connections
    assert [event.text for event in topics["sends of the client of svc"]][:1] == ["8 bytes b'token  .'"]
    assert differences(left(b"abc"), left(b"deadbeef")) == []
    beats = tuple(message("send", data, t=t) for t, data in enumerate((b"beat", b"1", b"beat", b"", b"beat")))
    (topics,) = Account.of(remains(trace=beats), ignored=Ignored.of(["^beat$"])).connections
    assert [event.text for event in topics["sends of the client of svc"]] == ["1 bytes b'1'", "0 bytes b''"]
    topics_apart = {part.topic for part in differences(left(b"abc"), left(b"deadbeef", b"!"))}
    assert topics_apart == {"sends of the client of svc", "file b.bin"}


def test_files() -> None:
    """Those that both accounts know of are compared."""
    one = Account.of(replace(remains(), files=FILES))
    assert one.files is not None
    assert {topic: [event.text for event in events] for topic, events in one.files.items()} == {
        "file a.log": ["in x", "b"],
        "file gone": ["removed"],
        "file none": ["empty"],
        "file picture": ["2 bytes ea5dbf9596d187e9"],
    }
    other = Account.of(replace(remains(), files={**FILES, "a.log": b"in /program/x\nc\n"}))
    (found,) = differences(one, other)
    assert (found.topic, found.number, found.old.text, found.new.text) == ("file a.log", 2, "b", "c")
    assert found.is_minor
    assert differences(one, Account.of(remains())) == []


@pytest.mark.parametrize(
    ("stdout", "lines"),
    [
        ("a\nb\n", ["a", "b"]),
        ("a\r\nb\x0c\n", ["a\r", "b\x0c"]),
        ("a", ["a", "no newline at the end"]),
        ("", []),
    ],
)
def test_lines_end_with_newlines_only(stdout: str, lines: list[str]) -> None:
    assert [event.text for event in Account.of(remains(stdout)).topics["stdout"]] == lines


def test_the_folders_of_a_run_do_not_show() -> None:
    """Wherever a program says them: in output, errors, files that are text or not, and messages of either end."""

    def said(folder: str, other: str) -> Account:
        text = f"in {folder}/data\n{folder}\n"
        trace = (message("send", text.encode(), at=f"{folder}/a.py:5"), message("receive", f"{other}/".encode()))
        left = replace(remains(text, trace=trace), folder=Path(folder), others=frozenset([Path(other)]))
        files = {"log": text.encode(), "picture": b"\xff" + text.encode()}
        return Account.of(replace(left, stderr=f"warning: {folder}\n", files=files))

    account, apart = said("/run/1/old", "/run/1/old"), said("/run/2/new", "/run/2/old")
    assert account.topics["stdout"] == (Event("in data"), Event("."))
    assert account.topics["stderr"] == (Event("warning: ."),)
    (topics,) = account.connections
    assert [event.text for event in topics["sends of the client of svc"]] == ["10 bytes b'in data\\n.\\n'"]
    assert [event.text for event in topics["receives of the client of svc"]] == ["2 bytes b'./'"]
    assert differences(account, apart) == []
    assert list(ran(remains())) == [("a.py", 4)]
