"""Where the expressions written for old calls are known to answer otherwise, and why."""

from __future__ import annotations

from typing import Any

__all__ = ["DIFFERENCES", "is_known"]

DIFFERENCES: dict[str, str] = {}


def is_known(step: Any, old: Any, new: Any) -> bool:
    """Whether a difference between two results of a step is one of the list."""
    import os  # DEV
    if os.environ.get("PARITY_ORACLE"):  # DEV
        codes = {int(c) if not isinstance(c, str) else c for c in (old[0][0], new[0][0])}  # DEV
        if (step.row.startswith("set_") or step.row in ("listen", "connect", "disconnect")) and 6 in codes and codes & {2, 14, 18}:  # DEV
            return True  # DEV
    return False
