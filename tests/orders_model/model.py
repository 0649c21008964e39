"""What each call of the modern API does in each order of calls, by the design alone: a model without input or output.

A call of the model has its effect and returns the errors of which the library has to raise one, by class; an empty
set means that it succeeds. Where the design leaves the class open the set has more than one, NoneType standing for
success, and `SILENT` names the situation. Messages and snapshots are compared by what
Context and End say is due.

The forms of the pull port differ in what `World.threaded` guards, each named by its line of comch_next._threaded.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from comch_next.errors import (
    Again,
    BadConfig,
    BadState,
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    InvalidValue,
    NotConnected,
    NotPermitted,
    Shutdown,
)

__all__ = ["OK", "SILENT", "Context", "End", "EndState", "Errors", "Phase", "Settings"]

Errors = frozenset[type[object]]

DPU = "03:00.0"
DEFAULT_MSG_SIZE, DEFAULT_QUEUE_SIZE, MAX_QUEUE_SIZE = 4080, 64, 8192
OK: Errors = frozenset()


def one_of(*classes: type[object]) -> Errors:
    return frozenset(classes)


class SILENT:
    """The situations for which the design names no class; tighten a set here when it does."""

    MISSING = one_of(BadConfig, BadState)  # connect or listen without a device, a representor or a name
    CLOSED = one_of(BadState, InvalidValue, NotConnected)  # any call on a closed context but close
    NOT_UP = one_of(BadState, NotConnected)  # receive before the first connect or listen
    AFTER_LEAVING = one_of(NotConnected)  # receive between disconnect and connect
    FAILED_LISTEN = one_of(BadState, NotConnected)  # receive after a listen that raised
    FAILED_CONNECT = one_of(BadState, NotConnected)  # the same for connect
    NEVER_UP = one_of(ConnectionAborted, ConnectionReset)  # send on a connection that was refused
    FOREIGN = one_of(InvalidValue, NotConnected)  # disconnect of None or of another context's connection
    LEFT_TWICE = one_of(InvalidValue, NotConnected, BadState)  # a second disconnect of one connection
    AFTER_FAILURE = one_of(BadState)  # disconnect after a connect that raised
    OTHER_ROLE = one_of(BadState, NotPermitted)  # listen on a Channel that has connected, and the reverse


class Phase(Enum):
    """Where a context is in its life."""

    IDLE = auto()
    ACTIVE = auto()
    ENDED = auto()  # a client whose connection has ended, and which has not called disconnect
    CLOSED = auto()


class EndState(Enum):
    """What one side of a connection can observe of it."""

    WAITING = auto()  # the server has not accepted
    UP = auto()
    NOTIFIED = auto()  # the peer left, and this side knows
    UNAWARE = auto()  # the peer left, and this one-sided side has not sent since
    ERROR = auto()  # one-sided, after the first failed send
    REFUSED = auto()  # it never came up
    LEFT = auto()  # this side disconnected


@dataclass
class Settings:
    """What a context is to be; None where the program has given nothing."""

    device: str | None = None
    device_rep: str | None = None
    name: str | None = None
    engine: str | None = None
    max_msg_size: int | None = None
    recv_queue_size: int | None = None
    send_queue_size: int | None = None
    one_sided: bool = False

    def update(self, **options: object) -> None:
        for name, value in options.items():
            setattr(self, name, value)


class Sent(NamedTuple):
    """A message on its way. `late`: it waited in its sender, so it arrived later than it was sent."""

    stamp: int
    data: bytes
    late: bool


class End:
    """One side of one connection."""

    def __init__(self, owner: Context, number: int) -> None:
        self.owner = owner
        self.number = number
        self.peer: End = self
        self.state = EndState.WAITING
        self.one_sided = owner.settings.one_sided
        self.recv_queue_size = owner.settings.recv_queue_size or DEFAULT_QUEUE_SIZE
        self.send_queue_size = owner.settings.send_queue_size or DEFAULT_QUEUE_SIZE
        self.max_msg_size = DEFAULT_MSG_SIZE
        self.inbox: deque[Sent] = deque()  # the receiver's queue and then those in flight
        self.sent = self.sent_bytes = self.received = self.received_bytes = 0
        self.reset_is_due = False  # receive has still to report the error state
        self.end_is_news = False  # the peer has left, and receive has not been called since
        self.left_from: EndState | None = None  # the state before this side left

    def __repr__(self) -> str:
        return f"<End {self.number} of {self.owner.key}, {self.state.name}, {len(self.inbox)} messages>"

    @property
    def in_flight(self) -> int:
        """Messages accepted that are not in the receiver's queue, on the driver's form."""
        return max(0, len(self.peer.inbox) - self.peer.recv_queue_size)

    def update_info(self) -> Errors:
        if self.state is EndState.WAITING:
            return one_of(ConnectionInprogress)
        if self.state in (EndState.UP, EndState.UNAWARE):
            return OK
        return one_of(ConnectionAborted)

    def send(self, data: bytes, stamp: int) -> Errors:
        """Send with a time-out of 0."""
        if self.state is EndState.WAITING:
            return one_of(Again)
        if self.state is EndState.NOTIFIED:
            return one_of(Shutdown)
        if self.state is EndState.ERROR:
            return one_of(ConnectionReset)
        if self.state is EndState.REFUSED:
            return SILENT.NEVER_UP
        if self.state is EndState.LEFT:
            return one_of(NotConnected) | (SILENT.NEVER_UP if self.left_from is EndState.REFUSED else OK)
        if len(data) > self.max_msg_size:
            return one_of(InvalidValue)
        if self.state is EndState.UNAWARE:
            self._count_sent(data)
            self.fail()
            return OK
        if self.in_flight >= self.send_queue_size:
            return one_of(Again)
        self._count_sent(data)
        self.peer.inbox.append(Sent(stamp, data, late=len(self.peer.inbox) >= self.peer.recv_queue_size))
        return OK

    def _count_sent(self, data: bytes) -> None:
        self.sent += 1
        self.sent_bytes += len(data)

    def fail(self) -> None:
        """Enter the error state of a one-sided side."""
        self.state = EndState.ERROR
        self.reset_is_due = True

    def take(self) -> bytes:
        """The message handed to the program."""
        data = self.inbox.popleft().data
        self.received += 1
        self.received_bytes += len(data)
        return data

    def leave(self) -> None:
        """This side disconnects: what it has not read is dropped, what it has in flight fails."""
        if self.state is EndState.LEFT:
            return
        was, self.state = self.state, EndState.LEFT
        self.left_from = was
        lost_by_peer = self.peer.in_flight > 0
        arrived = list(self.peer.inbox)[: self.peer.recv_queue_size]
        self.inbox.clear()
        self.reset_is_due = False
        if was is EndState.WAITING and self.owner.role == "client":
            self.peer.state = EndState.REFUSED
            return
        self.peer.inbox = deque(arrived)
        self.peer.peer_left(messages_lost=lost_by_peer)

    def peer_left(self, *, messages_lost: bool) -> None:
        if self.state is EndState.WAITING:
            self.state = EndState.REFUSED
            self.reset_is_due = self.one_sided
        elif self.state is EndState.UP and not self.one_sided:
            self.state = EndState.NOTIFIED
            self.end_is_news = True
        elif self.state is EndState.UP:
            self.state = EndState.UNAWARE
            if messages_lost:
                self.fail()


@dataclass
class Context:
    """A client, a server or a channel, as its program sees it."""

    key: str
    kind: str  # "Client", "Server", "Channel"
    settings: Settings = field(default_factory=Settings)
    phase: Phase = Phase.IDLE
    role: str | None = None
    end: End | None = None  # a client's last connection
    ends: list[End] = field(default_factory=list)  # all that it ever had, the oldest first
    connect_failed: bool = False
    listen_failed: bool = False
    broken_handshakes: int = 0  # clients that gave up before a server accepted them
    engine_is_open: bool = False  # a connect or listen failed so early that it may have made an engine, or not

    def __post_init__(self) -> None:
        self.role = {"Client": "client", "Server": "server"}.get(self.kind)

    def set(self, **options: object) -> Errors:
        """Set one or several settings; all or none take effect."""
        if self.phase is Phase.CLOSED:
            return SILENT.CLOSED
        if self.phase is not Phase.IDLE:
            return one_of(BadState)
        if any(self._is_illegal(name, value) for name, value in options.items()):
            return one_of(InvalidValue)
        self.settings.update(**options)
        return OK

    def _is_illegal(self, name: str, value: object) -> bool:
        if name == "name":
            return not isinstance(value, str) or not 1 <= len(value.encode()) <= 127 or "\0" in value
        if name in ("max_msg_size", "recv_queue_size", "send_queue_size"):
            most = 65535 if name == "max_msg_size" else MAX_QUEUE_SIZE
            return type(value) is not int or not 1 <= value <= most
        return False

    def connect_ctx(self) -> Errors:
        """An engine is asked to take the context."""
        if self.phase in (Phase.ACTIVE, Phase.ENDED):
            return one_of(NotPermitted, BadState)  # it has an engine, and is not idle
        return one_of(NotPermitted) if self.settings.engine else OK

    def waiting(self) -> list[End]:
        return [end for end in self.ends if end.state is EndState.WAITING]

    def connected(self) -> list[End]:
        return [end for end in self.ends if end.state is EndState.UP]

    def has_news(self) -> bool:
        """Whether recv_fd may be ready although receive will have nothing to report."""
        news = any(end.end_is_news for end in self.ends)
        return news or bool(self.waiting()) or self.broken_handshakes > 0

    def due(self) -> list[End]:
        """The ends whose next message receive may hand out: in order of arrival, unless a queue has overflowed."""
        ready = [end for end in self.ends if end.inbox and end.state is not EndState.LEFT]
        if any(message.late for end in ready for message in end.inbox):
            return ready
        return sorted(ready, key=lambda end: end.inbox[0].stamp)[:1]

    def receive_errors(self) -> Errors:
        """What receive may raise when no message is due; Again included where that is right."""
        if self.phase is Phase.CLOSED:
            return SILENT.CLOSED
        if self.role == "client":
            return self._client_receive_errors()
        if self.role is None and self.connect_failed:
            return SILENT.FAILED_CONNECT
        if self.phase is Phase.IDLE:
            return SILENT.FAILED_LISTEN if self.listen_failed else SILENT.NOT_UP
        if self.broken_handshakes:
            return one_of(Again, ConnectionReset)
        return one_of(ConnectionReset if any(end.reset_is_due for end in self.ends) else Again)

    def _client_receive_errors(self) -> Errors:
        if self.phase is Phase.IDLE:
            if self.connect_failed:
                return SILENT.FAILED_CONNECT
            if self.end is None:
                return SILENT.NOT_UP
            reported = {
                EndState.NOTIFIED: one_of(Shutdown),
                EndState.ERROR: one_of(ConnectionReset),
                EndState.REFUSED: one_of(ConnectionReset),
            }
            return SILENT.AFTER_LEAVING | reported.get(self.end.left_from or EndState.UP, OK)
        assert self.end is not None
        if self.end.state is EndState.NOTIFIED:
            return one_of(Shutdown)
        if self.end.state is EndState.REFUSED:
            return SILENT.NEVER_UP | (one_of(Again) if self.end.one_sided else OK)
        return one_of(ConnectionReset) if self.end.reset_is_due else one_of(Again)
