"""What is sent is what is written, whatever the source, the sink and the sizes; nobody spins while the other works."""

from __future__ import annotations

import io
import random
import threading
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from tests.processes import SOON_S
from tests.streams.support import Pair, connected
from tests.topologies import limited

DATA = random.Random(14).randbytes(300_001)
CHUNK = 16 * 1024


class Slow(io.RawIOBase):
    """A file that reads or writes less than it is asked to."""

    def __init__(self, data: bytes = b"") -> None:
        self.data, self.left = bytearray(), memoryview(data)

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        part, self.left = self.left[: min(999, len(view))], self.left[min(999, len(view)) :]
        view[: len(part)] = part
        return len(part)

    def write(self, view: Any) -> int:
        self.data += view[:1001]
        return min(len(view), 1001)


class ReadOnly:
    """All that a source has to have."""

    def __init__(self, data: bytes) -> None:
        self.read = io.BytesIO(data).read


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview, io.BytesIO, Slow, ReadOnly])
def test_every_kind_of_source(pair: Pair, make: Any) -> None:
    sink = io.BytesIO()
    counts = pair.both(
        lambda stream: stream.send_stream(make(DATA), chunk_size=CHUNK), lambda stream: stream.recv_stream(sink)
    )
    assert counts == (len(DATA), len(DATA))
    assert sink.getvalue() == DATA


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 8 * CHUNK, 9 * CHUNK])
def test_every_size(pair: Pair, size: int) -> None:
    sink = Slow()
    counts = pair.both(
        lambda stream: stream.send_stream(DATA[:size]), lambda stream: stream.recv_stream(sink, chunk_size=CHUNK)
    )
    assert counts == (size, size)
    assert sink.data == DATA[:size]


def test_files_one_after_the_other_and_both_ways(pair: Pair, tmp_path: Path) -> None:
    """The 300 KiB in 64 chunks and more: each chunk is used again."""
    (tmp_path / "source").write_bytes(DATA)

    def here(stream: comch.Stream) -> None:
        with (tmp_path / "source").open("rb") as source:
            stream.send_stream(source, chunk_size=1000)
        stream.send_stream(b"between")
        with (tmp_path / "back").open("wb") as sink:
            stream.recv_stream(sink)

    def there(stream: comch.Stream) -> None:
        with (tmp_path / "copy").open("wb") as sink:
            stream.recv_stream(sink)
        stream.recv_stream(io.BytesIO())
        stream.send_stream((tmp_path / "copy").read_bytes())

    pair.both(here, there)
    assert (tmp_path / "copy").read_bytes() == DATA
    assert (tmp_path / "back").read_bytes() == DATA


def test_progress_is_what_the_sink_has(pair: Pair) -> None:
    sink = io.BytesIO()
    sent: list[tuple[int, int]] = []
    received: list[int] = []
    pair.both(
        lambda stream: stream.send_stream(DATA, progress=lambda count: sent.append((count, sink.tell()))),
        lambda stream: stream.recv_stream(sink, chunk_size=CHUNK, progress=received.append),
    )
    assert received == [*range(CHUNK, len(DATA), CHUNK), len(DATA)]
    assert [count for count, _ in sent] == received
    assert all(count <= written for count, written in sent)


class Signalling(io.BytesIO):
    """A source that notes when it is first read: then chunks have been granted."""

    def __init__(self, data: bytes, began: threading.Event) -> None:
        super().__init__(data)
        self.began = began

    def readinto(self, view: Any) -> int:
        self.began.set()
        return super().readinto(view)


class Stuck(io.BytesIO):
    """A sink that takes nothing until it is let go on."""

    def __init__(self, go_on: threading.Event) -> None:
        super().__init__()
        self.go_on = go_on

    def write(self, data: Any) -> int:
        assert self.go_on.wait(SOON_S)
        return super().write(data)


def test_a_sender_sleeps_while_nothing_is_posted(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for one event after the other, each without a time-out, however long the sink takes."""
    waits: list[float | None] = []
    began, exhausted, go_on = threading.Event(), threading.Event(), threading.Event()
    wait = comch.ProgressEngine.wait
    sender: list[int] = []

    def counted(engine: comch.ProgressEngine, timeout: float | None = None) -> bool:
        if began.is_set() and threading.get_ident() in sender:
            waits.append(timeout)
            exhausted.set()
        return wait(engine, timeout)

    monkeypatch.setattr(comch.ProgressEngine, "wait", counted)
    sink = Stuck(go_on)

    def send(stream: comch.Stream) -> int:
        sender.append(threading.get_ident())
        count = stream.send_stream(Signalling(DATA, began))
        sender.clear()
        return count

    receiving = pair.start(pair.there, lambda stream: stream.recv_stream(sink, chunk_size=CHUNK))
    sending = pair.start(pair.here, send)
    try:
        assert exhausted.wait(SOON_S)
        assert not sending.done()
    finally:
        go_on.set()
    assert sending.result(SOON_S) == receiving.result(SOON_S) == len(DATA)
    assert set(waits) == {None}
    assert len(waits) <= len(DATA) // CHUNK + 3, "a wake-up for each chunk that was granted, at most"


def test_the_device_limits_the_chunks(
    runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default adapts; another size is refused at once, also one whose memory no machine has."""
    limited(tmp_path, monkeypatch, max_buf_size=1000)

    def here(stream: comch.Stream) -> None:
        with pytest.raises(comch.InvalidValue, match=r"send_stream: a chunk_size of 1001 bytes .* at most 1000"):
            stream.send_stream(DATA, chunk_size=1001)
        stream.send_stream(DATA)

    sink = io.BytesIO()

    def there(stream: comch.Stream) -> None:
        with pytest.raises(comch.InvalidValue, match=rf"recv_stream: a chunk_size of {1 << 50} bytes .* at most 1000"):
            stream.recv_stream(sink, chunk_size=1 << 50)
        stream.recv_stream(sink)

    with connected() as pair:
        pair.both(here, there)
    assert sink.getvalue() == DATA


def test_what_a_stream_needs_of_a_device(
    runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guide names these limits."""
    limited(tmp_path, monkeypatch, max_consumers=2, max_producers=2, max_fast_tasks=32, max_imm_data_len=16)
    sink = io.BytesIO()
    with connected() as pair:
        pair.both(lambda stream: stream.send_stream(DATA), lambda stream: stream.recv_stream(sink))
    assert sink.getvalue() == DATA
