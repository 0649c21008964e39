"""Which of the C libraries a process has loaded."""

from __future__ import annotations

__all__ = ["is_loaded"]


def is_loaded(library: str) -> bool:
    """Whether a library is among what this process maps: `libdoca_cc`."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return any(f"{library}.so" in line for line in maps)
