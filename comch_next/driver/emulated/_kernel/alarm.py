"""A descriptor that becomes readable when a time has passed: Linux's timerfd, which Python has from 3.13 on."""

import os
import time

from comch_next.driver.emulated._kernel.fork import finalized, owned
from comch_next.driver.emulated._kernel.memory import ffi, lib
from comch_next.driver.protocol import Finalized

__all__ = ["Alarm"]

_SECOND_NS = 1_000_000_000


class Alarm(Finalized):
    """Its descriptor is closed with it, at the latest. Raises OSError when there is none to be had."""

    def __init__(self) -> None:
        self._fd: int = -1
        self._fd = lib.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            raise OSError(ffi.errno, os.strerror(ffi.errno))
        owned(self)

    def set(self, seconds: float) -> None:
        """Not readable now, and again once so much time has passed; never before, so it may be a little later."""
        self._set(int(seconds * _SECOND_NS) + 1)

    def stop(self) -> None:
        """Not readable, and not going to be."""
        self._set(0)

    def _set(self, time_ns: int) -> None:
        value = ffi.new("struct itimerspec *")
        value.it_value.tv_sec, value.it_value.tv_nsec = divmod(time_ns, _SECOND_NS)
        lib.timerfd_settime(self._fd, 0, value, ffi.NULL)

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        """Twice is harmless."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def finalize(self) -> None:
        self.close()
        finalized(self)

    let_go = close  # in a forked child, see _kernel.fork
