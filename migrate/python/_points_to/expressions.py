"""What each kind of expression means for values; no reader looks further in than its own node."""

from __future__ import annotations

import ast
from functools import partial

from migrate.python._points_to.attributes import Attributes
from migrate.python._points_to.domain import (
    Collection,
    Instance,
    Plain,
    Token,
    Value,
)
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.items import key_of
from migrate.python._points_to.library_collections import merge
from migrate.python._points_to.slots import Slot

_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or", ast.BitAnd: "and",
    ast.BitXor: "xor", ast.MatMult: "matmul", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le",
    ast.Gt: "gt", ast.GtE: "ge", ast.UAdd: "pos", ast.USub: "neg", ast.Invert: "invert",
}  # fmt: skip


_JOINING = (ast.Add, ast.Mult, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)  # what makes a collection of collections
_JOINING_TEXTS = frozenset({"__add__", "__radd__", "__mod__", "__mul__"})


class Expressions(Attributes):
    """Reads expressions."""

    # ------------------------------------------------------------------ expressions

    def read_attribute(self, frame: Frame, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            source = self.slot(frame, node.value)
            self.load(source, self.attribute_name(frame, node), self.slot(frame, node), node)

    def read_subscript(self, frame: Frame, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Load):
            key = self.slot(frame, node.slice)
            self.read_item(self.slot(frame, node.value), node, frame, key, self.slot(frame, node))

    def read_call(self, frame: Frame, node: ast.Call) -> None:
        site = Site(node, frame, result=self.slot(frame, node))
        for argument in node.args:
            star = isinstance(argument, ast.Starred)
            site.positional.append((self.slot(frame, argument.value if star else argument), star))  # type: ignore[attr-defined]
        for keyword in node.keywords:
            if keyword.arg is None:
                site.splats.append(self.slot(frame, keyword.value))
            else:
                site.keywords[keyword.arg] = self.slot(frame, keyword.value)
        self.call(self.slot(frame, node.func), site)

    def read_display(self, frame: Frame, node: ast.Tuple | ast.List | ast.Set) -> None:
        if isinstance(node, ast.Tuple | ast.List) and not isinstance(node.ctx, ast.Load):
            return
        kind = type(node).__name__.lower()
        collection, contents = self.make(node, kind, frame)
        stars = (index for index, item in enumerate(node.elts) if isinstance(item, ast.Starred))
        known = 0 if isinstance(node, ast.Set) else next(stars, len(node.elts))  # items whose places are known
        contents.length = known if known == len(node.elts) else None
        for index, item in enumerate(node.elts):
            if isinstance(item, ast.Starred):
                self.iterate(self.slot(frame, item.value), contents.some)
            else:
                self.flow(self.slot(frame, item), self.item(contents, index) if index < known else contents.some)
        self.add(self.slot(frame, node), collection)

    def read_dict(self, frame: Frame, node: ast.Dict) -> None:
        collection, contents = self.make(node, "dict", frame)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                merge(self, self.slot(frame, value), collection)
                continue
            wanted = key_of(key)
            self.flow(self.slot(frame, value), contents.some if wanted is None else self.item(contents, wanted))
            self.flow(self.slot(frame, key), contents.keys)
        self.add(self.slot(frame, node), collection)

    def read_comprehension(self, frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        collection, _ = self.make(node, "list", frame, self.slot(frame, node.elt))
        self.add(self.slot(frame, node), collection)

    def read_dict_comprehension(self, frame: Frame, node: ast.DictComp) -> None:
        collection, contents = self.make(node, "dict", frame, self.slot(frame, node.value))
        self.flow(self.slot(frame, node.key), contents.keys)
        self.add(self.slot(frame, node), collection)

    def read_conditional(self, frame: Frame, node: ast.IfExp) -> None:
        result, body, orelse = (self.slot(frame, part) for part in (node, node.body, node.orelse))
        measured = _measured(node.test)
        if measured is None:
            self.flow(body, result)
            self.flow(orelse, result)
            return
        items, wanted = self.slot(frame, measured[0]), measured[1]

        def choose(value: Value) -> None:
            length = self.contents(value).length if isinstance(value, Collection) else None
            for branch, chosen in ((body, length == wanted), (orelse, length != wanted)):
                if length is None or chosen:
                    self.flow(self.constant(value) if branch is items else branch, result)

        self.watch(items, choose)

    def read_bool(self, frame: Frame, node: ast.BoolOp) -> None:
        """Of `a or b` the first is never None; of `a and b` it is what may be false."""
        result, skips_none = self.slot(frame, node), isinstance(node.op, ast.Or)

        def keep(value: Value) -> None:
            if value is not Plain.NONE if skips_none else isinstance(value, Plain | Collection | Instance):
                self.add(result, value)

        for operand in node.values[:-1]:
            self.watch(self.slot(frame, operand), keep)
        self.flow(self.slot(frame, node.values[-1]), result)

    def read_binary(self, frame: Frame, node: ast.BinOp) -> None:
        left, right = self.slot(frame, node.left), self.slot(frame, node.right)
        self._operate(frame, node, node.op, left, right, self.slot(frame, node))

    def read_unary(self, frame: Frame, node: ast.UnaryOp) -> None:
        self._operate(frame, node, node.op, self.slot(frame, node.operand), None, self.slot(frame, node))

    def read_compare(self, frame: Frame, node: ast.Compare) -> None:
        result, left = self.slot(frame, node), self.slot(frame, node.left)
        self.add(result, Plain.OTHER)
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.slot(frame, comparator)
            self._operate(frame, node, operator, left, right, result)
            if isinstance(operator, ast.In | ast.NotIn):
                self._call_operator(right, "__contains__", left, Slot())
            left = right

    def _operate(self, frame: Frame, node: ast.AST, op: ast.AST, left: Slot, right: Slot | None, result: Slot) -> None:
        joined = isinstance(node, ast.BinOp) and isinstance(op, ast.Add) and isinstance(node.right, ast.Tuple)
        before = Slot() if joined else result  # of `x + (1, 2)`, a tuple whatever `x` is: what the items of `x` are
        if isinstance(op, ast.Add | ast.BitOr) and left is not self.other:  # of two collections, one more
            self.watch(left, lambda value: self._sum(value, node, result, before))
        elif isinstance(op, ast.Mult) and right is not None:
            self._multiply(left, right, result)
        elif isinstance(op, _JOINING):  # of a set, a part
            self._plain(left, result)
        else:
            self.add(result, Plain.OTHER)
        name = _OPERATORS.get(type(op))
        if name is None:
            return

        def combine(value: Value, *, is_last: bool) -> None:
            if not isinstance(value, Collection):
                return
            if value.kind == "tuple" and isinstance(op, ast.Add):
                self.join(value, node, frame, result, before if is_last and joined else None, is_last=is_last)
            else:
                self.mix(value, node, frame, result)

        for slot, is_last in ((left, False), (right, True)) if isinstance(op, _JOINING) else ():
            if slot is not None and slot is not self.other:
                self.watch(slot, partial(combine, is_last=is_last))
        self._call_operator(left, f"__{name}__", right, result)
        if isinstance(node, ast.AugAssign):
            self._call_operator(left, f"__i{name}__", right, result)
        if right is not None:
            self._call_operator(right, f"__r{name}__", left, result)

    def _sum(self, value: Value, node: ast.AST, result: Slot, otherwise: Slot) -> None:
        """Let a slot have what adding something to a value gives, beside a collection; or another one what is plain."""
        added = self.knowledge.added(value, node) if isinstance(value, Token) else ()
        self.add_all(result, added)
        if not added and not isinstance(value, Collection):
            self.add(otherwise, Plain.OTHER)

    def _multiply(self, left: Slot, right: Slot, result: Slot) -> None:
        """Let a slot have what is plain of a product: nothing where a side is a collection, which is repeated."""
        factor = Slot()
        self._plain(left, factor)
        self.watch(factor, lambda value: self._plain(right, result))

    def _plain(self, source: Slot, result: Slot) -> None:
        """Let a slot have OTHER for what another one has beside collections."""

        def add(value: Value) -> None:
            if not isinstance(value, Collection):
                self.add(result, Plain.OTHER)

        if source is self.other:
            self.add(result, Plain.OTHER)
        else:
            self.watch(source, add)

    def _call_operator(self, left: Slot, method: str, right: Slot | None, result: Slot) -> None:
        def call(value: Value) -> None:
            if isinstance(value, Instance) and self.binder(value.node, method):
                self.call_with(self.attribute(value, method), [] if right is None else [right], result)
            elif value is Plain.UNKNOWN:
                self.add(result, value)
            elif isinstance(value, Token | Collection) and method == "__rmod__":
                self.show(self.constant(value), result)
            elif isinstance(value, Token) and method in _JOINING_TEXTS and value in self.knowledge.text(value):
                self.add(result, value)

        if left is not self.other:
            self.watch(left, call)

    def read_text(self, frame: Frame, node: ast.JoinedStr) -> None:
        self.add(self.slot(frame, node), Plain.OTHER)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.show(self.slot(frame, part.value), self.slot(frame, node))
                self.show_caught(frame, part.value, self.slot(frame, node))

    def read_await(self, frame: Frame, node: ast.Await) -> None:
        self.await_(self.slot(frame, node.value), self.slot(frame, node))

    def read_yield(self, frame: Frame, node: ast.Yield) -> None:
        self.flow(self.slot(frame, node.value) if node.value else self.none, frame.yielded)
        self.flow(frame.sent, self.slot(frame, node))
        self.add(self.slot(frame, node), Plain.NONE)

    def read_yield_from(self, frame: Frame, node: ast.YieldFrom) -> None:
        source, result = self.slot(frame, node.value), self.slot(frame, node)

        def delegate(value: Value) -> None:
            if isinstance(value, Collection):
                self.flow(self.field(value, "return"), result)
                if value in self.generators:
                    self.flow(frame.sent, self.generators[value].sent)

        self.iterate(source, frame.yielded)
        self.watch(source, delegate)

    def attribute_name(self, frame: Frame, node: ast.Attribute) -> str:
        """The name of an attribute, as the interpreter has it (`__x` in a class)."""
        return frame.names.scope(node).mangle(node.attr) if node.attr.startswith("__") else node.attr


def _measured(test: ast.expr) -> tuple[ast.expr, int] | None:
    """What `len(items) == 1` measures, and the length that it asks for."""
    if not isinstance(test, ast.Compare) or len(test.ops) > 1 or not isinstance(test.ops[0], ast.Eq):
        return None
    call, length = test.left, key_of(test.comparators[0])
    is_len = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "len"
    if not isinstance(call, ast.Call) or not is_len or len(call.args) != 1 or not isinstance(length, int):
        return None
    return call.args[0], length
