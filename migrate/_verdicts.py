"""Which references stay, and under which code: what cannot be followed stays, and takes with it what belongs to it."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping

from migrate import _legacy
from migrate._edits import Edits
from migrate._groups import Groups, Problem
from migrate._outcome import Refusal
from migrate._references import Reference, References
from migrate._shapes import NOTHING, Shapes, handles
from migrate.rules import codes as code_rules

_1X = ("DOCA_CC_INIT_FLAG_NONBLOCK", "DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK", "SERVICE_NAME_MAX")


class Verdicts:
    """`refused` maps the node of each reference that stays to its code."""

    def __init__(self, references: References, groups: Groups, by_call: Mapping[ast.Call, Edits]) -> None:
        self.references = references
        self.groups = groups
        self.flow = groups.flow
        self.names = groups.names
        self.by_call = by_call
        self.refused: dict[ast.AST, str] = {}

    def judge(self) -> None:
        """Give every reference that stays its code; a class that keeps one handle keeps all of its handles."""
        before = -1
        while before != len(self.refused):
            before = len(self.refused)
            troubled = self.groups.refused()
            for reference in self.references.found:
                code = self._verdict(reference, troubled)
                if code:
                    self.refused.setdefault(reference.node, code)
            self._close_classes()
        kept = {self._unit(node) for node in self.refused if not isinstance(node, ast.alias)}
        for reference in self.references.found:
            free = reference.node not in self.refused and not self.anchors(reference)
            free = free and not self._is_inside_an_edit(reference.node)
            if free and not isinstance(reference.node, ast.alias) and self._unit(reference.node) in kept:
                self.refused[reference.node] = "CCM003"
        if self._stays_old():
            for reference in self.references.found:
                if not isinstance(reference.node, ast.alias):
                    self.refused.setdefault(reference.node, "CCM003")

    def _stays_old(self) -> bool:
        """Whether handles stay old and none changes: then the codes and texts beside them have nothing to gain."""
        handled = [each for each in self.references.found if self.anchors(each)]
        unknown = any(code == "CCM034" for code in self.refused.values())
        moved = any(each.node not in self.refused for each in handled)
        return not moved and (unknown or bool(handled))

    def refuse_place(self, statement: ast.stmt, node: ast.AST, code: str) -> None:
        """Edits have no room in a statement: whatever wants to be there stays."""
        for call, edits in self.by_call.items():
            touched = [*edits.statements, *edits.before, *map(self.names.statement, edits.expressions)]
            if statement in touched:
                self.groups.refuse([call], node, code)
                self.refused.setdefault(call.func, code)
        for reference in self.references.found:
            # Without room for the new import no name that the old one brings can change.
            if isinstance(statement, ast.Import | ast.ImportFrom) or self.names.statement(reference.node) is statement:
                self.refused.setdefault(reference.node, code)
                self.groups.refuse(self.anchors(reference), reference.node, code)

    def causes(self) -> Iterator[Refusal]:
        """Where and how the handles that stay are used in a way that cannot be followed."""
        troubled = self.groups.refused()
        roots = {self.groups.root(call) for call in self.by_call if call.func in self.refused}
        for root in roots & troubled.keys():
            for problem in troubled[root]:
                node = problem.node
                if isinstance(node, ast.expr | ast.stmt | ast.arg | ast.alias | ast.ExceptHandler):
                    named = (getattr(node, each, "") for each in ("id", "attr", "arg", "name"))
                    name = next((each for each in named if isinstance(each, str) and each), "")
                    yield Refusal(node.lineno, node.col_offset, name or "a handle", problem.code)

    def needed_imports(self) -> set[ast.alias]:
        """The old imports that refused references still use."""
        imports = {each for each in self.references.imports if isinstance(each, ast.alias)}
        needed: set[ast.alias] = set()
        for node, code in self.refused.items():
            name = node
            while isinstance(name, ast.Attribute | ast.Call):
                name = name.func if isinstance(name, ast.Call) else name.value
            if isinstance(name, ast.Name):
                bindings = self.names.of[name].bindings
                stars = {each for each in imports if each.name == "*"}
                needed |= {each for each in bindings if isinstance(each, ast.alias)} if bindings else stars
            elif code == "CCM045":
                needed |= imports
        return needed

    # ------------------------------------------------------------------ one reference

    def _verdict(self, reference: Reference, troubled: Mapping[Hashable, list[Problem]]) -> str:
        node, anchors = reference.node, self.anchors(reference)
        if reference.code:
            self.groups.refuse(anchors, node, reference.code)
            return reference.code
        for anchor in anchors:
            problems = troubled.get(self.groups.root(anchor), [])
            if problems:
                statement = self.names.statement(node)
                here = [each.code for each in problems if self.names.statement(each.node) is statement]
                return here[0] if here else "CCM030"
        if reference.name in _legacy.CLASSES and self.is_annotation(node) and not self._is_given(reference):
            self.groups.refuse(anchors, node, "CCM034")
            return "CCM034"
        return "" if anchors or isinstance(node, ast.alias) else self._name_code(reference)

    def _name_code(self, reference: Reference) -> str:
        """Why a name that is no call of a handle cannot change; '' when it can."""
        node = reference.node
        parent = self.names.parents[node]
        called = isinstance(parent, ast.Call) and parent.func is node
        if isinstance(node, ast.Attribute) and self.flow.symbol(node) is None and not called:
            return "CCM038"
        if called and parent in self.by_call:
            return ""
        if called and parent in self.flow.calls:
            return self.flow.calls[parent].problem or "CCM022"
        if reference.name in code_rules.NAMES:
            return ""
        if reference.name in _legacy.CLASSES:
            if isinstance(parent, ast.ClassDef):
                return "CCM039"
            return "" if self.is_annotation(node) else "CCM038"
        if reference.name in _1X or reference.name.startswith("DOCA_CC_MSG_FLAG_"):
            return "CCM023"
        return "CCM038" if _legacy.module_function(reference.name) else "CCM022"

    def is_annotation(self, node: ast.AST) -> bool:
        """Whether a name stands in the annotation of a parameter, variable or result."""
        inner = node
        for outer in self.names.above(node):
            if inner in (getattr(outer, "annotation", None), getattr(outer, "returns", None)):
                return True
            if isinstance(outer, ast.stmt):
                return False
            inner = outer
        return False

    def anchors(self, reference: Reference) -> list[Hashable]:
        """The groups that a reference belongs to: those of the call that it makes, or of what it annotates."""
        if reference.name in _legacy.CLASSES and self.is_annotation(reference.node):
            return self._annotated(reference.node)
        call = self.flow.calls.get(self.names.parents[reference.node])  # type: ignore[call-overload]
        if call is None or call.node.func is not reference.node:
            return []
        return [call.node] if call.handles or any(self.groups.anchors(call.node)) else []

    def _annotated(self, node: ast.AST) -> list[Hashable]:
        for outer in self.names.above(node):
            if isinstance(outer, ast.arg):
                function = self.names.parents[self.names.parents[outer]]
                return [self.names.scopes[function].variables[outer.arg]]
            if isinstance(outer, ast.AnnAssign):
                variable = self.names.variable(outer.target)
                return [] if variable is None else [variable]
            if isinstance(outer, ast.stmt):
                return [outer]
        return []

    def _is_given(self, reference: Reference) -> bool:
        """Whether what an annotation stands for gets a handle of that kind that is known from its making on."""
        kind = _legacy.CLASSES[reference.name]
        shapes: Shapes = NOTHING
        for outer in self.names.above(reference.node):
            if isinstance(outer, ast.arg):
                function = self.names.parents[self.names.parents[outer]]
                shapes = self.flow.variables.get(self.names.scopes[function].variables[outer.arg], NOTHING)
            elif isinstance(outer, ast.AnnAssign):
                shapes = self.flow.shapes(outer.target)
            elif isinstance(outer, ast.stmt):
                shapes = self.flow.returns.get(outer, NOTHING)
            else:
                continue
            break
        found = [each for each in handles(shapes) if each.kind.removesuffix("[]") == kind]
        return any(each.site is not None or kind != "endpoint" for each in found)

    # ------------------------------------------------------------------ what belongs together

    def _unit(self, node: ast.AST) -> ast.AST:
        """The outermost function or class around a node, or the module."""
        unit: ast.AST = self.names.tree
        for each in self.names.above(node):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                unit = each
        return unit

    def _is_inside_an_edit(self, node: ast.AST) -> bool:
        """Whether a call that is rewritten takes a name along, as an argument or away with the flags."""
        calls = (each for each in self.names.above(node) if isinstance(each, ast.Call) and each in self.by_call)
        return any(each.func not in self.refused for each in calls)

    def _close_classes(self) -> None:
        classes = {self._unit(node) for node in self.refused}
        for reference in self.references.found:
            if isinstance(reference.node, ast.alias) or reference.node in self.refused:
                continue
            unit = self._unit(reference.node)
            if isinstance(unit, ast.ClassDef) and unit in classes:
                self.groups.refuse(self.anchors(reference), reference.node, "CCM030")
