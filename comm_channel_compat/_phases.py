"""The life of an endpoint as a table: which call each phase refuses, and with which error.

An endpoint is FRESH while its properties are set. `listen` makes it LISTENING and `connect` CONNECTED; both
freeze the properties. A client that has disconnected its peer has LEFT: it may do what a FRESH one may, connect anew
as well, and still has its event channels. A service stays LISTENING. `destroy` ends it. In a forked child every
endpoint of the parent is INHERITED. A pair that is absent from the table is allowed.

Not in the table, because it depends on more than the phase: which side the device stands on, and what has
become of the peer.
"""

from enum import Enum

from comch_next import BadState, DocaError, InvalidValue, NotConnected, NotPermitted

__all__ = ["REFUSED", "Phase", "check", "refusal"]


class Phase(Enum):
    """Where an endpoint stands; the value is how an error message says it."""

    FRESH = "neither listening nor connected"
    LEFT = "disconnected"
    LISTENING = "listening"
    CONNECTED = "connected, or connecting"
    DESTROYED = "destroyed"
    INHERITED = "inherited through a fork"


_SETTERS = ("set_device", "set_device_rep", "set_max_msg_size", "set_send_queue_size", "set_recv_queue_size")
_CHANNEL_CALLS = ("get_event_channel", "event_handle_arm_send", "event_handle_arm_recv")
_SERVICE_CALLS = (
    *("get_service_event_channel", "update_service_state_info"),
    *("get_peer_addr_list", "get_pending_connections"),
)
_CALLS = (
    *(setter.replace("set_", "get_") for setter in _SETTERS),
    *_SETTERS,
    *_CHANNEL_CALLS,
    *("listen", "connect", "sendto", "recvfrom", "disconnect"),
    *_SERVICE_CALLS,
)

_Refusal = tuple[type[DocaError], str]

_FROZEN: _Refusal = (BadState, "properties are set before listen and connect")
_SECOND: _Refusal = (NotPermitted, "one endpoint listens or connects once; create another for another role")
_TOO_EARLY: _Refusal = (NotConnected, "listen or connect first")
_PARENTS: _Refusal = (BadState, "it belongs to the parent process; a child creates its own")
_NO_CHANNEL: _Refusal = (BadState, "listen or connect first")
_NO_SERVICE: _Refusal = (BadState, "listen first")
_NEVER: _Refusal = (InvalidValue, "nothing is legal any more")

REFUSED: dict[tuple[Phase, str], _Refusal] = {
    **{(Phase.LISTENING, call): _FROZEN for call in _SETTERS},
    **{(Phase.CONNECTED, call): _FROZEN for call in _SETTERS},
    **{(Phase.LISTENING, call): _SECOND for call in ("listen", "connect")},
    **{(Phase.CONNECTED, call): _SECOND for call in ("listen", "connect")},
    **{(Phase.FRESH, call): _TOO_EARLY for call in ("sendto", "recvfrom", "disconnect")},
    **{(Phase.LEFT, call): _TOO_EARLY for call in ("sendto", "recvfrom", "disconnect")},
    **{(Phase.FRESH, call): _NO_CHANNEL for call in _CHANNEL_CALLS},
    **{(phase, call): _NO_SERVICE for phase in (Phase.FRESH, Phase.LEFT) for call in _SERVICE_CALLS},
    **{(Phase.DESTROYED, call): _NEVER for call in _CALLS},
    **{(Phase.INHERITED, call): _PARENTS for call in (*_CALLS, "destroy")},
    (Phase.DESTROYED, "destroy"): (NotConnected, "an endpoint is destroyed once"),
}


def check(phase: Phase, call: str) -> None:
    """Raise the error of an endpoint in `phase` for `call`; return when the call is allowed."""
    if (phase, call) in REFUSED:
        raise refusal(phase, call)


def refusal(phase: Phase, call: str) -> DocaError:
    """The error of a refused pair: what was attempted, in which phase, and what would be legal."""
    error, legal = REFUSED[phase, call]
    return error(f"{call}: the endpoint is {phase.value}; {legal}")
