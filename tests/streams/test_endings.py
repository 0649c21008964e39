"""What ends a stream early ends it on both sides, with the reason; what was acknowledged is there, nothing leaks."""

from __future__ import annotations

import io
import signal
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import (
    BadState,
    ConnectionReset,
    ErrorCode,
    InvalidValue,
    IoFailed,
    NotPermitted,
    ProgressEngine,
    Shutdown,
    Stream,
    Unexpected,
    _stream_link,
)
from comch_next._stream_link import Kind, Link
from tests.control_path.pair import DPU, REP, client, connect, leave, server, until
from tests.faults.forking import Forking
from tests.processes import SOON_S, StartPython
from tests.pull.support import FORMS
from tests.streams.support import Pair, connected
from tests.streams.test_transfers import CHUNK, DATA, Signalling, Stuck

CLIENT = """
import contextlib, itertools, pathlib, sys
import comch_next as comch

class Endless:
    def __init__(self):
        self.numbers = itertools.count()

    def read(self, size):
        return b"%08d" % next(self.numbers)

with comch.open_device("b1:00.0") as device:
    client = comch.Client(device, "svc")
    comch.Stream.enable(client)
    client.connect(timeout=60)
    with contextlib.closing(client), comch.Stream(client.connection) as stream:
        client.connection.send(b"hello")
        if sys.argv[1] == "send":
            stream.send_stream(Endless())
        else:
            with open(sys.argv[1], "wb", buffering=0) as sink:
                stream.recv_stream(sink, chunk_size=1000)
"""


LEAVING = """
import contextlib, threading
import comch_next as comch

class Stuck:
    def write(self, data):
        written.set()
        threading.Event().wait()

def receive():
    client.connect(timeout=60)
    with contextlib.closing(client), comch.Stream(client.connection) as stream:
        client.connection.send(b"hello")
        stream.recv_stream(Stuck(), chunk_size=1000)

written = threading.Event()
client = comch.Client(comch.open_device("b1:00.0"), "svc")
comch.Stream.enable(client)
threading.Thread(target=receive, daemon=True).start()
written.wait()
"""


OFFERING = """
import sys, threading
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
comch.Stream.enable(client)
client.connect(timeout=60)
client.connection.send(b"hello")
stream = comch.Stream(client.connection)
stream.__enter__()
threading.Thread(target=stream.send_stream, args=(b"never taken",), daemon=True).start()
sys.stdin.readline()
"""


class Failing(io.BytesIO):
    """A source or sink that fails after some bytes."""

    def readinto(self, view: Any) -> int:
        if self.tell() >= 5 * CHUNK:
            raise NotPermitted("the source is out of order")
        return super().readinto(view)

    def write(self, data: Any) -> int:
        if self.tell() >= 5 * CHUNK:
            raise NotPermitted("the sink is out of order")
        return super().write(data)


def again(work: Any, raised: type[BaseException]) -> Any:
    """Work that fails, and then the next stream on the same object, which does not."""

    def twice(stream: Stream) -> str:
        call, failing, sound = work(stream)
        with pytest.raises(raised) as error:
            call(failing, chunk_size=CHUNK)
        assert call(sound) == len(DATA)
        return str(error.value)

    return twice


def sending(source: Any) -> Any:
    return lambda stream: (stream.send_stream, source, DATA)


def receiving(sink: Any) -> Any:
    return lambda stream: (stream.recv_stream, sink, io.BytesIO())


def test_a_source_that_fails(pair: Pair) -> None:
    sink = io.BytesIO()
    mine, other = pair.both(again(sending(Failing(DATA)), NotPermitted), again(receiving(sink), IoFailed))
    assert "the source is out of order" in mine
    assert "recv_stream: the other side gave the stream up" in other
    assert sink.getvalue() == DATA[: 5 * CHUNK], "all that had been sent"


def test_a_sink_that_fails(pair: Pair) -> None:
    sink = Failing()
    other, mine = pair.both(again(sending(DATA), IoFailed), again(receiving(sink), NotPermitted))
    assert "the sink is out of order" in mine
    assert "send_stream: the other side gave the stream up" in other
    assert sink.getvalue() == DATA[: 5 * CHUNK]


def test_a_receiver_that_fails_says_so_before_it_stops(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its sender would find a consumer that takes nothing any more, and not know why."""
    heard, close, before = threading.Event(), comch.Consumer.close, list[bool]()

    def late(consumer: comch.Consumer, timeout: float) -> None:
        before.append(heard.wait(SOON_S))
        close(consumer, timeout)

    def here(stream: Stream) -> None:
        with pytest.raises(IoFailed, match="the other side gave the stream up"):
            stream.send_stream(DATA, chunk_size=CHUNK)
        heard.set()

    def there(stream: Stream) -> None:
        with pytest.raises(NotPermitted):
            stream.recv_stream(Failing(), chunk_size=CHUNK)

    monkeypatch.setattr(comch.Consumer, "close", late)
    pair.both(here, there)
    assert set(before) == {True}


def test_an_exception_of_progress(pair: Pair) -> None:
    def fail(count: int) -> None:
        raise NotPermitted(f"not {count}")

    def work(stream: Stream) -> None:
        with pytest.raises(NotPermitted, match=f"not {CHUNK}"):
            stream.send_stream(DATA, progress=fail)

    def there(stream: Stream) -> None:
        with pytest.raises(IoFailed):
            stream.recv_stream(io.BytesIO(), chunk_size=CHUNK)

    pair.both(work, there)


def test_an_interrupt_while_it_sleeps(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides can go on with another stream."""
    go_on, main, wait = threading.Event(), threading.get_ident(), ProgressEngine.wait
    due = [True]

    def interrupted(engine: ProgressEngine, timeout: float | None = None) -> bool:
        if threading.get_ident() == main and began.is_set() and due and due.pop():
            signal.pthread_kill(main, signal.SIGINT)
        return wait(engine, timeout)

    began = threading.Event()
    monkeypatch.setattr(ProgressEngine, "wait", interrupted)
    other = pair.start(pair.there, again(receiving(Stuck(go_on)), IoFailed))
    with Stream(pair.here) as stream:
        with pytest.raises(KeyboardInterrupt):
            stream.send_stream(Signalling(DATA, began), chunk_size=CHUNK)
        go_on.set()
        assert stream.send_stream(DATA) == len(DATA)
        other.result(SOON_S)


def test_the_other_side_leaves(pair: Pair) -> None:
    """A stream object that is left ends what waits for it, before it has been met and after."""

    def here(stream: Stream) -> None:
        assert stream.send_stream(DATA) == len(DATA)
        for _ in range(2):
            with pytest.raises(Shutdown, match="send_stream"):
                stream.send_stream(DATA)

    pair.both(here, lambda stream: stream.recv_stream(io.BytesIO()))


@pytest.mark.parametrize("first", ["receiver", "sender"])
def test_the_other_side_leaves_before_they_have_met(pair: Pair, first: str) -> None:
    """The file to send is not there, say; the connection is as good as before."""
    entered = threading.Event()

    def receive(stream: Stream) -> None:
        entered.set()
        with pytest.raises(Shutdown, match="recv_stream: the stream ended early"):
            stream.recv_stream(io.BytesIO())

    if first == "receiver":
        receiving = pair.start(pair.there, receive)
        assert entered.wait(SOON_S)
    with Stream(pair.here):
        pass
    if first == "sender":
        receiving = pair.start(pair.there, receive)
    receiving.result(SOON_S)
    pair.here.send(b"sorry")
    assert pair.there._context.receive(timeout=SOON_S).data == b"sorry"


def test_a_stream_that_waits_runs_no_callbacks_of_messages(monkeypatch: pytest.MonkeyPatch, runtime_dir: Path) -> None:
    """The program turns the engine of a context with callbacks, on the thread that it likes."""
    monkeypatch.setattr(_stream_link, "_SILENCE_S", 0.01)
    called: list[int] = []
    there, here = server(), client()
    for side in (there, here):
        comch.Stream.enable(side.context)
    there.context.event_msg_recv_register(lambda *_: called.append(threading.get_ident()))
    connect(there, here)
    until_answered, waits = Link.until_answered, threading.Event()

    def noted(link: Link, ready: Any) -> Any:
        waits.set()
        return until_answered(link, ready)

    monkeypatch.setattr(Link, "until_answered", noted)

    def receive() -> None:
        with Stream(there.connection) as stream, pytest.raises(Shutdown):
            stream.recv_stream(io.BytesIO())

    receiving = threading.Thread(target=receive)
    receiving.start()
    with Stream(here.connection):
        until(waits.is_set, there.engine, here.engine)
        here.send(b"work")
        time.sleep(0.1)
        assert called == []
        until(lambda: called, there.engine, here.engine)
    until(lambda: not receiving.is_alive(), there.engine, here.engine)
    assert called == [threading.get_ident()]
    leave(here, there)


def test_a_side_that_is_about_to_leave(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its consumer has gone before it could say so: that is no mistake of the sender's."""
    stopped, reported, say = threading.Event(), threading.Event(), Link.say

    def late(link: Link, kind: Kind, *arguments: Any, **more: Any) -> None:
        if kind == Kind.CLOSED and link.connection is pair.there:
            stopped.set()
            assert reported.wait(SOON_S)
        say(link, kind, *arguments, **more)

    def here(stream: Stream) -> None:
        assert stream.send_stream(DATA) == len(DATA)
        assert stopped.wait(SOON_S)
        with pytest.raises(Shutdown, match="send_stream: the stream ended early"):
            stream.send_stream(DATA)
        reported.set()

    monkeypatch.setattr(Link, "say", late)
    pair.both(here, lambda stream: stream.recv_stream(io.BytesIO()))


def test_both_send(pair: Pair) -> None:
    def work(stream: Stream) -> str:
        with pytest.raises((BadState, IoFailed, Shutdown)) as error:
            stream.send_stream(DATA)
        return str(error.value)

    assert any("one of the two has to receive" in text for text in pair.both(work, work))


def test_what_is_refused(pair: Pair) -> None:
    with pytest.raises(InvalidValue, match=r"Stream\.enable takes a Server or a Client, not None"):
        Stream.enable(None)  # type: ignore[arg-type]
    stream = Stream(pair.here)
    with pytest.raises(BadState, match="outside of its block"):
        stream.send_stream(DATA)
    with stream:
        gone = memoryview(bytearray(8))
        gone.release()
        for source in (None, 5, "text", object(), gone, memoryview(DATA)[::2]):
            with pytest.raises(InvalidValue, match="takes a binary file object, or something bytes-like in one piece"):
                stream.send_stream(source)
        with pytest.raises(InvalidValue, match="takes a binary file object to write to"):
            stream.recv_stream(bytearray(9))
        for size in (0, -1, 1.5, True, None):
            with pytest.raises(InvalidValue, match="chunk_size"):
                stream.send_stream(DATA, chunk_size=size)  # type: ignore[arg-type]
            with pytest.raises(InvalidValue, match="chunk_size"):
                stream.recv_stream(io.BytesIO(), chunk_size=size)  # type: ignore[arg-type]
        with pytest.raises(BadState, match="a connection has one"), Stream(pair.here):
            pass
    with pytest.raises(InvalidValue, match="takes a connection"):
        Stream(pair.here._context)  # type: ignore[arg-type]
    with pytest.raises(BadState, match="has a consumer event already"):
        Stream.enable(pair.here._context)


@pytest.mark.parametrize("enable", [None, lambda context: context.event_consumer_register(print, print)])
def test_a_context_that_is_not_enabled(enable: Callable[[Any], object] | None) -> None:
    """Nor is one whose consumer event is the program's: what a stream waits for would be told to the program."""
    with connected(enable=enable) as pair, pytest.raises(BadState, match=r"call Stream.enable on it before it starts"):
        Stream(pair.here)


@pytest.mark.parametrize("returned", [None, 0, 1 << 40, -1, "all"])
def test_a_sink_that_does_not_report_what_it_wrote(pair: Pair, returned: object) -> None:
    class Silent:
        def write(self, data: memoryview) -> object:
            return returned

    def here(stream: Stream) -> None:
        with pytest.raises((IoFailed, Shutdown)):
            stream.send_stream(DATA)

    def there(stream: Stream) -> None:
        with pytest.raises(InvalidValue, match="return how many it has written"):
            stream.recv_stream(Silent())

    pair.both(here, there)


@pytest.mark.parametrize("returned", [None, "text", 5, bytes(CHUNK + 1)])
def test_a_source_that_returns_no_bytes_or_too_many(pair: Pair, returned: object) -> None:
    class Mistaken:
        def read(self, size: int) -> object:
            return returned

    def here(stream: Stream) -> None:
        with pytest.raises(InvalidValue, match="the source's read returned"):
            stream.send_stream(Mistaken(), chunk_size=CHUNK)

    def there(stream: Stream) -> None:
        with pytest.raises((IoFailed, Shutdown)):
            stream.recv_stream(io.BytesIO())

    pair.both(here, there)


def test_a_source_whose_bytes_are_of_numbers(pair: Pair) -> None:
    left = [array("I", range(1000)), b""]

    class Numbers:
        def read(self, size: int) -> object:
            return left.pop(0)

    sink = io.BytesIO()
    pair.both(lambda stream: stream.send_stream(Numbers()), lambda stream: stream.recv_stream(sink))
    assert sink.getvalue() == array("I", range(1000)).tobytes()


@pytest.mark.parametrize("returned", [None, -1, 1 << 40])
def test_a_source_that_does_not_report_what_it_read(pair: Pair, returned: object) -> None:
    class Silent:
        def readinto(self, view: memoryview) -> object:
            return returned

    def here(stream: Stream) -> None:
        with pytest.raises(InvalidValue, match="return how many it has read"):
            stream.send_stream(Silent())

    def there(stream: Stream) -> None:
        with pytest.raises((IoFailed, Shutdown)):
            stream.recv_stream(io.BytesIO())

    pair.both(here, there)


def test_words_that_mean_nothing(pair: Pair) -> None:
    """Another program's consumer or producer on the connection."""

    def here(stream: Stream) -> None:
        with pytest.raises((Unexpected, Shutdown), match=r"not a frame of a stream|ended early"):
            stream.recv_stream(io.BytesIO())

    def there(stream: Stream) -> None:
        link = stream._link
        for _ in link.meet(lambda: link.connection._control_id):
            pass
        task = link._producer.task_send_alloc_init(None, b"who is there?", link.connection._control_id)
        for _ in link.submit(task):
            pass

    pair.both(here, there)


def test_a_receiver_that_grants_no_room(pair: Pair) -> None:
    def here(stream: Stream) -> None:
        with pytest.raises(Unexpected, match="without room"):
            stream.send_stream(DATA)

    def there(stream: Stream) -> None:
        link = stream._link
        for _ in link.meet(lambda: link.connection._control_id and link.offers):
            pass
        for _ in link.submit(link.frame(Kind.GRANT, link.offers[0], 1, consumer=1, size=0)):
            pass
        for _ in link.until(lambda: not link.offers):  # the sender has given up
            pass

    pair.both(here, there)


def test_a_killed_receiver_has_all_that_was_acknowledged(start_python: StartPython, tmp_path: Path) -> None:
    path, counts, there = tmp_path / "sink", [0], Ending(start_python, str(tmp_path / "sink"))

    def kill(count: int) -> None:
        counts.append(count)
        if count > 100_000:
            there.peer.signal(signal.SIGKILL)

    with there, pytest.raises(ConnectionReset, match="send_stream"):
        there.stream.send_stream(DATA * 100, progress=kill)
    assert counts[-1] > 100_000
    assert path.read_bytes()[: counts[-1]] == (DATA * 100)[: counts[-1]]


def test_a_killed_sender_leaves_what_it_has_sent(start_python: StartPython) -> None:
    sink, there = io.BytesIO(), Ending(start_python, "send")

    def kill(count: int) -> None:
        if count == 8000:
            there.peer.signal(signal.SIGKILL)

    with there, pytest.raises(ConnectionReset, match="recv_stream"):
        there.stream.recv_stream(sink, chunk_size=1000, progress=kill)
    numbers = sink.getvalue()
    assert len(numbers) >= 8000
    assert numbers == b"".join(b"%08d" % number for number in range(len(numbers) // 8))


def test_a_process_that_ends_in_a_stream_has_left(start_python: StartPython) -> None:
    """Nobody turns the connection's engine here, which alone reads the farewell."""
    with Ending(start_python, "", LEAVING) as there, pytest.raises(Shutdown, match="send_stream"):
        there.stream.send_stream(bytes(100_000), chunk_size=1000)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("noticed", [True, False], ids=["noticed", "not noticed"])
@pytest.mark.parametrize("end", [Shutdown, ConnectionReset])
def test_an_offer_of_a_side_that_has_gone(
    start_python: StartPython, monkeypatch: pytest.MonkeyPatch, end: type[Exception], noticed: bool, form: str
) -> None:
    """The offer is still there to be taken, and the connection is not."""
    monkeypatch.setenv("COMCH_PULL", form)
    with Ending(start_python, "", OFFERING) as there:
        stream, link = there.stream, there.stream._link
        _stream_link.run(link.meet(lambda: link.offers))
        there.end(end)
        if noticed:
            there.notice()
        with pytest.raises(end, match="the stream ended early"):
            stream.recv_stream(io.BytesIO())
        with pytest.raises(end, match="the stream ended early"):
            stream.send_stream(DATA)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("end", [Shutdown, ConnectionReset])
def test_a_stream_that_begins_on_a_connection_that_has_ended(
    start_python: StartPython, monkeypatch: pytest.MonkeyPatch, end: type[Exception], form: str
) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    with Ending(start_python, "", OFFERING, begins=False) as there:
        there.end(end)
        there.notice()
        with pytest.raises(end, match=r"^Stream: the stream ended early"), there.stream:
            """It is not reached."""


class Ending:
    """A stream to another process that is going to end."""

    def __init__(self, start_python: StartPython, argument: str, program: str = CLIENT, *, begins: bool = True) -> None:
        self._start, self._argument, self._program, self._begins = start_python, argument, program, begins

    def __enter__(self) -> Ending:
        self.device = comch.open_device(DPU)
        self.rep = self.device.open_representor(REP)
        self.server = comch.Server(self.device, self.rep, "svc")
        Stream.enable(self.server)
        self.server.listen()
        self.peer = self._start("-c", self._program, self._argument)
        self.stream = Stream(self.server.receive(timeout=SOON_S).connection)
        if self._begins:
            self.stream.__enter__()
        return self

    def end(self, how: type[Exception]) -> None:
        """Have the other process leave, or die."""
        if how is Shutdown:
            self.peer.say("end\n")
        else:
            self.peer.signal(signal.SIGKILL)
        self.peer.process.wait(SOON_S)

    def notice(self) -> None:
        """Have the server know of it."""
        port = self.server.port
        assert port is not None
        until(lambda: port.status(self.stream.connection) != ErrorCode.SUCCESS, self.server.engine)

    def __exit__(self, *error: Any) -> None:
        self.stream.__exit__(*error)
        self.server.close()
        self.rep.close()
        self.device.close()
        self.peer.kill()


@pytest.mark.parametrize("part", ["Producer", "Consumer.start"])
def test_a_beginning_that_is_refused_leaves_the_connection_its_stream(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise comch.NoMemory("no room")

    with monkeypatch.context() as patched:
        patched.setattr(f"{_stream_link.__name__}.{part}", refuse)
        with pytest.raises(comch.NoMemory, match="no room"), Stream(pair.here):
            """It is not reached."""
    pair.both(lambda stream: stream.send_stream(DATA), lambda stream: stream.recv_stream(io.BytesIO()))


def test_a_close_that_is_refused_leaves_the_streams_open(pair: Pair) -> None:
    def here(stream: Stream) -> None:
        with pytest.raises(InvalidValue, match="timeout"):
            pair.here._context.close(timeout=-1)
        assert stream.send_stream(DATA) == len(DATA)

    pair.both(here, lambda stream: stream.recv_stream(io.BytesIO()))


def test_a_context_that_is_closed_during_a_stream(pair: Pair) -> None:
    """By another thread: what the stream has made ends with it, and its call with an error."""
    begun = threading.Event()
    theirs = pair.start(pair.there, lambda stream: stream.recv_stream(io.BytesIO()))
    mine = pair.start(pair.here, lambda stream: stream.send_stream(Endless(begun), chunk_size=CHUNK))
    assert begun.wait(SOON_S)
    client = pair.here.client
    assert client is not None
    client.close()
    for end in (mine, theirs):
        assert isinstance(end.exception(SOON_S), comch.DocaError)


@pytest.mark.parametrize("asked_before", [False, True], ids=["on its own", "closed meanwhile"])
def test_a_context_that_is_closed_while_a_stream_begins(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, asked_before: bool
) -> None:
    """By another thread, which has perhaps asked already which streams there are: it waits for it, and closes it."""
    client = pair.here.client
    assert client is not None
    known, start, starts, ends = client._streams, comch.Consumer.start, threading.Event(), []

    def slow(consumer: comch.Consumer) -> comch.State:
        starts.set()
        time.sleep(0.05)  # the other thread comes to its question, or to its wait
        return start(consumer)

    def begin() -> None:
        ends.append(pair.start(pair.here, lambda stream: stream.send_stream(DATA)))
        assert starts.wait(SOON_S)

    def streams() -> list[Link]:
        before = known()
        if not ends:
            begin()
        return before

    monkeypatch.setattr(comch.Consumer, "start", slow)
    if asked_before:
        monkeypatch.setattr(client, "_streams", streams)
    else:
        begin()
    client.close()
    assert isinstance(ends[0].exception(SOON_S), comch.DocaError)


class Endless(io.RawIOBase):
    """A source that has begun to be read, and does not end."""

    def __init__(self, begun: threading.Event) -> None:
        self._begun = begun

    def readinto(self, view: Any) -> int:
        self._begun.set()
        return len(view)


@pytest.mark.parametrize("error", [None, KeyError()], ids=["BadState", "KeyError"])
@pytest.mark.parametrize("forks", ["source", "progress of send", "sink", "progress of receive"])
def test_a_child_that_leaves_what_a_stream_calls(pair: Pair, forks: str, error: Exception | None) -> None:
    """The call ends there with what that raises, or is refused; so does the block. In the parent the stream goes on."""
    callback, sink = Forking(error), io.BytesIO()

    class Source(io.BytesIO):
        def readinto(self, view: Any) -> int:
            if forks == "source":
                callback()
            return super().readinto(view)

    class Sink(io.RawIOBase):
        def write(self, view: Any) -> int:
            if forks == "sink":
                callback()
            return sink.write(view)

    def send(stream: Stream) -> int:
        progress = callback if forks == "progress of send" else None
        return stream.send_stream(Source(DATA), chunk_size=CHUNK, progress=progress)

    def receive(stream: Stream) -> int:
        return stream.recv_stream(Sink(), progress=callback if forks == "progress of receive" else None)

    receives = forks in ("sink", "progress of receive")
    here, other = (receive, send) if receives else (send, receive)

    def within() -> None:
        with Stream(pair.here) as stream:
            assert here(stream) == len(DATA)

    there = pair.start(pair.there, other)
    assert callback.told_by_child(within) == ("BadState" if error is None else "KeyError")
    assert (there.result(SOON_S), sink.getvalue()) == (len(DATA), DATA)
