"""Files: which ones to look at, and writing one so that it is either the old or the new, never half of one."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path


class FileError(Exception):
    """A file that cannot be read or written; the message says why and what would help."""


def find(paths: Iterable[str]) -> Iterator[Path]:
    """Every Python file in some files and folders; a file reached by two paths comes once."""
    seen: set[tuple[int, int]] = set()
    for given in paths:
        root = Path(given)
        found = sorted(_walk(root)) if root.is_dir() else [root]
        for path in found:
            with contextlib.suppress(OSError):
                status = path.stat()
                if (status.st_dev, status.st_ino) in seen:
                    continue
                seen.add((status.st_dev, status.st_ino))
            yield path


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [each for each in folders if not each.startswith(".") and each != "__pycache__"]
        yield from (Path(folder) / each for each in files if each.endswith((".py", ".pyw", ".pyi")))


def read(path: Path) -> bytes:
    """The bytes of a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}") from error


def write(path: Path, old: bytes, new: bytes) -> None:
    """Replace the bytes of a file; mode and symbolic links are kept, hard links and read-only files refused."""
    real = path.resolve()
    status = real.stat()
    if status.st_nlink > 1:
        raise FileError("has hard links; replacing it would cut them. Copy the file first")
    if not status.st_mode & stat.S_IWUSR:
        raise FileError("is read-only. Give yourself write permission first")
    if real.read_bytes() != old:
        raise FileError("has changed while it was looked at. Run migrate again")
    try:
        _replace(real, new, stat.S_IMODE(status.st_mode))
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror}") from error


def _replace(real: Path, new: bytes, mode: int) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(new)
            file.flush()
            os.fchmod(handle, mode)
            os.fsync(handle)
        os.replace(name, real)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    folder = os.open(real.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
