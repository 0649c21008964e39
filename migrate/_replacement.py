"""Writing a file so that it is the old one or the new one at any moment, and no other program's change is lost.

The new text goes to a file of its own in the same folder, which takes the place of the old one by one rename, and gets
its mode, owner, group, extended attributes and access list before. Right before the rename the old file is compared
with what was read. An editor that saves between the two is noticed where the system can exchange two names (Linux):
what was in place is compared once more, and put back if it is not what was read. Elsewhere, and for a program that has
had the old file open for writing since before the exchange and writes after the second comparison, a change can be
lost. A run that is killed may leave the file of its own behind, whose name ends in SUFFIX.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import tempfile
from pathlib import Path

from migrate.files import FileError, read

SUFFIX = ".migrate"
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


class Replacement:
    """A new text that lies ready beside its file. `commit` or `discard` ends it; both may be called again."""

    def __init__(self, path: Path, old: bytes, new: bytes) -> None:
        """Prepare everything that can fail. Raises FileError, with the reason, if the file cannot be replaced."""
        self.path = path
        self.old = old
        self.ready: str | None = None
        try:
            self.real = path.resolve(strict=True)
            status = self.real.stat()
            self._refuse(status)
            self._prepare(new, status)
        except OSError as error:
            self.discard()
            raise self._failure(error) from error
        except BaseException:
            self.discard()
            raise

    def commit(self) -> None:
        """Put the new text in place of the old; FileError if the file has changed since it was read."""
        if self.ready is None:
            return
        try:
            self._compare(self.real)
            if _exchanged(self.ready, self.real):
                self._keep_what_came_between()
            else:
                os.replace(self.ready, self.real)
                self.ready = None
            _sync_folder(self.real.parent)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            self.discard()

    def discard(self) -> None:
        """Take the prepared file away."""
        ready, self.ready = self.ready, None
        if ready is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(ready)

    def _failure(self, error: OSError) -> FileError:
        return FileError(self.path, f"cannot be written: {error.strerror or error}")

    def _refuse(self, status: os.stat_result) -> None:
        if status.st_nlink > 1:
            raise FileError(self.path, "has hard links; replacing it would cut them. Copy the file first")
        if not status.st_mode & stat.S_IWUSR or not os.access(self.real, os.W_OK):
            raise FileError(self.path, "is read-only. Give yourself write permission first")
        self._compare(self.real)

    def _compare(self, place: Path | str) -> None:
        if read(Path(place)) != self.old:
            raise FileError(self.path, "has changed since it was read. Run migrate again")

    def _prepare(self, new: bytes, status: os.stat_result) -> None:
        handle, self.ready = tempfile.mkstemp(prefix=f".{self.real.name[:40]}.", suffix=SUFFIX, dir=self.real.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(new)
            file.flush()
            self._copy_attributes(handle, status)
            os.fsync(handle)

    def _copy_attributes(self, handle: int, status: os.stat_result) -> None:
        """Give the new file the old one's owner, group, attributes and mode, in the order that keeps each of them."""
        made = os.fstat(handle)
        try:
            if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
                os.fchown(handle, status.st_uid, status.st_gid)
            wanted, there = _attributes(self.real), _attributes(handle)
            for name in there.keys() - wanted.keys():
                os.removexattr(handle, name)
            for name, value in wanted.items():
                if there.get(name) != value:
                    os.setxattr(handle, name, value)
            os.fchmod(handle, stat.S_IMODE(status.st_mode))
        except OSError as error:
            raise FileError(
                self.path, f"cannot be replaced with its owner, group and attributes kept: {error.strerror}"
            ) from error

    def _keep_what_came_between(self) -> None:
        """Compare the file that was exchanged out, which bears the prepared name now; put it back if it has changed."""
        assert self.ready is not None
        try:
            self._compare(self.ready)
        except BaseException:
            _exchanged(self.ready, self.real)
            raise


def _attributes(file: Path | int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(file, name) for name in os.listxattr(file)}
    except OSError as error:
        if error.errno in (95, 38):  # ENOTSUP, ENOSYS: a file system without them
            return {}
        raise


def _exchanged(first: str, second: Path) -> bool:
    """Exchange two names at once; False where the system or the file system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    names = os.fsencode(first), os.fsencode(second)
    return bool(rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], ctypes.c_uint(_RENAME_EXCHANGE)) == 0)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
