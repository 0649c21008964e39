"""Where the points-to analysis keeps values: variables, expressions, fields and the contents of collections.

A function's body is analysed in a Frame. Most functions have one; a small function that calls or returns what it is
given (a decorator, `retry(call, *args)`, `check(result)`) has one per call, so that its callers do not mix.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from migrate.python._points_to.domain import Class, Collection, External, Plain, Value
from migrate.python._points_to.slots import Known, Slot, Solver
from migrate.python.modules import Project
from migrate.python.scopes import FUNCTIONS, Names, Scope, Variable

Key: TypeAlias = int | str | bytes | bool | float
IMPLICIT = ast.Constant(None)  # stands for every call that is not written
MAX_INDEX = 16  # arguments passed on as `f(0, *args)` by a function that calls itself end here


@dataclass(eq=False)
class Frame:
    """One analysis of the body of a module or function; `site` is the call it is for, when it has one per call.

    caller: the frame of that call, when it has one per call too.
    """

    node: ast.AST
    path: Path
    names: Names
    parent: Frame | None = None
    site: ast.AST | None = None
    caller: Frame | None = None
    slots: dict[ast.AST, Slot] = field(default_factory=dict)
    variables: dict[Variable, Slot] = field(default_factory=dict)
    returned: Slot = field(default_factory=Slot)
    yielded: Slot = field(default_factory=Slot)
    sent: Slot = field(default_factory=Slot)


class Contents:
    """What a collection holds: `some` at places not known, `items` by index or key, `every` all of it.

    A sum of tuples is several collections. last: the last items of all, also among `some`, and what stands `before`
    them; is_open: more follows, which another collection has.
    """

    def __init__(self) -> None:
        self.some, self.every, self.keys = Slot(), Slot(), Slot()
        self.items: dict[Key, Slot] = {}
        self.length: int | None = None
        self.last: list[Slot] = []
        self.before = Slot()
        self.is_open = False
        self.listeners: list[Callable[[Key, Slot], None]] = []

    @property
    def most(self) -> float:
        """How many items there may be, where these stand at known places."""
        if not self.is_open and (self.length is not None or not self.some.values):
            return self.length or 1 + max((key for key in self.items if isinstance(key, int)), default=-1)
        return math.inf


class Heap(Solver):
    """The slots of everything in a project."""

    def __init__(self, project: Project) -> None:
        super().__init__()
        self.project = project
        self.seen: Mapping[Variable, Sequence[Value]] = {}  # what variables have in the place of UNKNOWN
        self.none, self.other, self.unknown = (self.constant(value) for value in Plain)
        self.modules: dict[Path, Frame] = {}
        self.frames: dict[ast.AST, list[Frame]] = {}
        self.fields: dict[Value, dict[str, Slot]] = {}
        self._field_listeners: dict[Value, list[Callable[[str, Slot], None]]] = {}
        self._contents: dict[Value, Contents] = {}
        self._homes: dict[Scope, ast.AST] = {}

    def constant(self, value: Value) -> Slot:
        """Make a slot that has one value."""
        slot = Slot()
        slot.values[value] = None
        return slot

    # ------------------------------------------------------------------ expressions and variables

    def slot(self, frame: Frame, node: ast.AST) -> Slot:
        """The slot of an expression in a frame."""
        if type(node) is ast.Name:
            variable = frame.names.of[node]
            return frame.variables.get(variable) or self.variable(frame, variable)
        if type(node) is ast.Constant:
            return self.none if node.value is None else self.other
        if type(node) is ast.NamedExpr:
            return self.slot(frame, node.value)
        found = frame.slots.get(node)
        if found is None:
            found = frame.slots[node] = Slot()
        return found

    def variable(self, frame: Frame, variable: Variable) -> Slot:
        """The slot of a variable as code in a frame sees it."""
        found = frame.variables.get(variable)
        if found is None:
            found = frame.variables[variable] = self._find_variable(frame, variable)
        return found

    def _find_variable(self, frame: Frame, variable: Variable) -> Slot:
        if isinstance(variable.scope.node, ast.ClassDef):
            return self.field(Class(variable.scope.node), variable.name)
        home, place = self._home(variable.scope), frame
        while place.node is not home and place.parent is not None:
            place = place.parent
        if place is not frame:
            return self.variable(place, variable)
        slot = Known(self.seen[variable]) if variable in self.seen else Slot()
        if isinstance(home, ast.Module):
            self._starred(frame, variable, slot)
        return slot

    def _starred(self, frame: Frame, variable: Variable, slot: Slot) -> None:
        """Fill the slot of a module's variable with what no binding of the module gives it."""
        if not variable.bindings:
            self.unbound(frame, variable.name, slot)
        elif frame.names.module.stars and variable.scope is frame.names.module:
            for node in self.project.rebinding(frame.path, variable.name):
                self.star(frame, node, variable.name, slot)

    def _home(self, scope: Scope) -> ast.AST:
        """The function or module whose frame has the variables of a scope."""
        if scope not in self._homes:
            place: Scope | None = scope
            while place is not None and not isinstance(place.node, (*FUNCTIONS, ast.Module)):
                place = place.parent
            self._homes[scope] = place.node if place else scope.node
        return self._homes[scope]

    def unbound(self, frame: Frame, name: str, slot: Slot) -> None:
        """Fill the slot of a name that the module does not bind: a builtin, or what a star import brings."""
        if hasattr(builtins, name):
            self.add(slot, External(f"builtins.{name}"))
        elif name.startswith("__"):
            self.add(slot, Plain.OTHER)
        for node in self.stars(frame, name):
            self.star(frame, node, name, slot)

    def stars(self, frame: Frame, name: str) -> list[ast.ImportFrom]:
        """The star imports of a module that can bring a name."""
        raise NotImplementedError

    def star(self, frame: Frame, node: ast.ImportFrom, name: str, slot: Slot) -> None:
        """Add what a star import gives for one name."""
        raise NotImplementedError

    # ------------------------------------------------------------------ fields and contents

    def field(self, owner: Value, name: str) -> Slot:
        """The slot of an attribute that is stored on a value (for OTHER: on any object that is not looked into)."""
        fields = self.fields.setdefault(owner, {})
        if name not in fields:
            fields[name] = Slot()
            for listener in tuple(self._field_listeners.get(owner, ())):
                listener(name, fields[name])
        return fields[name]

    def on_fields(self, owner: Value, listener: Callable[[str, Slot], None]) -> None:
        """Call a listener with every field of a value and its name, now and later."""
        self._field_listeners.setdefault(owner, []).append(listener)
        for name, slot in tuple(self.fields.get(owner, {}).items()):
            listener(name, slot)

    def contents(self, owner: Value) -> Contents:
        """What a collection holds."""
        found = self._contents.get(owner)
        if found is None:
            found = self._contents[owner] = Contents()
            self.flow(found.some, found.every)
        return found

    @property
    def holders(self) -> list[Value]:
        """Everything that has items or fields."""
        return list({**self._contents, **self.fields})

    @property
    def collections(self) -> list[Collection]:
        """Every collection."""
        return [value for value in self._contents if isinstance(value, Collection)]

    def item(self, contents: Contents, key: Key) -> Slot:
        """The slot of one index or key, which has what may be anywhere too."""
        if isinstance(key, int) and key > MAX_INDEX:
            return contents.some
        if key not in contents.items:
            slot = contents.items[key] = Slot()
            self.flow(contents.some, slot)
            self.flow(slot, contents.every)
            for listener in tuple(contents.listeners):
                listener(key, slot)
        return contents.items[key]

    def on_items(self, contents: Contents, listener: Callable[[Key, Slot], None]) -> None:
        """Call a listener with every index or key, now and later."""
        contents.listeners.append(listener)
        for key, slot in list(contents.items.items()):
            listener(key, slot)

    def make(
        self, node: ast.AST, kind: str, frame: Frame | None, *some: Slot, place: tuple[int | str, ...] = ()
    ) -> tuple[Collection, Contents]:
        """Make the collection of a node; its elements come from `some`."""
        collection = Collection(node, kind, place, context(frame))
        contents = self.contents(collection)
        for slot in some:
            self.flow(slot, contents.some)
        return collection, contents

    def blur(self, contents: Contents) -> None:
        """Let everything be at any index, after a change that moves items."""
        contents.length = None
        self.flow(contents.every, contents.some)


def context(frame: Frame | None) -> Hashable:
    """What distinguishes values made in a frame from those of the same place in another frame."""
    while frame is not None and frame.site is None:
        frame = frame.parent
    return frame
