"""Ask the server itself who is connected, and take its own descriptor; only a server has either."""

from __future__ import annotations

from migrate import _legacy
from migrate._legacy import EP
from migrate._rule import Answer, Calls, Context, Reads, Refuses, Rule
from migrate.rules.devices import listing


def _of_server(form: Rule, flat_form: Rule | None = None) -> Rule:
    """The same for a server, and nothing for an endpoint that is a client, or both."""

    def rule(call: _legacy.Call, context: Context) -> Answer:
        role = context.role(call.arguments["local_ep"])
        if role != "Server":
            return Refuses("CCM021" if role else "CCM047")
        chosen = flat_form if call.flat and flat_form is not None else form
        return chosen(call, context) if callable(chosen) else chosen

    return rule


RULES: dict[str, Rule] = {
    EP + "get_service_event_channel": _of_server(Reads("{local_ep}", "service_fd")),
    EP + "update_service_state_info": _of_server(Calls("{local_ep}.update_info")),
    EP + "get_peer_addr_list": _of_server(
        Reads("{local_ep}", "connections"), listing("getattr", '{local_ep}, "connections"')
    ),
    EP + "get_pending_connections": _of_server(Reads("{local_ep}", "pending")),
}
