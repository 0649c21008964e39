"""The protocol between the two ends of a stream, and how they wait for each other: see stream.

Each end has a control consumer, of immediate data, and a control producer for the other's. A message on them, a frame,
is OFFER (of a stream), GRANT (of chunks, and the consumer to send to), END (sent after the last byte, where the data
goes), DONE (its answer), BROKEN and REFUSED (an exception has ended the sender, the receiver), or CLOSED (the Stream
has been left).
"""

from __future__ import annotations

import os
import struct
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from comch_next._alone import alone
from comch_next._codes import AccessFlag, ErrorCode, State
from comch_next._exits import exit_block
from comch_next.consumer import Consumer
from comch_next.driver.protocol import Own, by_system, new_lock, suppress_system, uninterrupted
from comch_next.engine import ProgressEngine, deadline_after, seconds_left
from comch_next.errors import (
    Again,
    BadState,
    ConnectionAborted,
    DocaError,
    InvalidValue,
    IoFailed,
    NotConnected,
    TimeOut,
    from_code,
)
from comch_next.memory import Mmap
from comch_next.producer import Producer
from comch_next.task import PostRecvTask, ProducerSendTask, Task

if TYPE_CHECKING:
    from comch_next.connection import Connection

__all__ = ["AT_ONCE", "CHUNKS", "Kind", "Link", "Pause", "Steps", "Transfer", "announced", "encode", "expired", "run"]

CHUNKS = 8  # of a call, in memory
AT_ONCE = 0.0  # the time-out of a close that does not wait

_T = TypeVar("_T")
# Until the engine has something to do, or for seconds; for seconds in any case; for a turn of others.
Pause: TypeAlias = "tuple[ProgressEngine, float | None] | float | None"
Steps: TypeAlias = Generator[Pause, None, _T]

_RECEIVES = 4 * CHUNKS  # receives posted at once: more than a side that keeps to the protocol has under way
_FRAME = struct.Struct("<BBHIQ")  # kind, count of chunks, number of the stream, consumer, bytes
_TICK_S, _NAP_S, _SILENCE_S = 0.05, 0.001, 1.0
_CLOSE_S = 5.0  # as the close of a context
_REFUSED = (BadState, NotConnected, ConnectionAborted)  # what is made, started or used on a connection that has ended
_LOST = frozenset({ErrorCode.SHUTDOWN, ErrorCode.CONNECTION_RESET, ErrorCode.CONNECTION_ABORTED})


class Kind(IntEnum):
    """The first byte of a frame."""

    OFFER, GRANT, END, DONE, BROKEN, REFUSED, CLOSED = range(1, 8)


def encode(kind: Kind, number: int = 0, count: int = 0, consumer: int = 0, size: int = 0) -> bytes:
    """Return the immediate data of a frame about the stream with that number."""
    return _FRAME.pack(kind, count, number, consumer, size)


def run(steps: Steps[_T]) -> _T:
    """Take every step, and sleep where they pause."""
    with closing(steps):
        while True:
            try:
                pause = next(steps)
            except StopIteration as end:
                value: _T = end.value
                return value
            if isinstance(pause, float):
                time.sleep(pause)
            elif pause is not None:
                engine, timeout = pause
                engine.wait(timeout)


@uninterrupted
def _refusal(task: ProducerSendTask) -> DocaError | None:
    """Submit; return what it was refused with, which what a signal's handler raises is not."""
    try:
        task.submit()
    except DocaError as error:
        return error
    return None


def announced(connection: Connection, consumer_id: int) -> None:
    """Note a consumer of the other side; the first one is its control consumer."""
    connection._control_id = connection._control_id or consumer_id
    connection._consumers |= {consumer_id}


def expired(connection: Connection, consumer_id: int) -> None:
    """Note that a consumer of the other side has gone."""
    connection._consumers -= {consumer_id}


class Transfer:
    """A running stream, as the other side's frames describe it. Credits and acknowledgements count chunks."""

    consumer = room = credits = acknowledged = 0
    done: int | None = None  # bytes, as the receiver has counted them
    given_up = False
    over = False  # to its end, or given up by this side: there is nothing left to notify the other side of
    failed: ErrorCode | None = None  # of a task of this side's own

    def __init__(self, number: int, *, sends: bool) -> None:
        self.number, self.sends = number, sends

    def lose(self, task: Task) -> None:
        """Note what a task has failed with."""
        self.failed = self.failed or task.status
        task.free()


class Link:
    """One end, within a `with` block: its engine, control consumer and producer, what came in, what a call makes.

    Signals wait while something is made and held, and while it is given back. What an interrupt between the two leaves
    is given back by the next call, the end of the block or the context's `close`. So is a consumer to which the other
    side was still writing when its call ended, with its memory: no call waits for that when it fails or is cancelled.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.call = "Stream"  # the last one, who made it, and its steps
        self.caller: object = None
        self.steps: Steps[int] | None = None
        self.transfer: Transfer | None = None
        self.offers: deque[int] = deque(maxlen=_RECEIVES)
        self.kept: ExitStack | None = None  # while it is open
        self._held: list[Callable[[], object]] = []  # what gives back that of a call, and all once it is closed
        self._pid = os.getpid()
        self._context = connection._context
        self._ended: ErrorCode | None = None
        self._lock = new_lock()

    def open(self) -> Steps[None]:
        """Start this end; the other need not be there yet."""
        before = self.kept
        try:
            self._begin()
            yield from self.wait_for_start(self._consumer)
            for _ in range(_RECEIVES):
                self._consumer.task_post_recv_alloc_init().submit()
        except BaseException as error:
            if before is None:  # else it is open, and stays so
                exit_block(self, error, self.close)
            raise

    @alone
    def _begin(self) -> None:
        connection, context = self.connection, self._context
        if connection._link_of_stream is not None:
            raise BadState(f"Stream was attempted on {connection!r}, which has had one; a connection has one")
        context._links.add(self)  # first: another thread may close the context, which waits for this
        with self.reporting_end(), ExitStack() as kept:
            self.engine = kept.enter_context(ProgressEngine(context.engine._driver.name))
            self._progress = uninterrupted(self.engine.progress)  # else a frame that is being received is lost
            memory = kept.enter_context(Mmap(context.device, 1, AccessFlag.PCI_READ_WRITE))
            self._consumer = Consumer(connection, memory, engine=self.engine)
            kept.push(self._consumer)
            self._producer = Producer(connection, engine=self.engine)
            kept.push(self._producer)
            self._consumer.task_post_recv_set_conf(Own(self._receive), Own(self._lose), _RECEIVES)
            self._producer.task_send_set_conf(Own(Task.free), Own(self._lose), _RECEIVES)
            self._producer.start()
            self._consumer.start()  # last: from here on the other side may know of it, and the connection has had one
            self.kept = kept.pop_all()
        connection._link_of_stream = self

    def close(self) -> None:
        """Stop reading frames, so that offers are refused from then on; notify the other side; give everything back."""
        run(self.closing())

    def closing(self) -> Steps[None]:
        """Take the steps of `close`. Others may take theirs meanwhile; later ones go on with what is left."""
        if self._pid == os.getpid():  # else they are the parent's
            self._shut()
            try:
                self._turn_context()  # by which the other side hears that the consumer has gone
            finally:
                yield from self.settle()

    @alone
    def _shut(self) -> None:
        if self.kept is None:
            return
        kept, self.kept = self.kept, None
        self._held[:0] = [kept.close, partial(self._consumer.close, AT_ONCE), partial(self._producer.close, AT_ONCE)]
        with suppress(DocaError):  # the connection has ended
            self._consumer.stop()
            self._catch_up()
            self.say(Kind.CLOSED)

    # What a call makes

    @alone
    def hold(self, make: Callable[[], _T], close: Callable[[_T], object]) -> _T:
        """Make what a call needs, and hold it until the call ends. Raises BadState if the stream has been closed."""
        if self.kept is None:
            raise BadState(f"{self.call}: the stream on {self.connection!r} has been closed meanwhile")
        made = make()
        self._held.append(partial(close, made))
        return made

    def begin(self, make: Callable[[], Transfer]) -> Transfer:
        """Make a stream, and hold it: the other side is notified unless it is over when the call ends."""
        self.transfer = self.hold(make, self._give_up)
        return self.transfer

    def give_back(self, *raised: Any) -> None:
        """Give back what a call has made, as the end of a block, as far as that can be done without waiting."""
        exit_block(self, raised[1] if raised else None, self._give_back)

    def settle(self) -> Steps[None]:
        """Give back what is held; wait for the other side, which may still be writing there."""
        deadline = deadline_after(_CLOSE_S, "close")
        while not self._give_back():
            if not seconds_left(deadline):
                raise TimeOut(f"the stream on {self.connection!r} is still in use {_CLOSE_S} s after its end")
            yield _NAP_S  # not on its engine, which may be given back meanwhile

    @alone
    def _give_back(self) -> bool:
        """Give back what is held, the last first, up to what is still in use; return whether that was all.

        What is interrupted, in a callback of the program's, is still held: what was made before it may be in use by it.
        """
        while self._held:
            try:
                self._held[-1]()
            except by_system(TimeOut):
                return False
            except by_system(DocaError):  # trying again does not help
                self._held.pop()
                raise
            self._held.pop()
        return True

    # Frames

    def frame(self, kind: Kind, number: int, count: int = 0, consumer: int = 0, size: int = 0) -> ProducerSendTask:
        """Make the task of a frame."""
        data = encode(kind, number, count, consumer, size)
        return self._producer.task_send_alloc_init(None, data, self.connection._control_id)

    def say(self, kind: Kind, number: int = 0, size: int = 0) -> None:
        """Send a frame, unless the other side does not read frames any more."""
        with suppress(DocaError):
            task = self.frame(kind, number, size=size)
            try:
                task.submit()
            except BaseException:
                task.free()
                raise

    @uninterrupted
    def accept(self, transfer: Transfer, size: int) -> None:
        """Notify the other side that the sink has the whole stream."""
        transfer.over = True
        self.say(Kind.DONE, transfer.number, size=size)

    def _give_up(self, transfer: Transfer) -> None:
        """Notify the other side of a stream that ends before it is over."""
        if not transfer.over:
            transfer.over = True
            self.say(Kind.BROKEN if transfer.sends else Kind.REFUSED, transfer.number)

    def _receive(self, task: PostRecvTask) -> None:
        data = task.imm_data or b""
        task.submit()
        if len(data) != _FRAME.size:
            self._ended = ErrorCode.UNEXPECTED
            return
        kind, count, number, consumer, size = _FRAME.unpack(data)
        known, sends = self.transfer, kind != Kind.BROKEN
        if known is None or (known.number, known.sends) != (number, sends):
            known = Transfer(number, sends=sends)  # that is over: nobody asks for it
        if kind == Kind.OFFER:
            self._take_offer(number)
        elif kind == Kind.GRANT:
            known.credits += count
            if known.consumer:
                known.acknowledged += count
            else:
                known.consumer, known.room = consumer, size
        elif kind == Kind.DONE:
            known.done = size
        elif kind == Kind.CLOSED:
            self._ended = self._ended or ErrorCode.SHUTDOWN
        elif number in self.offers:  # given up before it was taken
            self.offers.remove(number)
        else:
            known.given_up = True

    def _take_offer(self, number: int) -> None:
        """Note an offer. The other side has given up what it sent before: there was no receive to say so with."""
        self.offers.clear()
        self.offers.append(number)
        before = self.transfer
        if before is not None and not before.sends and before.number != number:
            before.given_up = True

    def _lose(self, task: PostRecvTask | ProducerSendTask) -> None:
        self._ended = self._ended or task.status
        task.free()

    # Waiting

    def submit(self, task: ProducerSendTask) -> Steps[None]:
        """Submit; retry while the other side has announced its consumer and posted nothing, which no event reports."""
        try:
            while isinstance(refusal := _refusal(task), Again):
                yield None if self._progress() else (self.engine, _NAP_S)
                self._check()
            if refusal is not None:
                self._catch_up()
                self._check()  # why it was refused
                if isinstance(refusal, InvalidValue):  # the consumer has stopped, and CLOSED is still to come
                    self._ended = ErrorCode.SHUTDOWN
                    self._check()
                raise refusal
        except BaseException:
            with suppress(DocaError):
                task.free()
            raise
        finally:
            refusal = None  # whose traceback has this frame

    def until(self, ready: Callable[[], object]) -> Steps[None]:
        """Turn the engine until it is so. Raises what has ended the stream, after what came before that."""
        while not ready():
            self._check()
            yield None if self._progress() else (self.engine, None)

    def until_answered(self, ready: Callable[[], object]) -> Steps[None]:
        """Do as `until`, for what the other side may never hear of: it may have left before it could say so."""
        silent = False
        while not ready():
            self._check()
            moved = self._progress() or (silent and (self._turn_context() or self._notes_leaving()))
            silent = not moved
            yield None if moved else (self.engine, _SILENCE_S)

    def meet(self, ready: Callable[[], object]) -> Steps[None]:
        """Turn both engines until the other side's consumers are known. Raises what `until` does."""
        while not ready():
            self._check()
            pause = self._turn_both()
            if pause is not None:
                self._notes_leaving()
            yield pause

    def _turn_context(self) -> bool:
        """Turn the context's engine where that is pulled from: with callbacks it is the program's to turn."""
        with suppress_system(BadState, InvalidValue):  # a callback runs, or another thread has closed it
            return self._context._port is not None and self._context.engine.progress()
        return False

    def _notes_leaving(self) -> bool:
        """Note that the other side's Stream has gone, if it has, perhaps before it could say so, and return whether."""
        connection = self.connection
        if not connection._control_id or connection._control_id in connection._consumers:
            return False
        self._ended = self._ended or ErrorCode.SHUTDOWN
        return True

    def start(self, context: Consumer) -> Steps[None]:
        """Start a consumer and wait until the other side can know of it."""
        with self.reporting_end():
            context.start()
        yield from self.wait_for_start(context)

    def wait_for_start(self, context: Consumer) -> Steps[None]:
        """Wait until the other side can know of a consumer that has been started."""
        with self.reporting_end():
            while context.state is State.STARTING:
                yield self._turn_both()
            if context.state is not State.RUNNING:
                raise ConnectionAborted(f"{context!r} cannot run: its connection has ended", connection=self.connection)

    @contextmanager
    def reporting_end(self) -> Iterator[None]:
        """Have what is refused because the connection has ended raise what has ended it."""
        try:
            yield
        except _REFUSED:
            with suppress(DocaError):  # the stream has been closed, or has not begun
                self._catch_up()
            self._ended = self._ended or self._lost()
            self._check()
            raise

    def _lost(self) -> ErrorCode | None:
        """What the port of the context, if it has one, knows of an end that the other side has brought."""
        with suppress(DocaError):  # the port has been closed
            port = self._context._port
            status = None if port is None else port._port.get_status(self.connection._handle)
            return status if status in _LOST else None
        return None

    def _catch_up(self) -> None:
        """Read all frames that have arrived; by the protocol there are never more in flight than posted receives."""
        for _ in range(_RECEIVES):
            if not self._progress():
                return

    def _turn_both(self) -> Pause:
        moved = self._context.engine.progress()
        moved |= self._progress()
        return None if moved else (self._context.engine, _TICK_S)

    def _check(self) -> None:
        transfer, call = self.transfer, self.call
        if transfer is not None and transfer.given_up:
            raise IoFailed(f"{call}: the other side gave the stream up")
        code = self._ended or (None if transfer is None else transfer.failed)
        if code is not None:
            no_frame = code is ErrorCode.UNEXPECTED
            why = "something came that is not a frame of a stream" if no_frame else "the stream ended early"
            raise from_code(code, f"{call}: {why} on {self.connection!r}", connection=self.connection)
