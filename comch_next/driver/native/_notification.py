"""What an engine's program sleeps on: the library's own handle, and a timer for a library that does not ring it.

NVIDIA documents that Comch contexts do not support notification, so a program that sleeps has to be woken to look. How
often depends on what is known of the library: it has rung, it stayed silent although there was something to do, or
neither yet; what was seen last counts. A wake-up too many is harmless: the program progresses, finds nothing, and
sleeps again.
"""

import os
import select
from contextlib import suppress
from typing import Any

from comch_next.driver.native._library import Library, ffi, passed
from comch_next.driver.protocol import by_system
from comch_next.errors import NoMemory, NotSupported

__all__ = ["Notification"]

_MS = 1_000_000
_LOOK_AFTER_NS = {None: 200 * _MS, False: _MS, True: 999 * _MS}  # by whether the library rings; None: not known yet

_libc: Any = ffi.dlopen(None)
_MONOTONIC = 1
_FLAGS = os.O_NONBLOCK | os.O_CLOEXEC


class Rings:
    """Whether the library rings, which all engines learn together."""

    known: bool | None = None


class Notification:
    """The notification handle of one engine: an epoll of the library's handle and a timer."""

    def __init__(self, library: Library, pe: Any, rings: Rings) -> None:
        self._library, self._pe, self._rings = library, pe, rings
        self._own = self._own_handle()
        self._timer = _libc.timerfd_create(_MONOTONIC, _FLAGS)
        if self._timer < 0:
            raise NoMemory(f"doca_pe_get_notification_handle: no timer: {os.strerror(ffi.errno)}")
        try:
            self._epoll = select.epoll()
            self._epoll.register(self._timer, select.EPOLLIN)
            if self._own >= 0:
                self._epoll.register(self._own, select.EPOLLIN)
        except BaseException as error:
            os.close(self._timer)
            if isinstance(error, by_system(OSError)):
                raise NoMemory(f"doca_pe_get_notification_handle: {error}") from error
            raise
        self.silent = False  # the timer was what woke the program; what it finds, the library has not told

    def _own_handle(self) -> int:
        """The library's own descriptor; -1 where it has none for such contexts."""
        cell = ffi.new("doca_notification_handle_t *")
        try:
            self._call("doca_pe_get_notification_handle", cell)
        except NotSupported:
            return -1
        return int(cell[0])

    def _call(self, name: str, *args: Any) -> None:
        passed(self._library[name], name, self._pe, *args)

    def fileno(self) -> int:
        """The descriptor that programs poll."""
        return self._epoll.fileno()

    def arm(self) -> None:
        """Be ready when the engine may have something to do."""
        if self._own >= 0:
            with suppress(NotSupported):
                self._call("doca_pe_request_notification")
        self._set_timer(_LOOK_AFTER_NS[self._rings.known])

    def disarm(self, handle: int) -> None:
        """Stop being ready, and learn from what was. Raises OperatingSystem for another engine's handle."""
        ready = {fd for fd, _ in self._epoll.poll(0)}
        if self._own in ready:
            self._rings.known = True
        self.silent = self._timer in ready and self._own not in ready
        self._set_timer(0)
        if self._own >= 0:
            with suppress(NotSupported):
                self._call("doca_pe_clear_notification", self._own if handle in (0, self.fileno()) else handle)

    def found(self) -> None:
        """Note that progress has found something to do after such a wake-up."""
        self.silent = False
        self._rings.known = False

    def _set_timer(self, nanoseconds: int) -> None:
        when: Any = ffi.new("struct itimerspec *")
        when.it_value.tv_nsec = nanoseconds
        _libc.timerfd_settime(self._timer, 0, when, ffi.NULL)

    def close(self) -> None:
        """Close what is not the library's."""
        self._epoll.close()
        os.close(self._timer)
