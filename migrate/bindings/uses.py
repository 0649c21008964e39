"""Which places can take the replacement of a C value: a name that holds it, not arithmetic on it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from migrate.bindings import shapes
from migrate.bindings.numbers import Numbers
from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import CTYPES, GIVEN, Data, Name, Null, Shape, keys
from migrate.bindings.truth import Truth
from migrate.facts.forest import Forest
from migrate.old_api._tables import STRUCTS
from migrate.python.values import Bound, Class, External, Function, Partial, Plain, Token, Value, Values
from migrate.text.code import Template

# Where a value only goes on to the next place.
_PASSING = (
    *(ast.Assign, ast.AnnAssign, ast.Return, ast.Yield, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Expr, ast.Lambda),
    *(ast.NamedExpr, ast.IfExp, ast.BoolOp, ast.Delete, ast.arguments, ast.ListComp, ast.GeneratorExp, ast.DictComp),
)
_OF_NUMBERS = frozenset({f"POINTER(c_{name})" for name in ("uint8", "ubyte", "int8", "byte")})
COPYING = {External("builtins.bytes"), External("builtins.bytearray")}
_HOLDING = frozenset({"append", "put", "put_nowait", "add", "setdefault", "insert", "appendleft", "partial", "Thread"})


class Uses:
    """Judges the places of one C value; some of them change with it."""

    def __init__(self, forest: Forest, values: Values, numbers: Numbers) -> None:
        self._forest, self._values, self._numbers = forest, values, numbers
        self._truth = Truth(forest, values)
        self.looked_into = self._truth.looked_into
        names = (token.key.name for token in values.tokens if isinstance(token.key, Name))
        self._shows_numbers = not _OF_NUMBERS.isdisjoint(names)  # in a slice of a message

    def edit(self, node: ast.expr, data: Data) -> tuple[ast.expr, Template] | None:
        """Return the edit that a use of a value asks for, if any."""
        above: ast.AST = self._forest.parents[node]
        if isinstance(above, ast.keyword):
            above = self._forest.parents[above]
        if data.holds == "struct" and isinstance(above, ast.Attribute | ast.Subscript) and node is above.value:
            return self._of_struct(above, data)
        if data.holds == "number" and isinstance(above, ast.Attribute | ast.Subscript):
            self._stored(above, data.ctype)
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add) and node is above.left:
            return self._behind(above, data)
        judge = _PLACES.get(type(above))
        if judge is not None:
            return judge(self, node, above, data)
        if isinstance(above, ast.For | ast.comprehension) and node is above.target:
            return None
        if not isinstance(above, _PASSING) or (isinstance(above, ast.DictComp) and node is above.key):
            raise NotUnderstood(node, USE)
        return None

    def is_settled(self, node: ast.expr, data: Data) -> bool:
        """Whether a call gives what is in a cell, for its truth is all that is asked of it."""
        is_cell = data.spelling == CTYPES and data.shape is Shape.CELL
        return is_cell and self._truth.is_answered(node)

    def tested(self, node: ast.expr, data: Data) -> tuple[ast.expr, Template] | None:
        """Return the edit of a cell of which only the truth is asked, nothing for any other place."""
        if data.spelling != CTYPES or data.shape not in (Shape.CELL, Shape.BYTES):
            return None
        if self._truth.is_chosen_by(node) or (data.shape is Shape.BYTES and self._truth.is_tested(node)):
            raise NotUnderstood(node, USE)
        return (node, self._truth.held(node)) if self._truth.is_tested(node) else None

    def _behind(self, above: ast.BinOp, data: Data) -> tuple[ast.expr, Template]:
        """Return the memory behind an offset for the address of it."""
        if data.shape is Shape.CELL:
            raise NotUnderstood(above, USE)
        parts = {"buffer": above.left, "offset": above.right}
        return above, Template("{comch}.arguments.offset({buffer}, {offset})", parts)

    def passed_on(self, node: ast.expr, data: Data) -> None:
        """Refuse a place where a cell does more than to go on to the next place."""
        above = self._forest.parents[node]
        if isinstance(above, ast.Call):
            self._given(node, above, data)
        elif not isinstance(above, _PASSING):
            raise NotUnderstood(node, USE)

    def _stored(self, place: ast.expr, ctype: str) -> None:
        """Refuse a number that is stored where it does not fit."""
        value = self._assigned(place)
        if value is not None:
            self._numbers.check(value, ctype)

    def _assigned(self, place: ast.expr) -> ast.expr | None:
        """Return what an assignment stores in a place, alone or as one of several: `a.x, a.y = 1, 2`."""
        above: ast.AST = self._forest.parents[place]
        outer = self._forest.parents[above] if isinstance(above, ast.Tuple) else None
        if isinstance(above, ast.Assign) and place in above.targets:
            return above.value
        if not isinstance(above, ast.Tuple) or not isinstance(outer, ast.Assign) or above not in outer.targets:
            return None
        values = outer.value.elts if isinstance(outer.value, ast.Tuple) else []
        if any(isinstance(part, ast.Starred) for part in (*above.elts, *values)):
            return None
        return dict(zip(above.elts, values, strict=False)).get(place)

    def _of_struct(self, place: ast.Attribute | ast.Subscript, data: Data) -> tuple[ast.expr, Template] | None:
        """Return the edit of a field, or of what stands for a struct behind a pointer: `info[0]`, `info.contents`."""
        fields = dict(STRUCTS[shapes.ctype(data.ctype).name])
        held = "{value}[0]" if data.shape is Shape.CELL else "{value}"
        parts = {"value": place.value}
        if isinstance(place, ast.Attribute) and place.attr in fields:
            self._field(place, fields[place.attr])
            return place, Template(f"{held}.{place.attr}", parts)
        first = isinstance(place, ast.Subscript) and ast.unparse(place.slice) == "0"
        field = self._forest.parents[place]
        if not first and not (isinstance(place, ast.Attribute) and place.attr == "contents"):
            raise NotUnderstood(place, USE)
        if not isinstance(field, ast.Attribute) or field.attr not in fields:
            raise NotUnderstood(place, USE)  # it is the memory itself
        self._field(field, fields[field.attr])
        return place, Template(held, parts)

    def nothing(self, node: ast.expr, data: Data) -> tuple[ast.expr, Template] | None:
        """Return the edit of a 0 that is stored in the cell of a handle: there it is None."""
        place = self._forest.parents[node]
        is_stored = data.holds == "handle" and isinstance(place, ast.Attribute) and place.attr == "value"
        value = self._assigned(place) if is_stored and isinstance(place, ast.Attribute) else None
        if value is None or not self._numbers.is_null(value):
            return None
        above = self._forest.parents[place]
        if isinstance(above, ast.Assign) and len(above.targets) > 1:
            raise NotUnderstood(place, USE)  # to others it may be the number
        return value, Template("None")

    def _field(self, place: ast.Attribute, ctype: str) -> None:
        """Refuse what stores something else in a field than a number that can be seen to fit, or that C would check."""
        if not isinstance(place.ctx, ast.Load) and self._assigned(place) is None:
            raise NotUnderstood(place, USE)
        self._stored(place, ctype)

    def _attribute(self, node: ast.expr, above: ast.Attribute, data: Data) -> tuple[ast.expr, Template] | None:
        parts = {"value": node}
        if data.spelling != CTYPES:
            raise NotUnderstood(above, USE)
        if data.shape is Shape.CELL and above.attr == "value" and data.holds != "list":
            return above, Template("{value}[0]", parts)
        is_read = above.attr == "value" and isinstance(above.ctx, ast.Load)
        if data.shape is Shape.BYTES and is_read and self._is_text(data):
            return above, Template("{value}", parts)
        if data.shape is not Shape.BUFFER or not isinstance(above.ctx, ast.Load):
            raise NotUnderstood(above, USE)
        if above.attr == "value":
            return above, Template('bytes({value}).partition(b"\\0")[0]', parts)
        if above.attr != "raw":
            raise NotUnderstood(above, USE)
        outer = self._forest.parents[above]
        if isinstance(outer, ast.Subscript) and outer.value is above and isinstance(outer.slice, ast.Slice):
            return outer, Template("bytes({value}[{slice}])", {**parts, "slice": outer.slice})
        return above, Template("bytes({value})", parts)

    def _is_text(self, data: Data) -> bool:
        """Whether a `c_char_p` is made of bytes that are written there, without a NUL."""
        given = data.node.args if isinstance(data.node, ast.Call) else []
        constants = [part.value for part in given if isinstance(part, ast.Constant)]
        return len(constants) == len(given) and all(
            value is None or (isinstance(value, bytes) and b"\0" not in value) for value in constants
        )

    def _item(self, node: ast.expr, above: ast.Subscript, data: Data) -> tuple[ast.expr, Template] | None:
        if node is not above.value:
            raise NotUnderstood(node, USE)
        if data.shape is Shape.BYTES:
            raise NotUnderstood(above, USE)
        if data.spelling == CTYPES:
            return self._item_of_ctypes(node, above, data)
        first = isinstance(above.slice, ast.Constant) and above.slice.value == 0
        if data.shape is Shape.CELL and not first:
            raise NotUnderstood(above, USE)
        outer = self._forest.parents[above]
        copied = data.node is GIVEN and isinstance(outer, ast.Call) and self._values.of(outer.func) <= COPYING
        stored = isinstance(above.ctx, ast.Store)
        if data.shape is Shape.BUFFER and not (isinstance(above.slice, ast.Slice) and (stored or copied)):
            raise NotUnderstood(above, USE)
        return None

    def _item_of_ctypes(self, node: ast.expr, above: ast.Subscript, data: Data) -> tuple[ast.expr, Template] | None:
        parts = {"value": node, "index": above.slice}
        if data.holds == "list":
            return above, Template("{value}[0][{index}]", parts)
        if data.shape is Shape.CELL or not isinstance(above.slice, ast.Slice) or not isinstance(above.ctx, ast.Load):
            raise NotUnderstood(above, USE)
        outer = self._forest.parents[above]
        copied = isinstance(outer, ast.Call) and self._values.of(outer.func) <= COPYING
        if data.node is GIVEN and self._shows_numbers and not copied:
            raise NotUnderstood(above, USE)
        return above, Template("bytes({value}[{index}])", parts)

    def _compared(self, node: ast.expr, above: ast.Compare, data: Data) -> None:
        """Allow comparisons with nothing; those of two cells would compare what is in them."""
        others = [side for side in (above.left, *above.comparators) if side is not node]
        with_nothing = all(self._values.of(side) <= {Token(Null()), Plain.NONE} for side in others)
        if data.shape is Shape.BYTES or not with_nothing:
            raise NotUnderstood(above, USE)

    def _not(self, node: ast.expr, above: ast.UnaryOp, data: Data) -> None:
        if not isinstance(above.op, ast.Not) or data.shape is Shape.BUFFER:
            raise NotUnderstood(above, USE)

    def _given(self, node: ast.expr, above: ast.Call, data: Data) -> None:
        functions = self._values.of(above.func)
        if node is above.func or not functions or not all(_takes(function, data) for function in functions):
            raise NotUnderstood(node, USE)

    def _tested(self, node: ast.expr, above: ast.AST, data: Data) -> None:
        if data.shape is Shape.BUFFER:
            raise NotUnderstood(node, USE)


def _takes(function: Value, data: Data) -> bool:
    """Whether what is called is analysed, or keeps what it is given as it is."""
    if isinstance(function, Bound):
        return _takes(function.function, data)
    if isinstance(function, External):
        name = function.name.rpartition(".")[2]
        return name in _HOLDING or (name == "len" and data.shape is Shape.BUFFER and not data.part_of)
    return isinstance(function, Function | Class | Partial) or any(True for _ in keys([function]))


_PLACES: Mapping[type[ast.AST], Callable[..., tuple[ast.expr, Template] | None]] = {
    ast.Attribute: Uses._attribute,
    ast.Subscript: Uses._item,
    ast.Compare: Uses._compared,
    ast.UnaryOp: Uses._not,
    ast.Call: Uses._given,
    ast.If: Uses._tested,
    ast.While: Uses._tested,
    ast.Assert: Uses._tested,
}
