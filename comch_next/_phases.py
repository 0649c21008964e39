"""The life of a one-sided context as a table: which call each phase refuses, and with which error of generation 1.

A context is FRESH while its properties are set. `listen` makes it LISTENING and `connect` CONNECTED; both freeze the
properties. A client that has disconnected has LEFT: it may do what a FRESH one may, connect anew as well, and still
has its event descriptors. A server stays LISTENING. Generation 1 had no `stop`: a context that was stopped has LEFT as
soon as it is IDLE. `close` ends it. In a forked child every context of the parent is INHERITED. A pair that is absent
from the table is allowed.

Not in the table, because it depends on more than the phase: which side the device stands on, and what has become of
the peer.
"""

from enum import Enum

from comch_next.errors import BadState, DocaError, InvalidValue, NotConnected, NotPermitted

__all__ = ["REFUSED", "Phase", "check", "refusal"]


class Phase(Enum):
    """Where a context stands; the value is its wording in error messages."""

    FRESH = "neither listening nor connected"
    LEFT = "disconnected"
    LISTENING = "listening"
    CONNECTED = "connected, or connecting"
    DESTROYED = "destroyed"
    INHERITED = "inherited through a fork"


_PROPERTIES = ("device", "device_rep", "max_msg_size", "send_queue_size", "recv_queue_size")
_SETTERS = tuple(f"set_{name}" for name in (*_PROPERTIES, "engine", "name", "one_sided"))
_CHANNEL_CALLS = ("send_fd", "recv_fd", "arm_send", "arm_recv")
_SERVICE_CALLS = ("service_fd", "arm_service", "update_info", "connections", "pending")
_CALLS = (
    *(f"get_{name}" for name in _PROPERTIES),
    *_SETTERS,
    *_CHANNEL_CALLS,
    *("start", "listen", "connect", "send_to", "receive", "disconnect"),
    *_SERVICE_CALLS,
)

_Refusal = tuple[type[DocaError], str]

_FROZEN: _Refusal = (BadState, "properties are set before listen and connect")
_SECOND: _Refusal = (NotPermitted, "it listens or connects once; make another for another role")
_RUNNING: _Refusal = (BadState, "disconnect or close it first")
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
    **{(phase, "start"): _RUNNING for phase in (Phase.LISTENING, Phase.CONNECTED)},
    **{(Phase.FRESH, call): _TOO_EARLY for call in ("send_to", "receive", "disconnect")},
    **{(Phase.LEFT, call): _TOO_EARLY for call in ("send_to", "receive", "disconnect")},
    **{(Phase.FRESH, call): _NO_CHANNEL for call in _CHANNEL_CALLS},
    **{(phase, call): _NO_SERVICE for phase in (Phase.FRESH, Phase.LEFT) for call in _SERVICE_CALLS},
    **{(Phase.DESTROYED, call): _NEVER for call in _CALLS},
    **{(Phase.INHERITED, call): _PARENTS for call in (*_CALLS, "close")},
    (Phase.DESTROYED, "close"): (NotConnected, "it is closed once"),
}


def check(phase: Phase, call: str) -> None:
    """Raise the error of a context in `phase` for `call`; return when the call is allowed."""
    if (phase, call) in REFUSED:
        raise refusal(phase, call)


def refusal(phase: Phase, call: str) -> DocaError:
    """Make the error of a refused pair: what was attempted, in which phase, and what would be legal."""
    error, legal = REFUSED[phase, call]
    return error(f"{call}: the context is {phase.value}; {legal}")
