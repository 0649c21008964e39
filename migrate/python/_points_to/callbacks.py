"""What a library does later with what it is given: it keeps values, and calls functions."""

from __future__ import annotations

import ast

from migrate.python._points_to.domain import Arguments, Bound, CallBack, Function, Knowledge, Token, Value
from migrate.python._points_to.functions import Functions, Site
from migrate.python._points_to.heap import IMPLICIT, Frame
from migrate.python._points_to.slots import Slot
from migrate.python.modules import Project


class Callbacks(Functions):
    """Lets the Knowledge store what a call keeps, and call what it calls back."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        super().__init__(project, knowledge)
        self._called_back: set[tuple[Value, CallBack]] = set()

    def call_value(self, value: Value, site: Site) -> None:
        """Call one value."""
        raise NotImplementedError

    def later_of(self, token: Token, site: Site, arguments: Arguments) -> None:
        """Do what the library does after a call of a token."""
        for key, values in self.knowledge.keeps(token, arguments):
            self.add_all(self.kept(key), values)
        for back in self.knowledge.calls_back(token, arguments):
            for function in back.functions:
                self._call_back(function, back, site.node, site.frame)

    def _call_back(self, function: Value, back: CallBack, node: ast.expr, frame: Frame) -> None:
        known = function, back._replace(functions=frozenset())
        if known in self._called_back:
            return
        self._called_back.add(known)
        slots = [Slot() for _ in back.arguments]
        for slot, given in zip(slots, back.arguments, strict=True):
            self.give(slot, given, node, frame)
        written = not isinstance(function, Function | Bound)  # what the project does not define goes where it stands
        self.call_value(function, Site(node if written else IMPLICIT, frame, [(slot, False) for slot in slots]))
