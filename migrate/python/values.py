"""Which values an expression can have, over all files of a project: a points-to analysis of its own language.

It ignores the order of statements: a variable, a field of a class or an element of a container has every value that
anything in the project stores there. A value that it cannot follow is UNKNOWN; a place to which it cannot follow a
value is a sink. Values of libraries that a Knowledge describes pass through it as opaque Tokens.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from migrate.python._points_to.attributes import VARIABLES
from migrate.python._points_to.domain import (
    Arguments,
    Bound,
    CallBack,
    Class,
    Collection,
    Descriptor,
    External,
    Function,
    Given,
    Instance,
    Kept,
    Knowledge,
    ListOf,
    Module,
    Partial,
    Plain,
    Super,
    Token,
    Value,
)
from migrate.python._points_to.engine import Engine
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.library_dispatch import REGISTER
from migrate.python._points_to.library_functions import HINT
from migrate.python._points_to.slots import Slot, Unsettled
from migrate.python.modules import Project
from migrate.python.scopes import Names, Variable

__all__ = [
    "Arguments",
    "Bound",
    "CallBack",
    "Class",
    "Collection",
    "Descriptor",
    "External",
    "Function",
    "Given",
    "HINT",
    "Instance",
    "Kept",
    "Knowledge",
    "ListOf",
    "Module",
    "Partial",
    "Plain",
    "REGISTER",
    "Super",
    "Token",
    "Unsettled",
    "Value",
    "Values",
]


class Values:
    """The values of a project's expressions. Sequences are in the order of the files and their text."""

    def __init__(
        self,
        project: Project,
        knowledge: Knowledge,
        *,
        unseen: Callable[[ast.arg], Iterable[Given] | None] = lambda parameter: None,
        annotated: frozenset[ast.arg] = frozenset(),
        seen: Mapping[Variable, Sequence[Value]] = MappingProxyType({}),
    ) -> None:
        """Analyse a project. unseen: what unknown callers pass for a parameter, None for UNKNOWN.

        annotated: parameters for which they pass that even if callers in the project pass no tokens.

        seen: what variables have that would be UNKNOWN. Raises Unsettled for a program that is too dynamic.
        """
        self.project = project
        self._engine = Engine(project, knowledge, unseen, annotated, seen)
        self._answers: dict[ast.expr, frozenset[Value]] = {}
        self._sets: dict[Slot, frozenset[Value]] = {}  # all names of one variable share a slot
        self._uses: dict[Token, Sequence[ast.expr]] = {}

    @property
    def steps(self) -> int:
        """How much work the analysis was: grows as the program does."""
        return self._engine.steps

    # ------------------------------------------------------------------ what expressions can be

    def of(self, node: ast.expr) -> frozenset[Value]:
        """Return what an expression can be where it stands."""
        found = self._answers.get(node)
        if found is None:
            names = self._files.get(node)
            frames = self._frames(node, names) if names else ()
            slots = [self._engine.slot(frame, node) for frame in frames]
            if len(slots) == 1:  # most functions are analysed once
                found = self._sets.get(slots[0])
                if found is None:
                    found = self._sets[slots[0]] = frozenset(slots[0].values)
            else:
                found = frozenset().union(*(slot.values for slot in slots))
            self._answers[node] = found
        return found

    def of_target(self, node: ast.AST) -> frozenset[Value]:
        """Return everything that is stored in what a node binds.

        A name, attribute, subscript, parameter, import alias, function, class, except handler or pattern.
        """
        if isinstance(node, ast.Attribute):
            return self._stored(node)
        if isinstance(node, ast.Subscript):
            owners = (value for value in self.of(node.value) if isinstance(value, Collection | Instance))
            return frozenset(value for owner in owners for value in self._engine.contents(owner).every.values)
        names = self._files.get(node)
        if names is None or node not in names.of:
            return frozenset()
        slots = (self._engine.variable(frame, names.of[node]) for frame in self._frames(node, names))
        return frozenset(value for slot in slots for value in slot.values)

    def _stored(self, node: ast.Attribute) -> frozenset[Value]:
        names = self._files[node]
        name = names.scope(node).mangle(node.attr) if node.attr.startswith("__") else node.attr
        owners = (owner for owner in self.of(node.value) if owner not in (Plain.NONE, Plain.UNKNOWN))
        fields = [self._engine.fields.get(owner, {}).get(name) for owner in owners]
        return frozenset(value for slot in fields if slot is not None for value in slot.values)

    def _frames(self, node: ast.AST, names: Names) -> list[Frame]:
        return self._engine.frames.get(names.function(node), [])

    @cached_property
    def _files(self) -> Mapping[ast.AST, Names]:
        files: dict[ast.AST, Names] = {}
        for path in self.project.trees:
            names = self.project.names(path)
            files.update(dict.fromkeys(names.parents, names))
        return files

    def path(self, node: ast.AST) -> Path:
        """Return the file in which a node stands."""
        return self._paths[self._files[node].tree]

    @cached_property
    def _paths(self) -> Mapping[ast.AST, Path]:
        return {tree: path for path, tree in self.project.trees.items()}

    def elements(self, collection: Collection) -> frozenset[Value]:
        """Return everything that is in a collection; of a dict its values."""
        return frozenset(self._engine.contents(collection).every.values)

    def module_of(self, namespace: Value) -> Module | None:
        """Return the module that a dictionary has the variables of, None for any other value."""
        if not isinstance(namespace, Collection) or namespace.place != (VARIABLES,):
            return None
        return Module("", self._paths[namespace.node])

    def inside(self, values: Iterable[Value]) -> frozenset[Value]:
        """Return everything that is in the collections among some values."""
        collections = (value for value in values if isinstance(value, Collection))
        return frozenset[Value]().union(*map(self.elements, collections))

    def iterated(self, values: Iterable[Value]) -> frozenset[Value]:
        """Return what iterating over the collections among some values gives: of a dict its keys."""
        collections = (value for value in values if isinstance(value, Collection))
        return frozenset(item for owner in collections for item in self._engine.elements(owner).values)

    @property
    def collections(self) -> Sequence[Collection]:
        """Every collection that some expression can have."""
        return self._engine.collections

    @cached_property
    def held(self) -> Mapping[Value, Iterable[Token]]:
        """The tokens that `==` and hashes of collections and records look at, in what is in these, too."""
        holders: dict[Value, list[Value]] = {}
        for holder in self._engine.holders:
            for item in {item for slot in self._engine.compared(holder) for item in slot.values}:
                if isinstance(item, Token | Collection | Instance):
                    holders.setdefault(item, []).append(holder)
        found: dict[Value, dict[Token, None]] = {}
        for token in [item for item in holders if isinstance(item, Token)]:
            todo: list[Value] = [token]
            while todo:
                new = [holder for holder in holders.get(todo.pop(), ()) if token not in found.get(holder, ())]
                for holder in new:
                    found.setdefault(holder, {})[token] = None
                todo += new
        return found

    @cached_property
    def shows(self) -> Sequence[tuple[ast.expr, frozenset[Value]]]:
        """The calls of Python's own that make or write texts, with each thing that they are given."""
        return [(node, frozenset(slot.values)) for node, slot in self._engine.shows if node in self._files]

    def has_own(self, value: Value, method: str) -> bool:
        """Whether the class of an object, or one of its bases in the project, has a method."""
        return isinstance(value, Instance) and self._engine.binder(value.node, method) is not None

    def shown(self, value: Collection | Instance) -> Sequence[frozenset[Value]]:
        """Return what can stand in each place that the text of a collection or object shows.

        Nothing for an object that makes its own text.
        """
        return [frozenset(slot.values) for slot in self._engine.shown(value)]

    def item(self, collection: Collection, index: int) -> frozenset[Value]:
        """Return what is at an index of a tuple or list."""
        contents = self._engine.contents(collection)
        return frozenset((contents.items.get(index) or contents.some).values)

    def length(self, collection: Collection) -> int | None:
        """Return how many items a tuple has, None where that is not known."""
        return self._engine.contents(collection).length

    # ------------------------------------------------------------------ where values go

    @cached_property
    def _places(self) -> Mapping[Token, Sequence[ast.expr | Variable]]:
        """Where some slot has a token: expressions, and variables that the text names."""
        places: dict[Token, list[ast.expr | Variable]] = {}
        seen: set[tuple[Variable, Slot]] = set()  # which the frames of all functions share that use a variable
        for frame in (frame for frames in self._engine.frames.values() for frame in frames):
            for node, slot in frame.slots.items():
                _note(places, node, slot)
            for variable, slot in frame.variables.items():
                if (variable, slot) not in seen:
                    seen.add((variable, slot))
                    if any(isinstance(node, ast.Name) for node in _named(variable)):
                        _note(places, variable, slot)
        return places

    @cached_property
    def _order(self) -> Mapping[Names, int]:
        return {self.project.names(path): place for place, path in enumerate(self.project.trees)}

    @cached_property
    def tokens(self) -> Sequence[Token]:
        """Every token that some expression can have."""
        return tuple(self._places)

    def uses(self, token: Token) -> Sequence[ast.expr]:
        """Return every expression that can have a token."""
        if token not in self._uses:
            self._uses[token] = tuple(sorted(self.used(token), key=self._place))
        return self._uses[token]

    def used(self, token: Token) -> Iterable[ast.expr]:
        """Return every expression that can have a token, in no order; quicker than `uses`."""
        found = self._places.get(token, ())
        nodes = (node for place in found for node in (_named(place) if isinstance(place, Variable) else [place]))
        unique = dict.fromkeys(node for node in nodes if isinstance(node, ast.expr) and node in self._files)
        return dict.fromkeys(outer for node in unique for outer in self._with_outer(node))

    def _with_outer(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield an expression, and each `:=` that it is the value of."""
        yield node
        above = self._files[node].parents[node]
        if isinstance(above, ast.NamedExpr) and above.value is node:
            yield from self._with_outer(above)

    def _place(self, node: ast.expr) -> tuple[int, int, int, int, int]:
        """Return where an expression stands, to sort by: files, text, the outer ones first."""
        extent = node.lineno, node.col_offset, -(node.end_lineno or 0), -(node.end_col_offset or 0)
        return self._order[self._files[node]], *extent

    @cached_property
    def sinks(self) -> Mapping[Token, Sequence[ast.expr]]:
        """Where tokens, or collections with them, are given to code that is not of the project."""
        return {token: tuple(nodes) for token, nodes in self._engine.sinks.items()}

    @cached_property
    def deep_sinks(self) -> Mapping[Token, Sequence[ast.expr]]:
        """Where objects of the project that have tokens in their fields are given to code that is not of it."""
        return {token: tuple(nodes) for token, nodes in self._engine.deep_sinks.items()}

    # ------------------------------------------------------------------ functions and classes

    def callers(self, function: ast.AST) -> Sequence[ast.expr]:
        """Return the calls (and decorators) that can reach a function; those of Python itself are left out."""
        nodes = self._engine.callers.get(function, {})
        return tuple(node for node in nodes if node in self._files)

    def is_called_by_python(self, function: ast.AST) -> bool:
        """Whether something calls a function that is not written: a `with`, an operator, a library."""
        return any(node not in self._files for node in self._engine.callers.get(function, ()))

    def is_called_from_outside(self, function: ast.AST) -> bool:
        """Whether a function is called by nothing in the project, so that its callers cannot be seen."""
        return function in self._engine.outside

    @property
    def fixtures(self) -> Mapping[ast.AST, str]:
        """The fixtures that tests or other fixtures of the project have parameters for, with their names."""
        return self._engine.fixtures

    def bases(self, node: ast.ClassDef) -> Sequence[Value]:
        """Return a class and its bases, of the project or not, in the order in which Python looks into them."""
        return tuple(self._engine.order(node))

    def default(self, node: ast.ClassDef, name: str) -> frozenset[Value]:
        """Return what an attribute of a class, or of one of its bases, can be: what objects have that set none."""
        slots = [self._engine.fields.get(base, {}).get(name) for base in self._engine.order(node)]
        return frozenset(value for slot in slots if slot is not None for value in slot.values)

    @cached_property
    def fields(self) -> Mapping[tuple[ast.ClassDef, str], frozenset[Value]]:
        """What is stored in the attributes of the instances of each class."""
        return {
            (owner.node, name): frozenset(slot.values)
            for owner, slots in self._engine.fields.items()
            if isinstance(owner, Instance)
            for name, slot in slots.items()
            if slot.values
        }

    def is_stored(self, owner: Value, name: str) -> bool:
        """Whether anything is stored in an attribute of a value."""
        slot = self._engine.fields.get(owner, {}).get(name)
        return slot is not None and bool(slot.values)

    @cached_property
    def attributes(self) -> Mapping[str, frozenset[Value]]:
        """What is stored in attributes of each name, of classes and of instances of the project."""
        found: dict[str, dict[Value, None]] = {}
        for owner, slots in self._engine.fields.items():
            for name, slot in slots.items() if isinstance(owner, Class | Instance) else ():
                found.setdefault(name, {}).update(slot.values)
        return {name: frozenset(values) for name, values in found.items()}


def _named(variable: Variable) -> Iterator[ast.AST]:
    """Iterate over the places in the text that name a variable."""
    return chain(variable.bindings, variable.loads, variable.deletions)


def _note(places: dict[Token, list[ast.expr | Variable]], place: ast.AST | Variable, slot: Slot) -> None:
    for value in slot.values:
        if isinstance(value, Token) and isinstance(place, (ast.expr, Variable)):
            places.setdefault(value, []).append(place)
