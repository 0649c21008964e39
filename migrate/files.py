"""Files: which ones of a tree are Python sources of the program, and their bytes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from migrate._ignore import Ignored, parse

SUFFIXES = (".py", ".pyw", ".pyi")
MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")  # what the top folder of a project holds
# What these have where they say how to install a project, and not only how to check or format it.
_INSTALLED = {
    "pyproject.toml": re.compile(rb"(?m)^\s*\[(project|build-system|tool\.poetry)\]"),
    "setup.py": re.compile(rb""),
    "setup.cfg": re.compile(rb"(?m)^\[metadata\]"),
}
_EXCLUDED = frozenset({
    ".git", ".hg", ".svn", "__pycache__", ".venv", "venv", "env", "node_modules", "build", "dist", ".tox", ".nox",
    ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", "site-packages",
})  # fmt: skip
_MAYBE_PACKAGES = frozenset({"build", "dist", "env", "venv"})  # with an __init__.py it is the program's own package
# This project's own packages, wherever they are installed or copied to, by a file that only they have.
_OURS = {
    "comch_next": "driver/protocol/__init__.py",
    "comm_channel_compat": "peer_addr.py",
    "migrate": "old_api/__init__.py",
}

Identity = tuple[int, int]  # device and inode: equal for two paths of one file


class FileError(Exception):
    """A file or folder that cannot be read or written; the message has the reason and what would help."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(path, message)
        self.path = path
        self.message = message

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass
class Found:
    """The files of a search in a stable order, each once, and what could not be searched."""

    files: dict[Identity, Path] = field(default_factory=dict)
    errors: list[FileError] = field(default_factory=list)


def find(paths: Iterable[Path], *, ignore: bool = True, packages_only: bool = False) -> Found:
    """Find the Python files among some absolute paths of files and folders.

    A file that is given is taken whatever its name. In folders, what .gitignore files and the usual excludes leave out
    is not looked at (ignore=False: only the excludes), and links that lead out of the given folder are not followed.
    packages_only: look into those folders below the given ones only that hold an __init__.py.
    """
    found = Found()
    for path in paths:
        try:
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                _Walk(str(path), found, ignore, packages_only).run()
            elif stat.S_ISREG(status.st_mode):
                found.files.setdefault((status.st_dev, status.st_ino), path)
            else:
                found.errors.append(FileError(path, "is not a regular file. Use - to read standard input"))
        except OSError as error:
            found.errors.append(_unreadable(path, error))
    return found


def read(path: Path) -> bytes:
    """Read a regular file; pipes, sockets and devices are refused without opening them."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileError(path, "is not a regular file")
        # O_NONBLOCK: should a pipe take the file's place right now, opening it does not wait for a writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read()
    except OSError as error:
        raise _unreadable(path, error) from error


def project_of(path: Path) -> Path | None:
    """Return the nearest folder at or above a path that holds a MARKER."""
    folders = [path, *path.parents] if path.is_dir() else path.parents
    return next((folder for folder in folders if any((folder / marker).exists() for marker in MARKERS)), None)


def is_installed(root: Path) -> bool:
    """Whether a project can be installed, so that others may import its modules; also if that cannot be read."""
    found = [(root / name, table) for name, table in _INSTALLED.items() if (root / name).exists()]
    try:
        return any(table.search(read(path)) for path, table in found)
    except FileError:
        return True


def _unreadable(path: Path | str, error: OSError) -> FileError:
    return FileError(Path(path), f"cannot be read: {error.strerror or error}")


class _Walk:
    """One walk through a folder; it adds to what is found."""

    def __init__(self, root: str, found: Found, ignore: bool, packages_only: bool) -> None:
        self.root = root
        self.found = found
        self.ignore = ignore
        self.packages_only = packages_only
        self.links: list[os.DirEntry[str]] = []

    def run(self) -> None:
        """Visit folder by folder, names sorted; links come last, so that a file is known by its own path."""
        rules = tuple(self._outer_rules()) if self.ignore else ()
        waiting = [(self.root, rules)]
        while waiting:
            folder, rules = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    inside = sorted(entries, key=lambda entry: entry.name)
                waiting += reversed(self._visit(folder, inside, rules))
            except OSError as error:
                self.found.errors.append(_unreadable(folder, error))
            except FileError as error:  # a .gitignore file
                self.found.errors.append(error)
        for link in self.links:
            self._follow(link)

    def _visit(
        self, folder: str, entries: Sequence[os.DirEntry[str]], rules: tuple[Ignored, ...]
    ) -> list[tuple[str, tuple[Ignored, ...]]]:
        """Take the files of a folder; return the folders in it that are to be visited."""
        names = {entry.name for entry in entries}
        if folder != self.root and self._is_left_out(folder, names):
            return []
        if self.ignore:
            rules = _rules_in(folder, names, rules)
        folders = []
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not _is_source(entry):
                continue
            if any(_decisions(rules, entry.path, is_folder)):
                continue
            if is_folder:
                if entry.name not in _EXCLUDED or entry.name in _MAYBE_PACKAGES:
                    folders.append((entry.path, rules))
            elif entry.is_symlink():
                self.links.append(entry)
            elif entry.is_file(follow_symlinks=False):
                status = entry.stat()
                self.found.files.setdefault((status.st_dev, status.st_ino), Path(entry.path))
        return folders

    def _is_left_out(self, folder: str, names: set[str]) -> bool:
        name = os.path.basename(folder)
        package = "__init__.py" in names
        return (
            "pyvenv.cfg" in names
            or (name in _MAYBE_PACKAGES and not package)
            or name.endswith(".egg-info")
            or (name in _OURS and os.path.exists(os.path.join(folder, _OURS[name])))
            or (self.packages_only and not package)
        )

    def _follow(self, link: os.DirEntry[str]) -> None:
        """Take the file behind a link when it lies in the walked folder, in no folder that is left out by its name."""
        root = os.path.realpath(self.root)
        target = os.path.realpath(link.path)
        inside = os.path.relpath(target, root).split(os.sep)
        if inside[0] == os.pardir or _EXCLUDED & set(inside[:-1]) or not os.path.isfile(target):
            return
        status = os.stat(target)
        self.found.files.setdefault((status.st_dev, status.st_ino), Path(link.path))

    def _outer_rules(self) -> Iterator[Ignored]:
        """The rules of the folders above the walked one, from the top of its repository on."""
        folders = [Path(self.root), *Path(self.root).parents]
        top = next((index for index, folder in enumerate(folders) if (folder / ".git").exists()), 0)
        for folder in reversed(folders[1 : top + 1]):
            yield from _rules_in(str(folder), {".gitignore", ".git"} if folder == folders[top] else {".gitignore"}, ())


def _rules_in(folder: str, names: set[str], outer: tuple[Ignored, ...]) -> tuple[Ignored, ...]:
    """The rules that hold in a folder, the outermost first; a repository knows none of those around it."""
    sources = [".gitignore"] if ".gitignore" in names else []
    if ".git" in names:
        outer, sources = (), [".git/info/exclude", *sources]
    for name in sources:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and not os.path.islink(path):
            outer = (*outer, parse(folder, os.fsdecode(read(Path(path)))))
    return outer


def _decisions(rules: Sequence[Ignored], path: str, is_folder: bool) -> Iterator[bool]:
    """The decision of the innermost rules that have one; nothing where none has."""
    for ignored in reversed(rules):
        if (decision := ignored.decides(path, is_folder)) is not None:
            yield decision
            return


def _is_source(entry: os.DirEntry[str]) -> bool:
    """Whether a name is a Python file's, or the file an executable script of Python without a suffix."""
    if entry.name.endswith(SUFFIXES):
        return True
    if "." in entry.name or not entry.is_file(follow_symlinks=False) or not entry.stat().st_mode & stat.S_IXUSR:
        return False
    try:
        with open(entry.path, "rb") as file:
            first = file.readline(256)
    except OSError:  # reading it as a source reports why
        return True
    return first.startswith(b"#!") and b"python" in first
