"""A call in a loop that an idiom may replace: the questions about it, and its new text."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from migrate.facts.program import Facts
from migrate.facts.shown import MAY_BE_SHOWN
from migrate.facts.tokens import symbols
from migrate.old_api.calls import Call
from migrate.python.scopes import Kind
from migrate.python.source import Source
from migrate.rules._answers import Change
from migrate.rules.idioms._aftermath import Aftermath
from migrate.rules.idioms._loop import Loop, code_of, made_by, names_in, parse
from migrate.rules.idioms._polls import Polls, Wait
from migrate.rules.idioms._quiet import Quiet
from migrate.text.code import Edits, Template


@dataclass(frozen=True)
class Site:
    """A call, and the change of it that has been decided; `changes`: of all calls, by their node."""

    call: Call
    change: Change
    changes: Mapping[ast.expr, Change]
    facts: Facts
    quiet: Quiet
    aftermath: Aftermath
    polls: Polls
    source: Source

    @property
    def statement(self) -> ast.stmt:
        """The statement that the call stands in."""
        return next(node for node in self.facts.above(self.call.node) if isinstance(node, ast.stmt))

    @property
    def target(self) -> ast.expr | None:
        """The name or attribute that the call's value is stored in, when its statement does nothing else."""
        match self.statement:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
                is_place = isinstance(target, ast.Name | ast.Attribute) and value is self.call.node
                return target if is_place else None
        return None

    def loads(self, name: ast.Name) -> list[ast.AST] | None:
        """Return where the variable of a name is read or deleted; None where others may do so."""
        path = self.facts.values.path(name)
        variable = self.facts.names[path].of[name]
        is_shared = variable.scope.kind is Kind.MODULE and bool(self.facts.project.importers[path])
        is_shared = is_shared or variable.scope.kind is Kind.CLASS
        return None if is_shared else [*variable.loads, *variable.deletions]

    def is_one_line(self, statement: ast.stmt) -> bool:
        """Whether a statement has one line, and that to itself; more would keep their indentation."""
        return statement.lineno == statement.end_lineno and self.source.is_alone(statement)

    def is_same(self, node: ast.expr | None, target: ast.expr) -> bool:
        """Whether an expression reads what a target has stored."""
        return node is not None and ast.unparse(node) == ast.unparse(target)

    def _block(self, statement: ast.stmt) -> list[ast.stmt]:
        above: Any = self.facts.parent(statement)
        blocks = (getattr(above, name, None) for name in ("body", "orelse", "finalbody"))
        return next(block for block in blocks if isinstance(block, list) and statement in block)

    def before(self, statement: ast.stmt) -> ast.stmt | None:
        """Return the statement right before one in its block."""
        block = self._block(statement)
        at = block.index(statement)
        return block[at - 1] if at else None

    def behind(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the statements behind one in its block."""
        block = self._block(statement)
        return block[block.index(statement) + 1 :]

    @cached_property
    def loop(self) -> Loop | None:
        """The loop that does nothing but repeat the call."""
        statement = next((node for node in self.facts.above(self.call.node) if isinstance(node, ast.While)), None)
        loop = parse(statement) if statement is not None else None
        if loop is None or made_by(loop.value) is not self.call.node:
            return None
        kept = names_in(loop.target) if loop.target is not None else frozenset()
        is_kept = kept is not None and (loop.by_class or not kept & self._read)
        is_short = loop.value.lineno == loop.value.end_lineno  # else its lines would keep the loop's indentation
        return loop if is_kept and is_short and self._is_idle(loop) else None

    def _is_idle(self, loop: Loop) -> bool:
        """Whether a loop only lets time go by between its turns, or waits for the call's own event channel."""
        return all(map(self.quiet.is_wait, loop.waits)) or self._wait(loop) is not None

    def _wait(self, loop: Loop) -> Wait | None:
        """Return how a loop waits for the event channel of the call's handle."""
        return self._wait_of(loop.statement)

    @property
    def wait(self) -> Wait | None:
        """The wait for the event channel right before the call's statement."""
        return self._wait_of(self.statement)

    def _wait_of(self, statement: ast.stmt) -> Wait | None:
        waits = [self.polls.waits(origin).get(statement) for origin in self._origins]
        return waits[0] if waits and None not in waits else None

    @property
    def _origins(self) -> frozenset[Hashable]:
        receiver = self.call.receiver
        return self.facts.handles(receiver) if receiver is not None else frozenset()

    @property
    def _read(self) -> frozenset[str]:
        nodes = (node for argument in self.call.arguments.values() for node in ast.walk(argument))
        return frozenset(node.id for node in nodes if isinstance(node, ast.Name))

    def is_again(self, loop: Loop, error: str, number: int) -> bool:
        """Whether a loop goes on for one error only: an exception, or the code of a flat call."""
        if loop.by_class is self.call.returns_code:
            return False
        if loop.by_class:
            values = self.facts.values.of(loop.answer)
            return len(values) == 1 and [symbol.name for symbol in symbols(values)] == [error]
        value = self.facts.constant(loop.answer)
        return type(value) is int and value == number

    @property
    def is_alone(self) -> bool:
        """Whether repeating the call is all that the loop could do: with the arguments of its first turn."""
        return self.is_undisturbed and all(map(self.quiet.is_stable, self.call.arguments.values()))

    @property
    def is_undisturbed(self) -> bool:
        """Whether nothing of the program runs while the call waits, nor waits for what it takes."""
        origins = self._origins
        if not origins or not self.quiet.is_called_inside(self.call.node):
            return False
        for origin in origins:
            kept = [obstacle for obstacle in self.facts.obstacles(origin) if obstacle.code != MAY_BE_SHOWN]
            unseen = isinstance(origin, ast.arg) or kept
            is_awaited = self.polls.has_bells(origin) and not self.polls.waits(origin)
            if unseen or is_awaited:  # waiting takes the bells that wake a program which waits by itself
                return False
        return True

    def rewritten(self, loop: Loop, pattern: str, replacement: str) -> Edits | None:
        """Return the edits for the loop to become its call, with a part of the call's decided text replaced."""
        template = self.change.edits.expressions.get(self.call.node)
        match = re.fullmatch(pattern, template.text) if template else None
        if template is None or match is None:
            return None
        text = match.expand(replacement)
        text = text if loop.target is not None or loop.returns else text.removesuffix("[0]")
        statements: dict[ast.stmt, Template] = {loop.statement: self._statement(loop)}
        if loop.primed:
            before = self._primer(loop)
            if before is None:
                return None
            statements[before] = Template("")
        if (wait := self._wait(loop)) is not None:
            statements |= dict.fromkeys(self.setup(wait) if not wait.others else (), Template(""))
        return Edits({self.call.node: Template(text, template.parts)}, statements)

    def setup(self, wait: Wait) -> list[ast.stmt]:
        """Return the statements that only waits in a poller need, where others are left in their blocks."""
        is_left = all(not set(self._block(statement)).issubset(wait.setup) for statement in wait.setup)
        return list(wait.setup) if is_left and all(map(self.is_one_line, wait.setup)) else []

    def _primer(self, loop: Loop) -> ast.stmt | None:
        """Return the statement right before a loop that sets its target to AGAIN."""
        match self.before(loop.statement):
            case ast.Assign(targets=[ast.Name(id=name)], value=value) as before if name == code_of(loop.target):
                same = self.facts.constant(value) == self.facts.constant(loop.answer)
                return before if same else None
        return None

    def _statement(self, loop: Loop) -> Template:
        """Return the statements that take the loop's place."""
        parts = {"value": loop.value}
        if loop.returns:
            return Template("return {value}", parts)
        text = "{value}"
        if loop.target is not None:
            text, parts = "{target} = {value}", {"target": loop.target, **parts}
        tail = self.tail(loop)
        if not tail.text:
            return Template(text, parts)
        line = loop.statement.lineno
        text += self.source.line_end(line) + self.source.indentation(line) + tail.text
        return Template(text, {**parts, **tail.parts})

    def tail(self, loop: Loop) -> Template:
        """Return what is left of a loop when its call has been taken out: a return, or nothing."""
        if loop.tail is None or (loop.tail.value is None and self._ends_function(loop.statement)):
            return Template("")
        return Template("return {result}", {"result": loop.tail.value}) if loop.tail.value else Template("return")

    def _ends_function(self, statement: ast.stmt) -> bool:
        above = self.facts.parent(statement)
        return isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef) and above.body[-1] is statement


class Idiom:
    """A rule of this package; `code` is its page. marks_taken: it stands at the calls that the edits take in."""

    code: str
    marks_taken = False

    def __call__(self, site: Site) -> Edits | None:
        """Return the edits that join what the call stands in; None to leave it alone."""
        raise NotImplementedError


@dataclass(frozen=True)
class Retry(Idiom):
    """A call that is repeated while it is answered AGAIN waits by itself.

    objects and flat: a pattern of the text without a wait, and the text with one.
    """

    code: str
    objects: tuple[str, str]
    flat: tuple[str, str] | None = None
    error: tuple[str, int] = ("Again", 5)

    def __call__(self, site: Site) -> Edits | None:
        loop, forms = site.loop, self.flat if site.call.returns_code else self.objects
        if loop is None or forms is None or not site.is_again(loop, *self.error) or not site.is_alone:
            return None
        return site.rewritten(loop, *forms)
