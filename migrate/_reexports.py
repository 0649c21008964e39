"""Names of the old API that the files of a project take from each other, through imports and attributes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

from migrate._effects import Effects
from migrate.facts.program import Facts
from migrate.python.listing import displays, is_read, listed
from migrate.python.modules import MAIN, last_part
from migrate.python.scopes import Variable
from migrate.python.values import Module
from migrate.text._uses import is_read_by
from migrate.text.imports import Old

_Key: TypeAlias = tuple[Path, str]  # a name of a module
_WORD = re.compile(r"\w+")


class _Taking(NamedTuple):
    """An alias that takes a name from another file of the project."""

    path: Path
    alias: ast.alias
    key: _Key


class Reexports:
    """Which aliases bring old names into a file, and which names of it others take.

    written: the files that may change. public: the files that other projects may import.
    """

    def __init__(self, facts: Facts, written: Set[Path], public: Set[Path]) -> None:
        self.project, self.vocabulary, self.written, self.public = facts.project, facts.vocabulary, written, public
        self._facts, self._readers = facts, facts.source_readers
        self._same = self.vocabulary.errors | self.vocabulary.helpers  # what comch_next has, too
        self.old: dict[Path, dict[ast.alias, Old]] = {path: {} for path in self.project.trees}
        self._takings: list[_Taking] = []
        self._refused: set[_Key] = set()  # names that aliases take which stay by themselves
        for reference in facts.references:
            if isinstance(reference.node, ast.alias) and reference.code:
                self._refuse(reference.path, reference.node)
            elif isinstance(reference.node, ast.alias):
                self._note(reference.path, reference.node)
        for reference in facts.other_references:
            if isinstance(reference.node, ast.alias):
                self._refuse(reference.path, reference.node)
        effects = Effects(facts)
        for path, alias, (home, _) in self._takings:
            self.old[path][alias] = replace(self.old[path][alias], inert=effects.is_inert(home, path))

    def _refuse(self, path: Path, alias: ast.alias) -> None:
        statement = self.project.names(path).parents[alias]
        home = self.project.home(path, statement) if isinstance(statement, ast.ImportFrom) else None
        if home is not None:
            self._refused.add((home, alias.name))

    def _note(self, path: Path, alias: ast.alias) -> None:
        statement = self.project.names(path).parents[alias]
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        if isinstance(statement, ast.Import):
            self.old[path][alias] = Old(True, True)
            return
        home = self.project.home(path, statement)
        symbol = self._symbol(path, alias, frozenset())
        self.old[path][alias] = Old(not symbol, home is None, symbol if symbol in self._same else "")
        if home is not None:
            self._takings.append(_Taking(path, alias, (home, alias.name)))

    def _symbol(self, path: Path, alias: ast.alias, around: frozenset[ast.alias]) -> str:
        """Return the old name that an alias of a from-import stands for, "" for the old module."""
        statement = self.project.names(path).parents[alias]
        if isinstance(statement, ast.Import):
            return ""
        assert isinstance(statement, ast.ImportFrom)
        home = self.project.home(path, statement)
        if home is None:
            return "" if self.vocabulary.package(f"{statement.module}.{alias.name}") else alias.name
        for binding in self._bindings((home, alias.name)):
            if isinstance(binding, ast.alias) and binding not in around:
                return self._symbol(home, binding, around | {alias})
        return alias.name

    def _bindings(self, key: _Key) -> list[ast.AST]:
        variable = self._variable(key)
        return variable.bindings if variable else []

    def _variable(self, key: _Key) -> Variable | None:
        path, name = key
        return self.project.names(path).module.variables.get(name) if path in self.project.trees else None

    @cached_property
    def internal(self) -> frozenset[Path]:
        """The files from whose `__all__` names may go: only the project imports them, and nothing reads the list."""
        shown = {home for path in self._readers for home in self.project.starred(path)}
        files = self.written & self.project.trees.keys() - self.public - self._readers - shown
        able = (path for path in files if self.old[path] or self.project.stars(path))
        found = [path for path in able if displays(self.project.names(path)) and self.project.importers[path]]
        read = found and any(map(is_read, self.project.trees.values()))
        return frozenset() if read else frozenset(found)

    # ------------------------------------------------------------------ what stays

    def settle(self, stays: Mapping[Path, Set[ast.AST]], dropped: Set[ast.alias]) -> Mapping[Path, Mapping[str, bool]]:
        """Return for each file the names that others take, and whether for something old; fills `Old.stays`.

        dropped: aliases that no longer take anything.
        """
        read = {key for path in stays for key in self._read_through(path, stays[path])} | self._refused
        taken: dict[_Key, bool] = dict.fromkeys(read.union(*map(self.origins, read)), True)
        own = {taking: self._is_old(taking, stays) for taking in self._takings}
        changing = True
        while changing:
            changing = False
            for taking in self._takings:
                module = self.old[taking.path][taking.alias].module
                here = (taking.path, self.project.names(taking.path).of[taking.alias].name)
                source = taken.get(taking.key, False) or self._source_stays(taking.key, stays, taken)
                old = own[taking] or taken.get(here, False) or (module and source)
                changing = changing or old != own[taking] or taken.get(taking.key) != (old or source)
                own[taking], taken[taking.key] = old, old or source
                if taken[taking.key]:
                    new = [origin for origin in self.origins(taking.key) if not taken.get(origin)]
                    changing = changing or bool(new)
                    taken.update(dict.fromkeys(new, True))
        unused = {taking.key for taking in self._takings if taking.alias in dropped}
        unused -= {taking.key for taking in self._takings if taking.alias not in dropped}
        for taking, old in own.items():
            files = self.old[taking.path]
            files[taking.alias] = replace(files[taking.alias], stays=old)
        exported: dict[Path, dict[str, bool]] = {path: {} for path in self.project.trees}
        for (path, name), old in taken.items():
            if (path, name) in unused and not old:
                continue
            exported.setdefault(path, {})[name] = old
        for path, name in chain(self._public(), self._looked_up):
            exported[path].setdefault(name, False)
        for path, names in self._handed_on(exported):
            for name in names:
                for home, _ in self.origins((path, name)):
                    exported[home].setdefault(name, exported[path].get(name, False))
        return exported

    def _handed_on(self, exported: Mapping[Path, Mapping[str, bool]]) -> list[tuple[Path, list[str]]]:
        """Return for each file with star imports the names that others need of it."""
        return [
            (path, [*exported[path], *(() if path in self.internal else listed(self.project.names(path)))])
            for path in self.project.trees
            if self.project.stars(path)
        ]

    def origins(self, key: _Key) -> list[_Key]:
        """Return the names of other files of the project that a name is, which a file has by star imports."""
        path, name = key
        if path not in self.project.trees or self._bindings(key):
            return []
        homes = dict.fromkeys(self.project.starred(path))
        return [(home, name) for home in homes if self._bindings((home, name)) or self._is_starred((home, name))]

    def _is_starred(self, key: _Key) -> bool:
        """Whether a file has a name by a star import of the old API."""
        path, name = key
        starred = any(alias.name == "*" and old.direct for alias, old in self.old[path].items())
        return starred and name in self.vocabulary.exports

    @cached_property
    def clashes(self) -> Mapping[Path, Set[str]]:
        """What public names of files may not be called that others have star imports of: names of these others."""
        found: dict[Path, set[str]] = {}
        for user in self.project.trees:
            homes = set(self.project.starred(user)) if self.project.stars(user) else set()
            givers = Counter(name for home in homes for name in self.project.exports(home))
            for home in homes:
                own = {name for name in self.project.exports(home) if givers[name] == 1}
                found.setdefault(home, set()).update(self.project.names(user).module.variables, givers.keys() - own)
        return found

    # ------------------------------------------------------------------ what is looked up

    @cached_property
    def _looked_up(self) -> frozenset[_Key]:
        """The old names of files that others import which texts, attributes of something, or look-ups may take."""
        found = self._facts.looked_up
        words = found.words(self._wanted())
        keys: set[_Key] = set()
        for path, old in self.old.items():
            names, importers = self.project.names(path), self.project.importers[path]
            given = bool(importers) or last_part(path) in words or MAIN in words or found.is_loading
            for alias in old:
                name = alias.name if alias.name == "*" else names.of[alias].name
                bound = self.vocabulary.exports if name == "*" else frozenset({name})
                is_read = given and path in words.get(name, ())
                if is_read or any(found.is_computed(path, each) for each in bound):
                    keys.add((path, name))
            if given:
                read = (word for word, files in words.items() if path in files)
                keys |= {(path, word) for word in read if self._is_starred((path, word))}
            for name, variable in names.module.variables.items():
                keys.update(self.origins((path, name)) if variable.deletions else ())
        return frozenset(keys)

    def _wanted(self) -> Set[str]:
        """Return the names of files of the project, and those that imports of something old bring to them."""
        aliases = [(path, alias) for path, old in self.old.items() for alias in old]
        names = {self.project.names(path).of[alias].name for path, alias in aliases if alias.name != "*"}
        names |= self.vocabulary.exports if any(alias.name == "*" for _, alias in aliases) else frozenset()
        return names.union(map(last_part, self.project.trees), [MAIN])

    def _public(self) -> Iterator[_Key]:
        """Iterate over the old names that files import for others: those that comch_next has, too, stay.

        Of the rest, those that no file of the project takes. A package is for others, and `from it import X as X`.
        """
        taken = {taking.key for taking in self._takings}
        for reference in self._facts.references:
            taken.update(self._read_through(reference.path, {reference.node}))
        for path, old in self.old.items():
            for alias in old if path not in self.internal else ():
                variable = self.project.names(path).of[alias] if alias.name != "*" else None
                is_package = path.name == "__init__.py" and variable is not None and not variable.loads
                if variable is not None and (is_package or alias.asname == alias.name):
                    key = path, variable.name
                    yield from [key] if old[alias].new or key not in taken else []

    def _is_old(self, taking: _Taking, stays: Mapping[Path, Set[ast.AST]]) -> bool:
        names = self.project.names(taking.path)
        return taking.path not in self.written or is_read_by(names, names.of[taking.alias], stays[taking.path])

    def _source_stays(self, key: _Key, stays: Mapping[Path, Set[ast.AST]], taken: Mapping[_Key, bool]) -> bool:
        """Whether the file that a name is taken from keeps it old."""
        if origins := self.origins(key):
            return any(self._source_stays(origin, stays, taken) for origin in origins if self._bindings(origin))
        if key[0] in self.written and self._is_starred(key) and not self._bindings(key):
            of = self.project.names(key[0]).of
            unbound = (isinstance(node, ast.Name) and not of[node].bindings for node in stays[key[0]])
            return any(unbound) or any(
                old for (path, name), old in taken.items() if path == key[0] and self._is_starred((path, name))
            )
        variable = self._variable(key)
        if variable is None or key[0] not in self.written:
            return True
        names = self.project.names(key[0])
        foreign = any(isinstance(node, ast.alias) and node not in self.old[key[0]] for node in variable.bindings)
        return foreign or is_read_by(names, variable, stays[key[0]])

    def _may_be_starred(self, path: Path, variable: Variable) -> bool:
        is_global = variable.scope is self.project.names(path).module
        return not variable.bindings or (is_global and bool(self.project.rebinding(path, variable.name)))

    def _read_through(self, path: Path, stays: Set[ast.AST]) -> Iterator[_Key]:
        """Iterate over the names of other files that references which stay read as `module.name`."""
        names = self.project.names(path)
        for node in stays:
            if isinstance(node, ast.Constant):
                keys = ((path, word) for word in _WORD.findall(str(node.value)))
                yield from (key for key in keys if self._bindings(key) or self.origins(key))
            while isinstance(node, ast.Attribute):
                found = self._facts.values.of(node.value)
                yield from ((it.path, node.attr) for it in found if isinstance(it, Module) and it.path is not None)
                if not isinstance(node.value, ast.Name | ast.Attribute):  # whichever module it is
                    yield from (
                        (file, node.attr) for file, old in self.old.items() if old and self._bindings((file, node.attr))
                    )
                node = node.value
            if isinstance(node, ast.Name) and self._may_be_starred(path, names.of[node]):
                yield from ((home, node.id) for home in self.project.starred(path))
