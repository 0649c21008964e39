"""Methods whose names the program puts together: settings under the rest of their names, `"set_" + name`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from migrate.facts.program import Facts, Reference
from migrate.python._looping import beginning
from migrate.rules._answers import Answer, Change, Refusal, Rule
from migrate.rules._form import noted
from migrate.rules._forms import Option, Property
from migrate.rules._registry import load
from migrate.text.code import Edits, Template

COMPUTED = "CCM005"
# By what the old names begin with: the form of their rules, and what takes the place of the call.
_SETTINGS: Mapping[str, tuple[type[Option | Property], str]] = {
    "set_": (Option, "{handle}.configure(**{{name}: {value}})"),
    "get_": (Property, "getattr({handle}, {name})"),
}


def computed_method(reference: Reference, node: ast.Call, facts: Facts) -> Answer:
    """The call of what `getattr` gives, if the new settings have the rest of the old names."""
    head, name = beginning(node.args[1])
    form, text = _SETTINGS.get(head, (None, ""))
    call = facts.parent(node)
    if form is None or name is None or not isinstance(call, ast.Call) or call.func is not node or call.keywords:
        return Refusal(COMPUTED)
    parts = {"handle": node.args[0], "name": name} | dict(zip(["value"], call.args, strict=False))
    is_called = len(call.args) == text.count("{value}") and not any(isinstance(it, ast.Starred) for it in call.args)
    if not is_called or not all(_has_name(rule, form, text, head) for rule, text in _rules(reference, node, facts)):
        return Refusal(COMPUTED)
    return Change(Edits({call: Template(text, parts)}), noted(facts.calls_are_observed(node), ""))


def _rules(reference: Reference, node: ast.Call, facts: Facts) -> Sequence[tuple[Rule | None, str]]:
    """The rules of all methods that may be looked up, with their old names."""
    methods, rules = facts.vocabulary.methods, load()
    pairs = [(kind, text) for kind in facts.kinds(node.args[0]) for text in reference.texts]
    return [(rules.get(methods[pair].name), pair[1]) for pair in pairs]


def _has_name(rule: Rule | None, form: type[Option | Property], text: str, head: str) -> bool:
    plain = isinstance(rule, form) and rule.name == text.removeprefix(head)
    return plain and not rule.code and not getattr(rule, "number", False)  # type: ignore[union-attr]
