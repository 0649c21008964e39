"""The progress engine: reads rings, completes tasks, polls sockets, and runs every callback."""

import select
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import Any

from comch_next.driver.emulated._checks import expect, expect_number, in_state, says_no_memory
from comch_next.driver.emulated._context import Context, Posted
from comch_next.driver.emulated._fabric.channel import Channel
from comch_next.driver.emulated._guard import UNCONNECTED, guard
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.fork import inherited, owned, refuse_inherited
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.emulated._meter import Meter
from comch_next.driver.protocol import (
    LONGEST_S,
    Call,
    Lock,
    OnError,
    WeakSet,
    by_system,
    handed_over,
    interruptible,
    monotonic,
    new_lock,
    quoted,
    raised_of,
    refuse_kernel,
    report_unraisable,
    suppress_system,
    uninterrupted,
)
from comch_next.errors import BadState, Initialization, InUse, InvalidValue, NotPermitted, OperatingSystem

__all__ = ["Engine", "Engines"]

BATCH = 64  # messages, and completions of one consumer, that one progress delivers at most
_MOST_EVENTS = 1 << 20
_TICK_S = 0.0001  # between two looks at whether another thread's progress has ended


class Engine(Handle, calls.Engine):
    """A handle. `contexts` are those that are not IDLE, whose sockets it polls; `idle` the others that are connected,
    which are garbage when nobody else has them. `active` are the contexts that need more than the reading of rings,
    `consumers` those whose posted buffers are polled, `pending_calls` what other engines, perhaps on other threads,
    have asked it to run.

    `batch`: messages, and completions of a consumer, that one progress delivers at most. `guarded`: progress is not
    plain, because it is running, or is metered, or the engine has been destroyed. `thread`: who ran it last.
    `yields`: what it waits for may come from other threads of this process. `lock` is held around progress and every
    call of the engine, its contexts and their ports, but for sends and receives that succeed at once. The plain
    progress is in C, and calls what here is not underscored.
    """

    def __init__(self, lock: Lock) -> None:
        self.lock, self.acquire, self.release = lock, lock.acquire, lock.release
        self.contexts: list[Context] = []
        self.idle: WeakSet[Context] = WeakSet()
        self.active: set[Context] = set()
        self.consumers: tuple[Posted, ...] = ()
        self.pending_calls: deque[Callable[[], object]] = deque()
        self.poller = Poller()
        self.batch = BATCH
        self.full = False  # the meter lets this progress run no more callbacks
        self.meter: Meter | None = None
        self.error: BaseException | None = None
        self.on_error: OnError | None = None  # takes errors of callbacks in place of progress
        self.notification = Channel()
        self._sockets: select.epoll | None = None  # of all contexts, once there are several
        owned(self)

    def __str__(self) -> str:
        return "progress engine"

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork."""
        self.close()

    def close(self) -> None:
        """Give its own descriptors back. Idempotent."""
        self.guarded = True  # no progress any more, without a question on the hot path
        self.notification.close()
        if self._sockets is not None:
            self._sockets.close()
            self._sockets = None

    def keep(self, context: Context) -> None:
        """Keep a context that starts, and poll its sockets. Raises Initialization when the system cannot watch them."""
        self.contexts.append(context)
        try:
            self.notification.watch(context.watch)
            self._poll_together(context)
        except BaseException as error:
            self.let_idle(context)
            if isinstance(error, by_system(OSError)):
                raise Initialization(f"ctx_start: {context} cannot be watched: {error}") from error
            raise
        self.idle.discard(context)

    def _poll_together(self, context: Context) -> None:
        """Have one descriptor tell of the sockets of all contexts; `context` is the last that has come."""
        try:
            self.poller.watch(self._watched(context))
        except by_system(OSError):  # for want of descriptors: it polls each of them by itself
            self._unwatch()

    def _watched(self, context: Context) -> int:
        """A descriptor that is readable when a socket is; `context` is the last that has come."""
        if self._sockets is None:
            if len(self.contexts) == 1:
                return context.watch.fileno()
            self._sockets, unwatched = select.epoll(), self.contexts
        else:
            unwatched = [context]
        for known in unwatched:
            self._sockets.register(known.watch, select.EPOLLIN)
        return self._sockets.fileno()

    def _unwatch(self) -> None:
        self.poller.watch(0)
        if self._sockets is not None:
            self._sockets.close()
            self._sockets = None

    def let_idle(self, context: Context) -> None:
        """Leave a context that is IDLE to the program: when that drops it, nothing of it is left."""
        self.contexts.remove(context)
        self.idle.add(context)
        self.notification.unwatch(context.watch)
        if not self.contexts:
            self._unwatch()
        elif self._sockets is not None:
            with suppress_system(OSError):  # the program has closed one of them by itself
                self._sockets.unregister(context.watch)

    def drop(self, context: Context) -> None:
        """Remove a context that is being destroyed. Idempotent."""
        self.idle.discard(context)
        self.active.discard(context)

    # As Poller does: making a tuple may start the collector, and what that finalizes may end a consumer.

    def read(self, consumer: Posted) -> None:
        """Poll the posts of this consumer, too. Idempotent."""
        while consumer not in (consumers := self.consumers):
            more = (*consumers, consumer)
            if self.consumers is consumers:
                self.consumers = more

    def stop_reading(self, consumer: Posted) -> None:
        """Stop polling the posts of this consumer. Idempotent."""
        while consumer in (consumers := self.consumers):
            rest = tuple(other for other in consumers if other is not consumer)
            if self.consumers is consumers:
                self.consumers = rest

    def call_soon_threadsafe(self, call: Callable[[], object]) -> None:
        """Run a call in the next progress; the one method that any thread may call."""
        self.pending_calls.append(call)
        if self.notification.armed:
            self.notification.ring()

    @property
    def busy(self) -> bool:
        """Whether this thread is inside progress, so in a callback."""
        return self._running and self.thread == get_ident()

    @property
    def _running(self) -> bool:
        return self.guarded if self.meter is None else self.meter.running

    def call(self, callback: Callable[..., object], *args: object) -> None:
        """Run a callback; inside progress its exception waits for the end: see `keep_error`."""
        if not self.busy:
            interruptible(callback, *args)
            refuse_inherited(self)
        elif self.meter is not None:
            self.meter.call(callback, *args)
        else:
            self.run(callback, *args)

    def run(self, callback: Callable[..., object], *args: object) -> None:
        """Run a callback inside progress and keep what it raises for the end."""
        try:
            interruptible(callback, *args)
        except BaseException as error:
            if inherited(self):
                raise
            self.keep_error(error)

    def keep_error(self, error: BaseException) -> None:
        """Keep for the end what a callback has raised."""
        self.error = raised_of(self.error, error)

    def progress_guarded(self) -> bool:
        """Progress after another thread's, or as the meter allows it."""
        _living(self, "pe_progress")
        if self.busy:
            raise BadState("pe_progress was called inside a callback; it is legal outside only")
        if self._running:
            self._wait_for_other_thread()
        with self.lock:
            _living(self, "pe_progress")
            if self.meter is None:
                return self.progress()
            moved = self._progress_metered(self.meter)
        if not moved and self.yields:
            calls.let_others_run()
        return moved

    def _progress_metered(self, meter: Meter) -> bool:
        self.thread = get_ident()
        try:
            moved = meter.progress()
            if inherited(self):
                forked: Any = self.error  # BadState if the callback that forked has returned
                raise forked
            if meter.most is None and not meter.waiting:
                self.meter, self.guarded, self.batch = None, self.notification.closed, BATCH
            if self.error is not None:
                self.raise_error()
        except BaseException:
            self.report_error()
            raise
        return moved

    def _wait_for_other_thread(self) -> None:
        """Wait until the progress of another thread ends, which takes long only in a callback of the program's."""
        deadline = monotonic() + LONGEST_S
        while self._running:
            _living(self, "pe_progress")  # else it has been destroyed since, and seems to run for ever
            if monotonic() > deadline:
                raise BadState(f"pe_progress: another thread has been in a callback of this engine for {LONGEST_S} s")
            time.sleep(_TICK_S)

    def raise_error(self) -> None:
        """Raise what a callback has raised, once, or hand it over."""
        error, self.error = self.error, None
        if error is not None:
            try:
                if self.on_error is None or not handed_over(error, self.on_error):
                    raise error
            finally:
                del error  # or its traceback, which has this frame, holds it and the callback's task

    def report_error(self) -> None:
        """Report what a callback has raised, where something else comes out of its progress."""
        if not inherited(self) and self.error is not None:
            error, self.error = self.error, None
            report_unraisable(error)

    def set_max_events(self, number: int | None) -> None:
        """Let one progress run at most so many callbacks; None: as many as there are, in batches."""
        if self.meter is None and number is not None:
            self.meter, self.guarded, self.batch = Meter(self), True, 1
        if self.meter is not None:
            self.meter.most = number
            if number is None and not self.meter.waiting:
                self.meter, self.guarded, self.batch = None, False, BATCH

    @uninterrupted
    def run_pending_calls(self) -> bool:
        for _ in range(len(self.pending_calls)):  # what they ask for in turn waits for the next progress
            self.pending_calls.popleft()()
        return True

    def poll_sockets(self) -> bool:
        """Poll every context's sockets. A program that keeps polling need not be woken by them."""
        moved = False
        self.notification.rest()
        for context in list(self.contexts):
            moved |= context.poll_sockets()
        return moved

    def ring_for_news(self, moved: bool) -> None:
        """Wake a program that armed the engine before it polled: a connection that came up since is not armed."""
        if moved and self.notification.armed:
            self.notification.ring()

    def request_notification(self) -> None:
        """Arm everything that could give progress something to do; ready at once if something waits."""
        with self.lock:
            self._arm()

    def _arm(self) -> None:
        self.notification.arm()
        ready = self.poller.arm() or bool(self.pending_calls)
        ready |= self.meter is not None and bool(self.meter.waiting)
        for consumer in self.consumers:
            ready |= consumer.arm_filled()
        for context in list(self.active):
            context.attended = False
            ready |= context.arm()
        if ready:
            self.notification.ring()


def _living(pe: object, call: str) -> Engine:
    """The engine behind the handle, or INVALID_VALUE."""
    engine = expect(pe, Engine, call)
    if engine.notification.closed:
        raise InvalidValue(f"{call}: the progress engine has been destroyed")
    return engine


_guarded = guard("pe_", _living)


class Engines:
    """The noun Engines of the driver protocol."""

    @says_no_memory
    @uninterrupted
    def create(self, lock: Lock | None = None) -> Engine:
        refuse_kernel("pe_create")
        return Engine(lock or new_lock())

    @uninterrupted
    def destroy(self, pe: object) -> None:
        engine = expect(pe, Engine, "pe_destroy")
        with engine.lock:
            if engine.contexts or engine.idle.size:
                names = ", ".join(map(str, [*engine.contexts, *engine.idle]))
                raise InUse(f"pe_destroy: {names} still connected; destroy the contexts first")
            engine.close()

    progress = staticmethod(Engine.progress)  # without a frame in between: it is called more than all others

    def quick_progress(self, pe: Engine) -> Callable[[], bool]:
        return pe.progress

    def quick_request(self, pe: Engine) -> Call:
        return calls.request(pe, partial(self.request_notification, pe))

    def quick_clear(self, pe: Engine) -> Call:
        return calls.clear(pe, partial(self.clear_notification, pe))

    @_guarded
    def get_notification_handle(self, pe: Engine) -> int:
        return pe.notification.fileno()

    @says_no_memory
    @_guarded
    def request_notification(self, pe: Engine) -> None:
        pe.request_notification()

    @says_no_memory
    @_guarded
    def clear_notification(self, pe: Engine, handle: int = 0) -> None:
        if handle not in (0, pe.notification.fileno()):
            raise OperatingSystem(f"pe_clear_notification: {quoted(handle)} is not this engine's handle, nor 0")
        (pe.poller.attended if pe.notification.disarm() else pe.poller.hurry)()

    @_guarded
    def hand_errors_to(self, pe: Engine, on_error: OnError) -> None:
        pe.on_error = on_error

    @_guarded
    def set_max_events(self, pe: Engine, number: int | None) -> None:
        if number is not None:
            expect_number(number, _MOST_EVENTS, "pe_set_max_events")
        if pe.busy:
            raise BadState("pe_set_max_events was called inside a callback; it is legal outside only")
        pe.set_max_events(number)

    @_guarded
    def get_max_events(self, pe: Engine) -> int | None:
        return None if pe.meter is None else pe.meter.most

    @_guarded
    def get_num_inflight_tasks(self, pe: Engine) -> int:
        return sum(context.inflight() for context in pe.contexts)

    @says_no_memory
    @uninterrupted
    def connect_ctx(self, pe: object, ctx: object) -> None:
        engine, context = _living(pe, "pe_connect_ctx"), expect(ctx, Context, "pe_connect_ctx")
        with engine.lock, UNCONNECTED:  # a context of another engine is refused, and needs no lock of that one
            _living(pe, "pe_connect_ctx")
            if context.watch.closed:
                raise InvalidValue(f"pe_connect_ctx: {context} has been destroyed")
            in_state(context, "connect_ctx")
            if context.engine is not None:
                raise NotPermitted(f"pe_connect_ctx: {context} has a progress engine already")
            engine.idle.add(context)
            context.engine = engine
