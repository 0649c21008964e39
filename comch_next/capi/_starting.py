"""What a library asks for at its first call: see _sources/interpreter.c."""

from __future__ import annotations

from importlib import import_module
from threading import RLock

__all__ = ["calls"]

_lock = RLock()
_addresses: dict[str, int] = {}


def calls(module: str, extension: str) -> int:
    """Return the address of the calls of a face, whose functions are those of the module from then on."""
    with _lock:
        if extension not in _addresses:
            made = import_module(extension)
            import_module(module).attach(made.ffi, made.lib)
            _addresses[extension] = int(made.ffi.cast("uintptr_t", made.lib.comch_face_calls()))
        return _addresses[extension]
