"""The old libraries that a project opens: which they are, what stands for them, and which files share them."""

from __future__ import annotations

import ast
from functools import cached_property
from pathlib import Path

from migrate.bindings.tokens import CFunction, Computed, Ffi, Library, Name, Stranger, keys
from migrate.facts.forest import Forest
from migrate.old_api.c_names import is_library
from migrate.python.modules import Project, is_standard
from migrate.python.values import Bound, External, Plain, Value, Values

_DISPLAYS = (ast.List, ast.Tuple, ast.Dict)
_PLAIN = (
    *_DISPLAYS,
    ast.DictComp,
    ast.Constant,
    ast.Name,
    ast.FormattedValue,
    ast.Attribute,
    ast.JoinedStr,
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
)


class Libraries:
    """Answers about the libraries of one project."""

    def __init__(self, forest: Forest, values: Values, project: Project) -> None:
        self.forest, self.values, self.project = forest, values, project
        self._families: dict[Path, frozenset[Path]] = {}

    @cached_property
    def old(self) -> frozenset[Library]:
        """The libraries that old functions are taken from, and those that are opened by an old name for nothing."""
        found: set[Library] = set()
        for _, node in self.forest.nodes(ast.Attribute):
            if any(isinstance(key, CFunction) for key in keys(self.values.of(node))):
                found.update(key for key in keys(self.values.of(node.value)) if isinstance(key, Library))
        known = [token.key for token in self.values.tokens]
        used = {key.library for key in known if isinstance(key, Stranger | Computed)}
        opened = {key for key in known if isinstance(key, Library)} - found - used
        return frozenset(found | set(filter(self._has_old_name, opened))) if found else frozenset()

    def _has_old_name(self, library: Library) -> bool:
        """Whether a library is opened by the name of an old one, or by a variable that has such a name."""
        parts = [part for argument in getattr(library.node, "args", ()) for part in ast.walk(argument)]
        for name in [part for part in parts if isinstance(part, ast.Name)]:
            bindings = self.forest.of(name).of[name].bindings
            values = (self.forest.parents[binding] for binding in bindings)
            parts += [value.value for value in values if isinstance(value, ast.Assign)]
        return any(isinstance(part, ast.Constant) and is_library(str(part.value)) for part in parts)

    @cached_property
    def keep_errno(self) -> bool:
        """Whether ctypes keeps the errno that an old library leaves."""
        opened = (library.node for library in self.old if isinstance(library.node, ast.Call))
        return any(keyword.arg == "use_errno" for call in opened for keyword in call.keywords)

    @cached_property
    def ffis(self) -> frozenset[Ffi]:
        return frozenset(library.ffi for library in self.old if library.ffi is not None)

    def is_plain(self, node: ast.expr) -> bool:
        """Whether the name of a library can be dropped: what makes it has no effect."""
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            return all(map(_is_of_python, self.values.of(node.func))) and all(map(self.is_plain, given))
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        for turn in node.generators if isinstance(node, ast.DictComp) else ():
            parts += [turn.iter, *turn.ifs]
        return isinstance(node, _PLAIN) and all(map(self.is_plain, parts))

    def module(self, path: Path) -> str:
        """Return the old module that has the functions which a file, and those that it shares a library with, call."""
        family = self.family(path)
        taken = (node for file in family for node in self.forest.in_file(file, ast.Attribute))
        names = {key.name for node in taken for key in keys(self.values.of(node)) if isinstance(key, CFunction)}
        return "doca_cc" if any(name.startswith("doca_cc_") for name in names) else "doca_comm_channel"

    def stand_in(self, library: Library) -> str:
        """Return the old module that has the functions which are taken from a library."""
        taken = (node for _, node in self.forest.nodes(ast.Attribute) if library in keys(self.values.of(node.value)))
        names = {key.name for node in taken for key in keys(self.values.of(node)) if isinstance(key, CFunction)}
        if any(name.startswith("doca_comm_channel_") for name in names):
            return "doca_comm_channel"
        return self.module(self.forest.path(library.node))

    def family(self, path: Path) -> frozenset[Path]:
        """Return the files that imports connect with a file."""
        if path not in self._families:
            family: set[Path] = set()
            border = [path]
            while border:
                file = border.pop()
                if file not in family:
                    family.add(file)
                    border += [*self.project.imports[file], *self.project.importers[file]]
            self._families |= dict.fromkeys(family, frozenset(family))
        return self._families[path]


def _is_of_python(function: Value) -> bool:
    """Whether a function is of Python's own library, ctypes among it."""
    if isinstance(function, Bound):
        return _is_of_python(function.function)
    if isinstance(function, External):
        return function.name.startswith(".") or is_standard(function.name)
    return function is Plain.OTHER or any(isinstance(key, Name) for key in keys([function]))


def is_display(node: ast.expr) -> bool:
    """Whether an expression lists something, at least one thing."""
    return isinstance(node, ast.List | ast.Tuple) and bool(node.elts)
