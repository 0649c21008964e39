"""Constructors, which take None for what comes later, as the old ones did not, and names as text alone."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.rules._form import Deferred, applied, late
from migrate.rules._forms import Function
from migrate.rules._site import OWNERS, Site

_NAME = "name"


@dataclass(frozen=True)
class Created(Function):
    """``comch.Name(arguments)``; what may be None is refused as it was, and a name may be bytes as it could."""

    def plain(self, site: Site) -> str:
        return self._made(site, [*_nullable(site), *_named_by_bytes(site)])

    def _made(self, site: Site, checked: list[str]) -> str:
        made = {name: _checked(site, name) for name in checked}
        return f"{{comch}}.{self.name}({site.arguments(self.inputs, self.options, made)})"

    def deferred(self, site: Site) -> Deferred:
        if by_bytes := _named_by_bytes(site):
            return late(site, self._made(site, by_bytes))
        return Deferred(f"{{comch}}.{self.name}", site.arguments(self.inputs, self.options))

    def flat(self, site: Site) -> str:
        made, given = self._coded(site, self.deferred(site)), _nullable(site)
        if not given:
            return made
        there = " and ".join(f"{{{name}}} is not None" for name in given)
        text = f"{made} if {there} else {self._missing(site)}"
        return site.enclosed(text) if site.is_simple() else applied(site, text)


def _nullable(site: Site) -> list[str]:
    """Return the arguments that may be None: handles, and a name that is seen to be."""
    call, facts = site.call, site.facts
    return [
        name
        for name, node in call.arguments.items()
        if (name in call.kinds and facts.may_be_none(node)) or (name == _NAME and facts.is_seen_none(node))
    ]


def _named_by_bytes(site: Site) -> list[str]:
    """Return the name, where that is seen to be bytes."""
    node = site.call.arguments.get(_NAME)
    return [_NAME] if node is not None and site.facts.is_seen_bytes(node) else []


def _checked(site: Site, name: str) -> str:
    """Refuse None where the argument stands, and make text of a name."""
    if name == _NAME:
        return f'{{comch}}.arguments.text({{{name}}}, "{name}")'
    return f'{{comch}}.arguments.instance({{{name}}}, {{comch}}.{OWNERS[site.call.kinds[name]]}, "{name}")'
