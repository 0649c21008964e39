"""The meter of a progress engine: at most so many callbacks for each progress (guide: DOCA Core Progress Engine).

The library's progress runs the callback of one task or event for each call. Ours delivers what there is, in batches,
unless the program asks for less. A metered progress polls the sockets until an event has used its allowance up, and
then takes one step after the other: the callback of an event that was found beside another one, in their order; else
one message, one pending call, or one completion, each kind in its turn, so that none starves. A message, which may be
the answer to what has been sent, waits for the completions that are there in its turn.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import count
from typing import TypeVar

from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._context import Context, Progress
from comch_next.driver.emulated._kernel.calls import looked
from comch_next.driver.emulated._kernel.fork import inherited
from comch_next.driver.emulated._kernel.ring import ANY_SIZE, lib
from comch_next.driver.emulated._task import PROGRAM, SUCCESS
from comch_next.driver.protocol import interruptible, uninterrupted
from comch_next.driver.protocol._typed import Protocol

__all__ = ["Meter"]

_T = TypeVar("_T")


class Metered(Progress, Protocol):
    """The engine, as its meter sees it: see Engine."""

    contexts: list[Context]
    pending_calls: deque[Callable[[], object]]

    def run(self, callback: Callable[..., object], *args: object) -> None: ...


class Meter:
    """`most`: callbacks of one progress; None once the program wants them in batches again.

    `waiting` are the callbacks of events that have happened and not been reported. The engine is `full` when a progress
    has run as many callbacks as it may: contexts then leave what would bring more events for another time.
    """

    def __init__(self, engine: Metered) -> None:
        self.most: int | None = None
        self.running = False
        self.waiting: deque[Callable[[], object]] = deque()
        self._engine = engine
        self._ran = 0  # callbacks of this progress
        self._events_only = False  # the progress before this one came no further than polling the sockets
        self._sources = deque((self._message, self._pending_call, self._received, self._completed))
        self._ahead: int | None = None  # completions that still go before the message whose turn it is
        self._socket_turns, self._consumer_turns, self._context_turns = count(), count(), count()

    def call(self, callback: Callable[..., object], *args: object) -> None:
        """Run an event's callback, or keep it for a step of its own: behind others, or when there may be no more."""
        if self._engine.full or self.waiting:
            self.waiting.append(partial(callback, *args))
        else:
            self._run(callback, *args)

    @uninterrupted
    def progress(self) -> bool:
        """Poll the sockets if that is due, and take as many steps as the limit allows. Whether anything moved."""
        engine, moved = self._engine, False
        steps = len(self.waiting) if self.most is None else self.most
        self.running = True
        self._count(-self._ran)
        try:
            if self._events_only or self.waiting or not engine.poller.poll_due():
                self._events_only = False
            else:
                moved = self._poll_sockets()
                self._events_only = engine.full
            for _ in range(steps):
                if engine.full or engine.error is not None or not self._step():
                    break
                moved = True
        finally:
            self.running = False
            if not inherited(engine):
                engine.full = False
        looked(moved)
        return moved

    def _count(self, callbacks: int) -> None:
        self._ran += callbacks
        self._engine.full = self.most is not None and self._ran >= self.most

    def _run(self, callback: Callable[..., object], *args: object) -> None:
        """Count it first: what it does may be an event, too."""
        self._count(1)
        self._engine.run(callback, *args)

    def _poll_sockets(self) -> bool:
        """Poll the sockets of each context. Cut short by an event, the poll is due again at once."""
        moved = False
        for context in _in_turn(self._engine.contexts, self._socket_turns):
            moved |= context.poll_sockets()
            if self._engine.full:
                self._engine.poller.hurry()
                break
        else:
            self._engine.poller.polled()
        return moved

    def _step(self) -> bool:
        """Run one callback, or move on one thing that has none. Whether there was anything."""
        if self.waiting:
            self._run(self.waiting.popleft())
            return True
        for _ in range(len(self._sources)):
            source = self._sources[0]
            self._sources.rotate(-1)
            if source():
                return True
        return False

    def _message(self) -> bool:
        poller = self._engine.poller
        if self._ahead is None:
            if not poller.any():  # asked before the completions: what is answered by then is among them
                return False
            active = list(self._engine.active)  # in one step: other threads submit meanwhile
            self._ahead = sum(context.tasks_out for context in active)
        if self._ahead and self._completed():
            self._ahead -= 1
            self._sources.rotate(1)  # its turn goes on
            return True
        self._ahead = None
        found = poller.receive(ANY_SIZE)
        if found == lib.COMCH_POLL:  # which the next progress does first: there is a message all the same
            found = poller.receive(ANY_SIZE)
            poller.hurry()
        if isinstance(found, Connection):
            found.on_protocol_violation()
            return True
        if not isinstance(found, tuple):
            return False
        data, link = found
        self._run(link.context.on_message, link.user_data, data)
        return True

    def _pending_call(self) -> bool:
        if not self._engine.pending_calls:
            return False
        self._engine.pending_calls.popleft()()
        return True

    def _received(self) -> bool:
        for consumer in _in_turn(self._engine.consumers, self._consumer_turns):
            self._count(1)  # before its callback, as ever
            if interruptible(consumer.receive):  # which runs the callback
                return True
            self._count(-1)
        return False

    def _completed(self) -> bool:
        return any(self._attend(context) for context in _in_turn(self._engine.active, self._context_turns))

    def _attend(self, context: Context) -> bool:
        """One completion of a context; without any, what else it has to do."""
        if context.engine is None:
            return False  # a callback has just destroyed it
        task = context.take_finished()
        if task is not None:
            task.owner = PROGRAM
            self._run(context.on_done if task.status == SUCCESS else context.on_failed, task.token)
            return True
        moved = (context.moving or bool(context.lost)) and context.poll_sockets(completed=True)
        context.settle()
        return moved


def _in_turn(things: Collection[_T], turns: Iterator[int]) -> list[_T]:
    """All of them, beginning with another one each time."""
    found = list(things)
    first = next(turns) % len(found) if found else 0
    return found[first:] + found[:first]
