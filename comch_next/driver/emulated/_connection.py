"""A connection: a socket for life and death, a ring each way, and what is known of the other side."""

import select
import socket
from functools import partial
from typing import Any

from comch_next._codes import Counter, ErrorCode
from comch_next.driver.emulated._checks import expect
from comch_next.driver.emulated._context import Callback
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.channel import Watchable
from comch_next.driver.emulated._fabric.status import Cell
from comch_next.driver.emulated._fast_path import FastPath
from comch_next.driver.emulated._fast_path import Owner as CarrierOwner
from comch_next.driver.emulated._guard import guard, known
from comch_next.driver.emulated._kernel.calls import Link
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.emulated._kernel.memory import EXHAUSTED
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.emulated._kernel.ring import Receiver, Sender, lib
from comch_next.driver.protocol import Lock, by_system, log_event, log_warning, quoted, suppress_system, uninterrupted
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import Again, ConnectionAborted, InvalidValue, from_code

__all__ = ["Connection", "Connections"]

_COUNTERS = tuple(Counter)
_PARTED = ErrorCode.NOT_CONNECTED, "this side has left"
_NOTICES = 16  # datagrams of one peer that one poll reads: its end, which comes last, is to be known before others come


class Reading(Protocol):
    """The delivery of a context, as its connections see it: see _delivery."""

    @property
    def one_sided(self) -> bool: ...
    @property
    def poller(self) -> Poller: ...
    def terms(self) -> handshake.Terms: ...
    def follow(self, connection: "Connection") -> None: ...
    def unlisten(self, connection: "Connection") -> None: ...


class Owner(CarrierOwner, Protocol):
    """The server or client that a connection is of."""

    on_message: Callback

    @property
    def lock(self) -> Lock: ...
    @property
    def delivery(self) -> Reading: ...
    def unwatch(self, sock: Watchable) -> bool: ...
    def lost_connection(self, connection: "Connection") -> None: ...


class Connection(Handle, Link):
    """A handle. `status` is SUCCESS while it works, then for good what ended it."""

    def __init__(
        self, context: Owner, sock: socket.socket | None, cell: Cell | None = None
    ) -> None:
        self.context = context
        self.sock = sock
        self.status = ErrorCode.CONNECTION_INPROGRESS
        self.reason = "it is still being set up"
        self._use(cell or Cell.private())
        self.max_msg = 0  # bytes that it carries at most from here, once established
        self.sender: Sender | None = None
        self.receiver: Receiver | None = None
        self.heard: list[int] = []  # the ends of this side's bells: for data and for space, or one for both
        self.rung: list[int] = []  # those of the other side's bells, in the same way
        self._shared = False  # whether the peer has been given the socket: see handshake.farewell
        self.user_data: Any = None
        self.undelivered = 0  # sends accepted that never reached the other side's queue
        self.parted = False  # this side has left it at exit, and only its end has to be noted
        self._last = 0  # the messages that had arrived when it ended, with all before them
        self._seen = 0  # sends through a port that have ended, as far as the program knows
        self.fast = FastPath(self)
        self._snapshot = dict.fromkeys(_COUNTERS, 0)
        owned(self)

    def __str__(self) -> str:
        return f"connection of {self.context}"

    @property
    def lock(self) -> Lock:
        """Its context's."""
        return self.context.lock

    def say_goodbye(self) -> None:
        """Notify the peer that this side leaves, as `disconnect`."""
        if self.sock is None:
            return
        if self.status == ErrorCode.SUCCESS:
            # The rings first: a peer that has read the farewell relies on them as they are then.
            self.cut()
            self.leave()
            self.reason = _PARTED[1]
            # Consumers and producers of the other side wait for the hang-up.
            self._shared = handshake.farewell(self.sock, quiet=self.context.new_consumer is None)
        elif self.status == ErrorCode.CONNECTION_INPROGRESS:
            # A word, so that a server that has let it in meanwhile sees no death.
            handshake.send(self.sock, handshake.BYE)

    def leave_at_exit(self) -> None:
        """Leave, unless it is on a one-sided port, where only a death is an end. The next progress notes the end."""
        if self.context.delivery.one_sided:
            return
        self.parted = True
        try:
            self.say_goodbye()
        finally:
            if (engine := self.context.engine) is not None:
                engine.call_soon_threadsafe(partial(self.lose, *_PARTED))

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork. No cut, and no unmapping: the rings are in use, and may be looked at."""
        if self.sock is not None:
            handshake.hang_up(self.sock, shared=self._shared)
        self.hold(None, 0, 0)
        handshake.hang_up_all(self.heard)
        handshake.discard_all(self.rung)
        self.fast.let_go()

    def _use(self, cell: Cell) -> None:
        """Keep the state of both ends in this cell; the sending one is closed until established."""
        self.cell, self.tx, self.rx = cell, cell.tx, cell.rx
        self.hold(cell, *cell.addresses())

    def establish(self, rings: tuple[int, int], sizes: tuple[int, int], other: handshake.Terms) -> None:
        """Map the rings (descriptors: the one to send on, the one to receive from; sizes alike)."""
        own = self.context.delivery.terms()
        data, space = self.rung[0], self.rung[-1]
        self.sender = Sender(rings[0], sizes[0], other.recv_limit, own.send_limit, data, self.tx)
        self.sender.attach()
        self.tx.pace.watched = self.context.watch.fileno()
        self.receiver = Receiver(rings[1], sizes[1], own.recv_limit, other.send_limit, space, self.rx)
        self.receiver.attach()
        self.max_msg = sizes[0]
        self.status = ErrorCode.SUCCESS
        self.context.delivery.follow(self)

    def log_up(self) -> None:
        """Log that it came up. Whoever brings it up calls this last: a handler is the program's, and may raise."""
        log_event("%s is up", self)

    def in_progress(self) -> bool:
        """Return whether the connection is still being set up."""
        return self.status is ErrorCode.CONNECTION_INPROGRESS

    def waiting(self) -> bool:
        """Whether a message can still be read."""
        return self.receiver is not None and self.available() > 0

    def unread(self) -> bool:
        """Whether a message can be read that had arrived when it ended: what its peer has written since is none."""
        return self.waiting() and self.rx.tail < self._last

    def in_flight(self) -> int:
        """Sends accepted that are not in the receiver's queue; those of a dead connection have failed."""
        if self.sender is None or not self.tx.open:
            return 0
        return int(self.tx.head - self.completed())

    # What a port's program knows of its sends: what has ended since is an event, see Port.arm_send

    def note_refusal(self) -> None:
        """Note that a send was refused for the sends in flight that the kernel knew of then."""
        self._seen = int(min(self.tx.tail + self.tx.recv_limit, self.tx.head))

    def note_flight(self) -> int:
        """Return what is in flight; the program knows of all that has ended."""
        flight = self.in_flight()
        self._seen = int(self.tx.head) - flight
        return flight

    def arm_flight(self) -> bool:
        """Ask for a bell when a send in flight ends. Whether one has ended since the program last knew."""
        before, flight = self._seen, self.in_flight()
        if flight:
            self.arm_completion(self.tx.head - flight + 1)
        self.note_flight()  # read again: what ended before the arming rings no bell
        return self._seen > before

    @uninterrupted
    def on_socket(self) -> None:
        """Read what the peer has sent: news of consumers, a farewell, or the end of the socket."""
        self.fast.speak()
        for _ in range(_NOTICES):
            # None: it has just been lost, perhaps because a consumer could not be announced.
            if self.sock is None or not self._hear(self.sock) or self._is_full():
                return

    def _is_full(self) -> bool:
        engine = self.context.engine
        return engine is None or engine.full

    def _hear(self, sock: socket.socket) -> bool:
        """Read a datagram of the peer. Whether there was one."""
        try:
            data, fds = handshake.receive(sock)
        except by_system(BlockingIOError):
            return False
        except by_system(OSError) as error:
            data, fds = b"", []
            reason = "descriptors have run out" if error.errno in EXHAUSTED else "the other side has died"
        else:
            reason = "a bad datagram came" if data else "the other side has died"
        understood = self.fast.hear(data, fds)
        handshake.discard_all(fds)
        if data == handshake.BYE or (not data and self.left()):  # a farewell has no room where news wait to be read
            self.lose(ErrorCode.SHUTDOWN, "the other side has left")
        elif not understood:
            self.lose(ErrorCode.CONNECTION_RESET, reason)
        return True

    @uninterrupted
    def lose(self, status: ErrorCode, reason: str) -> None:
        """End a connection that was lost: fail what is in flight; messages that have arrived stay readable."""
        if self.status not in (ErrorCode.SUCCESS, ErrorCode.CONNECTION_INPROGRESS):
            return
        if self.parted:  # whatever the peer has made of it
            status, reason = _PARTED
        self._end(status, reason)
        self.context.lost_connection(self)
        log = log_warning if status == ErrorCode.CONNECTION_RESET else log_event
        log("%s has ended: %s", self, reason)

    @uninterrupted
    def on_protocol_violation(self) -> None:
        """End the connection, whose peer violated the ring protocol: nothing more is read from it."""
        if self.receiver is not None:  # else it has been closed since, perhaps with its engine
            self.context.delivery.poller.remove(self)
            self.receiver.close()
            self.receiver = None
        self.lose(ErrorCode.CONNECTION_RESET, "the peer violated the ring protocol")

    def report_violation(self) -> None:
        """Report a protocol violation, on any thread: the connection's engine ends it."""
        engine = self.context.engine
        if engine is not None:
            engine.call_soon_threadsafe(self.on_protocol_violation)

    def check_reader(self) -> bool:
        """Return whether the reader violates the protocol; its connection ends, as no send would ever complete."""
        if self.sender is None or self.check() != lib.COMCH_CORRUPT:
            return False
        self.on_protocol_violation()
        return True

    @uninterrupted
    def disconnect(self, *, require_notice: bool = False) -> None:
        """Disconnect and notify the peer. `require_notice`: raise Again if the notice cannot be sent now."""
        if require_notice and self.sock is not None and not _writable(self.sock):
            raise Again("server_disconnect: the notice does not fit now; progress and call again")
        if not self.parted:
            with suppress_system(OSError):  # it is gone already
                self.say_goodbye()
        if self.status in (ErrorCode.SUCCESS, ErrorCode.CONNECTION_INPROGRESS):
            self._end(*_PARTED)
        self.close()

    def _end(self, status: ErrorCode, reason: str) -> None:
        self.cell.hide()
        arrived = self.cut() if self.sender is not None else 0
        self.undelivered = int(self.tx.head - arrived)
        while (task := self.take_back()) is not None:
            task.finish(ErrorCode.SUCCESS if task.number <= arrived else status)
        self._take_snapshot()
        self._last = self.rx.tail + self.available()
        self.status, self.reason = status, reason
        if self.sender is not None:
            self.sender.close()
            self.sender = None
        if self.sock is not None:
            self.context.unwatch(self.sock)
            handshake.hang_up(self.sock, shared=self._shared)
            self.sock = None
        self._give_up_bells()
        self.fast.end()

    @uninterrupted
    def close(self) -> None:
        """Give everything back but the counters."""
        self.context.delivery.poller.remove(self)
        self.cut()
        for end in (self.receiver, self.sender):
            if end is not None:
                end.close()
        self.receiver = self.sender = None
        cell = self.cell
        self._use(cell.copy())
        cell.retire()
        self._give_up_bells()

    def _give_up_bells(self) -> None:
        """Give up the bells: messages that can still be read need none."""
        self.tx.bell = self.rx.bell = -1
        self.context.delivery.unlisten(self)
        handshake.hang_up_all(self.heard)
        handshake.discard_all(self.rung)

    def _take_snapshot(self) -> None:
        tx, rx = self.tx, self.rx
        self._snapshot = dict(zip(_COUNTERS, (tx.head, tx.sent_bytes, rx.tail, rx.received_bytes), strict=True))

    def update_info(self) -> None:
        """Snapshot the counters; the state of the connection is the exception, if any."""
        self._take_snapshot()
        if self.status == ErrorCode.CONNECTION_INPROGRESS:
            raise from_code(self.status, "connection_update_info: the connection is still being set up")
        if self.status != ErrorCode.SUCCESS:
            raise ConnectionAborted(f"connection_update_info: the connection is dead: {self.reason}")

    def counter(self, which: int) -> int:
        """A counter of the last snapshot."""
        return int(self._snapshot[Counter(which)])


def _writable(sock: socket.socket) -> bool:
    if sock.fileno() < 0:  # collected before a finalizer of the program that disconnects: nobody waits for a notice
        return True
    poller = select.poll()
    poller.register(sock, select.POLLOUT)
    return bool(poller.poll(0))


class Connections:
    """The noun Connections of the driver protocol."""

    def set_user_data(self, connection: object, user_data: object) -> None:
        expect(connection, Connection, "connection_set_user_data").user_data = user_data

    def get_user_data(self, connection: Connection) -> Any:
        return connection.user_data

    def get_server(self, connection: object) -> object | None:
        context = expect(connection, Connection, "server_get_server_ctx").context
        return context if context.is_server else None

    def get_client(self, connection: object) -> object | None:
        context = expect(connection, Connection, "client_get_client_ctx").context
        return None if context.is_server else context

    @guard("connection_", known(Connection))
    def update_info(self, connection: Connection) -> None:
        connection.update_info()

    def get_counter(self, connection: object, counter_type: object) -> int:
        if not isinstance(counter_type, int) or counter_type not in _COUNTERS:
            raise InvalidValue(f"connection_get_counter takes a Counter, not {quoted(counter_type)}")
        return expect(connection, Connection, "connection_get_counter").counter(counter_type)
