"""Read a peer's state, counters and user data from its connection."""

from __future__ import annotations

from migrate.old_api.generation_1 import PEER
from migrate.rules._answers import Rule
from migrate.rules._forms import Attribute, Method, Property

_COUNTERS = {
    "send_messages": "SENT_MESSAGES",
    "send_bytes": "SENT_BYTES",
    "recv_messages": "RECV_MESSAGES",
    "recv_bytes": "RECV_BYTES",
}

RULES: dict[str, Rule] = {
    PEER + "update_info": Method("update_info"),
    **{f"{PEER}get_{old}": Method("get_counter", options=f"{{comch}}.Counter.{new}") for old, new in _COUNTERS.items()},
    PEER + "get_send_in_flight_messages": Property("in_flight"),
    PEER + "set_user_data": Attribute("user_data", "user_context"),
    PEER + "get_user_data": Property("user_data"),
}
