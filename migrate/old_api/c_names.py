"""Which generation a C name belongs to, where no module of a vocabulary brings it (cffi, ctypes, wrappers, text)."""

from __future__ import annotations

from functools import cache

from migrate.old_api._tables import ALIASES, CONSTANTS, FUNCTIONS, RENAMES
from migrate.old_api.generation_1 import GENERATION_1

SECOND_GENERATION_MODULES = frozenset({"doca_cc", "comm_channel_compat.cc"})
_SHARED = ("DOCA_SUCCESS", "DOCA_ERROR_", "DOCA_CC_")


@cache
def generation_of(name: str) -> str:
    """ "1" or "2", "" for what is no name of an old C API (DOCA_CC_MSG_FLAG_NONE is of the first)."""
    if name.startswith("doca_cc_") or ("cc", name) in RENAMES:
        return "2"
    return "1" if name in _NAMES or name.startswith("doca_comm_channel_") else ""


def is_core(name: str) -> bool:
    """Whether a name is a function of DOCA Core, which every generation shares."""
    return ("core", name) in FUNCTIONS


def _names() -> frozenset[str]:
    names = {name for generation, name in FUNCTIONS if generation != "core"} | set(ALIASES) | set(GENERATION_1.flat)
    names |= {old for generation, old in RENAMES if generation != "comch" and old.isidentifier()}
    names |= {name for _, name in CONSTANTS if name.startswith(_SHARED)}
    return frozenset(name for name in names if name.lower().startswith("doca_") and "callback_func" not in name)


_NAMES = _names()
