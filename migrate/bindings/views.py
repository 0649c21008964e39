"""Which places can take the replacement of a pointer, or of a buffer that shows other memory."""

from __future__ import annotations

import ast

from migrate.bindings.filled import Filled
from migrate.bindings.reading import reads_bytes
from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import CFFI, CFunction, Member, Null, Pointer, View, is_pointer_of, keys
from migrate.facts.forest import Forest
from migrate.python.values import (
    Bound,
    Class,
    Collection,
    External,
    Function,
    Instance,
    Partial,
    Plain,
    Token,
    Value,
    Values,
)
from migrate.text.code import Template

_PASSING = (ast.Assign, ast.AnnAssign, ast.Return, ast.Yield, ast.Tuple, ast.List, ast.Expr, ast.Lambda, ast.IfExp)
_NUMBERS = frozenset({f"builtins.{name}" for name in ("hex", "int", "bin", "oct", "divmod", "abs")})
_SHOWING = frozenset({"builtins.print", "builtins.repr", "builtins.str", "builtins.format"})
_AS_TEXT = ("%s", "%r", "%a")
_ALIKE = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)
_AMONG = (ast.In, ast.NotIn)
_EQUAL = (*_ALIKE, *_AMONG)


class Views:
    """Judges the places of pointers and views."""

    def __init__(self, forest: Forest, values: Values, filled: Filled) -> None:
        self._forest, self._values, self._filled = forest, values, filled
        functions = (token.key for token in values.tokens if isinstance(token.key, CFunction))
        self._has_buffers = any("_buf" in function.name for function in functions)

    def pointer(self, node: ast.expr, spelling: str) -> tuple[ast.expr, Template] | None:
        """Return the edit of a comparison of pointers: two devices that are opened for one address are two.

        Refuse what only an address can do, and comparisons of cffi's with None, which takes the place of NULL."""
        above = self._forest.parents[node]
        called = self._values.of(above.func) if isinstance(above, ast.Call) and node is not above.func else ()
        is_number = any(isinstance(function, External) and function.name in _NUMBERS for function in called)
        is_null = spelling == CFFI and Token(Null()) in self._values.of(node)
        is_shown = is_null and any(isinstance(function, External) and function.name in _SHOWING for function in called)
        is_summed = isinstance(above, ast.BinOp) and not self._is_number(node, above, spelling)
        if is_number or is_shown or is_summed:
            raise NotUnderstood(node, USE)
        if isinstance(above, ast.Compare):
            others = [side for side in (above.left, *above.comparators) if side is not node]
            identity = any(isinstance(operator, ast.Is | ast.IsNot) for operator in above.ops)
            equal = all(isinstance(operator, _EQUAL) for operator in above.ops)
            with_none = identity or any(map(self._has_none, others))
            if not equal or (with_none and spelling == CFFI and not self._is_told_apart(node)):
                raise NotUnderstood(above, USE)
            return self._compared(above)
        if isinstance(above, ast.Match) and spelling == CFFI and not self._is_told_apart(node):
            raise NotUnderstood(node, USE)
        return None

    def _has_none(self, node: ast.expr) -> bool:
        """Whether an expression may be None, or a collection with None in it."""
        found = self._values.of(node)
        return Plain.NONE in found | self._values.inside(found)

    def _is_told_apart(self, node: ast.expr) -> bool:
        """Whether an expression is None at times, and never NULL."""
        return Plain.NONE in self._values.of(node) and not self._may_be_null(node)

    def _may_be_null(self, node: ast.expr) -> bool:
        """Whether an expression may be NULL, which is None in the new program."""
        found = [*keys(self._values.of(node))]
        cells = [key.cell for key in found if isinstance(key, Pointer) and key.cell]
        return Null() in found or any(map(self._filled.may_be_null, cells))

    def _is_number(self, node: ast.expr, above: ast.BinOp, spelling: str) -> bool:
        """Whether what is computed with is a number: cffi refuses sums of pointers to what has no known size."""
        text = above.left.value if isinstance(above.left, ast.Constant) else "%s"  # where it is not seen
        is_text = isinstance(text, str) and any(way in text for way in _AS_TEXT)
        is_shown = isinstance(above.op, ast.Mod) and above.right is node and is_text
        return spelling == CFFI and Plain.OTHER in self._values.of(node) and not is_shown

    def _compared(self, node: ast.Compare) -> tuple[ast.expr, Template] | None:
        """Return the comparison of two pointers of which none is a buffer's: the task gives a new one at each call."""
        sides = [node.left, *node.comparators]
        operator = {ast.Eq: "is", ast.NotEq: "is not"}.get(type(node.ops[0]))
        pointers = all(map(self._is_pointer, sides))
        if operator is None or len(sides) > 2 or not pointers or self._has_buffers:
            return None
        return node, Template(f"{{left}} {operator} {{right}}", {"left": sides[0], "right": sides[1]})

    def _is_pointer(self, node: ast.expr) -> bool:
        found = self._values.of(node)
        return bool(found) and all(isinstance(value, Token) and is_pointer_of(CFFI, value.key) for value in found)

    def user_data(self, node: ast.expr) -> tuple[ast.expr, Template] | None:
        """Return the edit of what a callback reads as a number: 0 where the program has kept nothing."""
        above = self._forest.parents[node]
        if isinstance(above, ast.Attribute) and above.value is node and above.attr in ("u64", "ptr"):
            return above, Template("({data} or 0)" if above.attr == "u64" else "{data}", {"data": node})
        if isinstance(above, ast.Attribute):
            raise NotUnderstood(above, USE)
        if isinstance(above, ast.Call) and any(isinstance(key, Member) for key in keys(self._values.of(above.func))):
            return None  # it is read as a handle
        bindings = self._forest.of(node).of[node].bindings if isinstance(node, ast.Name) else ()
        is_given = any(isinstance(binding, ast.arg) for binding in bindings) and isinstance(node, ast.Name)
        if not is_given or not isinstance(node, ast.Name) or isinstance(above, ast.If | ast.While | ast.BoolOp):
            return None
        return node, Template(f"({node.id} or 0)")

    def view(self, node: ast.expr, view: View) -> tuple[ast.expr, Template] | None:
        """Return the edit that a use of a view asks for, if any: a slice of what `ffi.buffer` gives is bytes."""
        above = self._forest.parents[node]
        if isinstance(above, ast.Subscript) and above.value is node and view.is_buffer:
            if isinstance(above.slice, ast.Slice) and isinstance(above.ctx, ast.Load):
                return above, Template("bytes({view}[{slice}])", {"view": node, "slice": above.slice})
            if isinstance(above.slice, ast.Slice):
                return None
        if isinstance(above, ast.Compare) and view.is_buffer and _is_alike(node, above):
            return None
        if isinstance(above, ast.Call) and node is not above.func and self._takes(above, view):
            return None
        if not isinstance(above, _PASSING) or (isinstance(above, ast.Assign) and self._is_taken_apart(above)):
            raise NotUnderstood(above if isinstance(above, ast.expr) else node, USE)
        return None

    def _is_taken_apart(self, statement: ast.Assign) -> bool:
        """Whether an assignment stores the items of a view: to several targets, or into a list."""
        return any(
            isinstance(target, ast.Tuple | ast.List)
            or (isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice) and self._is_list(target))
            for target in statement.targets
        )

    def _is_list(self, target: ast.Subscript) -> bool:
        owners = (value for value in self._values.of(target.value) if isinstance(value, Collection | Instance))
        return not all(self._values.has_own(owner, "__setitem__") for owner in owners)

    def _takes(self, call: ast.Call, view: View) -> bool:
        """Whether what is called is analysed, or reads a view as bytes."""
        called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        return all(_takes(function, view, called) for function in self._values.of(call.func))


def _is_alike(node: ast.expr, compared: ast.Compare) -> bool:
    """Whether a comparison asks if a view is the same as others, or among them: not of its order or its items."""
    sides = [compared.left, *compared.comparators]
    return all(
        isinstance(operator, _ALIKE) or (isinstance(operator, _AMONG) and right is not node)
        for left, operator, right in zip(sides, compared.ops, sides[1:], strict=False)
        if node in (left, right)
    )


def _takes(function: Value, view: View, called: str) -> bool:
    if isinstance(function, Function | Class | Partial) or any(True for _ in keys([function])):
        return True
    if isinstance(function, Bound) and not isinstance(function.function, External):
        return True
    is_length = isinstance(function, External) and function.name == "builtins.len"
    return is_length or (view.is_buffer and reads_bytes(function, called))
