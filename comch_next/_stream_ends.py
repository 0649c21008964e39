"""The ends of a stream in the program: its sources and sinks, and the reports of progress. See stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from comch_next._callbacks import expect_callback
from comch_next._origins import shown
from comch_next.driver.protocol import NO_BUFFER, by_system, quoted
from comch_next.errors import InvalidValue, Unexpected

if TYPE_CHECKING:
    from comch_next._stream_link import Transfer

__all__ = [
    "CHUNK_SIZE",
    "Acknowledged",
    "Fill",
    "Report",
    "check_report",
    "check_sink",
    "check_size",
    "filler",
    "fitting",
    "write_all",
]

CHUNK_SIZE = 1 << 20  # bytes, unless the program asks for others or the device takes less

Fill: TypeAlias = "Callable[[memoryview], int]"
Report: TypeAlias = "Callable[[int], object] | None"


def check_size(call: str, chunk_size: object) -> None:
    """Raise InvalidValue unless this can be the size of a chunk."""
    if not isinstance(chunk_size, int) or isinstance(chunk_size, bool) or chunk_size < 1:
        raise InvalidValue(f"{call} takes a whole number of bytes, 1 or more, as chunk_size, not {quoted(chunk_size)}")


def fitting(call: str, chunk_size: int, most: int) -> int:
    """Return the size of chunks where buffers have at most `most` bytes; InvalidValue if larger ones were asked for."""
    if most < chunk_size != CHUNK_SIZE:
        text = f"{call}: a chunk_size of {quoted(chunk_size)} bytes was asked for"
        raise InvalidValue(f"{text}; this device's buffers on the fast path have at most {most}")
    return min(chunk_size, most)


def check_report(call: str, progress: object) -> None:
    """Raise InvalidValue for what cannot be called with a count."""
    if progress is not None:
        expect_callback(progress, call, "a function as progress")


def check_sink(sink: object) -> None:
    """Raise InvalidValue for what cannot be written to."""
    if not callable(getattr(sink, "write", None)):
        raise InvalidValue(f"recv_stream takes a binary file object to write to, not {shown(sink)}")


def write_all(sink: Any, view: memoryview) -> None:
    """Write all bytes, however few the sink takes at once. Raises InvalidValue if it does not return their number."""
    while view:
        count = sink.write(view)
        if not isinstance(count, int) or not 0 < count <= len(view):
            text = f"recv_stream: the sink's write returned {quoted(count)} for {len(view)} bytes"
            raise InvalidValue(f"{text}; it has to wait, and return how many it has written")
        view = view[count:]


def filler(source: Any) -> Fill:
    """Return a function that fills memory from a source and returns the byte count, 0 at the end.

    Raises InvalidValue for an invalid source.
    """
    if callable(getattr(source, "readinto", None)):
        return lambda view: _counted(source.readinto(view), view)
    if callable(getattr(source, "read", None)):
        return lambda view: _copied(source.read(len(view)), view)
    try:
        return _Memory(memoryview(source).cast("B")).readinto
    except by_system(*NO_BUFFER):
        text = f"send_stream takes a binary file object, or something bytes-like in one piece, not {shown(source)}"
        raise InvalidValue(text) from None


class _Memory:
    """What is left of something bytes-like."""

    def __init__(self, data: memoryview) -> None:
        self._left = data

    def readinto(self, view: memoryview) -> int:
        part, self._left = self._left[: len(view)], self._left[len(view) :]
        view[: len(part)] = part
        return len(part)


def _copied(data: Any, view: memoryview) -> int:
    try:
        part = memoryview(data).cast("B")
    except by_system(*NO_BUFFER):
        text = f"send_stream: the source's read returned {shown(data)}; it has to wait, and return bytes"
        raise InvalidValue(text) from None
    if len(part) > len(view):
        raise InvalidValue(f"send_stream: the source's read returned {len(part)} bytes for {len(view)}")
    view[: len(part)] = part
    return len(part)


def _counted(count: object, view: memoryview) -> int:
    if not isinstance(count, int) or not 0 <= count <= len(view):
        text = f"send_stream: the source's readinto returned {quoted(count)} for {len(view)} bytes"
        raise InvalidValue(f"{text}; it has to wait, and return how many it has read")
    return count


class Acknowledged:
    """The bytes that the other side's sink has taken, reported to the program as they become more."""

    def __init__(self, out: Transfer, progress: Report) -> None:
        self._out, self._progress = out, progress
        self._unacknowledged = deque[int]()
        self._total = 0

    def sent(self, length: int) -> None:
        """Note that a chunk of `length` bytes is sent."""
        self._unacknowledged.append(length)

    def __call__(self) -> bool:
        """Report; True, for conditions. Raises Unexpected when the other side acknowledges what was not sent."""
        while self._out.acknowledged:
            if not self._unacknowledged:
                raise Unexpected("send_stream: the other side acknowledged chunks that were not sent")
            self._out.acknowledged -= 1
            self._total += self._unacknowledged.popleft()
            if self._progress is not None:
                self._progress(self._total)
        return True
