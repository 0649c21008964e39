"""Constructors, which take None for what comes later, as the old ones did not."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.rules._form import applied
from migrate.rules._forms import Function
from migrate.rules._site import Site


@dataclass(frozen=True)
class Created(Function):
    """``comch.Name(arguments)``; a flat call that may get None for a handle is refused as it was."""

    def flat(self, site: Site) -> str:
        made = self._coded(site, self.deferred(site))
        given = [name for name in site.call.arguments if self._may_be_none(site, name)]
        if not given:
            return made
        there = " and ".join(f"{{{name}}} is not None" for name in given)
        text = f"{made} if {there} else {self._missing(site)}"
        return site.enclosed(text) if site.is_simple() else applied(site, text)

    def _may_be_none(self, site: Site, name: str) -> bool:
        return name in site.call.kinds and site.facts.may_be_none(site.call.arguments[name])
