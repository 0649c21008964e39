"""Where the expressions written for old calls are known to answer otherwise, and why."""

from __future__ import annotations

from typing import Any

__all__ = ["DIFFERENCES", "is_known"]

DIFFERENCES: dict[str, str] = {}


def is_known(step: Any, old: Any, new: Any) -> bool:
    """Whether a difference between two results of a step is one of the list."""
    return False
