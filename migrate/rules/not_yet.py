"""Leave the service state and its event channel alone, with a code."""

from migrate._legacy import EP
from migrate._rule import Refuses, Rule


def _event_channel(*_: object) -> Refuses:
    return Refuses("CCM020")


def _service_state(*_: object) -> Refuses:
    return Refuses("CCM021")


RULES: dict[str, Rule] = {
    EP + "get_service_event_channel": _event_channel,
    EP + "update_service_state_info": _service_state,
    EP + "get_peer_addr_list": _service_state,
    EP + "get_pending_connections": _service_state,
}
