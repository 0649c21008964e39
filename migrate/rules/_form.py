"""Forms: the modern expression for an old call, written once; the text of both spellings follows from it.

In objects it is the expression itself, which raises. In flat it is its outcome: the code alone or before the outputs,
and INVALID_VALUE where the handle is None.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Set
from dataclasses import replace
from typing import NamedTuple

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Change, Refusal
from migrate.rules._site import Site
from migrate.text.code import Edits, Template

SUCCESS = "{comch}.ErrorCode.SUCCESS"
_OBSERVED = {"class": "CCM082", "strange": "CCM088", "text": "CCM071", "printed": "CCM074"}
_GRAVER = frozenset({"CCM082", "CCM088", "CCM071"})  # than what a form notes by itself


class Deferred(NamedTuple):
    """A callable and its arguments, for `outcome` to call."""

    function: str
    arguments: str = ""

    def __str__(self) -> str:
        return f"{self.function}, {self.arguments}" if self.arguments else self.function


class Form(ABC):
    """A rule made of data."""

    code = ""  # of what differs
    failure = "INVALID_VALUE"  # of a handle that is None

    @abstractmethod
    def names(self) -> frozenset[str]:
        """The C names of the arguments that the new form passes on, the receiver aside."""

    @abstractmethod
    def plain(self, site: Site) -> str:
        """The expression that raises."""

    @abstractmethod
    def deferred(self, site: Site) -> Deferred:
        """The same for `outcome` to evaluate, the handle not being None."""

    def of_class(self, site: Site) -> Deferred | None:
        """The same by a function of the class, for `outcome` to refuse None; None where there is no such form."""
        return None

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call."""
        site = Site(call, facts)
        if call.problem:
            return Refusal(call.problem)
        if not site.keeps_order(self.names()):
            return Refusal("CCM070")
        text = self.flat(site) if site.is_flat else self.plain(site)
        return change(call, text, facts, noted(facts.code_is_observed(call), self.code))

    def flat(self, site: Site) -> str:
        """The form of a flat call, which a missing handle makes fail."""
        if not site.may_be_none:
            return self._coded(site, self.deferred(site))
        by_class = self.of_class(site) if site.call.returns_code else None
        if by_class is not None:
            return self._coded(site, by_class)
        inner = site if site.is_simple() else replace(site, is_bound=True)
        there = self._coded(inner, self.deferred(inner))
        text = f"{there} if {site.is_there()} else {self._missing(site)}"
        return site.enclosed(text) if inner is site else applied(site, text)

    def _coded(self, site: Site, deferred: Deferred) -> str:
        """A flat call's value: the result code, alone or before what else the call gives."""
        call = site.call
        if not call.returns_code:
            return self.bare(site)
        if any(call.signature.kinds.get(name, "").endswith("[]") for name in call.results):
            return f"{{comch}}.outcome_list({deferred})"
        if len(call.results) > 1:
            return f"{{comch}}.outcomes({len(call.results)}, {deferred})"
        whole = bool(call.results) or site.is_statement
        return f"{{comch}}.outcome({deferred})" + ("" if whole else "[0]")

    def bare(self, site: Site) -> str:
        """The value of a flat call that has no code."""
        return self.plain(site)

    def _missing(self, site: Site) -> str:
        if not site.call.returns_code:
            return "None"
        code = f"{{comch}}.ErrorCode.{self.failure}"
        return f"({', '.join([code, *('None' for _ in site.call.results)])})" if site.call.results else code


def noted(observed: Set[str], own: str) -> str:
    """The code of what differs where results are looked at so; `own`: of what differs by itself."""
    codes = [code for what, code in _OBSERVED.items() if what in observed]
    graver = [code for code in codes if code in _GRAVER]
    return next(filter(None, [*graver, own, *codes]), "")


def change(call: Call, text: str, facts: Facts, code: str = "", *, is_statement: bool = False) -> Change:
    """The edit of a call to a text with the C names of its arguments as placeholders."""
    parts = {name: node for name, node in call.arguments.items() if f"{{{name}}}" in text}
    template = Template(text, parts)
    if is_statement:
        statement = facts.parent(call.node)
        assert isinstance(statement, ast.stmt)
        return Change(Edits(statements={statement: template}), code)
    return Change(Edits(expressions={call.node: template}), code)


def late(site: Site, text: str) -> Deferred:
    """An expression for `outcome` to evaluate: as it stands, or where that means something else, of parameters."""
    if site.is_lambda_safe():
        return Deferred(f"lambda: {text}")
    return with_parameters(site, text)


def with_parameters(site: Site, text: str) -> Deferred:
    """A lambda that has the arguments of a text as parameters, with the C names, in the old order."""
    given = [name for name in site.call.arguments if f"{{{name}}}" in text]
    for name in given:
        text = text.replace(f"{{{name}}}", name)
    return Deferred(f"lambda {', '.join(given)}: {text}", ", ".join(f"{{{name}}}" for name in given))


def applied(site: Site, text: str) -> str:
    """An expression that names its arguments as often as it likes, each of them evaluated once, in the old order."""
    function, arguments = with_parameters(site, text)
    return f"({function})({arguments})"


def number(site: Site, text: str) -> str:
    """A bool or enum as the int that C has for it."""
    return f"int({text})" if site.facts.has_builtin(site.call.node, "int") else f"+{text}"
