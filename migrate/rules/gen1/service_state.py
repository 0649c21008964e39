"""Ask the context itself who is connected and who waits, and take its service descriptor."""

from migrate.old_api.generation_1 import EP
from migrate.rules._answers import Rule
from migrate.rules._forms import Method, Property

RULES: dict[str, Rule] = {
    EP + "get_service_event_channel": Property("service_fd"),
    EP + "update_service_state_info": Method("update_info"),
    EP + "get_peer_addr_list": Property("connections"),
    EP + "get_pending_connections": Property("pending"),
}
