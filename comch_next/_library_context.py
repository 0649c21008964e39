"""The library's context of a server or client: made when it can be, and made anew when a setting has changed.

Until then nothing can be asked of it; what the program registers is kept, and registered with every context made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from comch_next._alone import alone
from comch_next._callbacks import expect_callback
from comch_next._codes import State
from comch_next._exits import refuse_again
from comch_next.context import Context
from comch_next.driver import protocol
from comch_next.driver.protocol import (
    Clients,
    Contexts,
    Driver,
    Own,
    SendTasks,
    Servers,
    WeakSet,
    interruptible,
    listed,
    them,
)
from comch_next.engine import ProgressEngine
from comch_next.errors import BadState, InUse, InvalidValue

if TYPE_CHECKING:
    from comch_next._stream_link import Link
    from comch_next.pull import PullPort

__all__ = ["LibraryContext", "Unmade"]

_OnChange = TypeVar("_OnChange", bound=Callable[[Any, State, State], object])
_PUSHED = frozenset({"event_msg_recv_register", "event_connection_status_changed_register"})
_MADE = (
    "_engine",
    "_driver",
    "_contexts",
    "_tasks",
    "_servers",
    "_clients",
    "_pool",
    "_handle",
    "_own_rep",
)


class Unmade:
    """Stands for what a context has once the library has made it; until then using it is BadState."""

    def __get__(self, context: Any, owner: type | None = None) -> Any:
        if context is None:
            return self
        context._refuse_unmade()


class LibraryContext(Context):
    """Its kinds define what is still missing (`_lacks`), and how to `_create` it."""

    _driver: Driver = Unmade()  # type: ignore[assignment]
    _contexts: Contexts = Unmade()  # type: ignore[assignment]
    _tasks: SendTasks = Unmade()  # type: ignore[assignment]
    _pool: Servers | Clients = Unmade()  # type: ignore[assignment]  # the driver's noun that has its tasks
    _handle: protocol.Context = Unmade()  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self._first_lock = self._lock  # also of an engine of its own
        self._settings: dict[str, Any] = {}
        self._registered: dict[str, Callable[[], object]] = {}  # what to register with a context made anew
        self._own_engine: ProgressEngine | None = None  # the default one, made when it is needed
        self._port: PullPort | None = None
        self._links: WeakSet[Link] = WeakSet()  # of the streams on its connections
        self._outdated = False  # the library's context is not of the settings any more

    def _lacks(self) -> list[str]:
        """The settings that are still missing."""
        raise NotImplementedError

    def _agreed_sizes(self) -> tuple[int | None, int | None]:
        """The largest message and the depth of the queue that the library is given; None for its defaults."""
        raise NotImplementedError

    def _create(self, driver: Driver) -> Any:
        """Have the driver create it from the settings."""
        raise NotImplementedError

    # Callbacks

    @alone
    def set_state_changed_cb(self, callback: _OnChange) -> _OnChange:
        """Call `callback(context, old, new)` on every change of state. Returns the callback, so it decorates."""
        expect_callback(callback, "set_state_changed_cb")

        def follow(_: object, old: State, new: State) -> None:
            self._state_changed(callback, old, new)

        changed = Own(follow)
        self._register("set_state_changed_cb", lambda: self._contexts.set_state_changed_cb(self._handle, changed))
        self._state_changed_cb = changed
        return callback

    def _state_changed(self, callback: Callable[..., object], old: State, new: State) -> None:
        interruptible(callback, self, old, new)

    @alone
    def _register(self, call: str, apply: Callable[[], object], *callbacks: object) -> None:
        """Register now, as far as there is a context, and with every one that is made later."""
        if not self._alive:
            raise InvalidValue(f"{call} was attempted on {self!r}, which has been destroyed; make another")
        if self._port is not None and call in _PUSHED | self._port._unheard:
            text = f"{call} was attempted on {self!r}, which is pulled from: the callback would never be called"
            raise BadState(f"{text}; register before listen() or connect(), or after port.close() while IDLE")
        if self._made:
            apply()
        else:
            for callback in callbacks:
                expect_callback(callback, call)
        self._registered[call] = apply

    @property
    def _pushes(self) -> bool:
        """Whether messages reach the program by callbacks: a pull port would leave them uncalled."""
        return not _PUSHED.isdisjoint(self._registered)

    def _refuse_callbacks(self, call: str, also: frozenset[str] = frozenset()) -> None:
        """Refuse a call that needs a pull port, which would leave registered callbacks uncalled."""
        if unheard := (_PUSHED | also) & self._registered.keys():
            text = f"{call} was attempted on {self!r}, which runs on tasks and callbacks"
            raise BadState(f"{text}; legal without {listed(sorted(unheard))}")

    # The library's context

    @property
    def _made(self) -> bool:
        return "_handle" in vars(self)

    def _refuse_unmade(self, call: str = "a call that needs the library's context") -> NoReturn:
        if not self._alive:
            raise InvalidValue(f"{call} was attempted on {self!r}, which has been destroyed; make another")
        lacking = self._lacks()
        if not lacking:
            raise BadState(f"{call} was attempted on {self!r}, which has not been opened; open it first")
        text = f"{call} was attempted on {self!r}, which lacks its {listed(lacking)}"
        raise BadState(f"{text}; set {them(len(lacking))} first")

    @alone
    def _settle(self, call: str) -> bool:
        """Have the library make the context of the settings, unless it has. Whether it did so now.

        What another thread has set while this one started it counts from its next life on.
        """
        if self._made and not (self._outdated and self._alive and self.state is State.IDLE):
            return False
        if not self._alive or self._lacks():
            self._refuse_unmade(call)
        self._outdated = False
        try:
            self._make()
        except BaseException:
            self._outdated = True
            raise
        return True

    @alone
    def _unmake(self, engine: ProgressEngine | None) -> None:
        """Give the library's context, the port and an own engine other than `engine` back; keep what has been set."""
        if self._made:
            if self._port is not None:
                self._port.close()
            self._contexts.destroy(self._handle)
            if (rep := vars(self).get("_own_rep")) is not None:
                rep.close()
            for name in _MADE:
                vars(self).pop(name, None)
            self._outdated = True
        if self._own_engine is not engine:
            self._leave_own_engine()
            self._own_engine = engine

    def _make(self) -> None:
        """Have the library make the context, and destroy the one before."""
        before = {name: vars(self).pop(name) for name in _MADE if name in vars(self)}
        driver: Driver = self._settings["device"]._driver
        handle = None
        try:
            self._bind(driver)
            self._handle = handle = self._create(driver)
            self._configure_made()
        except BaseException:
            contexts, rep = driver.contexts, vars(self).get("_own_rep")
            for name in _MADE:
                vars(self).pop(name, None)
            vars(self).update(before)
            if handle is not None:
                contexts.destroy(handle)
            if rep is not None:
                rep.close()
            raise
        if "_handle" in before:
            before["_contexts"].destroy(before["_handle"])
            if before.get("_own_rep") is not None:
                before["_own_rep"].close()
        if self._settings["engine"] is not None:
            self._leave_own_engine()
            self._own_engine = None

    def _configure_made(self) -> None:
        """Give a new context all that has been set and registered."""
        settings, contexts, handle = self._settings, self._contexts, self._handle
        max_msg_size, recv_queue_size = self._agreed_sizes()
        if max_msg_size is not None:
            contexts.set_max_msg_size(handle, max_msg_size)
        if recv_queue_size is not None:
            contexts.set_recv_queue_size(handle, recv_queue_size)
        engine = self._own_engine if settings["engine"] is None else settings["engine"]
        if engine is None and self._port is not None:  # which needs one to go on
            engine = self._default_engine()
        if engine is not None:
            self._join(engine)
        for register in self._registered.values():
            register()
        if self._port is not None:
            self._port._follow()

    @alone
    def _default_engine(self) -> ProgressEngine:
        if self._own_engine is None:
            self._own_engine = ProgressEngine(self._driver.name if self._made else None, _lock=self._first_lock)
        return self._own_engine

    @property
    def _has_engine(self) -> bool:
        return self._settings["engine"] is not None or self._own_engine is not None

    def _waits_for(self, engine: ProgressEngine) -> bool:
        """Whether it is going to be connected to that engine."""
        return self._alive and not self._made and self._settings["engine"] is engine

    @alone
    def _need_engine(self, call: str) -> None:
        self._settle(call)
        super()._need_engine(call)

    @alone
    def destroy(self, *, strict: bool = False) -> None:
        if strict and not self._alive:
            refuse_again(self)
        if self._made:
            super().destroy()
            if (rep := vars(self).get("_own_rep")) is not None:
                rep.close()
        self._alive = False
        self._ended()
        self._port = None

    def _ended(self) -> None:
        """Note that the context has been destroyed."""

    @property
    def state(self) -> State:
        """The state of the context: IDLE, STARTING, RUNNING or STOPPING."""
        known = vars(self)  # where another thread may just take both away, or have put others
        contexts: Contexts | None = known.get("_contexts")
        handle: protocol.Context | None = known.get("_handle")
        return State.IDLE if contexts is None or handle is None else contexts.get_state(handle)

    def close(self, timeout: float = 5.0) -> None:
        if self._alive:
            super().close(timeout)
        else:
            self._give_back()

    @alone
    def _give_back(self) -> bool:
        if not super()._give_back():
            return False
        self._leave_own_engine()
        return True

    def _leave_own_engine(self) -> None:
        """Destroy the engine of its own; if other contexts are connected to it, it is theirs from then on."""
        if self._own_engine is not None:
            with suppress(InUse):
                self._own_engine.destroy()
