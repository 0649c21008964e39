"""Read what is known of a peer, and the program's own number for it, from its connection."""

from dataclasses import dataclass

from migrate.old_api.generation_1 import PEER
from migrate.old_api.generation_1x import SUFFIX
from migrate.rules._answers import Rule
from migrate.rules._form import Deferred
from migrate.rules._forms import Attribute, Function, Property
from migrate.rules._site import Site


@dataclass(frozen=True)
class OfAnything(Function):
    """A function that refuses what is not a handle by itself, with the old code."""

    def of_class(self, site: Site) -> Deferred:
        return self.deferred(site)


RULES: dict[str, Rule] = {
    f"{PEER}info_get{SUFFIX}": OfAnything("peer_info", {"peer_addr": "connection"}),
    f"{PEER}user_data_set{SUFFIX}": Attribute("user_data", "user_context"),
    f"{PEER}user_data_get{SUFFIX}": Property("user_data"),
}
