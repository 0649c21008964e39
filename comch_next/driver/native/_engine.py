"""The progress engine (guide: DOCA Core Progress Engine)."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from comch_next.driver.native._calls import Noun, call
from comch_next.driver.native._context import Context
from comch_next.driver.native._handle import Handle, address, live
from comch_next.driver.native._kernel import calls
from comch_next.driver.native._library import Library, check, ffi, passed
from comch_next.driver.native._notification import Notification, Rings
from comch_next.driver.native._progress import EngineLife
from comch_next.driver.protocol import LONGEST_S, Lock, OnError, new_lock, quoted, uninterrupted
from comch_next.errors import BadState, DocaError, InvalidValue

__all__ = ["Engine", "Engines"]

_T = TypeVar("_T")

_MOST_EVENTS = 1 << 20


class Engine(Handle, tag="doca_pe"):
    """A handle. One progress calls the library's, which runs one callback, `calls` times as long as it moves.

    `was_closed`: the interpreter exits. A thread that still polls finds nothing: nobody takes what it would raise.
    """

    life: EngineLife

    def __init__(self, library: Library, pointer: Any, lock: Lock) -> None:
        self.calls = 1
        self.max_events: int | None = None
        self.was_closed = False
        self.on_error: OnError | None = None  # takes errors of callbacks in place of progress
        self.live_as(pointer, EngineLife(library, pointer, lock))

    def __str__(self) -> str:
        return "progress engine"

    def gone(self, fault: Callable[[str], DocaError] = InvalidValue) -> None:
        """Refuse every call; also, in a forked child, the progress whose callback has forked, if that has returned."""
        super().gone(fault)
        self.on_error = None
        self.life.orphans = [partial(self.life.keep, None, fault("doca_pe_progress"), None)]

    def closed(self) -> None:
        super().closed()
        self.was_closed = True

    def progress(self) -> bool:
        """Run the library's progress, with the lock held, and raise what a callback has raised."""
        life = self.life
        if self.pointer is None:
            if self.was_closed:
                return False
            live(self, Engine, "doca_pe_progress")
        if life.running:  # on this thread: another one's would have the lock
            raise BadState("doca_pe_progress was called inside a callback; it is legal outside only")
        try:
            moved = again = life.progress()
            for _ in range(self.calls - 1):
                if not again or self.pointer is None:
                    break
                again = life.progress()
            life.report(moved)
        except BaseException:
            life.report_error()
            raise
        return moved


class Engines(Noun):
    """The noun Engines of the driver protocol."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._rings = Rings()

    @uninterrupted
    def create(self, lock: Lock | None = None) -> Engine:
        cell = ffi.new("struct doca_pe **")
        check(self.library["doca_pe_create"](cell), "doca_pe_create")
        return Engine(self.library, cell[0], lock or new_lock())

    @uninterrupted
    def destroy(self, pe: object) -> None:
        engine = live(pe, Engine, "doca_pe_destroy")
        with engine.lock:
            live(engine, Engine, "doca_pe_destroy")  # again: another thread may have done it
            engine.life.end_orphans()
            notification = engine.life.notification
            check(self.library["doca_pe_destroy"](engine.pointer), "doca_pe_destroy")
            if notification is not None:
                notification.close()
            engine.ended()

    def progress(self, pe: object) -> bool:
        return self.quick_progress(live(pe, Engine, "doca_pe_progress"))()

    def quick_progress(self, pe: Engine) -> Callable[[], bool]:
        function = self.library.address_of("doca_pe_progress")
        return calls.progress(pe, pe.life, pe.progress, address(pe.pointer), function, LONGEST_S)

    def quick_request(self, pe: Engine) -> None: ...

    def quick_clear(self, pe: Engine) -> None: ...

    def get_notification_handle(self, pe: object) -> int:
        return self._of_notification(pe, "doca_pe_get_notification_handle", Notification.fileno)

    def request_notification(self, pe: object) -> None:
        self._of_notification(pe, "doca_pe_request_notification", Notification.arm)

    def clear_notification(self, pe: object, handle: int) -> None:
        self._of_notification(pe, "doca_pe_clear_notification", partial(Notification.disarm, handle=handle))

    def _of_notification(self, pe: object, name: str, call: Callable[[Notification], _T]) -> _T:
        """Make a call of the engine's notification, with its lock held."""
        engine = live(pe, Engine, name)
        with engine.lock:
            return self._made_and_called(engine, name, call)

    @uninterrupted
    def _made_and_called(self, engine: Engine, name: str, call: Callable[[Notification], _T]) -> _T:
        life = live(engine, Engine, name).life  # again: another thread may have destroyed it
        if life.notification is None:
            life.notification = Notification(self.library, engine.pointer, self._rings)
        return call(life.notification)

    get_num_inflight_tasks = call("doca_pe_get_num_inflight_tasks")

    def hand_errors_to(self, pe: object, on_error: OnError) -> None:
        live(pe, Engine, "hand_errors_to").on_error = on_error

    def set_max_events(self, pe: object, number: int | None) -> None:
        """Let one progress call the library's so often, whose every call runs one callback."""
        engine = live(pe, Engine, "set_max_events")
        if engine.life.running:
            raise BadState("set_max_events was called inside a callback; it is legal outside only")
        if number is not None and (type(number) is not int or not 1 <= number <= _MOST_EVENTS):
            text = f"set_max_events takes a whole number from 1 to {_MOST_EVENTS}, or None"
            raise InvalidValue(f"{text}, not {quoted(number)}")
        engine.max_events, engine.calls = number, number or 1

    def get_max_events(self, pe: object) -> int | None:
        return live(pe, Engine, "get_max_events").max_events

    @uninterrupted
    def connect_ctx(self, pe: object, ctx: object) -> None:
        name = "doca_pe_connect_ctx"
        engine, context = live(pe, Engine, name), live(ctx, Context, name)
        with engine.lock, context.lock:
            live(engine, Engine, name), live(context, Context, name)  # again: another thread may have destroyed it
            passed(self.library[name], name, engine.pointer, context.life.ctx)
            context.engine, context.life.engine, context.life.lock = engine, engine.life, engine.lock
            context.life.join(engine.life)
