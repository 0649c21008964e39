"""C libraries that the linker loads before all others, so that their functions come before the system's."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.processes import SOON_S

__all__ = ["preloadable"]


def preloadable(source: Path, folder: Path) -> Path:
    """Compile a source into a library in that folder, for LD_PRELOAD."""
    library = folder / f"{source.stem}.so"
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", str(source), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True, timeout=SOON_S)
    return library
