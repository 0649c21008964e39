"""Which C names are old, where no module of a vocabulary brings them (cffi, ctypes, wrappers, text)."""

from __future__ import annotations

import re

from migrate.old_api._tables import ALIASES, CONSTANTS, FUNCTIONS, RENAMES
from migrate.old_api.generation_1 import GENERATION_1

_LIBRARY = re.compile(r"(?:.*/)?(?:lib)?doca_(?:common|comm_channel|cc)(?:\.so[.\d]*)?")
_SHARED = ("DOCA_SUCCESS", "DOCA_ERROR_", "DOCA_CC_")


def is_c_name(name: str) -> bool:
    """Whether a name is of an old C API; calls of DOCA Core are while only old programs have them."""
    return name in _NAMES or name.startswith(("doca_comm_channel_", "doca_cc_"))


def is_library(text: str) -> bool:
    """Whether a text is the name of a library that has old functions, as what opens libraries takes it."""
    return bool(_LIBRARY.fullmatch(text))


def is_core(name: str) -> bool:
    """Whether a name is a function of DOCA Core, which every generation shares."""
    return ("core", name) in FUNCTIONS


def _names() -> frozenset[str]:
    names = {name for generation, name in FUNCTIONS if generation != "core"} | set(ALIASES) | set(GENERATION_1.flat)
    names |= {old for generation, old in RENAMES if generation != "comch" and old.isidentifier()}
    names |= {name for _, name in CONSTANTS if name.startswith(_SHARED)}
    return frozenset(name for name in names if name.lower().startswith("doca_") and "callback_func" not in name)


_NAMES = _names()
