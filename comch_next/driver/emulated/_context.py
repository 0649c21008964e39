"""What every context has: a state, an engine, tasks, sockets to watch (guide: DOCA Core Context)."""

import select
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sized
from typing import Any, ClassVar, TypeVar

from comch_next._codes import State
from comch_next.driver.emulated._checks import expect
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._fabric.channel import Channel, Watchable
from comch_next.driver.emulated._guard import UNCONNECTED, Find, callback, guard, known
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.fork import inherited, owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.emulated._state import CAUSES, LEGAL, TRANSITIONS, Trigger
from comch_next.driver.emulated._task import Task
from comch_next.driver.protocol import Lock, by_system, counted, listed, uninterrupted
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import (
    BadConfig,
    BadState,
    DocaError,
    Initialization,
    InUse,
    InvalidValue,
    NotConnected,
    NotSupported,
)

__all__ = ["Callback", "Context", "Contexts", "Posted", "Progress", "living", "unset"]

Callback = Callable[..., object]
_Ready = tuple[int, Callable[[], None] | None]
_EVENTS = 8  # that one poll handles: some cost much, the others' turn is in the next poll
_PATIENCE = 64  # polls in a row without a callback left for waiting clients: in the next one they come first
_C = TypeVar("_C", bound="Context")


def unset(*_: object) -> None:
    """Stands for a callback that has not been registered; start refuses it."""


class Posted(Protocol):
    """A consumer, as its engine sees it."""

    def receive(self) -> bool: ...
    def arm_filled(self) -> bool: ...


class Progress(Protocol):
    """The engine, as its contexts see it: see Engine."""

    lock: Lock
    contexts: "list[Context]"
    active: "set[Context]"
    consumers: tuple[Posted, ...]
    pending_calls: deque[Callable[[], object]]
    batch: int
    yields: bool
    full: bool
    error: BaseException | None
    notification: Channel
    poller: Poller

    @property
    def busy(self) -> bool: ...
    def progress(self) -> bool: ...
    def call(self, callback: Callback, *args: object) -> None: ...
    def read(self, consumer: Posted) -> None: ...
    def stop_reading(self, consumer: Posted) -> None: ...
    def call_soon_threadsafe(self, call: Callable[[], object]) -> None: ...
    def request_notification(self) -> None: ...
    def ring_for_news(self, moved: bool) -> None: ...
    def keep(self, context: "Context") -> None: ...
    def let_idle(self, context: "Context") -> None: ...
    def drop(self, context: "Context") -> None: ...


class Context(Handle, calls.Context, ABC):
    """A handle; its kinds define how they start, stop, and what they do in between.

    What its base has, progress and tasks read without Python. `moving`: on its way to another state, so that every
    progress must attend to it. `attended`: the engine knows that it has something to do here, and does not sleep.
    """

    start_trigger: ClassVar[Trigger]
    needs_engine = True  # unless its data path is on the DPA
    lost: Sized  # connections whose end has to be reported

    def __init__(self, dev: Dev, name: str) -> None:
        self.dev = dev
        self.name = name
        self.state = State.IDLE
        self.legal = LEGAL[State.IDLE]
        self.engine: Progress | None = None
        self.user_data: Any = None
        self.state_changed: Callback | None = None
        self.on_done: Callback = unset
        self.on_failed: Callback = unset
        self.finished: deque[Task] = deque()
        self._handlers: dict[int, Callable[[], None]] = {}
        self._accepting: set[int] = set()  # the sockets where clients may come in
        self._kept_out = 0  # polls in a row that had no callback left for clients that wait there
        try:
            self.watch = select.epoll()
        except by_system(OSError) as error:
            raise Initialization(f"{self} cannot be created: {error}") from error
        dev.users.add(self)
        owned(self)

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()} {self.name!r}"

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork."""
        self.watch.close()

    @property
    def lock(self) -> Lock:
        """The engine's: its holder is alone with the context."""
        engine = self.engine
        return UNCONNECTED if engine is None else engine.lock

    # Life

    @uninterrupted
    def move(self, trigger: Trigger) -> State:
        """Follow the table and notify the program."""
        old, new = self.state, TRANSITIONS.get((self.state, trigger))
        if new is None:
            legal = " or ".join(state.name for state, known in TRANSITIONS if known is trigger)
            call = CAUSES.get(trigger, trigger.name.lower())
            raise BadState(f"{call} was attempted on {self} while {old.name}; legal while {legal}")
        self._become(new)
        if new is State.IDLE:
            self.became_idle()  # before the callback, which may start or destroy it
        elif new is State.STOPPING:
            self.busy_engine()  # before it, too: progress does the rest, whatever it raises
        if new is not old and self.state_changed is not None and self.engine is not None:
            self.engine.call(self.state_changed, self, old, new)
        return new

    def _become(self, state: State) -> None:
        legal, moving = LEGAL[state], state in (State.STARTING, State.STOPPING)
        self.state, self.legal, self.moving = state, legal, moving

    def became_idle(self) -> None:
        """Clean up."""
        if self.engine is not None:
            self.engine.let_idle(self)

    def start(self) -> State:
        """Freeze the configuration and begin."""
        self.check_engine("ctx_start")
        if (self.state, self.start_trigger) not in TRANSITIONS:
            self.move(self.start_trigger)  # the table's refusal
        if not self.supported():
            row = self.dev.info.row
            raise NotSupported(f"ctx_start: {self} cannot run on device {row.pci_addr} of the {row.side}")
        if missing := self.missing():
            raise BadConfig(f"ctx_start: {self} lacks {listed(missing)}")
        engine = self.engine
        if engine is not None:
            engine.keep(self)
        try:
            self.begin()
        except BaseException as error:
            self._undo_start(engine)
            if isinstance(error, by_system(OSError)) and not isinstance(error, DocaError):
                raise Initialization(f"ctx_start: {self} cannot start: {error}") from error
            raise
        try:
            return self.move(self.start_trigger)
        except by_system(MemoryError):
            if not inherited(self) and (engine is None or self in engine.contexts):  # else a callback has stopped it
                self._undo_start(engine)
            raise

    def _undo_start(self, engine: Progress | None) -> None:
        self.undo_begin()
        self._become(State.IDLE)
        if engine is not None:
            engine.let_idle(self)

    def check_engine(self, call: str) -> None:
        """Raise NotConnected for a context without the progress engine that it needs."""
        if self.engine is None and self.needs_engine:
            raise NotConnected(f"{call}: {self} has no progress engine; connect one first")

    def set_datapath_on_dpa(self, dpa: object) -> None:
        """Have kernels use it instead of the host."""
        raise NotSupported(f"ctx_set_datapath_on_dpa: {self} is of the host; a message queue makes those of the DPA")

    def destroy(self) -> None:
        """Give the context's own resources back; IDLE only."""
        if self.state is not State.IDLE:
            raise InUse(f"destroy was attempted on {self} while {self.state.name}; {self._way_to_idle()}")
        if self.engine is not None:
            self.engine.drop(self)
            self.engine = None
        self.watch.close()
        self.dev.users.discard(self)

    def _way_to_idle(self) -> str:
        if self.state is not State.STOPPING:
            return "stop it and progress until IDLE"
        held = self.tasks_out - self.inflight()
        freed = f"free the {counted(held, 'task')} that the program holds and " if held else ""
        return f"{freed}progress until IDLE"

    def move_to_stop(self, *, clean: bool) -> State:
        """Become IDLE when nothing is outstanding, else STOPPING: then progress does the rest."""
        return self.move(Trigger.STOP_CLEAN if clean else Trigger.STOP_BUSY)

    def wake(self) -> None:
        """Have the next progress attend to this context, and a program that sleeps call it. Any thread may do so."""
        engine = self.engine
        if engine is not None:
            engine.call_soon_threadsafe(self.busy_engine)

    def busy_engine(self) -> None:
        """Have progress attend to this context."""
        engine = self.engine
        if engine is not None and self.enlist():
            engine.request_notification()  # it sleeps, and does not wait for this yet

    # Polling the sockets

    def watched(
        self, sock: Watchable, handler: Callable[[], None], events: int = select.EPOLLIN, *, accepts: bool = False
    ) -> None:
        """Call `handler` in the next poll that finds the socket readable (or `events`).

        accepts: a client may come in there. Those handlers are called after all others, and after reports of ends: the
        client may be one that comes back.
        """
        if sock.fileno() not in self._handlers:
            self.watch.register(sock, events)
        self._handlers[sock.fileno()] = handler
        (self._accepting.add if accepts else self._accepting.discard)(sock.fileno())

    def unwatch(self, sock: Watchable) -> bool:
        """Stop watching the socket. Whether it was watched."""
        known = self._handlers.pop(sock.fileno(), None) is not None
        if known:
            self.watch.unregister(sock)
        return known

    def poll_sockets(self, *, completed: bool = False) -> bool:
        """Handle ready sockets, move on, report lost connections, finish a stop. Whether anything moved.

        Tasks complete before the end of their connection is reported: unless they just have (`completed`), it waits.
        """
        engine = self.engine
        if engine is None or self.watch.closed:
            return False  # a callback has just destroyed it, or it was collected before a finalizer of the program
        moved = self._poll_sockets(engine, completed)
        engine.ring_for_news(moved)
        return moved

    def _poll_sockets(self, engine: Progress, completed: bool) -> bool:
        clients: list[_Ready] = []
        others: list[_Ready] = []
        for fd, _ in self.watch.poll(0, _EVENTS):
            (clients if fd in self._accepting else others).append((fd, self._handlers.get(fd)))
        if self._kept_out == _PATIENCE:
            others, clients, self._kept_out = clients + others, [], 0
        moved = bool(others) and self._handle(engine, others)
        if engine.full:
            self._kept_out += bool(clients)
            return moved
        moved |= self.check()
        if not engine.full and (completed or not self.finished):
            moved |= self.report_losses()
        if clients and not engine.full and not self.ends_come_first():
            self._kept_out = 0
            moved |= self._handle(engine, clients)
        if not engine.full and self.drained() and self.vacate(LEGAL[State.IDLE]):
            self.move(Trigger.DRAINED)
            moved = True
        return moved

    @uninterrupted
    def _handle(self, engine: Progress, ready: list[_Ready]) -> bool:
        """Call the handlers of sockets that are ready. Whether there were any."""
        moved = False
        for fd, handler in ready:
            # Else another one's handler has closed it since, and its number may be a new one's.
            if handler is not None and self._handlers.get(fd) is handler:
                handler()
                moved = True
            if engine.full:
                break
        return moved

    def attend(self) -> bool:
        """Do what a progress does for it beside its completions, which come first. Whether anything moved."""
        return self.poll_sockets(completed=True)

    def take_finished(self) -> Task | None:
        """The next task whose completion is to be delivered, for a caller that delivers one at a time."""
        return self.finished.popleft() if self.finished else None

    # What its kinds define

    def report_losses(self) -> bool:
        """Report connections that have ended. Whether there were any."""
        return False

    def ends_come_first(self) -> bool:
        """Whether ends of connections have to be reported before a client may come in."""
        return False

    def drained(self) -> bool:
        """Whether nothing holds it in STOPPING any more."""
        return self.state is State.STOPPING and not self.tasks_out

    def arm(self) -> bool:
        """Before the engine sleeps: ask for its bell. Whether there is something to do already."""
        return bool(self.finished or self.lost or self.drained())

    def inflight(self) -> int:
        """Tasks submitted and not completed."""
        return len(self.finished)

    def take_back_tasks(self) -> None:
        """Have the pool take back what the program holds of a context that is STOPPING, if nothing else is out."""
        if self.state is State.STOPPING and not self.inflight() and self.take_back():
            self.busy_engine()

    @abstractmethod
    def supported(self) -> bool: ...

    @abstractmethod
    def missing(self) -> list[str]: ...

    @abstractmethod
    def begin(self) -> None: ...

    @abstractmethod
    def undo_begin(self) -> None:
        """Give back what `begin` has made, perhaps not all of it: the start has failed."""

    @abstractmethod
    def stop(self) -> State: ...

    @abstractmethod
    def check(self) -> bool: ...


def living(kind: type[_C]) -> Find[_C]:
    """Find the context behind a handle; one that has been destroyed is INVALID_VALUE, as NULL is."""

    def find(ctx: object, call: str) -> _C:
        context = expect(ctx, kind, call)
        if context.watch.closed:
            raise InvalidValue(f"{call}: {context} has been destroyed; make another")
        return context

    return find


class Contexts:
    """The calls of doca_ctx_*; ControlContexts adds those of servers and clients."""

    @guard("ctx_", living(Context))
    @uninterrupted
    def start(self, ctx: Context) -> State:
        return ctx.start()

    @guard("ctx_", living(Context))
    @uninterrupted
    def stop(self, ctx: Context) -> State:
        return ctx.stop()

    @guard("", living(Context))
    @uninterrupted
    def destroy(self, ctx: Context) -> None:
        ctx.destroy()

    def get_state(self, ctx: object) -> State:
        return expect(ctx, Context, "ctx_get_state").state

    def set_user_data(self, ctx: object, user_data: object) -> None:
        expect(ctx, Context, "ctx_set_user_data").user_data = user_data

    def get_user_data(self, ctx: object) -> Any:
        return expect(ctx, Context, "ctx_get_user_data").user_data

    @guard("ctx_", living(Context), changed=callback)
    def set_state_changed_cb(self, ctx: Context, changed: Callback) -> None:
        ctx.state_changed = changed

    @guard("ctx_", known(Context))
    def get_num_inflight_tasks(self, ctx: Context) -> int:
        return ctx.inflight()

    @guard("ctx_", known(Context))
    def take_back_tasks(self, ctx: Context) -> None:
        ctx.take_back_tasks()

    @guard("ctx_", known(Context))
    def flush_tasks(self, ctx: Context) -> None:
        if ctx.state is State.IDLE:
            raise BadState("ctx_flush_tasks was attempted on an IDLE context; start it first")

    @guard("ctx_", living(Context))
    def set_datapath_on_dpa(self, ctx: Context, dpa: object) -> None:
        ctx.set_datapath_on_dpa(dpa)

    def get_device(self, ctx: object) -> Dev:
        return expect(ctx, Context, "get_device").dev
