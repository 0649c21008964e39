"""Make a server or client where the endpoint only listens or only connects, else a channel; endings stay one-sided."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.rules._answers import Rule
from migrate.rules._form import Deferred, Form
from migrate.rules._roles import CREATE, role
from migrate.rules._site import Site

OPTIONS = "one_sided=True"


@dataclass(frozen=True)
class Create(Form):
    """A context of the class that the calls on it ask for."""

    code = "CCM061"

    def names(self) -> frozenset[str]:
        return frozenset()

    def plain(self, site: Site) -> str:
        return f"{self._cls(site)}({OPTIONS})"

    def deferred(self, site: Site) -> Deferred:
        return Deferred(self._cls(site), OPTIONS)

    def _cls(self, site: Site) -> str:
        return f"{{comch}}.{role(site.facts, frozenset({site.call.node}))}"


RULES: dict[str, Rule] = {CREATE: Create()}
