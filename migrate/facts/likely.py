"""Methods on unknown objects: which of them may be calls of the old API."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Set
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.facts.handles import COMMON, OldApi
from migrate.facts.references import Reference
from migrate.facts.tokens import Handle, Symbol, handles_among
from migrate.python.modules import Project, is_standard
from migrate.python.values import Class, Collection, External, Instance, Module, Plain, Super, Token, Value, Values

_OBJECT = External("builtins.object")

# What Python's own objects hold beside what their methods give; so do attributes with a leading underscore.
_INSIDE = frozenset({"f_locals", "f_globals", "cell_contents", "call_args", "call_args_list", "mock_calls"})
# Methods whose names others have, too, and that are not comch_next's: the numbers of arguments of the old ones.
_COUNTS = {"listen": {1}, "connect": {1}, "sendto": {2, 3}, "recvfrom": {1, 2}, "disconnect": {1}, "destroy": {0}}
_COUNTS |= {"get_device": {0}, "set_device": {1}, "get_user_data": {0}, "set_user_data": {1}}
_COUNTS |= {"get_iface_name": {0}}
# What the first argument of others' methods is, and that of the old ones is not: an address, a number.
_OTHERS = {"listen": (ast.Tuple,), "connect": (ast.Tuple,), "set_device": (ast.Constant, ast.JoinedStr)}


class Likely:
    """Looks at methods of unknown objects, in the files that name the old API and those that import them.

    suspects: the kinds of handles whose methods are called on unknown objects. lost: those whose methods are called on
    what comes out of Python's own library, or where nothing is known to have them, by the place; it may be any of them.
    named: the old names that the project has. left: the lines that an earlier run has left, as its comments say.
    """

    def __init__(
        self,
        forest: Forest,
        values: Values,
        api: OldApi,
        tokens: Set[Hashable],
        named: Set[str],
        project: Project,
        naming: Set[Path],
        left: Mapping[Path, Set[int]],
    ) -> None:
        self._left = left
        self._forest, self._values, self._api = forest, values, api
        self._kinds: dict[str, set[str]] = {}
        for kind, name in api.vocabulary.methods:
            self._kinds.setdefault(name, set()).add(kind)
        self._made = {key.kind for key in tokens if isinstance(key, Handle)}
        self._made |= {kind for name, kind in api.vocabulary.classes.items() if name in named}
        self.suspects: set[str] = set()
        self.lost: dict[ast.Attribute, set[str]] = {}
        near = naming | {path for path, imported in project.imports.items() if imported & naming}
        self.found = [reference for path in sorted(near) for reference in self._in_file(path)]

    def _holds(self, name: str, kinds: Set[str]) -> bool:
        """Whether attributes of some name hold handles of some kinds."""
        values = self._values.attributes.get(name, frozenset())
        return any(handle.kind in kinds for handle in handles_among(values | self._values.inside(values)))

    def _in_file(self, path: Path) -> Iterator[Reference]:
        for node in self._forest.in_file(path, ast.Attribute):
            if isinstance(node.ctx, ast.Load) and node.attr in self._kinds:
                base = self._values.of(node.value)
                if any(self._extends(value) for value in base):
                    yield Reference(path, node, node.attr, code="CCM039")
                elif self._is_unknown(node, base) and (node.attr not in COMMON or self._looks_old(node)):
                    self.suspects |= self._kinds[node.attr]
                    if Plain.UNKNOWN not in base:
                        self.lost[node] = self._kinds[node.attr]
                    yield Reference(path, node, node.attr, code="CCM034")

    def _is_unknown(self, node: ast.Attribute, base: frozenset[Value]) -> bool:
        """Whether nothing is known of an object that may be a handle.

        A name of several words that only handles have shows one wherever nothing else is known to have it: neither
        objects of Python's own library have such methods, nor those of the project that bind no such name. One that
        objects of other libraries have, too, shows it where none of them can be.
        """
        found = self._values.of(node) - {Plain.UNKNOWN, Plain.NONE}
        is_sure = "_" in node.attr and (node.attr not in COMMON or not any(map(_may_be_of_others, base)))
        lost = base != {Plain.NONE} if is_sure else not base or Plain.UNKNOWN in base
        lost = lost or self._finds_nothing(node) or self._is_inside(node.value, node.attr)
        return lost and not found - {Plain.OTHER}

    def _finds_nothing(self, node: ast.Attribute) -> bool:
        """Whether nothing that is known of an object has an attribute: it is something else, which has been lost.

        A variable that is None wherever it is set is so.
        """
        owners, found = self._values.of(node.value) - {Plain.NONE}, self._values.of(node) - {Plain.NONE}
        if not owners and isinstance(node.value, ast.Name):
            return False
        if any(isinstance(owner, Token | External | Module | Plain) for owner in owners):
            return False
        return not found or (found == {Plain.OTHER} and not any(self._may_have(owner, node.attr) for owner in owners))

    def _may_have(self, owner: Value, name: str) -> bool:
        """Whether something of Python's own that is read from a value is what it has under that name."""
        if isinstance(owner, Instance | Super) or self._values.is_stored(owner, name):
            return True
        if isinstance(owner, Collection):
            return owner.kind in ("namespace", "arguments")
        bases = self._values.bases(owner.node) if isinstance(owner, Class) else ()
        return any(self._values.is_stored(base, name) if isinstance(base, Class) else base != _OBJECT for base in bases)

    def _is_field(self, node: ast.Attribute, method: str) -> bool:
        """Whether Python's own objects have an attribute that only objects of the project have, with such handles."""
        own = self._values.of(node.value) | self._values.of(node) <= {Plain.OTHER, Plain.NONE}
        return own and self._holds(node.attr, self._kinds[method])

    def _is_inside(self, node: ast.expr, method: str, depth: int = 8) -> bool:
        """Whether an expression comes out of what Python itself holds, or of what no value that is known has.

        The one are private attributes of its objects, frames, and what only objects of the project have.
        """
        while depth:
            depth -= 1
            if isinstance(node, ast.Attribute):
                own = any(isinstance(value, Instance | Class | Module | Token) for value in self._values.of(node.value))
                if not own and (node.attr in _INSIDE or node.attr.startswith("_")):
                    return True
                if self._finds_nothing(node) or self._is_field(node, method):
                    return True
                node = node.value
            elif isinstance(node, ast.Subscript | ast.Starred):
                node = node.value
            elif isinstance(node, ast.Call):
                if External("gc.get_objects") in self._values.of(node.func):
                    return True
                node = node.func
            elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
                node = node.elt
            elif isinstance(node, ast.Name) and (made := self._made_of(node)) is not None:
                node = made
            else:
                return False
        return False

    def _made_of(self, node: ast.Name) -> ast.expr | None:
        """Return what the one assignment or loop that binds a name takes its value from."""
        names = self._forest.of(node)
        bindings = names.of[node].bindings
        above = names.parents[bindings[0]] if len(bindings) == 1 else None
        if isinstance(above, ast.For | ast.comprehension):
            return above.iter
        return above.value if isinstance(above, ast.Assign) else None

    def _looks_old(self, node: ast.Attribute) -> bool:
        """Whether a method that others have, too, is called as the old one is.

        In a project that has such handles, or on a line that an earlier run has left because of such a method, when the
        project may have had what it has no more.
        """
        call = self._forest.parents[node]
        if node.attr not in _COUNTS or not isinstance(call, ast.Call):
            return False
        is_left = self._forest.statement(node).lineno in self._left.get(self._forest.path(node), ())
        if not (self._kinds[node.attr] & self._made or is_left):
            return False
        if call.func is not node or any(isinstance(argument, ast.Starred) for argument in call.args):
            return call.func is node
        is_of_others = bool(call.args) and isinstance(call.args[0], _OTHERS.get(node.attr, ()))
        numbers = [argument for argument in call.args if isinstance(argument, ast.Constant)]
        backlog = node.attr == "listen" and any(isinstance(number.value, int) for number in numbers)
        return len(call.args) + len(call.keywords) in _COUNTS[node.attr] and not is_of_others and not backlog

    def _extends(self, value: Value) -> bool:
        """Whether a value is an instance of a class that extends an old one."""
        return isinstance(value, Instance) and any(
            isinstance(base, Token) and isinstance(base.key, Symbol)
            for part in value.node.bases
            for base in self._values.of(part)
        )


def _may_be_of_others(value: Value) -> bool:
    """Whether a value may come from a library that is not Python's own."""
    return value is Plain.UNKNOWN or (isinstance(value, External) and not is_standard(value.name))
