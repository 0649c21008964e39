"""The kinds of forms: a method, a function, a property, something assigned, any expression, nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Refusal
from migrate.rules._form import SUCCESS, Deferred, Form, applied, change, late, number
from migrate.rules._site import Site

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Method(Form):
    """``handle.name(arguments)``. inputs: C name -> parameter, in the order of the parameters.

    number: a flat call gives an int in place of a bool or enum. made: C name -> what is passed in its place.
    """

    name: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    options: str = ""
    number: bool = False
    failure: str = "INVALID_VALUE"
    code: str = ""
    made: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> frozenset[str]:
        return frozenset(self.inputs)

    def arguments(self, site: Site) -> str:
        """The text of the new arguments."""
        return site.arguments(self.inputs, self.options, self.made)

    def plain(self, site: Site) -> str:
        return f"{{{site.handle}}}.{self.name}({self.arguments(site)})"

    def deferred(self, site: Site) -> Deferred:
        if self.number:
            return late(site, number(site, self.plain(site)))
        return Deferred(f"{{{site.handle}}}.{self.name}", self.arguments(site))

    def bare(self, site: Site) -> str:
        return number(site, self.plain(site)) if self.number and not site.is_tested() else self.plain(site)

    def of_class(self, site: Site) -> Deferred | None:
        owner = "" if self.number else site.owner(self.name)
        if not owner:
            return None
        arguments = self.arguments(site)
        given = f"{{{site.handle}}}, {arguments}" if arguments else f"{{{site.handle}}}"
        return Deferred(f"{{comch}}.{owner}.{self.name}", given)


@dataclass(frozen=True)
class Coded(Method):
    """A method that returns the result code itself, and what else a flat call gives."""

    def _coded(self, site: Site, deferred: Deferred) -> str:
        return f"{deferred.function}({deferred.arguments})"


@dataclass(frozen=True)
class Unreported(Method):
    """A method whose refusal C has no code for: a flat call did nothing then, and went on."""

    def flat(self, site: Site) -> str:
        by_class = self.of_class(site) if site.may_be_none else None
        return super().flat(site) if by_class is None else _ignored(site, by_class)

    def bare(self, site: Site) -> str:
        return _ignored(site, self.deferred(site))


def _ignored(site: Site, deferred: Deferred) -> str:
    """The value of what may be refused, None then."""
    return f"{{comch}}.outcome({deferred})" + ("" if site.is_statement else "[1]")


@dataclass(frozen=True)
class Function(Form):
    """``comch.name(arguments)``."""

    name: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    options: str = ""
    code: str = ""

    def names(self) -> frozenset[str]:
        return frozenset(self.inputs)

    def plain(self, site: Site) -> str:
        return f"{{comch}}.{self.name}({site.arguments(self.inputs, self.options)})"

    def deferred(self, site: Site) -> Deferred:
        return Deferred(f"{{comch}}.{self.name}", site.arguments(self.inputs, self.options))


@dataclass(frozen=True)
class Property(Form):
    """``handle.name``. is_own: each object has its own, and its class nothing for `outcome` to call."""

    name: str
    number: bool = False
    is_own: bool = False
    code: str = ""

    def names(self) -> frozenset[str]:
        return frozenset()

    def plain(self, site: Site) -> str:
        return f"{{{site.handle}}}.{self.name}"

    def deferred(self, site: Site) -> Deferred:
        return late(site, number(site, self.plain(site)) if self.number else self.plain(site))

    def of_class(self, site: Site) -> Deferred | None:
        owner = "" if self.number or self.is_own else site.owner(self.name)
        return Deferred(f"{{comch}}.{owner}.{self.name}.fget", f"{{{site.handle}}}") if owner else None


@dataclass(frozen=True)
class Assigned(Form):
    """``handle.name = value``, and another form where that is not a statement or would change the order."""

    name: str
    value: str  # its C name

    def names(self) -> frozenset[str]:
        return frozenset({self.value})

    def given(self, site: Site) -> str:
        """The text of what is assigned where a failure is raised."""
        return f"{{{self.value}}}"

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call."""
        site = Site(call, facts)
        fails = site.is_flat and (call.returns_code or site.may_be_none)  # without an exception
        if fails or call.problem or not site.is_statement or not (site.is_simple() or site.is_receiver_fixed()):
            return super().__call__(call, facts)
        return change(call, f"{{{site.handle}}}.{self.name} = {self.given(site)}", facts, is_statement=True)


@dataclass(frozen=True)
class Option(Assigned):
    """An option of a context, which `configure` sets, too."""

    def plain(self, site: Site) -> str:
        return f"{{{site.handle}}}.configure({self.name}={self.given(site)})"

    def deferred(self, site: Site) -> Deferred:
        return Deferred(f"{{{site.handle}}}.configure", f"{self.name}={{{self.value}}}")

    def of_class(self, site: Site) -> Deferred:
        return Deferred(
            f"{{comch}}.{site.owner('configure')}.configure", f"{{{site.handle}}}, {self.name}={{{self.value}}}"
        )


@dataclass(frozen=True)
class Attribute(Assigned):
    """An attribute, which `setattr` sets, too. is_own: see Property."""

    is_own: bool = False

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call; where a method of None would have failed before the value is made, there are none."""
        site, receiver, value = Site(call, facts), call.receiver, call.arguments.get(self.value)
        has_effect = value is not None and not facts.is_simple(value)
        if receiver is not None and not site.is_flat and has_effect and facts.may_be_none(receiver):
            return Refusal("CCM070")
        return super().__call__(call, facts)

    def plain(self, site: Site) -> str:
        function, arguments = self.deferred(site)
        return f"{function}({arguments})"

    def deferred(self, site: Site) -> Deferred:
        given = f'"{self.name}", {{{self.value}}}'
        if site.facts.has_builtin(site.call.node, "setattr"):
            return Deferred("setattr", f"{{{site.handle}}}, {given}")
        return Deferred(f"{{{site.handle}}}.__setattr__", given)

    def of_class(self, site: Site) -> Deferred | None:
        owner = "" if self.is_own else site.owner(self.name)
        function = f"{{comch}}.{owner}.{self.name}.fset"
        return Deferred(function, f"{{{site.handle}}}, {{{self.value}}}") if owner else None


@dataclass(frozen=True)
class Value(Form):
    """Any expression with placeholders; `is_open`: with an operator, so that its place may need brackets."""

    text: str
    is_open: bool = False
    code: str = ""

    def names(self) -> frozenset[str]:
        return frozenset(_PLACEHOLDER.findall(self.text))

    def plain(self, site: Site) -> str:
        named = [name for name in _PLACEHOLDER.findall(self.text) if name in site.call.arguments]
        if site.is_simple() or named == list(site.call.arguments):
            return site.enclosed(self.text) if self.is_open else self.text
        return applied(site, self.text)

    def deferred(self, site: Site) -> Deferred:
        return late(site, self.text)


@dataclass(frozen=True)
class Nothing(Form):
    """The call has nothing left to do; what it is given may still be None, which is an error."""

    def names(self) -> frozenset[str]:
        return frozenset()

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call."""
        site, given = Site(call, facts), list(call.arguments)
        if call.problem:
            return Refusal(call.problem)
        if site.is_statement:
            has_effect = not all(facts.is_simple(it) or facts.is_cell(it) for it in call.arguments.values())
            return change(call, f"{{{given[0]}}}" if has_effect else "", facts, is_statement=True)
        return super().__call__(call, facts)

    def plain(self, site: Site) -> str:
        given = list(site.call.arguments)
        if not given or not site.facts.may_be_none(site.call.arguments[given[0]]):
            return SUCCESS
        return site.enclosed(f"{SUCCESS} if {{{given[0]}}} is not None else {{comch}}.ErrorCode.{self.failure}")

    def deferred(self, site: Site) -> Deferred:
        raise NotImplementedError

    def flat(self, site: Site) -> str:
        return self.plain(site)
