"""Which files of a tree matter: those that name the old API, and those that its handles can reach or pass through.

Names connect files. A definition that involves the old API carries it to every definition that mentions one of its
names, in its own file and in those that import it, and to the definitions of other files that it mentions itself. Files
to which nothing is carried are left out and not parsed. Of the files that importers of the old API import, which may be
a whole large tree, the nearest are taken; a handle that is passed to a module outside of these goes to unknown code, so
it stays old.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterator, Set
from functools import cache
from pathlib import Path

from migrate._prefilter import Imports, groups, reached
from migrate.files import FileError
from migrate.old_api.traces import METHODS, is_old
from migrate.python.definitions import STAR, Definition, Definitions
from migrate.python.known_calls import SEEKING
from migrate.python.source import Source, Unreadable

NEAR_BYTES = 400_000  # of files that are only imported; about 10 000 lines

_WORD = re.compile(rb"[A-Za-z_]\w*")


def affected(imports: Imports, read: Callable[[Path], bytes]) -> set[Path]:
    """Return the files that matter; `read` gives their bytes."""
    old = {path for path, scan in imports.scans.items() if scan.is_old}
    above = reached(old, imports.importers)
    near = reached(above, imports.of)
    alone = [group for group in groups(near, imports) if old.issuperset(group)]  # with nothing to decide
    carrying = _Carrying(imports, read, above)
    carrying.run(old.difference(*alone))
    return {*old, *carrying.files}


class _File:
    """A file that matters. carried: its names that carry the old API; carriers: the definitions that do."""

    def __init__(self, data: bytes) -> None:
        self.definitions = _definitions(data)
        self.naming: dict[str, list[Definition]] = {}
        for definition in self.definitions.each:
            for word in definition.words | definition.binds:
                self.naming.setdefault(word, []).append(definition)
        self.carried: set[str] = set()
        self.carriers: set[Definition] = set()


class _Carrying:
    """Follows names from file to file until nothing new carries the old API.

    above: the files that name the old API, and those that import them, directly or not.
    """

    def __init__(self, imports: Imports, read: Callable[[Path], bytes], above: Collection[Path]) -> None:
        self.imports, self.read, self.above = imports, read, above
        self.files: dict[Path, _File] = {}
        self.left = NEAR_BYTES
        self._using: set[Path] = set()  # files with a carrier that uses an object as a handle
        self._passed: set[tuple[Path, frozenset[str]]] = set()
        self._waiting: deque[tuple[Path, frozenset[str]]] = deque()
        self._words = cache(lambda path: frozenset(map(bytes.decode, _WORD.findall(self._read(path)))))
        self._above_of = cache(lambda path: sorted(reached([path], imports.importers) - {path}))

    def run(self, old: Collection[Path]) -> None:
        """Start from files that name the old API, and from importers of theirs that call methods as it has them."""
        importers = {user for path in old for user in self.imports.importers.get(path, ())}
        for path in sorted({*old, *(user for user in importers if self.imports.scans[user].calls)}):
            self._take(path)
        for path, file in tuple(self.files.items()):
            for definition in file.definitions.each:
                if definition.attributes & METHODS or any(map(is_old, definition.words)):
                    self._touch(path, definition)
        while self._waiting:
            path, names = self._waiting.popleft()
            self._spread(path, names)
            for user in self._above_of(path):
                if user in self.files or self._is_reached(user, path, names):
                    self._take(user)
                    self._spread(user, names)

    def _take(self, path: Path) -> None:
        if path not in self.files:
            self.files[path] = _File(self._read(path))

    def _read(self, path: Path) -> bytes:
        try:
            return self.read(path)
        except FileError:  # it has gone meanwhile
            return b""

    def _is_reached(self, user: Path, path: Path, names: frozenset[str]) -> bool:
        """Whether a file has to do with names of another one that it imports, directly or not."""
        open_to = path in self.above or path in self._using
        if not open_to and user not in self.above and not self.imports.scans[user].calls:
            return False
        words = self._words(user)
        return not names.isdisjoint(words) or self._takes_all(user, path) or self._may_seek(user, path, words)

    def _may_seek(self, user: Path, path: Path, words: Set[str]) -> bool:
        """Whether a file may look names up that are computed in another one."""
        return path in self.imports.of[user] and not words.isdisjoint(SEEKING)

    def _takes_all(self, user: Path, path: Path) -> bool:
        """Whether a file has a star import of another one."""
        stars = (name[:-1] for name in self.imports.scans[user].imports if name.endswith("*"))
        homes = (star if star.strip(".") == "" else star.rstrip(".") for star in stars)
        return any(path in self.imports.named(user.parent.parts, home) for home in homes)

    # ------------------------------------------------------------------ one file

    def _spread(self, path: Path, names: frozenset[str]) -> None:
        """Let names that carry reach the definitions of a file that mention them."""
        naming = self.files[path].naming
        for name in sorted(names & naming.keys()):
            for definition in naming[name]:
                self._touch(path, definition)

    def _touch(self, path: Path, definition: Definition) -> None:
        """Make a definition a carrier: of its names, of what it mentions, and of what it may give to other files."""
        file = self.files[path]
        if definition in file.carriers:
            return
        file.carriers.add(definition)
        self._carry(path, definition.binds | (definition.words & file.definitions.own))
        if definition.attributes & METHODS and path not in self._using:
            self._using.add(path)
            self._waiting.append((path, frozenset(file.carried)))
        self._pass_on(path, definition.words)

    def _carry(self, path: Path, names: frozenset[str]) -> None:
        file = self.files[path]
        if new := names - file.carried:
            file.carried |= new
            self._waiting.append((path, frozenset(new)))

    def _pass_on(self, path: Path, words: frozenset[str]) -> None:
        """Reach the definitions in other files that some words of a file, or one that imports it, can mean."""
        for target in self._meant(path, words):
            if (target, words) in self._passed or not self._is_near(target):
                continue
            self._passed.add((target, words))
            self._take(target)
            self._carry(target, words & self.files[target].definitions.own)
            self._pass_on(target, words)

    def _meant(self, path: Path, words: frozenset[str]) -> Iterator[Path]:
        """Iterate over the files of the project that the names which imports bring to a file stand for.

        Any name can be that of a fixture.
        """
        yield from sorted(self.imports.fixtures(path))
        brought = self.files[path].definitions.imports
        for name in sorted((words & brought.keys()) | ({STAR} & brought.keys())):
            for dotted in sorted(brought[name]):
                yield from self.imports.named(path.parent.parts, dotted)

    def _is_near(self, path: Path) -> bool:
        """Whether a file is among the nearest, or worth a look anyway."""
        scan = self.imports.scans[path]
        if path in self.files or path in self.above or scan.calls:
            return True
        self.left -= scan.size
        return self.left >= 0


def _definitions(data: bytes) -> Definitions:
    try:
        return Definitions(Source(data).tree)
    except Unreadable:  # it is reported as that
        return Definitions(Source(b"").tree)
