"""Bytes of any length over the fast path of a connection, in bounded memory (guide: Comch, Fast Path).

    comch.Stream.enable(client)                     # before it connects; so does the server
    with client, comch.Stream(client.connection) as stream, open("image", "rb") as file:
        stream.send_stream(file)                    # the other side calls recv_stream

The sender offers a stream. The receiver makes a consumer for it, posts its chunks there and grants them; what has been
written to the sink is posted and granted again. So nothing is sent for which no chunk has been posted, and a side that
has to wait sleeps on its engine's notification handle. See _stream_link for the protocol.
"""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack, suppress
from threading import get_ident
from typing import TYPE_CHECKING, Any

from comch_next._codes import AccessFlag
from comch_next._exits import exit_block
from comch_next._origins import shown
from comch_next._stream_ends import (
    CHUNK_SIZE,
    Acknowledged,
    Fill,
    Report,
    check_report,
    check_sink,
    check_size,
    filler,
    fitting,
    write_all,
)
from comch_next._stream_link import AT_ONCE, CHUNKS, Kind, Link, Steps, Transfer, announced, encode, expired, run
from comch_next.connection import Connection
from comch_next.consumer import Consumer
from comch_next.device import DevInfo
from comch_next.driver.protocol import Own
from comch_next.errors import BadState, ConnectionReset, InvalidValue, IoFailed, NotConnected, Shutdown, Unexpected
from comch_next.memory import Buf, BufInventory, Mmap
from comch_next.producer import Producer

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from comch_next._control import ControlContext
    from comch_next.device import Device
    from comch_next.task import PostRecvTask, ProducerSendTask

__all__ = ["CHUNK_SIZE", "Stream"]

_ANNOUNCED, _EXPIRED = Own(announced), Own(expired)
_LOST = (ConnectionReset, Shutdown, NotConnected, IoFailed, BadState)  # the last one once a context is IDLE


class Stream:
    """Streams on a connection, one after the other, in both directions: each `send_stream` meets a `recv_stream`.

    A connection has one of these, within a `with` block, for as many streams as there are, and no other consumers. Its
    calls are for one thread at a time, outside of callbacks. They wait without a limit, until the connection ends.
    """

    def __init__(self, connection: Connection) -> None:
        """Raises BadState unless `enable` was called on the context; entering a second Stream raises it, too."""
        if not isinstance(connection, Connection):
            raise InvalidValue(f"Stream takes a connection, not {shown(connection)}")
        context = connection._context
        if context._on_consumer is not _ANNOUNCED:
            text = f"Stream was attempted on {context!r}, which does not hear of the consumers of streams"
            raise BadState(f"{text}; call Stream.enable on it before it starts, or make it with streams=True (asyncio)")
        self.connection = connection
        self._link = Link(connection)
        self._number = 0  # of the last stream that was sent

    @staticmethod
    def enable(context: ControlContext) -> None:
        """Allow streams on the connections of a server or client: register its consumer event. Call it before start.

        Raises BadState if the context has a consumer event already, or is not IDLE.
        """
        if not hasattr(context, "_registered"):
            raise InvalidValue(f"Stream.enable takes a Server or a Client, not {shown(context)}")
        if "event_consumer_register" in context._registered:
            raise BadState(f"Stream.enable was attempted on {context!r}, which has a consumer event already")
        context.event_consumer_register(_ANNOUNCED, _EXPIRED)

    def __repr__(self) -> str:
        return f"<Stream on {self.connection!r}>"

    def __enter__(self) -> Self:
        """Start this side; the other need not be there yet.

        Raises Shutdown or ConnectionReset when the other has left or died, otherwise what Consumer and Producer raise.
        """
        run(self._link.open())
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        exit_block(self._link, error, self._link.close)

    def send_stream(self, source: Any, *, chunk_size: int = CHUNK_SIZE, progress: Report = None) -> int:
        """Send what is left of a binary file object, or all of something bytes-like; return how many bytes.

        Returns when the other side's sink has all of them. chunk_size: bytes of a send; fewer if the receiver takes no
        more, or if this is the default and the device takes no more. progress: called as `progress(count)` when that
        sink has more of the bytes than before. Raises IoFailed when the receiver gave up, Shutdown or ConnectionReset
        when it left or died, Unexpected when it sends what is no part of a stream, BadState when it sends a stream,
        too, InvalidValue for an invalid source or size, and what the source raises.
        """
        return run(self._send(source, chunk_size, progress, get_ident()))

    def recv_stream(self, sink: Any, *, chunk_size: int = CHUNK_SIZE, progress: Report = None) -> int:
        """Write the other side's next stream to a binary file object; return how many bytes it had.

        The memory that the sink's `write` gets is reused afterwards. chunk_size: bytes of the longest send, for 8 of
        which there is memory; fewer if this is the default and the device takes no more. progress: called as
        `progress(count)` with the bytes written. Raises IoFailed when the sender gave up, Shutdown or ConnectionReset
        when it left or died, each after all bytes that arrived have been written; Unexpected when it sends what is no
        part of a stream; InvalidValue for an invalid sink or size, and what the sink raises.
        """
        return run(self._receive(sink, chunk_size, progress, get_ident()))

    def _begin(self, call: str, steps: Steps[int], caller: object) -> Steps[int]:
        """Return the steps of a call, if it is legal now: within the block, and after the previous call has ended.

        caller: the thread or task that calls. A previous call that it left by an interrupt ends here at the latest.
        """
        link = self._link
        before: Any = link.steps  # whose type has no name for what a generator tells of itself
        if link.kept is None:
            raise BadState(f"{call} was attempted on {self!r} outside of its block; it is legal within")
        if before is not None and before.gi_frame is not None:
            if before.gi_running or link.caller != caller:
                raise BadState(f"{call} was attempted on {self!r} during its {link.call}; one call at a time is legal")
            before.close()
        link.call, link.caller, link.steps, link.transfer = call, caller, steps, None
        return steps

    def _fitting(self, call: str, chunk_size: int, cap: Callable[[DevInfo], int]) -> int:
        device = self.connection._context.device
        assert device is not None  # there is a connection on it
        return fitting(call, chunk_size, cap(device.devinfo))

    def _chunks(self, size: int, access: AccessFlag) -> _Chunks:
        return _Chunks(self.connection._context.device, size, access)

    # Sending

    def _send(self, source: Any, chunk_size: int, progress: Report, caller: object) -> Steps[int]:
        check_size("send_stream", chunk_size)
        check_report("send_stream", progress)
        return self._begin("send_stream", self._send_all(filler(source), chunk_size, progress), caller)

    def _send_all(self, fill: Fill, chunk_size: int, progress: Report) -> Steps[int]:
        link = self._link
        size = self._fitting("send_stream", chunk_size, DevInfo.producer_cap_get_max_buf_size)
        yield from link.settle()
        yield from link.meet(lambda: self.connection._control_id)
        self._number = (self._number + 1) & 0xFFFF
        with ExitStack() as kept:
            kept.push(link.give_back)
            out = link.begin(lambda: Transfer(self._number, sends=True))
            with link.reporting_end():
                yield from link.submit(link.frame(Kind.OFFER, out.number))
            yield from link.until_answered(lambda: out.credits or link.offers)
            if not out.credits:
                raise BadState("send_stream: the other side sends, too; one of the two has to receive")
            if not out.room:
                raise Unexpected("send_stream: the other side granted chunks without room")
            yield from link.meet(lambda: out.consumer in self.connection._consumers)
            return (yield from self._send_chunks(out, fill, min(size, out.room), progress))

    def _send_chunks(self, out: Transfer, fill: Fill, size: int, progress: Report) -> Steps[int]:
        link, sent, report = self._link, 0, Acknowledged(out, progress)
        with ExitStack() as kept:
            kept.push(link.give_back)
            bufs = link.hold(lambda: self._chunks(size, AccessFlag.LOCAL_READ_WRITE), _Chunks.close).bufs
            free: deque[ProducerSendTask] = deque()
            with link.reporting_end():
                producer = link.hold(lambda: Producer(self.connection, engine=link.engine), _close_at_once)
                producer.task_send_set_conf(Own(free.append), Own(out.lose), CHUNKS)
                producer.start()
                free.extend(producer.task_send_alloc_init(buf, None, out.consumer) for buf in bufs)
            kept.callback(_free_all, free)  # so that it is IDLE as soon as it stops
            while True:
                yield from link.until(lambda: report() and free and out.credits)
                task = free.popleft()
                buf: Any = task.buf
                buf.set_data(buf.head, size)
                with buf.view as view:
                    length = fill(view)
                out.credits -= 1
                if not length:
                    break
                buf.set_data(buf.head, length)
                report.sent(length)
                yield from link.submit(task)
                sent += length
            task.buf, task.imm_data = None, encode(Kind.END, out.number, size=sent)
            yield from link.submit(task)
            yield from link.until(lambda: report() and out.done is not None)
            if out.done != sent:
                raise IoFailed(f"send_stream: the other side has {out.done} of {sent} bytes")
            out.over = True
        return sent

    # Receiving

    def _receive(self, sink: Any, chunk_size: int, progress: Report, caller: object) -> Steps[int]:
        check_size("recv_stream", chunk_size)
        check_sink(sink)
        check_report("recv_stream", progress)
        return self._begin("recv_stream", self._receive_all(sink, chunk_size, progress), caller)

    def _receive_all(self, sink: Any, chunk_size: int, progress: Report) -> Steps[int]:
        link = self._link
        size = self._fitting("recv_stream", chunk_size, DevInfo.consumer_cap_get_max_buf_size)
        yield from link.settle()
        yield from link.meet(lambda: self.connection._control_id)
        yield from link.until_answered(lambda: link.offers)
        with ExitStack() as kept:
            kept.push(link.give_back)
            taken = link.begin(lambda: Transfer(link.offers.popleft(), sends=False))
            return (yield from self._receive_chunks(taken, sink, size, progress))

    def _receive_chunks(self, taken: Transfer, sink: Any, size: int, progress: Report) -> Steps[int]:
        arrived: deque[PostRecvTask] = deque()
        link, received = self._link, 0
        with ExitStack() as kept:
            kept.push(link.give_back)
            chunks = link.hold(lambda: self._chunks(size, AccessFlag.PCI_READ_WRITE), _Chunks.close)
            with link.reporting_end():
                made = link.hold(lambda: Consumer(self.connection, chunks.memory, engine=link.engine), _close_at_once)
                made.task_post_recv_set_conf(Own(arrived.append), Own(taken.lose), CHUNKS)
                yield from link.start(made)
                link.begin(lambda: taken)  # once more: the other side is notified before the consumer stops
                for buf in chunks.bufs:
                    made.task_post_recv_alloc_init(buf).submit()
                yield from link.submit(link.frame(Kind.GRANT, taken.number, CHUNKS, made.id, size))
            while True:
                yield from link.until(lambda: arrived)
                task = arrived.popleft()
                if task.imm_data is not None:
                    break
                chunk: Any = task.buf
                with chunk.view as view:
                    write_all(sink, view)
                received += chunk.data_len
                chunk.reset_data_len()
                with suppress(*_LOST):  # the sender has gone: what has come is written first
                    task.submit()
                    yield from link.submit(link.frame(Kind.GRANT, taken.number, 1))
                if progress is not None:
                    progress(received)
            if task.imm_data != encode(Kind.END, taken.number, size=received):
                raise IoFailed(f"recv_stream: {received} bytes have come, and the other side sent another number")
            link.accept(taken, received)
        return received


class _Chunks(ExitStack):
    """The memory of a call."""

    def __init__(self, device: Device | None, size: int, access: AccessFlag) -> None:
        super().__init__()
        with ExitStack() as kept:
            self.memory = kept.enter_context(Mmap(device, CHUNKS * size, access))
            inventory = kept.enter_context(BufInventory(CHUNKS, self.memory._driver.name))
            self.bufs: list[Buf] = []
            for address in range(self.memory.addr, self.memory.addr + CHUNKS * size, size):
                self.bufs.append(inventory.buf_get_by_addr(self.memory, address, size))
                kept.callback(self.bufs[-1].dec_refcount)
            self.push(kept.pop_all())


def _close_at_once(context: Consumer | Producer) -> None:
    context.close(AT_ONCE)


def _free_all(tasks: deque[ProducerSendTask]) -> None:
    with suppress(BadState):  # another thread has closed the stream, which has freed them
        for task in tasks:
            task.free()
