"""Numbers that the library passes to a callback: a number of C is a state, or 0 or 1, in a flat program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.bindings.knowledge import Bindings, Called
from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import Maker, keys
from migrate.bindings.truth import Truth
from migrate.facts.forest import Forest
from migrate.old_api.vocabulary import Parameter
from migrate.python.values import Bound, Function, Values
from migrate.text.code import Template

_EQUAL = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
_TRUTH = "c_bool"


class Told:
    """Answers for one project."""

    def __init__(self, forest: Forest, values: Values, bindings: Bindings) -> None:
        self._forest, self._values, self._called = forest, values, bindings.called
        self._truth = Truth(forest, values)
        self._kinds: dict[ast.AST, set[tuple[str, ...]]] = {}
        for _, call in forest.nodes(ast.Call):
            self._note(call.func, call.args[:1])
        for _, function in forest.nodes(ast.FunctionDef):
            for decorator in function.decorator_list:
                kinds = (key.kinds for key in keys(values.of(decorator)) if isinstance(key, Maker))
                self._kinds.setdefault(function, set()).update(kinds)

    def _note(self, maker: ast.expr, functions: list[ast.expr]) -> None:
        kinds = {key.kinds for key in keys(self._values.of(maker)) if isinstance(key, Maker)}
        for value in self._values.of(functions[0]) if kinds and functions else ():
            function = value.function if isinstance(value, Bound) else value
            if isinstance(function, Function):
                self._kinds.setdefault(function.node, set()).update(kinds)

    def edits(self) -> Iterator[tuple[ast.expr, Template] | NotUnderstood]:
        """Yield the edits of the numbers that callbacks do more with than to compare them."""
        for function, calls in self._called.items():
            found = [list(self._of_function(function, called)) for called in calls]
            if any(found[0] != other for other in found[1:]):
                yield NotUnderstood(function, USE)  # it is several callbacks
            yield from found[0]

    def _of_function(
        self, function: ast.FunctionDef | ast.Lambda, called: Called
    ) -> Iterator[tuple[ast.expr, Template] | NotUnderstood]:
        places = [*function.args.posonlyargs, *function.args.args][called.given :]
        names = self._forest.of(function)
        for at, parameter in enumerate(called.parameters):
            shown = self._shown(function, at, parameter)
            place = places[at] if at < len(places) else function.args.vararg
            variable = names.of[place] if shown and place is not None else None
            if variable is None:
                continue
            loads = [load for load in variable.loads if isinstance(load, ast.Name) and not self._is_compared(load)]
            if loads and (at >= len(places) or len(variable.bindings) > 1):
                yield NotUnderstood(loads[0], USE)
            else:
                yield from ((load, Template(f"{shown}({load.id})")) for load in loads)

    def _shown(self, function: ast.AST, at: int, parameter: Parameter) -> str:
        """Return the function that makes of what a flat callback gets what C gives; nothing for what is the same."""
        if "enum" in parameter.ctype:
            return "int"
        kinds = {kinds[at] for kinds in self._kinds.get(function, ()) if at < len(kinds)}
        return "bool" if parameter.ctype == "uint8_t" and kinds == {_TRUTH} else ""

    def _is_compared(self, load: ast.Name) -> bool:
        above = self._forest.parents[load]
        equal = isinstance(above, ast.Compare) and all(isinstance(operator, _EQUAL) for operator in above.ops)
        return equal or self._truth.is_tested(load)
