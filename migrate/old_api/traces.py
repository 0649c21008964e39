"""Patterns of the old API in the bytes of a file, for a search that must not parse."""

from __future__ import annotations

import re

from migrate.old_api.generations import VOCABULARY

# A file without any of these names nothing old: C names of every generation, their constants, and the modules.
NAMES = (b"doca_", b"DOCA_", b"comm_channel")

# A comment of an earlier run above what may be of the old API and names nothing of it.
_LEFT = "(python -m migrate explain "
LEFT = tuple(f"{_LEFT}{code})".encode() for code in ("CCM034", "CCM083"))

_COMMON = frozenset({"connect", "create", "close", "open", "listen"})  # methods of too much else
_METHODS = sorted(VOCABULARY.method_names - _COMMON, key=lambda name: (-len(name), name))

# A call of a method that handles have, on whatever it is.
CALLS = re.compile(rb"\.(?:" + "|".join(_METHODS).encode() + rb")\b")

# The methods that show, on an object of which nothing is known, that it may be a handle.
METHODS = VOCABULARY.method_names - {"close", "create", "open"}


def is_old(word: str) -> bool:
    """Whether a name can only be of an old API."""
    return any(name.decode() in word for name in NAMES)


def left_lines(text: str) -> frozenset[int]:
    """Return the lines of a program, from 1, right above which such a comment stands, among others maybe."""
    found: set[int] = set()
    is_left = False
    for number, line in enumerate(text.split("\n"), 1) if _LEFT in text else ():
        if line.lstrip().startswith("#"):
            is_left |= line.rstrip().encode().endswith(LEFT)
        elif is_left:
            found.add(number)
            is_left = False
    return frozenset(found)
