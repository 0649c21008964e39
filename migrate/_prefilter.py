"""The pre-filter: which files of a tree name the old API, and which import which, found in their bytes alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from migrate.old_api.traces import CALLS, LEFT, NAMES
from migrate.python.definitions import with_parents
from migrate.python.known_calls import LOADING
from migrate.python.modules import MAIN

_IMPORT = re.compile(
    rb"import(?:(?:_module|__)\s*\(\s*['\"](?P<called>[\w.]+)|\b[ \t]*\((?P<inside>(?:[^)#]|#[^\n]*)*)"
    rb"|\b(?P<rest>[^\n\\;]*(?:\\\r?\n[^\n\\;]*)*))"
)
# Two, since a search for one literal beginning is ten times faster than one for either.
_PATCHED = [re.compile(call + rb"\w*\s*\(\s*['\"](?P<name>[\w.]+)") for call in (b"patch", b"setattr")]
# Computed names of modules: what is not written as one text.
_COMPUTED = re.compile(rb"(?:import_module|__import__)\s*\(\s*(?!\s)(?!(['\"])[\w.]+\1\s*[,)])")
_LOADING = tuple(name.encode() for name in LOADING)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_BEFORE = re.compile(rb"(?:^|[;:\n])[ \t\f]*(?:from\b(?P<module>[^;:]*?))?$")
_COMMENT = re.compile(rb"#[^\n]*|\\\r?\n")


@dataclass(frozen=True)
class Scan:
    """What the pre-filter keeps of a file: whether it names the old API or calls like it, and what it imports.

    asks: whether it has tests or fixtures, which get the fixtures of others by name. loading: the words of a file that
    imports modules by names which are not written, nothing of others.
    """

    size: int
    is_old: bool
    calls: bool
    asks: bool
    loading: frozenset[str]
    imports: frozenset[str]  # dotted names, relative ones with their dots; each could be a module or a name in one


def scan(data: bytes) -> Scan:
    """Look through the bytes of a file."""
    is_old = any(name in data for name in (*NAMES, *LEFT))
    calls, asks = is_old or CALLS.search(data) is not None, b"def test" in data or b"fixture" in data
    computed = b"import_module" in data or b"__import__" in data
    loads = any(word in data for word in _LOADING) or (computed and _COMPUTED.search(data) is not None)
    loading = frozenset(map(bytes.decode, _WORD.findall(data))) if loads else frozenset()
    return Scan(len(data), is_old, calls, asks, loading, frozenset(_imports(data)))


def _imports(data: bytes) -> Iterator[str]:
    for found in _IMPORT.finditer(data):
        if found["called"]:
            yield from with_parents(found["called"].decode())
            continue
        start = data.rfind(b"\n", 0, found.start()) + 1
        while start > 1 and data[start - 3 : start].rstrip(b"\r\n").endswith(b"\\"):
            start = data.rfind(b"\n", 0, start - 1) + 1
        before = _BEFORE.search(data, max(0, start - 1), found.start())
        if before:
            yield from _imported(before["module"], found["inside"] or found["rest"] or b"")
    for calls in _PATCHED:
        for found in calls.finditer(data):
            yield from with_parents(found["name"].decode())


def _imported(module: bytes | None, names: bytes) -> Iterator[str]:
    if b"#" in names or b"\\" in names:
        names = _COMMENT.sub(b"", names)
    listed = [words[0].decode("utf-8", "replace") for name in names.split(b",") if (words := name.split())]
    if module is None:
        for name in listed:
            yield from with_parents(name)
        return
    home = b"".join(module.replace(b"\\", b"").split()).decode("utf-8", "replace")
    yield home
    yield from (f"{home}{'' if home.endswith('.') else '.'}{name}" for name in listed)


class Imports:
    """Which file imports which, by the ends of their paths: no search path is known.

    A file with tests counts as an importer of each conftest.py in its folder and those above; one that imports modules
    by computed names as an importer of those which no other file imports and whose name or folders it has words of; one
    that imports __main__ as an importer of those that import it. A star import of a package may bring what lies in it.
    """

    def __init__(self, scans: Mapping[Path, Scan]) -> None:
        self.scans = scans
        self._by_name: dict[str, list[tuple[tuple[str, ...], Path]]] = {}
        self._old_in: dict[Path, list[Path]] = {}
        for path in scans:
            if scans[path].is_old:
                self._old_in.setdefault(path.parent, []).append(path)
            parts = module_parts(path)
            if parts:
                self._by_name.setdefault(parts[-1], []).append((parts, path))
        self.of = {path: self._targets(path, scan.imports) | self.fixtures(path) for path, scan in scans.items()}
        imported = set().union(*self.of.values())
        alone = [path for path, scan in scans.items() if scan.is_old and path not in imported]
        for path, scan in scans.items():
            if scan.loading:
                self.of[path].update(it for it in alone if it != path and self._may_load(path, it))
        self.importers: dict[Path, set[Path]] = {}
        for path, targets in self.of.items():
            for target in targets:
                self.importers.setdefault(target, set()).add(path)
        for path in [path for path, scan in scans.items() if MAIN in scan.imports]:
            for user in self.importers.get(path, set()):
                self.of[path].add(user)
                self.importers.setdefault(user, set()).add(path)

    def _may_load(self, path: Path, target: Path) -> bool:
        """Whether a file has all but the last word of a name by which it could import another, or the only one.

        That is the name from the nearest folder around both, or from the outermost package around the other.
        """
        words, parts = self.scans[path].loading, module_parts(target)
        top = target.parent
        while top / "__init__.py" in self.scans:
            top = top.parent
        around = next(folder for folder in path.parents if folder in target.parents)
        for folder in {around, top if top != target.parent else around}:
            *packages, name = parts[len(folder.parts) :] or parts[-1:]
            if words.issuperset(packages) and (packages or name in words):
                return True
        return False

    def _targets(self, path: Path, names: Iterable[str]) -> set[Path]:
        folder = path.parent.parts
        known = (name for name in names if name.endswith(".") or name.rpartition(".")[2] in self._by_name)
        found = {target for name in known for target in self.named(folder, name)}
        stars = (name.removesuffix("*").rstrip(".") for name in names if name.endswith(".*"))
        packages = {target.parent for name in stars for target in self.named(folder, name) if target.stem == "__init__"}
        return found.union(*(self._old_in.get(package, ()) for package in packages)) - {path}

    def fixtures(self, path: Path) -> set[Path]:
        """Return the files whose fixtures pytest gives to the tests and fixtures of a file."""
        folders = path.parents if "conftest" in self._by_name and self.scans[path].asks else ()
        return {file for folder in folders if (file := folder / "conftest.py") in self.scans} - {path}

    def named(self, folder: tuple[str, ...], name: str) -> list[Path]:
        """Return the files that a name can mean in a file of a folder: absolute, those whose search path is nearest."""
        bare = name.lstrip(".")
        wanted = tuple(bare.split(".")) if bare else ()
        if level := len(name) - len(bare):
            wanted = (*folder[: len(folder) - level + 1], *wanted)
        candidates = self._by_name.get(wanted[-1], ()) if wanted else ()
        if level:
            return [target for parts, target in candidates if parts == wanted]
        found = [(parts[: -len(wanted)], target) for parts, target in candidates if parts[-len(wanted) :] == wanted]
        near = [target for home, target in found if folder[: len(home)] == home]
        return near or [target for _, target in found]


def module_parts(path: Path) -> tuple[str, ...]:
    """Return the parts of a path that an import can name: without the suffix, a package's by its folder."""
    return path.parent.parts if path.stem == "__init__" else (*path.parent.parts, path.stem)


def reached(starts: Collection[Path], arrows: Mapping[Path, Collection[Path]]) -> set[Path]:
    """Return the files that arrows lead to, the starts among them."""
    seen = set(starts)
    border = list(seen)
    while border:
        border = list({target for path in border for target in arrows.get(path, ())} - seen)
        seen.update(border)
    return seen


def groups(paths: Collection[Path], imports: Imports) -> list[list[Path]]:
    """Split files into those that imports connect, each sorted, in the order of their first files."""
    both = {path: (imports.of[path] | imports.importers.get(path, set())).intersection(paths) for path in paths}
    left = set(paths)
    found = []
    for path in sorted(paths):
        if path in left:
            group = reached([path], both)
            left -= group
            found.append(sorted(group))
    return found
