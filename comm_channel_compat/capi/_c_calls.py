"""What C programs, cffi and ctypes call of libdoca_common and libdoca_cc, for the account of a run.

The calls of libdoca_comm_channel are those of the flat functions, which the account follows already. libdoca_cc hands
its calls on to libdoca_comch; what a program calls of that itself is not old. What C answers without an interpreter,
the names of errors and the other types of a pointer, is not seen here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from comch_next import api
from comch_next.capi.seam import is_loaded
from comm_channel_compat._account import LISTS, MAKES, the_account
from comm_channel_compat._old_calls import caller

__all__ = ["follow"]

_MODERN, _FOLLOWED, _OLD = "doca_comch_", "doca_comm_channel_", "doca_cc_"


def follow(name: str, is_coded: bool, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Make a call of a C library, and have the account follow it if it is one of the program's to an old library."""
    symbol, place = _symbol(name), caller(sys._getframe(1))
    if not symbol or place is None:
        return function(*args)

    def call(*args: Any) -> Any:
        value = function(*args)
        if is_coded and value == 0 and MAKES.search(symbol):
            return value, int(args[-2 if symbol.endswith(LISTS) else -1][0])  # behind the last pointer to one
        return value

    value = the_account().follow(symbol, place, is_coded, call, args, {})
    return value[0] if isinstance(value, tuple) else value


def _symbol(name: str) -> str:
    """Return the name by which the program has called, "" for what is not old, or followed elsewhere."""
    if name.startswith(_FOLLOWED):
        return ""
    if name.startswith(_MODERN):
        return _names_of_cc().get(name, "") if is_loaded("libdoca_cc") else ""
    return name


@cache
def _names_of_cc() -> Mapping[str, str]:
    """Map names of libdoca_comch to those of libdoca_cc in the release that the program finds."""
    found: dict[str, list[str]] = {}
    for row in api.renames():
        if row.new and row.old.startswith(_OLD):
            found.setdefault(row.new, []).append(row.old)
    of_release = -1 if os.environ.get("COMCH_COMPAT_DOCA") == "2.5" else 0  # the names of 2.6 stand first
    return {new: old[of_release] for new, old in found.items()}
