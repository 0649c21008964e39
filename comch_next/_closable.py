"""What is open until it is closed, or its with block ends: devices and representors."""

import os
from collections.abc import Callable
from typing import Any

from comch_next._alone import alone
from comch_next._exits import exit_block
from comch_next._names import Hinted
from comch_next.driver.protocol import Driver, new_lock

__all__ = ["Closable"]


class Closable(Hinted):
    """Something open: closed once by `close` or the end of a with block."""

    def __init__(self, driver: Driver, handle: Any, close: Callable[[Any], None]) -> None:
        self._driver = driver
        self._handle = handle
        self._close = close
        self._lock = new_lock()
        self._open = True
        self._pid = os.getpid()

    @alone
    def close(self, *, strict: bool = False) -> None:
        """Close it. Raises InUse if this is the last open of the device and contexts or maps still use it.

        A second call does nothing. With `strict` it behaves as in C: it closes another open of the same device, or
        raises InvalidValue if there is none.
        """
        if self._open or strict:
            self._close(self._handle)
            self._open = False

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        exit_block(self, error, self.close)
