"""Functions and methods as values: the new one if it takes the same arguments, else a lambda of the old parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import cast

from migrate.facts.program import Facts, Reference
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP
from migrate.old_api.spellings import objects
from migrate.old_api.spellings.objects import Parameter
from migrate.old_api.vocabulary import Function
from migrate.rules._answers import Answer, Change, Refusal
from migrate.rules._form import noted
from migrate.rules._registry import load
from migrate.text.code import Edits, Template

# Any flags but none are INVALID_VALUE: what a flat call answers, and the argument that raises it in the other spelling.
_FLAGGED = {
    EP + "sendto": "{comch}.ErrorCode.INVALID_VALUE",
    EP + "recvfrom": "({comch}.ErrorCode.INVALID_VALUE, None, None, None)",
}
_REFUSED = {EP + "sendto": ("{peer_addr}", "flags"), EP + "recvfrom": ("{len}", "-1")}
_PATH = re.compile(r"\{\w+\}(\.\w+)+")


class _AtCallTime:
    """Facts about parameters: whatever comes, evaluated already."""

    def __init__(self, facts: Facts, reference: Reference, value: ast.expr, function: str, spelling: str) -> None:
        """value: the function or method as the program has it."""
        self._value, self._function = value, function
        self._facts, self._reference, self._is_flat = facts, reference, spelling == "flat"
        self.vocabulary = facts.vocabulary

    def handles(self, node: ast.expr) -> frozenset[Hashable]:
        return self._reference.origins

    def kinds(self, node: ast.expr) -> frozenset[str]:
        return frozenset()

    def calls_on(self, origin: Hashable) -> frozenset[str]:
        return self._facts.calls_on(origin)

    def code_is_observed(self, call: Call) -> frozenset[str]:
        return self._facts.calls_are_observed(self._value)

    def sites(self, function: str) -> Mapping[ast.AST, Set[Hashable]]:
        return {}

    def is_first_read(self, callback: ast.expr) -> bool:
        calls = (site for site in self._facts.sites(self._function) if isinstance(site, ast.Call))
        return any(self._facts.is_first_read(argument) for call in calls for argument in call.args)

    def was_c(self, node: ast.AST) -> bool:
        return self._facts.was_c(self._reference.node)

    def constant(self, node: ast.expr) -> object | None:
        return 0 if isinstance(node, ast.Name) and node.id == "flags" else None

    def choices(self, node: ast.expr) -> list[object]:
        names = self._facts.vocabulary.flat[self._reference.name].inputs if self._is_flat else ()
        index = list(names).index(node.id) if isinstance(node, ast.Name) and node.id in names else None
        return self._facts.choices_given(self._reference.name, index) if index is not None else []

    def has_builtin(self, node: ast.AST, name: str) -> bool:
        return self._facts.has_builtin(self._reference.node, name)

    def is_only(self, node: ast.expr, kind: str) -> bool:
        return False

    def is_bytes(self, node: ast.expr) -> bool:
        return False

    def is_simple(self, node: ast.expr) -> bool:
        return True

    def is_fixed(self, node: ast.expr) -> bool:
        return True

    def is_statement(self, node: ast.expr) -> bool:
        return False

    def is_awaited_or_generator_scope(self, node: ast.expr) -> bool:
        return False

    def may_be_none(self, node: ast.expr) -> bool:
        return self._is_flat

    def may_be_closed(self, node: ast.expr) -> bool:
        return self._facts.may_be_ended_again(self._function, self._reference)

    def is_called_back(self, node: ast.expr) -> bool:
        return self._facts.is_called_back(self._reference.node)

    def may_come_after(self, node: ast.AST, function: str, origin: Hashable) -> bool:
        return function in self._facts.calls_on(origin)

    def is_seen_none(self, node: ast.expr) -> bool:
        return self._is_flat

    def may_still_be_none(self, node: ast.expr) -> bool:
        return self._is_flat or any(map(self._facts.is_seen_none, self._given()))

    def is_seen_bytes(self, node: ast.expr) -> bool:
        return any(map(self._facts.is_seen_bytes, self._given()))

    def _given(self) -> Iterator[ast.expr]:
        """Yield what the calls of the function are given."""
        for call in self._facts.sites(self._function):
            if isinstance(call, ast.Call):
                yield from (*call.args, *(keyword.value for keyword in call.keywords))

    def parent(self, node: ast.AST) -> ast.AST:
        return ast.Return()  # needs no brackets


def function_value(reference: Reference, node: ast.expr, facts: Facts) -> Answer:
    """A function of the module, a class that is called elsewhere, or a method of a class (`Endpoint.listen`)."""
    name = reference.name
    owner, _, method = name.partition(".")
    if method:
        function, spelling = facts.vocabulary.methods[facts.vocabulary.classes[owner], method], "objects"
    elif name in facts.vocabulary.objects:
        function, spelling = facts.vocabulary.objects[name], "objects"
    else:
        function, spelling = facts.vocabulary.flat[name], "flat"
    flat = [Parameter(name, name) for name in function.inputs]
    taken = objects.parameters(function) if spelling == "objects" else flat
    return _lambda(reference, node, facts, function, spelling, taken)


def called_value(reference: Reference, call: Call, facts: Facts) -> Answer:
    """The function of a call whose arguments have to be evaluated one by one, as they stand, before it is called."""
    handles = (facts.handles(value) for name, value in call.arguments.items() if name in call.kinds)
    node = call.node.func
    uncalled = replace(reference, call=None, origins=frozenset().union(*handles))
    if isinstance(node, ast.Attribute) and node.value is call.receiver:
        # None has no such method, which comes before the arguments.
        return Refusal("CCM070") if facts.may_be_none(node.value) else bound_method(uncalled, node, facts)
    return function_value(uncalled, node, facts)


def bound_method(reference: Reference, node: ast.Attribute, facts: Facts) -> Answer:
    """A method of a handle: `ep.sendto`."""
    function = next(function for function in facts.vocabulary.methods.values() if function.name == reference.name)
    return _lambda(reference, node, facts, function, "objects", objects.parameters(function), node.value)


def _is_short(function: Function, parameters: Sequence[Parameter], facts: Facts) -> bool:
    """Whether some call gives less than the old function takes: it fails, and the new one may have a default."""
    needed = sum(not it.default and it.c_name != function.receiver for it in parameters)
    calls = [site for site in facts.sites(function.name) if isinstance(site, ast.Call)]
    written = (call for call in calls if not any(isinstance(it, ast.Starred) for it in call.args))
    return any(len(call.args) + len(call.keywords) < needed for call in written)


def _is_renamed(function: Function, parameters: Sequence[Parameter], node: ast.expr, facts: Facts) -> bool:
    """Whether a keyword may have another name now: `partial(ep.disconnect, peer_addr=peer)`."""
    inputs = getattr(load()[function.name], "inputs", {})
    renamed = {old.name for old in parameters if inputs.get(old.c_name, old.name) != old.name}
    return bool(renamed) and not facts.keywords_given(node, function.name).isdisjoint({*renamed, None})


def _function(text: str, parameters: Iterable[Parameter], bound: str) -> str:
    """The function that a text calls with nothing but the old arguments in their order, "" for another text."""
    arguments = ", ".join(f"{{{parameter.c_name}}}" for parameter in parameters if parameter.c_name != bound)
    name = text.removesuffix(f"({arguments})")
    is_called = name != text and name.startswith(f"{{{bound or 'comch'}}}.")
    return name if is_called and _PATH.fullmatch(name) else ""


def _lambda(
    reference: Reference,
    node: ast.expr,
    facts: Facts,
    function: Function,
    spelling: str,
    parameters: Sequence[Parameter],
    receiver: ast.expr | None = None,
) -> Answer:
    """The new function where that takes what the old one took, else a lambda of the old parameters.

    The receiver of a bound method is evaluated where the lambda is made.
    None has no such method, which is found out there, too: where it may be None, what is kept is the new method.
    """
    bound = function.receiver if receiver is not None else ""
    names = {parameter.c_name: parameter.name for parameter in parameters}
    if bound:
        names[bound] = function.kinds[bound]
    arguments: dict[str, ast.expr] = {c_name: ast.Name(name) for c_name, name in names.items()}
    call = Call(ast.Call(ast.Name(function.name), [], []), function, spelling, arguments, function.results)
    answer = load()[function.name](call, cast(Facts, _AtCallTime(facts, reference, node, function.name, spelling)))
    if isinstance(answer, Refusal):
        return answer
    text = answer.edits.expressions[call.node].text
    parts = {bound: receiver} if receiver is not None else {}
    same = _function(text, parameters, bound)
    if same and not _is_short(function, parameters, facts) and not _is_renamed(function, parameters, node, facts):
        return _edit(node, facts, same, parts, answer.code)
    if "flags" in arguments and "{flags}" not in text and function.name not in {*_FLAGGED, *_REFUSED}:
        return Refusal("CCM040")
    if spelling == "flat" and function.name in _FLAGGED:
        text = f"{text} if flags == 0 else {_FLAGGED[function.name]}"
    elif function.name in _REFUSED and facts.may_have_flags(node):
        argument, refused = _REFUSED[function.name]
        text = text.replace(argument, f"{argument} if flags == 0 else {refused}")
    kept = f"{{{bound}}}"
    if receiver is not None and facts.may_be_none(receiver):
        kept, text, names[bound] = _only_method(text, kept)
        if not kept:
            return Refusal("CCM070")
    for c_name, name in names.items():
        text = text.replace(f"{{{c_name}}}", name)
    taken = [
        f"{parameter.name}={parameter.default}" if parameter.default else parameter.name
        for parameter in parameters
        if parameter.c_name != bound
    ]
    taken += ["*", f"{names[bound]}={kept}"] if bound else []
    head = f"lambda {', '.join(taken)}" if taken else "lambda"
    return _edit(node, facts, f"{head}: {text}", parts, answer.code)


def _only_method(text: str, receiver: str) -> tuple[str, str, str]:
    """A text's one use of a receiver, to call a method: it, the text that calls that by its name alone, the name."""
    head, _, rest = text.partition(f"{receiver}.")
    name, bracket, _ = rest.partition("(")
    if not (bracket and name.isidentifier()) or receiver in head + rest:
        return "", text, ""
    return f"{receiver}.{name}", head + rest, name


def _edit(node: ast.expr, facts: Facts, text: str, parts: Mapping[str, ast.expr], code: str = "") -> Change:
    return Change(Edits({node: Template(text, parts)}), noted(facts.calls_are_observed(node), code))
