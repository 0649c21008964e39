"""Paths of the C libraries that stand for DOCA's, for a script that opens them without the launcher."""

from __future__ import annotations

import os
import re
from typing import TypeVar

from comch_next.errors import InvalidValue
from comm_channel_compat._launcher import faces

__all__ = ["find", "release"]

_NAME = re.compile(r"(?:.*/)?(?:lib)?(doca_[a-z_]+)(?:\.so[.0-9]*)?")
_T = TypeVar("_T")


def release() -> str:
    """Return the DOCA release that COMCH_COMPAT_DOCA selects. Raises InvalidValue for an unknown one."""
    chosen = os.environ.get("COMCH_COMPAT_DOCA") or faces.RELEASE
    if chosen not in faces.RELEASES:
        raise InvalidValue(f"COMCH_COMPAT_DOCA: {chosen!r} is not one of {', '.join(sorted(faces.RELEASES))}")
    return chosen


def find(name: _T) -> _T | str:
    """Return the path of the library that stands for one of DOCA's; any other name is returned unchanged.

    name: `libdoca_cc.so.2`, with or without version and folder, or `doca_cc`, as `ctypes.util.find_library` takes it.
    COMCH_COMPAT_DOCA selects the release whose types libdoca_cc has and whose calls libdoca_comm_channel has: 2.6 (the
    default), 2.5 or 1.4. Raises FileNotFoundError, an OSError as `dlopen` raises it, for a library that has not been
    built, and InvalidValue for another release.
    """
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        return name
    folders = faces.folders("lib", release())
    for folder in folders:
        path = os.path.join(folder, f"lib{match[1]}.so.2")
        if os.path.exists(path):
            return path
    if not folders:
        raise FileNotFoundError(f"{name}: the C libraries have not been built; install the toolkit again")
    return name
