"""What a library asks for at its first call: see _sources/interpreter.c."""

from __future__ import annotations

import os
from importlib import import_module
from threading import RLock

from comch_next.driver.protocol import complain
from comch_next.errors import DocaError

__all__ = ["calls"]

_lock = RLock()
# What another thread is importing would never be imported in a child.
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_addresses: dict[str, int] = {}


def calls(module: str, extension: str) -> int:
    """Return the address of the calls of a face, whose functions are those of the module from then on.

    0, for good and with the reason on standard error, if a setting of the user's is refused, COMCH_FAULTS for example.
    """
    with _lock:
        if extension not in _addresses:
            try:
                made = import_module(extension)
                import_module(module).attach(made.ffi, made.lib)
            except DocaError as error:
                complain(f"doca: {error}")
                _addresses[extension] = 0
            else:
                _addresses[extension] = int(made.ffi.cast("uintptr_t", made.lib.comch_face_calls()))
        return _addresses[extension]
