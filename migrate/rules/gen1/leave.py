"""Disconnect one peer, and close what was an endpoint."""

from migrate.old_api.generation_1 import EP
from migrate.rules._answers import Rule
from migrate.rules._forms import Method

RULES: dict[str, Rule] = {
    EP + "disconnect": Method("disconnect", {"peer_addr": "connection"}),
    EP + "destroy": Method("close", failure="NOT_CONNECTED"),
}
