"""Whether a text may be looked up as a name of the old API, or is a text like any other."""

from __future__ import annotations

import ast
from functools import cached_property

from migrate.facts.forest import Forest, last_name
from migrate.facts.tokens import Modern
from migrate.python._looping import looped
from migrate.python.known_calls import LOOKING_UP, NAMESPACES, RUNNING
from migrate.python.values import Class, Collection, Instance, Plain, Token, Values

_OF_OBJECTS = LOOKING_UP | {"setattr", "delattr"}
_OF_TEXTS = frozenset({"attrgetter", "methodcaller", "object"})
_NAMED = Token(Modern("named"))  # gives a function the name that it shows
_BINDINGS = frozenset({"ctypes", "cffi"})  # their prototypes and libraries take names in many forms


class Lookups:
    """Answers about a project."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values

    def is_mere_text(self, node: ast.Constant) -> bool:
        """Whether a name of the C library in a text is looked up nowhere: a label, a key of the program's own table."""
        item = self._forest.parents[node]
        if isinstance(item, ast.Call) and self._values.of(item.func) == {_NAMED}:
            return True
        if isinstance(item, ast.Subscript) and isinstance(item.ctx, ast.Load) and self._has_nothing_old(item.value):
            return True
        is_plain = not isinstance(item, ast.Subscript) or self._is_own(item.value)
        return is_plain and not self._are_computed

    @cached_property
    def _are_computed(self) -> bool:
        """Whether the program looks names up that are not written where it does so."""
        modules = [alias.name for _, alias in self._forest.nodes(ast.alias)]
        modules += [statement.module or "" for _, statement in self._forest.nodes(ast.ImportFrom)]
        if any(module.partition(".")[0] in _BINDINGS for module in modules):
            return True
        if any(self._is_computed(call) for _, call in self._forest.calls(_OF_OBJECTS, _OF_TEXTS, RUNNING, NAMESPACES)):
            return True
        names = (node for _, node in self._forest.nodes(ast.Name) if node.id in _OF_OBJECTS | NAMESPACES)
        if any(map(self._is_value, names)):
            return True
        tables = (node for _, node in self._forest.nodes(ast.Attribute) if node.attr == "__dict__")
        return not all(self._is_own(node.value) for node in tables)

    def _is_computed(self, call: ast.Call) -> bool:
        name = last_name(call.func)
        if name in NAMESPACES:
            return not call.args or not self._is_own(call.args[0])
        if name in RUNNING and isinstance(call.func, ast.Attribute):
            return False  # re.compile
        texts = call.args[1:2] if name in _OF_OBJECTS or name == "object" else call.args[:1]
        is_written = all(isinstance(text, ast.Constant) or looped(text, self._forest.of(text)) for text in texts)
        return not is_written and not (name in _OF_OBJECTS and self._is_own(call.args[0]))

    def _is_value(self, name: ast.Name) -> bool:
        above = self._forest.parents[name]
        return not (isinstance(above, ast.Call) and above.func is name)

    def _is_own(self, node: ast.expr) -> bool:
        """Whether an expression can be nothing but an object of the program's own, or one that Python makes."""
        values = self._values.of(node)
        return bool(values) and all(isinstance(it, Instance | Class | Collection) or it is Plain.OTHER for it in values)

    def _has_nothing_old(self, node: ast.expr) -> bool:
        """Whether an expression can be nothing but what Python or comch_next makes by itself: a table of codes."""
        values = self._values.of(node)
        modern = {it for it in values if isinstance(it, Token) and isinstance(it.key, Modern)}
        return bool(values) and values - modern <= {Plain.OTHER}
