"""What a rule says: the modern form of an old call, once for both spellings (objects and flat)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from migrate import _legacy
from migrate._edits import Edits, Template
from migrate._flow import Flow
from migrate._scopes import Names
from migrate._shapes import Handle


@dataclass(frozen=True)
class Calls:
    """``function(arguments)``."""

    function: str
    arguments: str = ""


@dataclass(frozen=True)
class Reads:
    """``handle.attribute``."""

    handle: str
    attribute: str


@dataclass(frozen=True)
class Writes:
    """``handle.attribute = value``."""

    handle: str
    attribute: str
    value: str


@dataclass(frozen=True)
class Gives:
    """An expression that cannot fail."""

    value: str


@dataclass(frozen=True)
class Refuses:
    """The call stays, and so does everything its handles flow through."""

    code: str


Form: TypeAlias = Calls | Reads | Writes | Gives


@dataclass(frozen=True)
class Context:
    """What a rule may ask about the file."""

    flow: Flow
    names: Names
    roles: dict[ast.Call, str]  # site of an endpoint -> "Server" or "Client"
    guarded: set[ast.Call]  # calls whose endpoint may not have been made

    def role(self, endpoint: ast.expr) -> str:
        """Server or Client; '' when an expression can be both, or is not known."""
        sites = [each.site for each in self.flow.shapes(endpoint) if isinstance(each, Handle)]
        found = {self.roles.get(site, "") if site else "" for site in sites}
        return found.pop() if len(found) == 1 else ""

    def alone(self, node: ast.AST) -> bool:
        """Whether a call is a statement of its own."""
        return isinstance(self.names.parents[node], ast.Expr)

    def fresh(self, *wanted: str) -> str:
        """The first of some names that nothing in the file uses yet."""
        used = {name for scope in self.names.scopes.values() for name in scope.variables}
        return next(name for name in [*wanted, *(f"{wanted[0]}_{i}" for i in range(2, 99))] if name not in used)


Answer: TypeAlias = Form | Edits | Refuses
Rule: TypeAlias = Form | Callable[[_legacy.Call, Context], Answer]


def apply(rule: Rule, call: _legacy.Call, context: Context) -> Edits | Refuses:
    """The edits of one call: an objects call becomes the form itself, a flat one its outcome."""
    answer = rule if isinstance(rule, Form) else rule(call, context)
    if isinstance(answer, Edits | Refuses):
        return answer
    if isinstance(answer, Writes) and context.alone(call.node):
        line = Template(f"{answer.handle}.{answer.attribute} = {answer.value}", call.arguments)
        return Edits(statements={context.names.statement(call.node): [line]})
    text = _flat(answer, call, context) if call.flat and call.name not in _legacy.BARE else _plain(answer)
    return Edits(expressions={call.node: Template(text, call.arguments)})


def _plain(form: Form) -> str:
    if isinstance(form, Calls):
        return f"{form.function}({form.arguments})"
    if isinstance(form, Reads):
        return f"{form.handle}.{form.attribute}"
    if isinstance(form, Writes):
        return f'setattr({form.handle}, "{form.attribute}", {form.value})'
    return form.value


def _flat(form: Form, call: _legacy.Call, context: Context) -> str:
    if isinstance(form, Gives):
        success = "{comch}.ErrorCode.SUCCESS"
        return f"({success}, {form.value})" if call.signature.outputs else success
    if isinstance(form, Calls):
        inside = f"{form.function}, {form.arguments}" if form.arguments else form.function
    elif isinstance(form, Reads):
        inside = f'getattr, {form.handle}, "{form.attribute}"'
    else:
        inside = f'setattr, {form.handle}, "{form.attribute}", {form.value}'
    whole = bool(call.signature.outputs) or context.alone(call.node)
    return f"{{comch}}.outcome({inside})" + ("" if whole else "[0]")
