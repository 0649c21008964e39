"""The files of a project as modules: which file an import means, what a star import binds, who imports whom."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from migrate.python.listing import certain, displays, is_listing, listed
from migrate.python.scopes import Names

STANDARD = frozenset(sys.stdlib_module_names) | {"builtins", "__future__"}
MAIN = "__main__"


def is_standard(name: str) -> bool:
    """Whether a dotted name is of Python's own library."""
    return name.partition(".")[0] in STANDARD


def last_part(path: Path) -> str:
    """Return the last part of the name that the module of a file has."""
    return path.parent.name if path.stem == "__init__" else path.stem


class Project:
    """The files of one project, each with its tree; paths are compared as they are given."""

    def __init__(self, trees: Mapping[Path, ast.Module], names: Mapping[Path, Names] | None = None) -> None:
        self.trees = dict(sorted(trees.items()))
        self._names: dict[Path, Names] = dict(names or {})
        self._resolved: dict[tuple[Path, str, int], Path | None] = {}
        self._starred: dict[Path, Sequence[Path]] = {}
        self._exports: dict[Path, frozenset[str]] = {}
        self._folders = {folder for path in self.trees for folder in path.parents}
        self._by_end: dict[str, list[Path]] = {}
        for path in self.trees:
            self._by_end.setdefault(last_part(path), []).append(path)

    def names(self, path: Path) -> Names:
        """The resolved names of a file."""
        if path not in self._names:
            self._names[path] = Names(self.trees[path])
        return self._names[path]

    # ------------------------------------------------------------------ from a name to a file

    def resolve(self, path: Path, name: str, level: int = 0) -> Path | None:
        """The file (or folder without `__init__.py`) that `import name` in a file means; None for one elsewhere."""
        key = (path, name, level)
        if key not in self._resolved:
            self._resolved[key] = self._find(path, name.split(".") if name else [], level)
        return self._resolved[key]

    def _find(self, path: Path, parts: list[str], level: int) -> Path | None:
        if not all(map(str.isidentifier, parts)):
            return None  # a text like any other
        if level:
            folder = path.parent
            for _ in range(level - 1):
                folder = folder.parent
            return self._at(folder, parts)
        return self._nearest(path, parts) if parts else None  # the text in `graph.setattr("colour", 1)` names none

    def submodule(self, module: Path, name: str) -> Path | None:
        """The module of that name in a package (its `__init__.py` or folder)."""
        if module.stem != "__init__" and module in self.trees:
            return None
        return self._at(module if module in self._folders else module.parent, [name])

    def _at(self, folder: Path, parts: list[str]) -> Path | None:
        place = folder.joinpath(*parts)
        for file in (place / "__init__.py", place.with_name(place.name + ".py") if parts else place):
            if file in self.trees:
                return file
        return place if place in self._folders and place != Path() else None

    def _nearest(self, path: Path, parts: list[str]) -> Path | None:
        """Search where Python would: the file's folder when that is not a package, then the folders around it.

        A name that is none of Python's own and lies elsewhere (`src/`, `lib/`) is found when one file has it.
        """
        standard = is_standard(parts[0])
        for index, folder in enumerate(path.parents):
            is_package = folder / "__init__.py" in self.trees
            if is_package if standard else index > 0 and is_package and len(path.parents) > index + 1:
                continue
            found = self._at(folder, parts)
            if found is not None and found != path and (found in self.trees or not standard):
                return found
            if standard:
                return None  # only a script's own folder comes before the standard library
        ends = [file for file in self._by_end.get(parts[-1], ()) if file != path and _ends(file, parts)]
        return ends[0] if len(ends) == 1 else None

    # ------------------------------------------------------------------ from a file to its imports

    def home(self, path: Path, node: ast.ImportFrom) -> Path | None:
        """The module of the project that a from-import takes its names from."""
        return self.resolve(path, node.module or "", node.level)

    def stars(self, path: Path) -> tuple[ast.ImportFrom, ...]:
        """The star imports of a file."""
        return tuple(self.names(path).module.stars)

    def rebinding(self, path: Path, name: str) -> list[ast.ImportFrom]:
        """Return the star imports of files of the project that may bind a name anew which a file binds before."""
        bindings = self.names(path).module.variables[name].bindings
        first = min((getattr(binding, "lineno", 0) for binding in bindings), default=0)
        later = [star for star in self.stars(path) if star.lineno > first] if bindings else []
        return [star for star in later if (home := self.home(path, star)) and name in self.exports(home)]

    def starred(self, path: Path) -> Sequence[Path]:
        """Return the other files of the project whose names a file has by star imports, and they by theirs."""
        if path not in self._starred:
            self._starred[path] = self._reached(path, lambda _: True)
        return self._starred[path]

    def _reached(self, path: Path, hands_on: Callable[[Path], bool]) -> list[Path]:
        """Return the other files that a file reaches by star imports, through files that hand their names on."""
        found: dict[Path, None] = {path: None}
        todo = [path]
        while todo:
            file = todo.pop()
            found.setdefault(file)
            homes = (self.home(file, star) for star in self.stars(file)) if hands_on(file) else ()
            todo += reversed([home for home in homes if home in self.trees and home not in found])
        return [file for file in found if file != path]

    def is_open(self, path: Path) -> bool:
        """Whether a star import of a file may bind more than `exports` has: it has star imports, and lists no names."""
        return bool(self.stars(path)) and not self._is_closed(path)

    def _is_closed(self, path: Path) -> bool:
        """Whether a file has an `__all__` that is written as lists."""
        return is_listing(self.names(path)) and bool(displays(self.names(path)))

    def exports(self, path: Path) -> frozenset[str]:
        """Every name that a star import of a file may bind, through its own star imports of the project too."""
        if path not in self._exports:
            files = self._reached(path, lambda file: not self._is_closed(file)) if path in self.trees else []
            brought = frozenset[str]().union(*map(self._own, files))
            public = frozenset(name for name in brought if not name.startswith("_"))
            self._exports[path] = self._own(path) | public if path in self.trees else public
        return self._exports[path]

    def _own(self, path: Path) -> frozenset[str]:
        """Every name that a star import of a file may bind, but for what star imports bring to that."""
        names = self.names(path)
        given = frozenset(listed(names) if is_listing(names) else ())
        bound = (name for name, variable in names.module.variables.items() if variable.bindings)
        return given if self._is_closed(path) else given.union(name for name in bound if not name.startswith("_"))

    def binds(self, path: Path, name: str) -> bool:
        """Whether a star import of a file binds a name in any case."""
        variable = self.names(path).module.variables.get(name) if path in self.trees else None
        if variable is None or variable.deletions:
            return False
        is_given = name in certain(self.names(path)) if is_listing(self.names(path)) else not name.startswith("_")
        if not is_given:
            return False
        parents, body = self.names(path).parents, self.trees[path].body
        return any(place in body for node in variable.bindings for place in (node, parents.get(node)))

    def brought(self, path: Path) -> frozenset[str]:
        """Every name that a star import of a file gets in any case from what another file of the project makes."""
        homes = [self.home(path, star) for star in self.stars(path) if star in self.trees[path].body]
        return frozenset(
            name
            for home in homes
            if home in self.trees
            for name in self.exports(home)
            if self.binds(home, name) and not any(map(_is_alias, self.names(home).module.variables[name].bindings))
        )

    @cached_property
    def imports(self) -> Mapping[Path, frozenset[Path]]:
        """For every file the files of the project that it imports."""
        return {path: frozenset(self._imported(path)) - {path} for path in self.trees}

    def is_script(self, path: Path) -> bool:
        """Whether a file does its work when it is run (`if __name__ == "__main__":`), and no file imports it."""
        return not self.importers[path] and any(map(is_guard, self.trees[path].body))

    @cached_property
    def importers(self) -> Mapping[Path, frozenset[Path]]:
        """For every file the files of the project that import it."""
        importers: dict[Path, set[Path]] = {path: set() for path in self.trees}
        for path, imported in self.imports.items():
            for file in imported:
                importers[file].add(path)
        return {path: frozenset(files) for path, files in importers.items()}

    def _imported(self, path: Path) -> Iterator[Path]:
        for node in self.names(path).imports:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    parts = alias.name.split(".")
                    for count in range(1, len(parts) + 1):
                        found = self.resolve(path, ".".join(parts[:count]))
                        if found in self.trees:
                            yield found
            else:
                home = self.home(path, node)
                if home is not None:
                    names = [alias.name for alias in node.names]
                    names += self.exports(home) if names == ["*"] else []
                    files = [home, *(self.submodule(home, name) for name in names)]
                    yield from (file for file in files if file in self.trees)


def _is_alias(node: ast.AST) -> bool:
    return isinstance(node, ast.alias)


def _ends(file: Path, parts: list[str]) -> bool:
    place = file.parent if file.stem == "__init__" else file.with_suffix("")
    return list(place.parts[-len(parts) :]) == parts


def is_guard(statement: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":`."""
    test = statement.test if isinstance(statement, ast.If) else None
    parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return names == ["__name__"] and texts == [MAIN]
