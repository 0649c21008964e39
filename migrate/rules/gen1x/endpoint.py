"""Make a channel that blocks from the old attributes, and listen, connect, leave and close it as before."""

from dataclasses import dataclass

from migrate.old_api.generation_1 import EP
from migrate.old_api.generation_1x import SUFFIX
from migrate.rules._answers import Rule
from migrate.rules._forms import Function, Method, Property
from migrate.rules._site import Site


@dataclass(frozen=True)
class Descriptor(Property):
    """A descriptor, which is -1 where there is none."""

    def _missing(self, site: Site) -> str:
        return "-1"


RULES: dict[str, Rule] = {
    f"{EP}create{SUFFIX}": Function("BlockingChannel", {"attr": "attr"}),
    f"{EP}listen{SUFFIX}": Method("listen", {"name": "name"}),
    f"{EP}connect{SUFFIX}": Method("connect", {"name": "name"}),
    f"{EP}event_channel_get{SUFFIX}": Descriptor("recv_fd"),
    f"{EP}disconnect{SUFFIX}": Method("disconnect", {"peer_addr": "connection"}),
    f"{EP}destroy{SUFFIX}": Method("close", failure="NOT_CONNECTED"),
}
