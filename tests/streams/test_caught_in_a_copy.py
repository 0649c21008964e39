"""A peer that is stopped while it copies to this side, or claims to: the stream waits for it, but not for ever."""

from __future__ import annotations

import io
import threading
from typing import Any

import pytest

import comch_next as comch
from comch_next._stream_link import Link
from comch_next.driver.emulated import _consumer
from tests.control_path.pair import DPU, REP
from tests.processes import SOON_S
from tests.streams.support import Claimed, Pair
from tests.streams.test_transfers import CHUNK, DATA


class Paused(io.BytesIO):
    """A source that makes a pause before the fourth chunk."""

    def __init__(self) -> None:
        super().__init__(DATA)
        self.paused, self.go_on = threading.Event(), threading.Event()

    def readinto(self, view: Any) -> int:
        if self.tell() == 3 * CHUNK:
            self.paused.set()
            assert self.go_on.wait(SOON_S)
        return super().readinto(view)

    def wait(self) -> None:
        """Wait until its pause has begun."""
        assert self.paused.wait(SOON_S)


def _fails(stream: comch.Stream, sink: Claimed) -> None:
    with pytest.raises(OSError, match="the disk is full") as raised:
        stream.recv_stream(sink, chunk_size=CHUNK)
    assert not hasattr(raised.value, "__notes__")


def test_one_that_goes_on(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its chunk is kept so long; then the next stream begins."""
    monkeypatch.setattr(_consumer, "PATIENCE_S", 3600.0)
    source = Paused()
    sink = Claimed(pair.there, source.wait)

    def there(stream: comch.Stream) -> int:
        _fails(stream, sink)
        assert sink.state() is comch.State.STOPPING
        sink.let_go()
        source.go_on.set()
        count = stream.recv_stream(io.BytesIO())
        assert sink.state() is comch.State.IDLE
        return count

    def here(stream: comch.Stream) -> int:
        with pytest.raises(comch.IoFailed):
            stream.send_stream(source, chunk_size=CHUNK)
        return stream.send_stream(DATA)

    assert pair.both(here, there) == (len(DATA), len(DATA))


def test_one_that_never_does(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """It loses its connection, and the server can be closed: another one takes its name."""
    monkeypatch.setattr(_consumer, "PATIENCE_S", 0.1)
    source = Paused()
    sending = pair.start(pair.here, lambda stream: stream.send_stream(source, chunk_size=CHUNK))
    with comch.Stream(pair.there) as stream:
        _fails(stream, Claimed(pair.there, source.wait))
    _close(pair.there)
    source.go_on.set()
    assert isinstance(sending.exception(SOON_S), comch.DocaError)


def test_a_close_goes_on_where_the_end_of_the_block_was_interrupted(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(link: Link) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(_consumer, "PATIENCE_S", 3600.0)
    source, stream = Paused(), comch.Stream(pair.there)
    sink = Claimed(pair.there, source.wait)
    sending = pair.start(pair.here, lambda stream: stream.send_stream(source, chunk_size=CHUNK))
    stream.__enter__()
    _fails(stream, sink)
    with monkeypatch.context() as patch:
        patch.setattr(Link, "_give_back", interrupted)
        with pytest.raises(KeyboardInterrupt):
            stream.__exit__(None, None, None)
    assert sink.state() is comch.State.STOPPING
    sink.let_go()
    _close(pair.there)
    source.go_on.set()
    assert isinstance(sending.exception(SOON_S), comch.DocaError)


def _close(connection: comch.Connection) -> None:
    """Close the server of this connection, whose name is free then."""
    server = connection.server
    assert server is not None
    server.close()
    with comch.open_device(DPU) as device, comch.Server(device, REP, server.name):
        pass
