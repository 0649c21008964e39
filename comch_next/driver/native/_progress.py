"""The life of a progress engine: it runs every callback, keeps what they raise, and ends what the program dropped."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

from comch_next.driver.native._handle import Life
from comch_next.driver.native._library import Library, check
from comch_next.driver.native._notification import Notification
from comch_next.driver.protocol import Lock, handed_over, raised_of, report_unraisable
from comch_next.errors import BadState

__all__ = ["EngineLife"]


class EngineLife(Life):
    """`lock` is held around every call of the engine and of all that is connected to it. `running`: inside progress.

    `error` is what the first callback has raised. `orphans` each take a step towards the end of a context or a
    task that the program has dropped; the last one returns True.
    """

    def __init__(self, library: Library, pointer: Any, lock: Lock) -> None:
        super().__init__(self._destroy, lock=lock)
        self.library, self.pointer = library, pointer
        self.orphans: list[Callable[[], object]] = []
        self.running = False
        self.notification: Notification | None = None
        self.error: BaseException | None = None
        self._closing = False
        self._progress = library["doca_pe_progress"]

    def progress(self) -> bool:
        """Run the library's progress once. Whether anything moved."""
        self.running = True
        try:
            moved: bool = self._progress(self.pointer) != 0
        finally:
            self.running = False
        if self.orphans:
            self.end_orphans()
        return moved

    def refuse_to_wait(self, longest_s: float) -> NoReturn:
        """Refuse the progress of a thread that another one's, in a callback, may be waiting for."""
        raise BadState(f"doca_pe_progress: another thread has been in a callback of this engine for {longest_s} s")

    def finish(self, moved: bool) -> None:
        """Do what is left after the library's progress."""
        if self.orphans:
            self.end_orphans()
        self.report(moved)

    def report(self, moved: bool) -> None:
        """Note what the notification missed, and raise what a callback has raised, or hand it over."""
        if moved and self.notification is not None and self.notification.silent:
            self.notification.found()
        if self.error is not None and not self.running:
            engine = self.handle()
            if engine is not None and handed_over(self.error, engine.on_error):
                self.error = None
        self.raise_error()

    def end_orphans(self) -> None:
        """Have what the program has dropped take a step towards its end."""
        for step in list(self.orphans):
            if step() and step in self.orphans:  # the end of a context may end its engine, which comes here, too
                self.orphans.remove(step)

    def keep(self, _kind: object, error: BaseException, trace: TracebackType | None) -> None:
        """Keep what a callback has raised, and where, by which it is known as the program's: cffi has parted them."""
        self.error = raised_of(self.error, error.with_traceback(trace))

    def raise_error(self) -> None:
        """Raise what a callback has raised, once, but not inside of progress."""
        if self.error is not None and not self.running:
            error, self.error = self.error, None
            try:
                raise error
            finally:
                del error  # or its traceback, which has this frame, holds it and the callback's task

    def report_error(self) -> None:
        """Report what a callback has raised, where something else comes out of its progress."""
        if self.error is not None and not self.running:
            error, self.error = self.error, None
            report_unraisable(error)

    def settle(self) -> None:
        """End with its contexts: nobody else can make them progress."""
        if not (self.wanted or self._closing):  # each context that it closes asks for this again
            self._closing = True
            try:
                self.close()
            finally:
                self._closing = False

    def let_go(self) -> None:
        notification, self.notification = self.notification, None
        if notification is not None:
            notification.close()

    def _destroy(self) -> None:
        self.let_go()
        check(self.library["doca_pe_destroy"](self.pointer), "doca_pe_destroy")
