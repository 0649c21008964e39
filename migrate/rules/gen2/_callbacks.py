"""Give comch_next functions that call the program's own with what C passed: events, user data, lengths.

The program's function is named where it is called, or kept where it is registered if its name may mean another later.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Refusal
from migrate.rules._forms import Method
from migrate.rules._site import Site

_KEPT = "call"  # the parameter that keeps a function


class Passing(NamedTuple):
    """The parameters of a callback of comch_next, and the arguments of the old one; flat: where those are numbers."""

    parameters: str
    arguments: str
    flat: str = ""


COMPLETED = Passing("task", "task, task.user_data, task.context.user_data")
RECEIVED = Passing("connection, data", "None, data, len(data), connection")
CHANGED = Passing("connection, ok", "None, connection, ok", "None, connection, int(ok)")
CONSUMER = Passing("connection, number", "None, connection, number")
STATE = Passing(
    "context, old, new", "context.user_data, context, old, new", "context.user_data, context, int(old), int(new)"
)


@dataclass(frozen=True)
class Registered(Method):
    """A method that takes callbacks; passing: how each of them is called. counts: C name -> the text of a number."""

    passing: Passing = COMPLETED
    callbacks: Mapping[str, str] = field(default_factory=dict)  # C name -> parameter; among the inputs, too
    gives: bool = False  # the callback, in place of None

    def __call__(self, call: Call, facts: Facts) -> Answer:
        given = (call.arguments[name] for name in self.callbacks if name in call.arguments)
        if self.passing.arguments.startswith("None,") and any(map(facts.is_first_read, given)):
            return Refusal("CCM082")  # of the event, in whose place None is passed
        return super().__call__(call, facts)

    def plain(self, site: Site) -> str:
        text = super().plain(site)
        return site.enclosed(f"{text} and None") if self.gives and not site.is_statement else text

    def arguments(self, site: Site) -> str:
        made = {name: _wrapped(site, name, self.passing) for name in self.callbacks if name in site.call.arguments}
        return site.arguments(self.inputs, self.options, made | self.counted(site))

    def counted(self, site: Site) -> dict[str, str]:
        """The arguments that are other numbers now."""
        return {}


def registered(name: str, callbacks: Mapping[str, str], passing: Passing, *, gives: bool = False) -> Registered:
    """Make the form of a call that takes callbacks only."""
    return Registered(name, callbacks, passing=passing, callbacks=callbacks, gives=gives)


def _wrapped(site: Site, name: str, passing: Passing) -> str:
    node = site.call.arguments[name]
    if isinstance(node, ast.Constant):
        return f"{{{name}}}"  # no function, which comch_next refuses, too
    parameters, arguments = passing.parameters, _spelled(site, passing)
    if site.facts.is_seen_none(node):  # None is not a callback, which comch_next refuses, too
        is_one = f"callable({_KEPT})" if site.facts.has_builtin(site.call.node, "callable") else f"{_KEPT} is not None"
        made = f"(lambda {parameters}: {_KEPT}({arguments})) if {is_one} else {_KEPT}"
        return f"(lambda {_KEPT}: {made})({{{name}}})"
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    if site.facts.is_fixed(node) and used.isdisjoint(parameters.split(", ")):
        return f"lambda {parameters}: {{{name}}}({arguments})"
    return f"lambda {parameters}, {_KEPT}={{{name}}}: {_KEPT}({arguments})"


def _spelled(site: Site, passing: Passing) -> str:
    """The arguments, where a name of Python's own may be the program's."""
    text = passing.flat if site.is_flat and passing.flat else passing.arguments
    for builtin, made, other in (("len", r"len\((\w+)\)", r"\1.__len__()"), ("int", r"int\((\w+)\)", r"+\1")):
        if not site.facts.has_builtin(site.call.node, builtin):
            text = re.sub(made, other, text)
    return text
