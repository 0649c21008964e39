"""Patterns of the old API in the bytes of a file, for a search that must not parse."""

from __future__ import annotations

import re

from migrate.old_api.generations import VOCABULARY

# A file without any of these names nothing old: C names of every generation, their constants, and the modules.
NAMES = (b"doca_", b"DOCA_", b"comm_channel")

_COMMON = frozenset({"connect", "create", "close", "open", "listen"})  # methods of too much else
_METHODS = sorted(VOCABULARY.method_names - _COMMON, key=lambda name: (-len(name), name))

# A call of a method that handles have, on whatever it is.
CALLS = re.compile(rb"\.(?:" + "|".join(_METHODS).encode() + rb")\b")

# The methods that show, on an object of which nothing is known, that it may be a handle.
METHODS = VOCABULARY.method_names - {"close", "create", "open"}


def is_old(word: str) -> bool:
    """Whether a name can only be of an old API."""
    return any(name.decode() in word for name in NAMES)
