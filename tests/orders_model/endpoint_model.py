"""What each call of generation 1 does in each order of calls, by the old guide and its header's errors.

An endpoint is a one-sided context of `model`: connections, messages and endings are the same. What differs is which
calls are refused and how, that sizes are rounded, and that statistics are snapshots.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from comch_next.errors import (
    Again,
    BadState,
    ConnectionAborted,
    ConnectionReset,
    InvalidValue,
    NotConnected,
    NotPermitted,
    NotSupported,
)
from tests.orders_model.model import OK, Context, End, EndState, Errors, Phase, Settings, one_of
from tests.orders_model.world import World

__all__ = ["SIZES", "Endpoint", "EndpointWorld", "in_force"]

DPU = "03:00.0"
SIZES = {"max_msg_size": (4080, 65535), "send_queue_size": (64, 8192), "recv_queue_size": (64, 8192)}


class SILENT:
    """The situations for which neither guide nor header names a code."""

    NOT_STARTED = one_of(BadState, NotSupported)  # service calls on an endpoint that is neither service nor client
    ARM = one_of(BadState, type(None))  # arming before listen or connect


def in_force(size: str, wanted: int) -> int:
    """A tiny message size is raised; queue sizes are powers of two, from 8."""
    return max(64, wanted) if size == "max_msg_size" else max(8, 1 << (wanted - 1).bit_length())


class Statistics:
    """A peer's counters as of the last update_info."""

    def __init__(self) -> None:
        self.values = (0, 0, 0, 0)
        self.in_flight = 0

    def take(self, end: End) -> None:
        self.values = (end.sent, end.sent_bytes, end.received, end.received_bytes)
        self.in_flight = end.in_flight if end.state is EndState.UP else 0


@dataclass
class Endpoint(Context):
    """A service or a client, by its first listen or connect."""

    statistics: dict[End, Statistics] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.settings = Settings(one_sided=True)
        self.settings.update(**{size: default for size, (default, _) in SIZES.items()})

    @property
    def is_active(self) -> bool:
        return self.phase in (Phase.ACTIVE, Phase.ENDED)

    def set(self, **options: object) -> Errors:
        """Call one setter: `set(recv_queue_size=5)` is set_recv_queue_size(5)."""
        ((name, value),) = options.items()
        if self.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        legal = name not in SIZES or (type(value) is int and 1 <= value <= SIZES[name][1])
        if self.is_active:
            return one_of(BadState) if legal else one_of(BadState, InvalidValue)
        if not legal:
            return one_of(InvalidValue)
        self.settings.update(**{name: in_force(name, value) if isinstance(value, int) else value})
        return OK

    def get(self, name: str) -> Errors:
        if self.phase is Phase.CLOSED or getattr(self.settings, name) is None:
            return one_of(InvalidValue)
        return OK

    def get_event_channel(self) -> Errors:
        if self.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        if self.is_active:
            return OK
        lives = self.end is not None
        return OK if lives else one_of(BadState)

    def arm(self) -> Errors:
        if self.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        return OK if self.is_active else SILENT.ARM

    def service_call(self) -> Errors:
        """update_service_state_info, get_peer_addr_list, get_pending_connections, get_service_event_channel."""
        if self.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        if self.is_active:
            return OK if self.role == "server" else one_of(NotSupported)
        return SILENT.NOT_STARTED

    def receive_errors(self) -> Errors:
        if self.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        if not self.is_active:
            return one_of(NotConnected)
        due = any(end.reset_is_due for end in self.ends)
        if self.broken_handshakes:
            return one_of(Again, ConnectionReset)
        return one_of(ConnectionReset) if due else one_of(Again)

    def update_info(self, end: End) -> Errors:
        """A snapshot of the statistics, except of a connection that this side has left."""
        errors = end.update_info()
        if end.state in (EndState.UP, EndState.UNAWARE, EndState.ERROR):
            self.statistics.setdefault(end, Statistics()).take(end)
        return errors


class EndpointWorld(World):
    """All endpoints of a program."""

    def make_endpoint(self) -> Endpoint:
        endpoint = Endpoint(f"Endpoint {len(self.contexts)}", "Endpoint")
        self.contexts.append(endpoint)
        return endpoint

    def ep_listen(self, endpoint: Endpoint, name: str) -> Errors:
        settings = endpoint.settings
        if endpoint.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        if endpoint.is_active:
            return one_of(NotPermitted)
        missing = None in (settings.device, settings.device_rep)
        if settings.device not in (None, DPU):
            return one_of(NotPermitted, BadState) if missing else one_of(NotPermitted)
        if missing:
            return one_of(BadState)
        settings.name = name
        return one_of(ConnectionAborted) if self.listen(endpoint) else OK

    def ep_connect(self, endpoint: Endpoint, name: str) -> Errors:
        settings = endpoint.settings
        if endpoint.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        if endpoint.is_active:
            return one_of(NotPermitted)
        if settings.device is None:
            return one_of(BadState)
        if settings.device == DPU:
            return one_of(NotPermitted)
        errors = self.connect(endpoint, name)
        if not errors and endpoint.end is not None:
            self._keep_own_sizes(endpoint.end)
        return errors

    def agreed_sizes(self, client: Context, server: Context) -> set[int]:
        """Endpoints never refuse each other for the size of messages."""
        return set()

    def _keep_own_sizes(self, end: End) -> None:
        for side in (end, end.peer):
            side.max_msg_size = side.owner.settings.max_msg_size or 0

    def ep_sendto(self, endpoint: Endpoint, msg: bytes, end: End | None, flags: int = 0) -> Errors:
        if endpoint.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        if flags:
            own = end is not None and end.owner is endpoint and end.state is EndState.UP
            return one_of(InvalidValue) if own else one_of(InvalidValue, NotConnected, ConnectionReset)
        if end is None or end.owner is not endpoint:
            return one_of(NotConnected)
        if end.state is EndState.REFUSED:
            return one_of(ConnectionReset)
        return self.send(end, msg)

    def ep_disconnect(self, endpoint: Endpoint, end: End | None) -> Errors:
        if endpoint.phase is Phase.CLOSED:
            return one_of(InvalidValue)
        if end is None or end.owner is not endpoint or end.state is EndState.LEFT:
            return one_of(NotConnected)
        self._leave(end)
        if endpoint.role == "client":
            endpoint.phase = Phase.IDLE
        return OK

    def ep_destroy(self, endpoint: Endpoint) -> Errors:
        if endpoint.phase is Phase.CLOSED:
            return one_of(NotConnected)
        self.close(endpoint)
        return OK
