"""``rewrite``: from the bytes of a file to an Outcome, with nothing read and nothing written."""

from __future__ import annotations

import ast
import re

from migrate import _check, _comments, _legacy, rules
from migrate._edits import Edits, Template
from migrate._flow import Flow
from migrate._groups import Groups
from migrate._missing import Missing
from migrate._outcome import Edit, Note, Outcome, Refusal
from migrate._references import References
from migrate._render import Renderer, Unrenderable
from migrate._rule import Context, Refuses, apply
from migrate._scopes import Names
from migrate._setup import SETTERS, Planner, Unplannable
from migrate._shapes import Handle
from migrate._source import Source, Unreadable
from migrate._verdicts import Verdicts
from migrate.rules import codes as code_rules
from migrate.rules import endpoint, imports

MENTIONS = re.compile(rb"doca_|DOCA_|comm_channel_compat|CCM\d{3}")
# A rewrite of one statement may turn out to have no room, which refuses its handles; then the rest is tried again.
ROUNDS = 8
_CREATE = _legacy.EP + "create"
_TALKS = {_legacy.EP + "sendto", _legacy.EP + "recvfrom", _legacy.PEER + "update_info"}
_CODED = re.compile(r"\{comch\}\.(?:ErrorCode|outcome)\b")
_PLANNED = {_CREATE, _legacy.EP + "listen", _legacy.EP + "connect", *SETTERS}
_CLASSES = {
    "peer": "Connection",
    "device": "Device",
    "representor": "Representor",
    "devinfo": "DevInfo",
    "repinfo": "RepInfo",
}


def rewrite(
    source: bytes, path: str = "<memory>", *, unsafe: bool = False, shared: frozenset[str] = frozenset()
) -> Outcome:
    """Rewrite one file. The outcome is for the caller to report or to write.

    `path` only tells packages apart; `unsafe` also rewrites what would need evidence; `shared` are the names that
    other files take from this one.
    """
    if not MENTIONS.search(source):
        return Outcome(source, source)
    try:
        parsed = Source(source)
    except Unreadable as error:
        return Outcome(source, source, skipped="CCM001", reason=str(error))
    return _File(parsed, source, path, unsafe, shared).outcome()


class _File:
    """One file on its way: first everything that can be refused is, then what is left is rewritten."""

    def __init__(self, source: Source, data: bytes, path: str, unsafe: bool, shared: frozenset[str]) -> None:
        self.source = source
        self.data = data
        self.names = Names(source.tree)
        self.flow = Flow(self.names)
        self.groups = Groups(self.flow)
        self.groups.share(shared)
        self.lines = _comments.Lines(source)
        self.references = References(self.flow, self.lines.marked("CCM034"))
        self.missing = Missing(self.flow)
        self.planner = Planner(self.flow, unsafe)
        self.by_call: dict[ast.Call, Edits] = {}
        self.verdicts = Verdicts(self.references, self.groups, self.by_call)
        sites = [call.node for call in self.flow.calls.values() if call.name == _CREATE]
        self.context = Context(self.flow, self.names, {site: self.planner.role(site) for site in sites}, set())
        self.is_package = path.endswith("__init__.py")

    def outcome(self) -> Outcome:
        self._plan_endpoints()
        self._apply_rules()
        for _ in range(ROUNDS):
            self.verdicts.judge()
            try:
                return self._finish(self._edits())
            except Unrenderable as trouble:
                self.verdicts.refuse_place(self.names.statement(trouble.node), trouble.node, trouble.code)
        return self._untouched("the edits do not settle")

    # ------------------------------------------------------------------ what is possible

    def _plan_endpoints(self) -> None:
        for call in self.flow.calls.values():
            if call.name != _CREATE or call.problem:
                continue
            try:
                plan = self.planner.plan(call)
                self._accept(call, endpoint.rewrite(plan, self.planner, self.context))
            except Unplannable as trouble:
                self.groups.refuse([call.node], trouble.node, trouble.code)

    def _apply_rules(self) -> None:
        known = rules.load()
        for call in self.flow.calls.values():
            if call.problem or call.name in _PLANNED:
                continue
            rule = known.get(call.name)
            answer = apply(rule, call, self.context) if rule else Refuses("CCM022")
            missing = self.missing.code(call)
            if not isinstance(answer, Refuses) and missing == "CCM065":
                answer = Refuses(missing)
            elif not isinstance(answer, Refuses) and missing:
                answer.notes.setdefault(call.node, missing)
            if isinstance(answer, Refuses):
                self.groups.refuse([call.node], call.node, answer.code)
            else:
                self._accept(call, answer)

    def _accept(self, call: _legacy.Call, edits: Edits) -> None:
        """Keep the edits of a call, when there is room for them."""
        for statement, lines in edits.statements.items():
            if len(lines) != 1 and not self.source.is_alone(statement):
                self.groups.refuse([call.node], statement, "CCM042")
        for statement in edits.before:
            if not self.source.is_first(statement):
                self.groups.refuse([call.node], statement, "CCM042")
        self.by_call[call.node] = edits

    # ------------------------------------------------------------------ what is done

    def _edits(self) -> Edits:
        refused = self.verdicts.refused
        edits = Edits()
        for call, each in self.by_call.items():
            if call.func not in refused:
                edits.add(each)
        for reference in self.references.found:
            node = reference.node
            if node not in refused and isinstance(node, ast.Name | ast.Attribute):
                self._edit_name(node, reference.name, edits)
        self._edit_imports(edits)
        self._note(edits)
        return edits

    def _note(self, edits: Edits) -> None:
        """What every file that talks, or that has result codes, is told once, at the first place."""
        refused = self.verdicts.refused
        talks = [call for call in self.by_call if call.func not in refused and self.flow.calls[call].name in _TALKS]
        whole = [(each, [template]) for each, template in edits.expressions.items()]
        lines = [*edits.statements.items(), *edits.before.items(), *whole]
        coded = [node for node, new in lines if any(_CODED.search(each.text) for each in new)]
        told = set(edits.notes.values())
        for nodes, code in ((talks, "CCM061"), (coded, "CCM063")):
            if nodes and code not in told:
                first: ast.AST = min(nodes, key=lambda each: (each.lineno, each.col_offset))
                edits.notes[self.names.statement(first) if first in edits.notes else first] = code

    def _edit_name(self, node: ast.Name | ast.Attribute, name: str, edits: Edits) -> None:
        if name in code_rules.NAMES:
            edits.expressions[node] = Template(code_rules.NAMES[name])
            if name in code_rules.NOTES:
                edits.notes[node] = code_rules.NOTES[name]
            elif name in code_rules.NOTES_OF_SERVICES and self._listens():
                edits.notes[node] = code_rules.NOTES_OF_SERVICES[name]
        elif name in _legacy.CLASSES and self.verdicts.is_annotation(node):
            edits.expressions[node] = Template(self._class_name(node, _legacy.CLASSES[name]))

    def _listens(self) -> bool:
        """Whether the file is a service's."""
        return any(each.name == _legacy.EP + "listen" for each in self.flow.calls.values())

    def _class_name(self, node: ast.AST, kind: str) -> str:
        """The modern class of an annotation: an endpoint's by the role of what the parameter gets."""
        if kind in _CLASSES:
            return f"{{comch}}.{_CLASSES[kind]}"
        roles: set[str] = set()
        for argument in (each for each in self.names.above(node) if isinstance(each, ast.arg)):
            function = self.names.parents[self.names.parents[argument]]
            shapes = self.flow.variables.get(self.names.scopes[function].variables[argument.arg], frozenset())
            sites = [each.site for each in shapes if isinstance(each, Handle) and each.site]
            roles |= {self.context.roles.get(site, "") for site in sites}
        return " | ".join(f"{{comch}}.{each}" for each in sorted(filter(None, roles)) or ["Server", "Client"])

    def _edit_imports(self, edits: Edits) -> None:
        needed = self.verdicts.needed_imports()
        used = any("{comch}" in each.text for each in edits.templates())
        # In a package's __init__ other files may count on every name.
        gone = set() if self.is_package or not (used or edits.expressions) else self.references.imports - needed
        new = imports.rewrite(self.references, gone, used, self.source)
        edits.add(new)
        for alias in self.references.imports - gone:
            self.verdicts.refused.setdefault(alias, "CCM002")

    # ------------------------------------------------------------------ the new text

    def _finish(self, edits: Edits) -> Outcome:
        shown, causes = self._comments()
        renderer = Renderer(self.source, self.names, edits, imports.modern_name(self.names)[0])
        changes = [*renderer.changes(), *_comments.changes(self.source, self.lines, shown)]
        new = self.source.encode(_splice(self.source.text, changes))
        complaint = _check.complaint(self.source.tree, new)
        return self._untouched(complaint) if complaint else self._outcome(new, edits, len(shown), causes)

    def _comments(self) -> tuple[dict[int, str], list[Refusal]]:
        """The code for each logical line that needs a comment, and the causes that stand where no old name does."""
        wanted: dict[int, list[str]] = {}
        for reference in self.references.found:
            if reference.node in self.verdicts.refused:
                line = self.lines.first.get(reference.line, reference.line)
                wanted.setdefault(line, []).append(self.verdicts.refused[reference.node])
        causes = []
        for cause in self.verdicts.causes():
            line = self.lines.first.get(cause.line, cause.line)
            if line not in wanted:
                wanted[line] = [cause.code]
                causes.append(cause)
        return {line: _comments.code_for(found) for line, found in wanted.items()}, causes

    def _outcome(self, new: bytes, edits: Edits, comments: int, causes: list[Refusal]) -> Outcome:
        done, left = [], []
        for each in self.references.found:
            code = self.verdicts.refused.get(each.node)
            if code is None:
                done.append(Edit(each.line, each.column, each.name))
            else:
                left.append(Refusal(each.line, each.column, each.name, code))
        notes = {Note(getattr(node, "lineno", 1), code) for node, code in edits.notes.items()}
        return Outcome(
            self.data,
            new,
            tuple(sorted(done)),
            tuple(sorted(left)),
            tuple(sorted(notes)),
            comments=comments,
            causes=tuple(sorted(causes)),
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
