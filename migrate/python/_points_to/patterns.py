"""What match statements mean for values, and the table of all readers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from migrate.python._points_to.domain import (
    Instance,
    Value,
)
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.items import key_of
from migrate.python._points_to.slots import Slot
from migrate.python._points_to.statements import Statements


class Patterns(Statements):
    """Reads match statements."""

    def read_match(self, frame: Frame, node: ast.Match) -> None:
        subject = self.slot(frame, node.subject)
        for case in node.cases:
            self._match(frame, case.pattern, subject)

    def _match(self, frame: Frame, pattern: ast.pattern, subject: Slot) -> None:
        if isinstance(pattern, ast.MatchAs):
            if pattern.name:
                self.flow(subject, self.variable(frame, frame.names.of[pattern]))
            if pattern.pattern:
                self._match(frame, pattern.pattern, subject)
        elif isinstance(pattern, ast.MatchOr):
            for choice in pattern.patterns:
                self._match(frame, choice, subject)
        elif isinstance(pattern, ast.MatchSequence):
            star = next((i for i, each in enumerate(pattern.patterns) if isinstance(each, ast.MatchStar)), None)
            for place, inner in enumerate(pattern.patterns):
                part = Slot()
                late = star is not None and place > star
                length = len(pattern.patterns)
                self.unpack(subject, place - length if late else place, part, length if star is None else None)
                if isinstance(inner, ast.MatchStar):
                    if inner.name:
                        rest, contents = self.make(inner, "list", frame)
                        self.iterate(subject, contents.some)
                        self.add(self.variable(frame, frame.names.of[inner]), rest)
                else:
                    self._match(frame, inner, part)
        elif isinstance(pattern, ast.MatchMapping):
            for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
                part = Slot()
                self.read_key(subject, key_of(key), part)
                self._match(frame, inner, part)
            if pattern.rest:
                self.flow(subject, self.variable(frame, frame.names.of[pattern]))
        elif isinstance(pattern, ast.MatchClass):
            self._match_class(frame, pattern, subject)

    def _match_class(self, frame: Frame, pattern: ast.MatchClass, subject: Slot) -> None:
        for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            part = Slot()
            self.load(subject, name, part, None)
            self._match(frame, inner, part)
        for place, inner in enumerate(pattern.patterns):
            part = Slot()
            self.watch(subject, partial(self._positional, place, part))
            self._match(frame, inner, part)

    def _positional(self, place: int, part: Slot, value: Value) -> None:
        if not isinstance(value, Instance):
            self.add(part, value)  # `case str(name)` binds the subject itself
            return
        names = self.record_names(value.node)
        if place < len(names):
            self.flow(self.field(value, names[place]), part)
        else:
            for slot in tuple(self.fields.get(value, {}).values()):
                self.flow(slot, part)


Reader: TypeAlias = Callable[[Patterns, Frame, Any], None]
READERS: dict[type[ast.AST], Reader] = {
    ast.FunctionDef: Patterns.read_function,
    ast.AsyncFunctionDef: Patterns.read_function,
    ast.Lambda: Patterns.read_function,
    ast.ClassDef: Patterns.read_class,
    ast.Return: Patterns.read_return,
    ast.Assign: Patterns.read_assign,
    ast.AnnAssign: Patterns.read_target_value,
    ast.NamedExpr: Patterns.read_target_value,
    ast.AugAssign: Patterns.read_augmented,
    ast.For: Patterns.read_loop,
    ast.AsyncFor: Patterns.read_loop,
    ast.comprehension: Patterns.read_loop,
    ast.With: Patterns.read_with,
    ast.AsyncWith: Patterns.read_with,
    ast.Raise: Patterns.read_raise,
    ast.ExceptHandler: Patterns.read_handler,
    ast.Import: Patterns.read_import,
    ast.ImportFrom: Patterns.read_import_from,
    ast.Attribute: Patterns.read_attribute,
    ast.Subscript: Patterns.read_subscript,
    ast.Call: Patterns.read_call,
    ast.Tuple: Patterns.read_display,
    ast.List: Patterns.read_display,
    ast.Set: Patterns.read_display,
    ast.Dict: Patterns.read_dict,
    ast.ListComp: Patterns.read_comprehension,
    ast.SetComp: Patterns.read_comprehension,
    ast.GeneratorExp: Patterns.read_comprehension,
    ast.DictComp: Patterns.read_dict_comprehension,
    ast.IfExp: Patterns.read_conditional,
    ast.BoolOp: Patterns.read_bool,
    ast.BinOp: Patterns.read_binary,
    ast.UnaryOp: Patterns.read_unary,
    ast.Compare: Patterns.read_compare,
    ast.JoinedStr: Patterns.read_text,
    ast.Await: Patterns.read_await,
    ast.Yield: Patterns.read_yield,
    ast.YieldFrom: Patterns.read_yield_from,
    ast.Match: Patterns.read_match,
}
