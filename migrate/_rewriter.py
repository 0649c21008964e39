"""``rewrite``: from the bytes of a file to an Outcome, with nothing read and nothing written."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterator

from migrate import _check, _comments, _legacy, rules
from migrate._edits import Edits, Template
from migrate._flow import Flow, Handle, handles
from migrate._groups import Groups, Problem
from migrate._references import Reference, References
from migrate._render import Renderer, Unrenderable
from migrate._scopes import Names
from migrate._setup import SETTERS, Planner, Unplannable
from migrate._source import Source, Unreadable
from migrate.outcome import Edit, Note, Outcome, Refusal
from migrate.rule import Context, Refuses, apply
from migrate.rules import codes as code_rules
from migrate.rules import endpoint, imports

MENTIONS = re.compile(rb"doca_|DOCA_|comm_channel_compat|CCM\d{3}")
_STARTS = {_legacy.EP + "listen", _legacy.EP + "connect"}
_1X = ("DOCA_CC_INIT_FLAG_NONBLOCK", "DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK", "SERVICE_NAME_MAX")


def rewrite(source: bytes, path: str = "<memory>", *, unsafe: bool = False) -> Outcome:
    """Rewrite one file. The outcome is for the caller to report or to write; `path` only tells packages apart."""
    if not MENTIONS.search(source):
        return Outcome(source, source)
    try:
        parsed = Source(source)
    except Unreadable as error:
        return Outcome(source, source, skipped="CCM001", reason=str(error))
    return _File(parsed, source, path, unsafe).outcome()


class _File:
    """One file on its way: first everything that can be refused is, then what is left is rewritten."""

    def __init__(self, source: Source, data: bytes, path: str, unsafe: bool) -> None:
        self.source = source
        self.data = data
        self.names = Names(source.tree)
        self.flow = Flow(self.names)
        self.groups = Groups(self.flow)
        self.references = References(self.flow)
        self.planner = Planner(self.flow, unsafe)
        sites = [call.node for call in self.flow.calls.values() if call.name == _legacy.EP + "create"]
        roles = {site: self.planner.role(site) for site in sites}
        self.context = Context(self.flow, self.names, roles, set(), unsafe)
        self.by_call: dict[ast.Call, Edits] = {}
        self.refused: dict[ast.AST, str] = {}  # reference node -> code
        self.comch, self.has_comch = imports.modern_name(self.names)
        self.is_package = path.endswith("__init__.py")

    def outcome(self) -> Outcome:
        self._plan_endpoints()
        self._apply_rules()
        for _ in range(8):  # each round may refuse a statement that has no room; seldom more than one is needed
            self._judge()
            edits = self._edits()
            try:
                return self._finish(edits)
            except Unrenderable as trouble:
                self._refuse_place(trouble)
        return self._untouched("the edits do not settle")

    # ------------------------------------------------------------------ what is possible

    def _plan_endpoints(self) -> None:
        for call in self.flow.calls.values():
            if call.name != _legacy.EP + "create" or call.problem:
                continue
            try:
                plan = self.planner.plan(call)
                self.by_call[call.node] = endpoint.rewrite(plan, self.planner, self.context)
            except Unplannable as trouble:
                self.groups.refuse([call.node], trouble.node, trouble.code)

    def _apply_rules(self) -> None:
        known = rules.load()
        for call in self.flow.calls.values():
            if (
                call.problem
                or call.name in SETTERS
                or call.name in _STARTS
                or call.name == _legacy.EP + "create"
            ):
                continue
            rule = known.get(call.name)
            answer = apply(rule, call, self.context) if rule else Refuses("CCM022")
            if isinstance(answer, Refuses):
                self.groups.refuse([call.node], call.node, answer.code)
            else:
                self.by_call[call.node] = answer

    # ------------------------------------------------------------------ what is refused

    def _judge(self) -> None:
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
            free = reference.node not in self.refused and not self._anchors(reference)
            if free and not isinstance(reference.node, ast.alias) and self._unit(reference.node) in kept:
                self.refused[reference.node] = "CCM003"

    def _verdict(self, reference: Reference, troubled: dict[Hashable, list[Problem]]) -> str:
        node = reference.node
        if reference.code:
            for anchor in self._anchors(reference):
                self.groups.refuse([anchor], node, reference.code)
            return reference.code
        anchors = self._anchors(reference)
        for anchor in anchors:
            problems = troubled.get(self.groups.root(anchor), [])
            if problems:
                statement = self.names.statement(node)
                here = [each.code for each in problems if self.names.statement(each.node) is statement]
                return here[0] if here else "CCM030"
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
            return "" if self._annotated(node) else "CCM038"
        if reference.name in _1X or reference.name.startswith("DOCA_CC_MSG_FLAG_"):
            return "CCM023"
        return "CCM038" if _legacy.module_function(reference.name) else "CCM022"

    def _annotated(self, node: ast.AST) -> bool:
        inner = node
        for outer in self.names.above(node):
            if inner in (getattr(outer, "annotation", None), getattr(outer, "returns", None)):
                return True
            if isinstance(outer, ast.stmt):
                return False
            inner = outer
        return False

    def _anchors(self, reference: Reference) -> list[Hashable]:
        """The groups that a reference belongs to: those of the call that it makes, or of what it annotates."""
        if reference.name in _legacy.CLASSES and self._annotated(reference.node):
            return self._annotated_anchors(reference.node)
        parent = self.names.parents[reference.node]
        if (
            not isinstance(parent, ast.Call)
            or parent not in self.flow.calls
            or parent.func is not reference.node
        ):
            return []
        call = self.flow.calls[parent]
        has_handles = bool(call.handles) or any(handles(self.flow.shapes(parent)))
        return [parent] if has_handles else []

    def _annotated_anchors(self, node: ast.AST) -> list[Hashable]:
        for outer in self.names.above(node):
            if isinstance(outer, ast.arg):
                function = self.names.parents[self.names.parents[outer]]
                return [self.names.scopes[function].variables[outer.arg]]
            if isinstance(outer, ast.AnnAssign):
                return [self.names.of[outer.target]] if isinstance(outer.target, ast.Name) else []
            if isinstance(outer, ast.stmt):
                return [outer]
        return []

    def _unit(self, node: ast.AST) -> ast.AST:
        """The outermost function or class around a node, or the module."""
        unit: ast.AST = self.names.tree
        for each in self.names.above(node):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                unit = each
        return unit

    def _close_classes(self) -> None:
        classes = {self._unit(node) for node in self.refused}
        for reference in self.references.found:
            unit = self._unit(reference.node) if not isinstance(reference.node, ast.alias) else None
            if isinstance(unit, ast.ClassDef) and unit in classes and reference.node not in self.refused:
                self.groups.refuse(self._anchors(reference), reference.node, "CCM030")

    def _refuse_place(self, trouble: Unrenderable) -> None:
        """An edit has no room where it stands: whatever wants it stays."""
        place = self.names.statement(trouble.node)
        for node, edits in self.by_call.items():
            touched = [*edits.statements, *edits.before, *map(self.names.statement, edits.expressions)]
            if place in touched or trouble.node in edits.expressions:
                self.groups.refuse([node], trouble.node, trouble.code)
                self.refused.setdefault(node.func, trouble.code)
        for reference in self.references.found:
            # Without room for the new import no name that the old one brings can change.
            if isinstance(place, ast.Import | ast.ImportFrom) or self.names.statement(reference.node) is place:
                self.refused.setdefault(reference.node, trouble.code)
                self.groups.refuse(self._anchors(reference), reference.node, trouble.code)

    # ------------------------------------------------------------------ what is done

    def _edits(self) -> Edits:
        edits = Edits()
        for call, each in self.by_call.items():
            if call.func not in self.refused:
                edits.add(each)
        for reference in self.references.found:
            node = reference.node
            if node in self.refused or not isinstance(node, ast.Name | ast.Attribute):
                continue
            if reference.name in code_rules.NAMES:
                edits.expressions[node] = Template(code_rules.NAMES[reference.name])
            elif reference.name in _legacy.CLASSES and self._annotated(node):
                edits.expressions[node] = Template(self._class_name(node, _legacy.CLASSES[reference.name]))
        used = any("{comch}" in each.text for each in edits.templates())
        needed = self._needed_imports()
        in_use = used or not (set(self.refused) - set(needed))
        edits.add(
            imports.rewrite(
                self.references, set(needed), in_use and bool(edits.templates() or edits.statements), self.source, self.comch,
                self.has_comch, self.is_package,
            )
        )  # fmt: skip
        kept = {alias for alias in self.references.imports if self._is_kept(alias, edits)}
        for alias in kept:
            self.refused.setdefault(alias, "CCM002")
        return edits

    def _is_kept(self, alias: ast.AST, edits: Edits) -> bool:
        statement = self.names.statement(alias)
        if statement not in edits.statements:
            return True
        return (
            isinstance(alias, ast.alias)
            and alias in self._needed_imports()
            and alias in self.references.imports
        )

    def _class_name(self, node: ast.AST, kind: str) -> str:
        """The modern class of an annotation: an endpoint's by the role of what the parameter gets."""
        plain = {"peer": "Connection", "device": "Device", "representor": "Representor", "devinfo": "DevInfo"}
        if kind != "endpoint":
            return f"{{comch}}.{plain.get(kind, 'RepInfo')}"
        sites: set[str] = set()
        for outer in self.names.above(node):
            if isinstance(outer, ast.arg):
                variable = self.names.scopes[self.names.parents[self.names.parents[outer]]].variables[outer.arg]
                shapes = self.flow.variables.get(variable, frozenset())
                sites |= {
                    self.context.roles.get(each.site, "")
                    for each in shapes
                    if isinstance(each, Handle) and each.site
                }
        found = sorted(each for each in sites if each) or ["Server", "Client"]
        return " | ".join(f"{{comch}}.{each}" for each in found)

    def _needed_imports(self) -> list[ast.alias]:
        """The old imports that refused references still use."""
        needed = []
        for node in self.refused:
            name = node
            while isinstance(name, ast.Attribute | ast.Call):
                name = name.func if isinstance(name, ast.Call) else name.value
            if isinstance(name, ast.Name):
                needed += [each for each in self.names.of[name].bindings if isinstance(each, ast.alias)]
                if not self.names.of[name].bindings:
                    needed += self._stars()
            elif isinstance(node, ast.Constant) and self.refused[node] == "CCM045":
                needed += [each for each in self.references.imports if isinstance(each, ast.alias)]
        return needed

    def _stars(self) -> list[ast.alias]:
        return [each for each in self.references.imports if isinstance(each, ast.alias) and each.name == "*"]

    # ------------------------------------------------------------------ the new text

    def _finish(self, edits: Edits) -> Outcome:
        lines = _comments.Lines(self.source)
        wanted: dict[int, list[str]] = {}
        for reference in self.references.found:
            if reference.node in self.refused:
                line = lines.first.get(reference.line, reference.line)
                wanted.setdefault(line, []).append(self.refused[reference.node])
        for line, code in self._causes(lines):
            if line not in wanted:
                wanted[line] = [code]
        shown = {line: _comments.code_for(found) for line, found in wanted.items()}
        renderer = Renderer(self.source, self.names, edits, self.comch)
        changes = [*renderer.changes(), *_comments.changes(self.source, lines, shown)]
        new = self.source.encode(_splice(self.source.text, changes))
        complaint = _check.complaint(self.source.tree, new)
        if complaint:
            return self._untouched(complaint)
        return self._outcome(new, edits, len(shown))

    def _causes(self, lines: _comments.Lines) -> Iterator[tuple[int, str]]:
        """Where the handle of a group that stays is used in a way that this tool cannot follow."""
        troubled = self.groups.refused()
        roots = {self.groups.root(node) for node in self.by_call if node.func in self.refused}
        for root in roots & troubled.keys():
            for problem in troubled[root]:
                line = getattr(problem.node, "lineno", 0)
                if line:
                    yield lines.first.get(line, line), problem.code

    def _outcome(self, new: bytes, edits: Edits, comments: int) -> Outcome:
        found = self.references.found
        done = [Edit(each.line, each.column, each.name) for each in found if each.node not in self.refused]
        left = [
            Refusal(each.line, each.column, each.name, self.refused[each.node])
            for each in found
            if each.node in self.refused
        ]
        notes = {Note(getattr(node, "lineno", 1), code) for node, code in edits.notes.items()}
        return Outcome(
            self.data, new, tuple(sorted(done)), tuple(sorted(left)), tuple(sorted(notes)), comments=comments
        )

    def _untouched(self, why: str) -> Outcome:
        return Outcome(self.data, self.data, skipped="CCM046", reason=why)


def _splice(text: str, changes: list[tuple[int, int, str]]) -> str:
    """Apply changes that do not overlap; insertions at one place keep their order."""
    pieces, position = [], 0
    for start, end, new in sorted(changes, key=lambda each: (each[0], each[1])):
        pieces += [text[position:start], new]
        position = max(position, end)
    return "".join([*pieces, text[position:]])
