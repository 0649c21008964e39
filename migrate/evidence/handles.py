"""Variables with handles whose origin migrate cannot see: what they held in runs, and where that was made.

A variable is explained as a whole or not at all: every call on it that looks old must have run, as a call of one kind
of handle, made at places of the project, and at least one of these calls can only be an old one.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from migrate.evidence.accounts import Given, Site
from migrate.evidence.runs import Runs
from migrate.facts.forest import last_name
from migrate.facts.handles import COMMON, MODERN_TOO
from migrate.facts.program import Facts, Reference
from migrate.facts.tokens import Handle
from migrate.old_api.accounts import accounted
from migrate.old_api.calls import Call
from migrate.python.scopes import Kind, Variable
from migrate.python.values import Plain, Token

UNKNOWN = "CCM034"


class _Use(NamedTuple):
    """A call on a variable; node: what names its function.

    argument: the place of the variable among what accounts have of it. method: the name of a method on an object that
    may be anything. functions: what it is otherwise, by the names in accounts.
    """

    path: Path
    node: ast.expr
    call: ast.Call
    argument: int | str
    method: str = ""
    functions: frozenset[str] = frozenset()

    def is_of(self, symbol: str) -> bool:
        """Whether an account means the call by a symbol."""
        return symbol.endswith(f"_{self.method}") if self.method else symbol in self.functions


@dataclass
class Explained:
    """What runs explain. variables: what they hold. shown: by the references on them.

    doubts: why others are not, by the references and by the expressions that hold the handles there.
    """

    variables: dict[Variable, Sequence[Token]] = field(default_factory=dict)
    shown: dict[ast.AST, str] = field(default_factory=dict)
    doubts: dict[ast.AST, str] = field(default_factory=dict)


class Handles:
    """Explains the variables of a project."""

    def __init__(self, facts: Facts, runs: Runs) -> None:
        self._facts, self._runs = facts, runs

    def explain(self, found: Explained) -> bool:
        """Explain more variables; whether there is one."""
        known = len(found.variables)
        found.doubts.clear()
        uses: dict[Variable, list[tuple[ast.expr, _Use]]] = {}
        spelled = (lost for reference in self._facts.references for lost in self._lost(reference))
        for receiver, use in chain(spelled, self._given_to_tables()):
            variable = self._variable(receiver)
            if variable is None:
                text = "the handle is not in a variable of a function or file"
                found.doubts |= {receiver: text, use.node: text}
            else:
                uses.setdefault(variable, []).append((receiver, use))
        for variable, of_variable in uses.items():
            tokens, text = self._explain([use for _, use in of_variable])
            if tokens:
                found.variables[variable] = tokens
                found.shown |= {use.node: text for _, use in of_variable}
            else:
                found.doubts |= {place: text for receiver, use in of_variable for place in (receiver, use.node)}
        return len(found.variables) > known

    # ------------------------------------------------------------------ what is unknown

    def _lost(self, reference: Reference) -> Iterator[tuple[ast.expr, _Use]]:
        """Yield the arguments of a call that are handles of unknown origin."""
        node, call = reference.node, reference.call
        if reference.code == UNKNOWN and call is None and isinstance(node, ast.Attribute):
            above = self._facts.parent(node)
            if isinstance(above, ast.Call) and above.func is node:
                yield node.value, _Use(reference.path, node, above, 0, node.attr)
        elif call is not None and not call.problem and reference.code in ("", UNKNOWN):
            for name, argument in call.arguments.items():
                if name in call.kinds and self._is_unknown(argument):
                    is_method = call.spelling == "objects" and argument is call.receiver
                    method = node.attr if is_method and isinstance(node, ast.Attribute) else ""
                    place, names = self._place(call, argument), frozenset({accounted(call.function)})
                    yield argument, _Use(reference.path, call.node.func, call.node, place, method, names)

    def _given_to_tables(self) -> Iterator[tuple[ast.expr, _Use]]:
        """Yield such arguments of calls whose function is not a name: an item of a table, a variable."""
        for path, names in self._facts.names.items():
            for call in (node for node in names.parents if isinstance(node, ast.Call)):
                functions = [] if call in self._facts.calls else self._facts.functions(call.func)
                for place, argument in enumerate(call.args if functions else ()):
                    takes = (function for function in functions if place < len(function.inputs))
                    if any(function.inputs[place] in function.kinds for function in takes) and self._is_unknown(
                        argument
                    ):
                        called = frozenset(accounted(function.name) for function in functions)
                        yield argument, _Use(path, call.func, call, place, functions=called)

    def _is_unknown(self, node: ast.expr) -> bool:
        values = self._facts.values.of(node)
        return not values or Plain.UNKNOWN in values or any(map(_is_parameter, self._facts.handles(node)))

    def _variable(self, node: ast.expr) -> Variable | None:
        """Return the variable whose values are unknown: a parameter that a handle comes by, or the one named."""
        names = next(names for names in self._facts.names.values() if node in names.parents)
        parameters = [origin for origin in self._facts.handles(node) if isinstance(origin, ast.arg)]
        if len(parameters) == 1:
            home = next(names for names in self._facts.names.values() if parameters[0] in names.parents)
            return home.of[parameters[0]]
        variable = names.of[node] if isinstance(node, ast.Name) else None
        return variable if variable is not None and variable.scope.kind is not Kind.CLASS else None

    def _place(self, call: Call, argument: ast.expr) -> int | str:
        """Return the place of an argument, as the account counts: a method's receiver is the first."""
        node, is_method = call.node, call.spelling == "objects" and call.receiver not in call.node.args
        keyword = next((keyword.arg for keyword in node.keywords if keyword.value is argument), None)
        if keyword is not None:
            return keyword
        return node.args.index(argument) + is_method if argument in node.args else 0

    # ------------------------------------------------------------------ what runs show

    def _explain(self, uses: Sequence[_Use]) -> tuple[Sequence[Token], str]:
        """Return what a variable holds, and the accounts that show it; nothing, and why, if they do not."""
        tokens: dict[Token, None] = {}
        is_certain, accounts = False, ""
        for use in uses:
            accounts, line = self._runs.names(use.path), f"line {self._runs.lines(use.path, use.call)[0]}"
            if doubt := self._runs.doubt(use.path):
                return (), doubt
            if self._is_crowded(use):
                return (), f"{line} has several such calls"
            observed = self._runs.calls(use.path, use.call, use.is_of)
            if not observed:
                return (), f"{accounts}: {line} did not run"
            for call in observed:
                given = [handle for handle in call.given if handle.argument == use.argument]
                if not given:
                    return (), f"{accounts}: {line} had a handle whose origin the account does not have"
                for handle in given:
                    made = self._tokens(handle)
                    if not made:
                        return (), f"{accounts}: {line} had a handle that was made outside of these files"
                    tokens |= dict.fromkeys(made)
                is_certain |= not use.method or any(handle.argument != use.argument for handle in call.given)
            is_certain |= use.method not in COMMON | MODERN_TOO
        kinds = {token.key.kind for token in tokens if isinstance(token.key, Handle)}
        if len(kinds) > 1:
            return (), f"{accounts}: it holds handles of several kinds"
        if not is_certain:
            return (), "other libraries have methods of these names, and an account has old calls only"
        return tuple(tokens), accounts

    def _is_crowded(self, use: _Use) -> bool:
        """Whether another call of the same name stands on the lines of a call."""
        lines = self._runs.lines(use.path, use.call)
        name = last_name(use.call.func)
        tree = self._facts.names[use.path].tree
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node.func) == name]
        return any(call is not use.call and self._runs.lines(use.path, call)[0] in lines for call in calls)

    def _tokens(self, given: Given) -> list[Token]:
        """Return the handles that a place of the project makes."""
        kind = self._facts.vocabulary.classes.get(given.kind)
        return [Token(Handle(kind, made)) for made in origins_of(self._facts, self._runs, given.made)] if kind else []


def origins_of(facts: Facts, runs: Runs, site: Site) -> list[Hashable]:
    """Return the calls of the project that make handles at a place of a run, which may be any of several on a line."""
    paths = [path for path in runs.files(site.digest) if path in facts.names]
    return [
        node
        for node, origins in facts.sites(site.symbol).items()
        if node in origins and isinstance(node, ast.Call)
        if any(node in facts.names[path].parents and site.line in runs.lines(path, node) for path in paths)
    ]


def _is_parameter(origin: Hashable) -> bool:
    return isinstance(origin, ast.arg)
