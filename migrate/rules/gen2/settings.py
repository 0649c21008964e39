"""Set and read the sizes and devices of servers and clients as attributes."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Rule
from migrate.rules._form import applied
from migrate.rules._forms import Option, Property
from migrate.rules._site import Site
from migrate.rules.gen2._sides import for_both


@dataclass(frozen=True)
class _Size(Option):
    """A size, which may be None where it is seen to be: comch_next has its default for that, and C refused it."""

    def given(self, site: Site) -> str:
        if not self._is_checked(site):
            return super().given(site)
        kind = "int" if site.facts.has_builtin(site.call.node, "int") else "(0).__class__"
        return f'{{comch}}.arguments.instance({{{self.value}}}, {kind}, "{self.value}")'

    def flat(self, site: Site) -> str:
        if not self._is_checked(site):
            return super().flat(site)
        text = f"{super().flat(site)} if {{{self.value}}} is not None else {self._missing(site)}"
        return site.enclosed(text) if site.is_simple() else applied(site, text)

    def _is_checked(self, site: Site) -> bool:
        node = site.call.arguments.get(self.value)
        return node is not None and site.facts.may_still_be_none(node)


RULES: dict[str, Rule] = {
    **for_both(
        {
            "set_max_msg_size": _Size("max_msg_size", "size"),
            "get_max_msg_size": Property("max_msg_size"),
            "set_recv_queue_size": _Size("recv_queue_size", "size"),
            "get_recv_queue_size": Property("recv_queue_size"),
            "get_device": Property("device"),
        }
    ),
    PREFIX + "server_get_device_repr": Property("device_rep"),
}
