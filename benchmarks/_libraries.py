"""Where the C libraries of this project are."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

__all__ = ["folder"]


def folder(package: ModuleType) -> Path:
    """The folder of a package's libraries. Raises ImportError where they could not be built."""
    found = Path(package.__path__[0]) / "lib"
    if not found.is_dir():
        raise ImportError(f"there are no C libraries in {found}")
    return found
