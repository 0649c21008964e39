"""Functions of C that Python's own functions call: `partial(lib.f, ep)`, `Thread(target=lib.f, args=(ep,))`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.bindings.tokens import CTYPES, CFunction, Data, keys
from migrate.facts.forest import Forest
from migrate.facts.reaching import Reaching
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.values import Bound, Class, External, Partial, Plain, Value, Values

# They call nothing that they are given.
_STORING = "add append appendleft extend extendleft index insert pop put put_nowait remove setdefault setattr update"
_MAKING = "cast deque dict enumerate frozenset iter list next reversed set staticmethod tuple zip OrderedDict"
_LOOKING = "callable format getattr hasattr hash id isinstance len print repr str type update_wrapper wraps"
_QUIET = frozenset(f"{_STORING} {_MAKING} {_LOOKING} SimpleNamespace".split())
_OF_THREADS = frozenset({"concurrent", "functools", "multiprocessing", "threading"})


class Handed:
    """functions: the names of those whose arguments are passed on as they come. data: the C values given beside.

    calls: by the name of a function, those that it is given to, and those of what they make.
    """

    def __init__(self, forest: Forest, values: Values, reaching: Reaching, vocabulary: Vocabulary) -> None:
        self._values, self._reaching, self._vocabulary = values, reaching, vocabulary
        self.functions: set[str] = set()
        self.data: set[Data] = set()
        self.calls: dict[str, list[ast.Call]] = {}
        self._partials: dict[ast.AST, set[str]] = {}
        calls = [call for _, call in forest.nodes(ast.Call)]
        while [call for call in calls if self._reads(call)]:
            pass  # partial functions of partial functions

    def _reads(self, call: ast.Call) -> bool:
        """Read a call, and return whether that makes more known of a partial function."""
        found = self._values.of(call.func)
        called = self._names(found)
        if not called and not any(map(self._is_calling, found)):
            return False
        given = frozenset[Value]().union(*map(self._given, [*call.args, *(each.value for each in call.keywords)]))
        functions = [key for key in keys(given) if isinstance(key, CFunction)]
        names = {function.name for function in functions} | called | self._names(given)
        if not names:
            return False
        self.functions |= {function.name for function in functions if self._matters(function)}
        if names & self.functions:
            self.data.update(key.whole for key in keys(given) if isinstance(key, Data))
        known = self._partials.setdefault(call, set())
        for name in sorted(names - known):
            self.calls.setdefault(name, []).append(call)
        is_new = not names <= known
        known |= names
        return is_new

    def _names(self, found: Iterable[Value]) -> set[str]:
        """Return the names of the functions of which some values are partial functions."""
        nodes = (value.node for value in found if isinstance(value, Partial))
        return {name for node in nodes for name in self._partials.get(node, ())}

    def _given(self, part: ast.expr) -> Iterable[Value]:
        found = self._reaching.of(part.value if isinstance(part, ast.Starred) else part)
        return found | self._values.inside(found)

    def _matters(self, function: CFunction) -> bool:
        """Whether a call passes something else to a function of C than to the flat one."""
        return function.spelling == CTYPES or bool(self._vocabulary.flat[function.name].outputs)

    def _is_calling(self, value: Value) -> bool:
        if isinstance(value, Bound):
            return self._is_calling(value.function)
        if isinstance(value, Class):
            bases = (base.name for base in self._values.bases(value.node) if isinstance(base, External))
            return any(name.partition(".")[0] in _OF_THREADS for name in bases)
        if isinstance(value, External):
            return value.name.rpartition(".")[2] not in _QUIET
        return value is Plain.UNKNOWN
