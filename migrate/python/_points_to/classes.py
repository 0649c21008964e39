"""The classes of a project: order of their bases, attributes of classes and instances, descriptors."""

from __future__ import annotations

import ast
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from migrate.python._points_to.domain import (
    Bound,
    Class,
    Collection,
    Descriptor,
    External,
    Function,
    Instance,
    Plain,
    Super,
    Token,
    Value,
)
from migrate.python._points_to.heap import IMPLICIT, Frame, Heap
from migrate.python._points_to.slots import Slot
from migrate.python.modules import Project

OBJECT = External("builtins.object")
_GETTING = frozenset({External("builtins.dict.__getitem__"), External("builtins.dict.get")})  # as `__getattr__`
_SETTING = External("builtins.dict.__setitem__")
TYPED = frozenset(f"{module}.TypedDict" for module in ("typing", "typing_extensions"))  # a call makes a dictionary
TUPLES = frozenset({"typing.NamedTuple", "builtins.tuple"})
ENUMS = frozenset(f"enum.{name}" for name in ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum"))


def _merge(rows: list[list[Value]]) -> list[Value]:
    """Python's linearisation (C3); where it does not exist, the bases in the order in which they are found."""
    merged: dict[Value, None] = {}
    behind = Counter(value for row in rows for value in row[1:])  # how often a value stands behind the first of a row
    left = [deque(row) for row in rows if row]
    while left:
        head = next((row[0] for row in left if not behind[row[0]]), left[0][0])
        merged[head] = None
        for row in left:
            while row and row[0] in merged:
                row.popleft()
                if row:
                    behind[row[0]] -= 1
        left = [row for row in left if row]
    return list(merged)


def _takes_class(function: Value) -> bool:
    """Whether a function is a class method without saying so."""
    name = getattr(function.node, "name", "") if isinstance(function, Function) else ""
    return name in ("__init_subclass__", "__class_getitem__")


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) and statement.value else []


@dataclass(eq=False)
class ClassInfo:
    """One class: the names that its body binds, its bases as far as they are known, who depends on them."""

    node: ast.ClassDef
    frame: Frame
    bound: frozenset[str]
    bases: list[dict[Value, None]] = field(default_factory=list)  # per base expression, as values become known
    heirs: dict[ast.ClassDef, None] = field(default_factory=dict)
    listeners: list[Callable[[], None]] = field(default_factory=list)
    created: bool = False


class Classes(Heap):
    """Looks up attributes through the bases, which may themselves become known late."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.classes: dict[ast.ClassDef, ClassInfo] = {}
        self._orders: dict[ast.ClassDef, list[Value]] = {}
        self._attributes: dict[tuple[Value, str], Slot] = {}
        self._stores: dict[tuple[Value, str], Slot] = {}
        self._kinds: dict[ast.ClassDef, Slot] = {}
        self.listed: set[Instance] = set()  # whose attributes are taken as a dictionary, which may get more

    # ------------------------------------------------------------------ bases

    def define_class(self, frame: Frame, node: ast.ClassDef, bases: list[Slot]) -> None:
        """Record a class whose bases are the values of these slots."""
        if node in self.classes:
            return
        scope = frame.names.scopes.get(node)
        bound = {name for name, variable in scope.variables.items() if variable.bindings} if scope else set()
        info = self.classes[node] = ClassInfo(node, frame, frozenset(bound), [{} for _ in bases])
        for place, slot in enumerate(bases):
            for base in tuple(slot.values):
                self._add_base(info, place, base)
            self.watch(slot, partial(self._add_base, info, place))

    def _add_base(self, info: ClassInfo, place: int, base: Value) -> None:
        if not isinstance(base, Class | External | Token) and base is not Plain.UNKNOWN:
            return
        extended = self.classes.get(base.node) if isinstance(base, Class) else None
        if base in info.bases[place] and (extended is None or info.node in extended.heirs):
            return
        info.bases[place][base] = None
        if extended is not None:
            extended.heirs[info.node] = None
        changed = self.family(info.node)
        for node in changed:
            self._orders.pop(node, None)
        for node in changed:
            for listener in tuple(self.classes[node].listeners):
                listener()

    def family(self, node: ast.ClassDef) -> dict[ast.ClassDef, None]:
        """A class and all that extend it."""
        family, todo = {node: None}, [node]
        while todo:
            new = [heir for heir in self.classes[todo.pop()].heirs if heir not in family]
            family |= dict.fromkeys(new)
            todo += new
        return family

    def order(self, node: ast.ClassDef) -> list[Value]:
        """The class and its bases in the order in which Python looks into them."""
        if node not in self._orders:
            self._orders[node] = [Class(node)]  # for a class among its own bases
            info = self.classes.get(node)
            bases = [base for values in info.bases for base in values] if info else []
            rows: list[list[Value]] = [
                list(self.order(base.node)) if isinstance(base, Class) else [base] for base in bases
            ]
            merged = _merge([*rows, bases])
            self._orders[node] = [Class(node), *(base for base in merged if base != OBJECT), OBJECT]
        return self._orders[node]

    def extends(self, node: ast.ClassDef, base: Value) -> bool:
        """Whether a class is or extends another one."""
        return base in self.order(node)

    def search(
        self, node: ast.ClassDef, name: str, found: Callable[[Value], None], after: ast.ClassDef | None = None
    ) -> None:
        """Call `found` with each base that can give an attribute, up to the first class that binds it."""
        done: set[Value] = set()

        def look() -> None:
            bases = self.order(node)
            start = bases.index(Class(after)) + 1 if after and Class(after) in bases else 0
            for base in bases[start:]:
                if base not in done:
                    done.add(base)
                    found(base)
                if isinstance(base, Class) and base.node in self.classes and name in self.classes[base.node].bound:
                    return

        if node in self.classes:
            self.classes[node].listeners.append(look)
        look()

    def binder(self, node: ast.ClassDef, name: str) -> Class | None:
        """The first class that binds a name in its body, as far as bases are known."""
        for base in self.order(node):
            if isinstance(base, Class) and base.node in self.classes and name in self.classes[base.node].bound:
                return base
        return None

    def has_base(self, node: ast.ClassDef, names: frozenset[str]) -> bool:
        """Whether a class extends one of these library classes, as far as bases are known."""
        return any(isinstance(base, External) and base.name in names for base in self.order(node))

    def kinds(self, node: ast.ClassDef) -> Slot:
        """The slot of the metaclasses of a class, its own and those of its bases."""
        if node not in self._kinds:
            slot = self._kinds[node] = Slot()
            if info := self.classes.get(node):
                for word in node.keywords:
                    if word.arg == "metaclass":
                        self.flow(self.slot(info.frame, word.value), slot)

            def inherit(base: Value) -> None:
                if isinstance(base, Class):
                    self.flow(self.kinds(base.node), slot)

            self.search(node, "", inherit, after=node)
        return self._kinds[node]

    def is_given(self, node: ast.ClassDef, name: str) -> bool:
        """Whether a class has a method of a metaclass of the project."""
        kinds = (kind for kind in self.kinds(node).values if isinstance(kind, Class))
        return any(self.binder(kind.node, name) for kind in kinds)

    # ------------------------------------------------------------------ attributes

    def attribute(self, owner: Instance | Class | Super, name: str) -> Slot:
        """The slot of what reading an attribute of an instance, a class or super() gives."""
        key = (owner, name)
        if key in self._attributes:
            return self._attributes[key]
        slot = self._attributes[key] = Slot()
        receiver, after = (owner.receiver, owner.node) if isinstance(owner, Super) else (owner, None)
        if not isinstance(receiver, Instance | Class):
            return slot
        if isinstance(owner, Instance):
            self.flow(self.field(owner, name), slot)
        is_of_kind = after is not None and not self.extends(receiver.node, Class(after))  # super() in a metaclass
        if isinstance(receiver, Class) and (after is None or is_of_kind):
            self.watch(self.kinds(receiver.node), lambda kind: self._from_kind(kind, receiver, name, slot, after))
            if is_of_kind:
                return slot
        self.search(receiver.node, name, lambda base: self._from_base(base, receiver, name, slot), after)
        if isinstance(owner, Instance) and not name.startswith("__") and self.binder(owner.node, name) is None:
            self.otherwise(slot, lambda: self._from_getattr(owner, name, slot))
            self.otherwise(slot, lambda: self.add(slot, Plain.UNKNOWN) if owner in self.listed else None)
        if isinstance(owner, Class) and not name.startswith("__") and self.is_given(owner.node, "__getattr__"):
            self.otherwise(slot, lambda: self.call_with(self.attribute(owner, "__getattr__"), [self.other], slot))
        return slot

    def _from_base(self, base: Value, receiver: Instance | Class, name: str, slot: Slot) -> None:
        if isinstance(base, Class):
            if isinstance(receiver, Class) or not self.is_record_field(receiver.node, name):
                hidden = isinstance(receiver, Instance) and self._is_set_at_once(receiver.node, name)
                self.watch(
                    self.field(base, name),
                    lambda value: None if hidden and value is Plain.NONE else self.bind(value, receiver, slot),
                )
        elif isinstance(base, External):
            self.inherited(base, receiver, name, slot)
        elif isinstance(base, Token):
            known = Slot()
            self.token_attribute(base, name, known, None)
            on_class = isinstance(receiver, Class)

            def bind(value: Value) -> None:
                function = value.function if isinstance(value, Bound) else value
                if function is Plain.UNKNOWN and not on_class:
                    self.add(slot, Bound(function, (self._heir(base, receiver),)))
                if isinstance(value, Bound) or on_class or value == base:
                    self.add(slot, value)  # bound already, or of a library of which no more is known than that
                elif function is not Plain.UNKNOWN:
                    self.add(slot, Bound(function, (receiver,)))

            self.watch(known, bind)
        else:
            self.add(slot, Plain.UNKNOWN)

    def _from_kind(self, kind: Value, receiver: Class, name: str, slot: Slot, after: ast.ClassDef | None) -> None:
        """Add what a class has of its metaclass, of which it is an instance."""

        def found(base: Value) -> None:
            if isinstance(base, Class):
                self.watch(self.field(base, name), bind)
            elif isinstance(base, External) and name in ("__call__", "__init__"):
                self.add(slot, Bound(External(f"builtins.type.{name}"), (receiver,)))

        def bind(value: Value) -> None:
            if isinstance(value, Descriptor) and value.kind not in ("method", "staticmethod", "classmethod"):
                self.call_with(self.constant(value.function), [self.constant(receiver)], slot)
            else:
                self.add(slot, Bound(value, (receiver,)) if isinstance(value, Function) else value)

        if isinstance(kind, Class) and (after or self.binder(receiver.node, name) is None):
            self.search(kind.node, name, found, after)

    def _heir(self, base: Token, receiver: Value) -> Value:
        """Return what stands for all instances of heirs of a class whose unknown attributes are read."""
        heirs = Collection(IMPLICIT, context=base)
        self.add(self.contents(heirs).some, receiver)
        return heirs

    def _is_set_at_once(self, node: ast.ClassDef, name: str) -> bool:
        """Whether `__init__` stores to an attribute in any case, so that a None in the class never shows."""
        binder = self.binder(node, "__init__")
        inits = [part for part in binder.node.body if isinstance(part, ast.FunctionDef)] if binder else []
        statements = [statement for init in inits if init.name == "__init__" for statement in init.body]
        targets = [target for statement in statements for target in _targets(statement)]
        return any(isinstance(target, ast.Attribute) and target.attr == name for target in targets)

    def _from_getattr(self, owner: Instance, name: str, slot: Slot) -> None:
        def get(function: Value) -> None:
            if function in _GETTING:
                self.flow(self.item(self.contents(owner), name), slot)
            else:
                self.call_with(self.constant(function), [self.constant(owner), self.other], slot)

        def found(base: Value) -> None:
            if isinstance(base, Class) and base.node in self.classes and "__getattr__" in self.classes[base.node].bound:
                self.watch(self.field(base, "__getattr__"), get)

        if self.binder(owner.node, "__getattr__"):
            self.search(owner.node, "__getattr__", found)

    def bind(self, value: Value, receiver: Instance | Class, slot: Slot) -> None:
        """Put into a slot what an attribute of a class is when read through the class or an instance."""
        on_class = isinstance(receiver, Class)
        if isinstance(value, Function) or (isinstance(value, Descriptor) and value.kind == "method"):
            function = value.function if isinstance(value, Descriptor) else value
            owner = Class(receiver.node) if _takes_class(function) else receiver
            self.add(slot, function if on_class and owner is receiver else Bound(function, (owner,)))
        elif isinstance(value, Descriptor):
            if value.kind == "staticmethod":
                self.add(slot, value.function)
            elif value.kind == "classmethod":
                self.add(slot, Bound(value.function, (Class(receiver.node),)))
            elif on_class:
                self.add(slot, value)
            else:
                self.call_with(self.constant(value.function), [self.constant(receiver)], slot)
        elif isinstance(value, Instance) and self.binder(value.node, "__get__"):
            self.call_with(self.attribute(value, "__get__"), [self.constant(receiver), self.other], slot)
        elif isinstance(value, External) and value.name.startswith("builtins.") and value.name.count(".") > 1:
            self.add(slot, value if on_class else Bound(value, (receiver,)))  # a method of a builtin class: dict.get
        else:
            self.add(slot, Instance(receiver.node) if self.has_base(receiver.node, ENUMS) else value)

    # ------------------------------------------------------------------ stores

    def stored(self, owner: Instance, name: str) -> Slot:
        """The slot that takes what is stored to an attribute of an instance: a field, or a property's setter."""
        key = (owner, name)
        if key in self._stores:
            return self._stores[key]
        slot = self._stores[key] = Slot()
        self.flow(slot, self.field(owner, name))

        def found(base: Value) -> None:
            if isinstance(base, Class):
                self.watch(self.field(base, name), lambda value: self._set(value, owner, slot))

        self.search(owner.node, name, found)

        def set_(function: Value) -> None:
            if function == Bound(_SETTING, (owner,)):
                self.flow(slot, self.item(self.contents(owner), name))
            else:
                self.call_with(self.constant(function), [self.other, slot], Slot())

        if self.binder(owner.node, "__setattr__"):
            self.watch(self.attribute(owner, "__setattr__"), set_)
        return slot

    def _set(self, value: Value, owner: Instance, slot: Slot) -> None:
        if isinstance(value, Descriptor):
            self.call_with(self.field(value, "property.setter"), [self.constant(owner), slot], Slot())
        elif isinstance(value, Instance) and self.binder(value.node, "__set__"):
            self.call_with(self.attribute(value, "__set__"), [self.constant(owner), slot], Slot())

    # ------------------------------------------------------------------ what the storeys above know

    def is_record_field(self, node: ast.ClassDef, name: str) -> bool:
        """Whether a name is a field that the generated `__init__` of a class fills."""
        raise NotImplementedError

    def call_with(self, function: Slot, arguments: list[Slot], result: Slot) -> None:
        """Call what a slot has with positional arguments, where no call is written."""
        raise NotImplementedError

    def inherited(self, base: External, receiver: Instance | Class, name: str, slot: Slot) -> None:
        """Add an attribute that comes from a library's class."""
        raise NotImplementedError

    def token_attribute(self, token: Token, name: str, slot: Slot, node: ast.expr | None) -> None:
        """Add an attribute of a token."""
        raise NotImplementedError
