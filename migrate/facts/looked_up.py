"""Names that the files of a project may look up in each other: by texts, undecided attributes, computed names."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from pathlib import Path

from migrate.facts.forest import Forest, last_name
from migrate.facts.introspection import key_of
from migrate.facts.name_tables import beginnings
from migrate.python._looping import beginning, rows
from migrate.python.known_calls import IMPORTING, LOADING, MEMBERS, NAMESPACES, OF_METHODS, SEEKING, TAKING
from migrate.python.listing import listings
from migrate.python.modules import MAIN, Project, is_guard, is_standard, last_part
from migrate.python.scopes import Kind
from migrate.python.values import External, Module, Plain, Value, Values

_WORD = re.compile(r"\w+")
_NAMESPACES = NAMESPACES | {"dir"}
_LISTING = _NAMESPACES | MEMBERS
_RUNNING = frozenset({"eval", "exec"})
# What reads names from texts; where a project has none of it, a text that is a name is one that is shown.
_READING = (SEEKING - {"compile"}) | IMPORTING | {"locate", "methodcaller", "modules", "patch", "run_path"}
_MODULES = External("sys.modules")
_OF_FRAMES = frozenset({"f_globals", "__globals__"})  # the names of whichever module a frame or function is of


class LookedUp:
    """What the files of a project look up in each other. Statements that make `__all__` look nothing up.

    known: places of which it is decided whether they change.
    """

    def __init__(self, forest: Forest, values: Values, project: Project, known: Set[ast.AST]) -> None:
        self._forest, self._values, self._project, self._known = forest, values, project, known
        self._stems = frozenset(map(last_part, project.trees))
        self._nodes: dict[Path, list[ast.AST]] = {}
        for path, tree in project.trees.items():
            guards = [it.test for it in tree.body if isinstance(it, ast.If) and is_guard(it)]
            aside = [*listings(project.names(path)), *guards]
            left_out = {part for place in aside for part in ast.walk(place)}
            self._nodes[path] = [node for node in ast.walk(tree) if node not in left_out]

    def words(self, wanted: Set[str]) -> Mapping[str, Set[Path]]:
        """Return the wanted names that are in texts which are Python, every undecided attribute, and what is imported
        from a module that may be several files; with the files of which they may be names.
        """
        found: dict[str, set[Path]] = {}
        for word, files in self._worded(wanted):
            found.setdefault(word, set()).update(files)
        return {word: files for word, files in found.items() if files}

    def _worded(self, wanted: Set[str]) -> Iterator[tuple[str, Iterable[Path]]]:
        files = self._nodes.keys()
        for path, nodes in self._nodes.items():
            for node in nodes:
                if node in self._known:
                    continue
                if isinstance(node, ast.Attribute):
                    yield node.attr, self._read_of(node.value)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    is_read = self._reads_texts or not node.value.isidentifier()
                    yield from ((word, files) for word in (_names_in(node.value, wanted) if is_read else ()))
                elif isinstance(node, ast.Import | ast.ImportFrom):
                    yield from ((word, files) for word in self._imported(path, node))
                elif isinstance(node, ast.keyword) and self._reads_texts:
                    yield from [(node.arg, files)] if node.arg is not None and node.arg in wanted else ()

    @cached_property
    def _beginnings(self) -> Mapping[Path, frozenset[str]]:
        """The files in which names are looked up that are computed, with what these begin with."""
        found: dict[Path, set[str]] = {}
        for path in self._nodes:
            for file, text in self._files(path):
                found.setdefault(file, set()).add(text)
        return {path: frozenset(texts) for path, texts in found.items()}

    def is_computed(self, path: Path, name: str) -> bool:
        """Whether a name of a file may be one that is computed where it is looked up."""
        return any(map(name.startswith, self._beginnings.get(path, ())))

    @cached_property
    def _reads_texts(self) -> bool:
        """Whether something in the project may look up what a text names."""
        nodes = (node for nodes in self._nodes.values() for node in nodes)
        return any(getattr(node, "id", getattr(node, "attr", getattr(node, "name", ""))) in _READING for node in nodes)

    def _read_of(self, base: ast.expr) -> Iterable[Path]:
        """Return the files of the project that an expression may be the module of, and what these have stars of."""
        found = self._values.of(base)
        known = [*self._paths(found)]
        others = [value for value in found if not isinstance(value, Module) or value.path not in known]
        if not found or any(map(self._may_be_module, others)):
            return self._nodes.keys()
        return [file for path in known for file, _ in self._with_stars(path)]

    def _may_be_module(self, value: Value) -> bool:
        if isinstance(value, Module):
            return value.path is not None or self._is_ambiguous(value.name)
        if isinstance(value, External):
            return value == _MODULES or self._is_ambiguous(value.name)
        return value is Plain.UNKNOWN

    def _is_ambiguous(self, name: str) -> bool:
        """Whether a module that is none of the project's may be one of its files all the same."""
        return name == MAIN or (not is_standard(name) and name.rpartition(".")[2] in self._stems)

    def _imported(self, path: Path, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if self._project.resolve(path, alias.name) is None]
            yield from (name.rpartition(".")[2] for name in names if self._is_ambiguous(name))
        elif self._project.home(path, node) is None and self._is_ambiguous(node.module or ""):
            yield from ((node.module or "").rpartition(".")[2], *(alias.name for alias in node.names))

    def _files(self, path: Path) -> Iterator[tuple[Path, str]]:
        """Iterate over the files in which one file looks computed names up, with what they begin with."""
        for node in self._nodes[path]:
            if isinstance(node, ast.Attribute) and node.attr == "__dict__":
                yield from self._modules(node.value, self._kept.get(node, ""))
            elif isinstance(node, ast.Attribute) and node.attr in _OF_FRAMES:
                yield from (found for file in self._project.trees for found in self._keyed(file, node))
            elif isinstance(node, ast.Name) and node.id in TAKING and not self._is_called(node):
                yield from ((file, "") for file in self._unfollowed)
            elif isinstance(node, ast.Call):
                called, (first, second) = last_name(node.func), [*node.args[:2], None, None][:2]
                if called in _RUNNING and first is not None and not isinstance(first, ast.Constant):
                    yield from self._with_stars(path) if self._sees_module(node) else ()
                elif called in _NAMESPACES and first is None and self._is_of_module(node, called):
                    yield from self._keyed(path, node)
                elif called in _LISTING and first is not None:
                    yield from self._modules(first, self._kept.get(node, ""))
                elif called in TAKING and first is not None and second is not None:
                    yield from self._asked(first, second)
                elif called == "attrgetter" and not all(isinstance(name, ast.Constant) for name in node.args):
                    yield from ((file, "") for file in self._unfollowed)
                elif called in OF_METHODS and isinstance(node.func, ast.Attribute) and first is not None:
                    yield from self._asked(node.func.value, first)

    @cached_property
    def _kept(self) -> Mapping[ast.AST, str]:
        return beginnings(self._forest)

    def _asked(self, owner: ast.expr, name: ast.expr) -> Iterator[tuple[Path, str]]:
        """Iterate over the files that may be asked for a name that is not a constant."""
        if not isinstance(name, ast.Constant):
            yield from self._modules(owner, self._begun(name))

    def _begun(self, name: ast.expr) -> str:
        """Return what a computed name begins with, as far as that is written."""
        names = self._forest.of(name)
        bindings = names.of[name].bindings if isinstance(name, ast.Name) else []
        for row in rows(name, names) if len(bindings) == 1 else ():
            if isinstance(row, ast.Call) and row.args:  # sorted(names)
                row = row.args[0]
            made = names.of[row].bindings if isinstance(row, ast.Name) else []
            assigned = names.parents[made[0]] if len(made) == 1 else None
            row = assigned.value if isinstance(assigned, ast.Assign) else row
            return self._kept.get(bindings[0], self._kept.get(row, ""))
        return beginning(name)[0]

    def _is_called(self, node: ast.Name) -> bool:
        outer = self._forest.parents[node]
        return isinstance(outer, ast.Call) and outer.func is node

    def _is_of_module(self, node: ast.Call, called: str) -> bool:
        """Whether a call gives the names of the module around it."""
        return called == "globals" or self._forest.of(node).scope(node).kind is Kind.MODULE

    def _keyed(self, path: Path, namespace: ast.expr) -> Iterator[tuple[Path, str]]:
        """Iterate over the files whose names a namespace is asked for, but for one that is written, or stored there."""
        outer = self._forest.parents[namespace]
        key = outer.left if isinstance(outer, ast.Compare) else key_of(outer, self._forest)
        if not isinstance(key, ast.Constant) and not isinstance(getattr(outer, "ctx", None), ast.Store):
            yield from self._with_stars(path, self._begun(key) if key else "")

    def _sees_module(self, node: ast.Call) -> bool:
        """Whether the text that a call runs sees the names of the module: no namespace of its own is given."""
        given = self._values.of(node.args[1]) if len(node.args) > 1 else frozenset({Plain.UNKNOWN})
        return not given or not given.isdisjoint((Plain.UNKNOWN, Plain.NONE))

    def _modules(self, node: ast.expr, beginning: str) -> Iterator[tuple[Path, str]]:
        """Iterate over the files that an expression may mean as a module."""
        found = self._values.of(node)
        known = list(self._paths(found))
        for path in known:
            yield from self._with_stars(path, beginning)
        if _MODULES in found and not known:
            yield from ((path, beginning) for path in self._project.trees)
        elif not found or Plain.UNKNOWN in found:
            yield from ((path, beginning) for path in self._unfollowed)

    def _paths(self, values: Iterable[Value]) -> Iterator[Path]:
        """Iterate over the files of the modules among some values."""
        for value in values:
            if isinstance(value, Module) and value.path is not None and value.path in self._project.trees:
                yield value.path

    def _with_stars(self, path: Path, beginning: str = "") -> Iterator[tuple[Path, str]]:
        yield from ((file, beginning) for file in (path, *self._project.starred(path)))

    @cached_property
    def _unfollowed(self) -> frozenset[Path]:
        """The files that are values where nobody may follow them, or are imported by computed names."""
        found: set[Path] = set()
        for kind in (ast.Name, ast.Attribute):
            for _, node in self._forest.nodes(kind):
                if not isinstance(self._forest.parents[node], ast.Attribute):
                    found.update(self._paths(self._values.of(node)))
        found.update(self._project.trees if self.is_loading else ())
        return frozenset(file for path in found for file, _ in self._with_stars(path))

    @cached_property
    def is_loading(self) -> bool:
        """Whether modules are imported whose names are computed."""
        calls = (call for _, call in self._forest.calls(IMPORTING, LOADING))
        return not all(isinstance(argument, ast.Constant) for call in calls for argument in call.args[:1])


def _names_in(text: str, wanted: Set[str]) -> Set[str]:
    """Return the wanted words of a text, if it is Python, or has examples of it."""
    found, text = wanted & set(_WORD.findall(text)), text.strip(".")  # a part of what is put together
    if found and ">>>" not in text and not text.isidentifier():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return frozenset()
    return found
