"""Files that open the C library through cffi or ctypes: whatever names it there follows from one place."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from migrate.facts.forest import Forest, last_name
from migrate.facts.references import OF_C, Reference
from migrate.facts.texts import OPENERS, Texts
from migrate.facts.tokens import has_symbol
from migrate.python.modules import Project
from migrate.python.values import Values

OPENED, COMPILED = "CCM089", "CCM097"
_PACKAGES = frozenset({"cffi", "ctypes"})

Place = tuple[Path, ast.AST]


class Cause(NamedTuple):
    """A place that keeps a file as it is which calls C, and the code for it. evidence: why runs do not settle it."""

    path: Path
    node: ast.AST
    code: str
    evidence: str = ""


class OpenedLibraries:
    """Finds the place behind each use of a library; a file takes over what it imports from others of the project."""

    def __init__(
        self, forest: Forest, values: Values, project: Project, texts: Texts, causes: Mapping[Path, Cause]
    ) -> None:
        """causes: what keeps files as they are, where that is known to be something else than the library itself."""
        self._forest, self._values, self._project, self._texts = forest, values, project, texts
        self._causes = causes

    def explained(self, references: Sequence[Reference]) -> list[Reference]:
        """Return the references; those to a library that is opened have the code and the place for it."""
        used = dict.fromkeys(reference for reference in references if self._is_of_library(reference))
        places = self._places(used)
        causes = {path: self._causes.get(home, Cause(home, node, self._code(home)))
                  for path, (home, node) in places.items()}  # fmt: skip
        causes |= self._causes
        return [
            replace(reference, code=cause.code, opened=(cause.path, cause.node, cause.evidence))
            if reference in used and (cause := causes.get(reference.path))
            else reference
            for reference in references
        ]

    def _code(self, path: Path) -> str:
        """Return the code for a file that calls C: whether it has cffi compile C text."""
        calls = (call for call in self._forest.in_file(path, ast.Call) if last_name(call.func) == "set_source")
        return COMPILED if any(ast.unparse(part) != "None" for call in calls for part in call.args[1:]) else OPENED

    def _is_of_library(self, reference: Reference) -> bool:
        node = reference.node
        if not reference.code:
            return False
        if isinstance(node, ast.Constant):
            return self._texts.names_library(node) and not self._is_asked_of_module(node)
        return reference.code == OF_C and not isinstance(node, ast.alias)

    def _is_asked_of_module(self, node: ast.Constant) -> bool:
        """Whether getattr and its like ask the old Python module for a name."""
        call = next((above for above in self._forest.above(node) if isinstance(above, ast.Call)), None)
        return call is not None and bool(call.args) and has_symbol(self._values.of(call.args[0]))

    def _places(self, used: Collection[Reference]) -> dict[Path, Place]:
        """Return the place for each file: its own, or that of a file that it imports, or of the first use."""
        ordered = sorted(filter(self._calls_c, used), key=lambda reference: _place_in_text(reference.node))
        places: dict[Path, Place] = {}
        for is_wanted in (self._texts.opens_library, lambda node: True):
            own = {reference.path: (reference.path, reference.node) for reference in reversed(ordered)
                   if is_wanted(reference.node)}  # fmt: skip
            self._spread({path: place for path, place in own.items() if path not in places}, places)
        return places

    def _spread(self, own: Mapping[Path, Place], places: dict[Path, Place]) -> None:
        """Add places of files, and give them to those that import the files and have none."""
        places |= own
        border = list(own)
        while border:
            path = border.pop(0)
            for importer in self._importers(path):
                if importer not in places:
                    places[importer] = places[path]
                    border.append(importer)

    def _calls_c(self, reference: Reference) -> bool:
        """Whether the file of a use can open libraries, and does so; or declares C, as scripts do that compile."""
        imported = (name for node in self._forest.of(reference.node).imports for name in _imported(node))
        if _PACKAGES.isdisjoint(name.partition(".")[0] for name in imported):
            return False
        calls = self._forest.in_file(reference.path, ast.Call)
        return isinstance(reference.node, ast.Constant) or any(last_name(call.func) in OPENERS for call in calls)

    def _importers(self, path: Path) -> Iterator[Path]:
        """Yield the files that import a file, or the module that it has cffi compile."""
        yield from self._project.importers[path]
        calls = self._forest.in_file(path, ast.Call)
        sources = (call.args[0] for call in calls if last_name(call.func) == "set_source" and call.args)
        compiled = {str(name.value) for name in sources if isinstance(name, ast.Constant)}
        for other, names in self._forest.names.items() if compiled else ():
            imported = {name for node in names.imports for name in _imported(node)}
            if imported & compiled:
                yield other


def _place_in_text(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""
