"""The pull port: a context's messages stay in their rings until they are asked for.

An extension of the emulated library, for programs that pull where the modern API pushes. No thread: each call
polls the sockets itself, at most once per millisecond.
"""

from collections.abc import Callable, Sized
from typing import TYPE_CHECKING, Any, TypeVar

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._checks import as_bytes, expect, expect_number, in_state, says_no_memory
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._fabric.channel import Channel
from comch_next.driver.emulated._guard import alone
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.ring import lib
from comch_next.driver.emulated._pulled import Pulled
from comch_next.driver.protocol import Call, by_system, counted, quoted, uninterrupted
from comch_next.errors import BadState, ConnectionReset, InvalidValue, NoMemory, from_code

if TYPE_CHECKING:
    from comch_next.driver.emulated._kernel.calls import Found, Link

__all__ = ["Port", "open_port"]

_T = TypeVar("_T")

OK, AGAIN, POLL, LONG, CORRUPT = lib.COMCH_OK, lib.COMCH_AGAIN, lib.COMCH_POLL, lib.COMCH_LONG, lib.COMCH_CORRUPT
CLOSED = lib.COMCH_CLOSED


class _QuickCalls:
    """See comch_next.driver.protocol.QuickCalls."""

    def __init__(self, port: Pulled) -> None:
        self._poller, self._news = port.poller, (port.waiting, port.ended)
        self._channels, self._blocked = port.channels.made, port.sends.blocked
        self._flights = port.one_sided and not port.context.is_server

    def send(self, slow: Call, shape: tuple[Any, ...]) -> Call:
        return calls.port_send(self._poller, slow, shape)

    def send_on(self, connection: Connection, slow: Call) -> Call:
        return calls.link_send(connection, slow)

    def receive(self, slow: Call, shape: tuple[Any, ...], errors: Sized = ()) -> Call:
        return calls.receive(self._poller, slow, shape, (*self._news, errors))

    def arm_recv(self, slow: Call, errors: Sized = ()) -> Call:
        news = (*self._news, self._blocked, errors)
        return calls.port_arm(self._poller, slow, self._channels, self._flights, news)


class Port(Pulled):
    """A port of the driver protocol: what its puller calls."""

    def __init__(self, context: ControlContext, msg_size: int | None, send_limit: int, one_sided: bool) -> None:
        super().__init__(context, msg_size, send_limit, one_sided)
        self.quick: _QuickCalls | None = _QuickCalls(self)

    # Sending

    def send(self, connection: Connection, data: Any) -> bool:
        if type(data) is not bytes:  # cffi would take a list, too
            data = as_bytes(data, "send")
        result = connection.send(data)
        return result == OK or self.not_accepted(connection, result, data)

    @alone
    def not_accepted(self, connection: Connection, result: int, data: Any) -> bool:
        """Return False for AGAIN, else raise what the send was refused with."""
        context = self.context
        if result == CLOSED and connection.status is ErrorCode.SUCCESS:  # another thread has just brought it up
            result = connection.send(data)
            if result == OK:
                return True
        if result == AGAIN:
            self.sends.block(connection)
            connection.note_refusal()
            return False
        if result == POLL:
            return self._poll_and_send(connection, data)
        if result == LONG:
            text = f"send: a message of {counted(len(data), 'byte')} is above this connection's {connection.max_msg}"
            raise InvalidValue(text, length=len(data))
        if result == CORRUPT:
            connection.on_protocol_violation()
        elif result == lib.COMCH_NOMEM:
            raise NoMemory("send: no memory for the next part of the ring")
        elif connection.in_progress():
            self.sends.block(connection)
            return self._poll_and_send(connection, data)
        text = f"send was attempted on a connection of {context} that has ended: {connection.reason}"
        status = ErrorCode.CONNECTION_RESET if context.failed_for_good else connection.status
        if status is ErrorCode.SUCCESS:  # another thread is just ending it
            status = ErrorCode.NOT_CONNECTED
        raise from_code(status, text, connection=connection.user_data)

    def _poll_and_send(self, connection: Connection, data: Any) -> bool:
        self.poll_sockets()
        result = connection.send_now(data)
        if result == OK:
            return True
        return not connection.in_progress() and self.not_accepted(connection, result, data)

    @alone
    def withdraw(self, connection: Connection) -> None:
        self.sends.withdraw(connection)

    # Receiving

    def receive(self, size: int) -> tuple[bytes, Any] | None:
        try:
            found = self.poller.pull(size)
        except by_system(TypeError, OverflowError, ValueError):
            raise InvalidValue(f"receive takes a size of 0 or more bytes, not {quoted(size)}") from None
        calls.looked(found is not None)
        if isinstance(found, tuple):
            return self._with_peer(found) if isinstance(found[1], Connection) else found
        return None if found is None and not self.ended and self.poller.links else self.fetch(found, size)

    @alone
    def _with_peer(self, found: "tuple[bytes, Link]") -> tuple[bytes, Any]:
        """A message of a connection that another thread has been accepting meanwhile, with the program's object."""
        return found[0], found[1].user_data

    @alone
    def fetch(self, found: "Found", size: int) -> tuple[bytes, Any] | None:
        """Decide what the hot path could not: poll, report a loss, or return None."""
        poller = self.poller
        self.channels.refuse_closed()
        if found == POLL:
            self.poll_sockets()
            poller.polled()
            if self.waiting:
                return None  # let the puller accept first
            if self.ended:  # now: with messages from others there may never be nothing to receive
                self._report_end()
            found = poller.pull(size)
        while isinstance(found, Connection):
            found.on_protocol_violation()
            found = poller.pull(size)
        if isinstance(found, tuple):
            return self._with_peer(found) if isinstance(found[1], Connection) else found
        if isinstance(found, int) and found > size:
            raise InvalidValue(
                f"receive: a message of {counted(found, 'byte')} waits, room is for {size}", length=found
            )
        if self.ended:
            self._report_end()
        return None

    @uninterrupted
    def _report_end(self) -> None:
        """Raise for one connection that has ended and whose messages have all been pulled, if there is one."""
        for connection in self.ended:
            if not connection.unread():
                self.ended.remove(connection)
                self.close_ended(connection)
                text = f"receive: a connection of {self.context} has ended: {connection.reason}"
                raise from_code(connection.status, text, connection=connection.user_data)

    @alone
    def accept(self, greet: Callable[[Connection], _T]) -> _T | None:
        """Complete the oldest waiting handshake; return what is made of it before a signal may come."""
        self.channels.refuse_closed()
        if not self.waiting:
            self.poll_sockets()
        return self._accept_oldest(greet) if self.waiting else None

    @uninterrupted
    def _accept_oldest(self, greet: Callable[[Connection], _T]) -> _T | None:
        if not self.waiting:  # a signal handler of the program has just accepted it
            return None
        greeting = self.waiting[0]
        try:
            connection = self.context.admit(greeting)
        finally:
            if greeting.answered:  # else memory has run out at once, and it waits for the next call
                self.waiting.popleft()
        try:
            if connection.status != ErrorCode.SUCCESS:
                raise ConnectionReset(f"accept: {connection.reason}")
            accepted = greet(connection)
        except BaseException:  # the program has no object for it, and never will
            self.context.leave_unknown(connection)
            raise
        connection.log_up()
        return accepted

    # Queries

    @alone
    def get_pending(self) -> int:
        self.channels.refuse_closed()
        self.poll_if_due()
        return len(self.waiting)

    @alone
    def get_connections(self) -> list[Any]:
        self.channels.refuse_closed()
        self.poll_sockets()
        return [link.user_data for link in self.context.connections if link.status is ErrorCode.SUCCESS]

    @alone
    def get_status(self, connection: Connection) -> ErrorCode:
        self.poll_sockets()
        connection.check_reader()
        return connection.status

    @alone
    def get_in_flight(self, connection: Connection) -> int:
        return connection.note_flight()

    def get_undelivered(self, connection: Connection) -> int:
        return connection.undelivered

    def get_max_msg_size(self, connection: Connection) -> int:
        return connection.max_msg

    # Descriptors

    @says_no_memory
    @alone
    def get_fd(self, channel: str) -> int:
        return self.channels.get(channel).fileno()

    @says_no_memory
    @alone
    def arm_recv(self) -> None:
        channel = self.channels.get("recv")
        self.poll_unless_silent(channel.arm())
        if not self.context.is_server:
            for link in self.poller.links:  # its one connection
                self.sends.attend(link)
        news = self.waiting or not all(map(self._is_silent, self.ended))
        if self.poller.arm() or news or self.context.failed_for_good:
            channel.ring()

    @says_no_memory
    @alone
    def arm_send(self) -> None:
        channel = self.channels.get("send")
        channel.arm()
        self.poll_sockets()
        self._report_sends(channel)

    @uninterrupted
    def _report_sends(self, channel: Channel) -> None:
        """Ring if a send has ended, or one that was refused may be tried again: that is news once."""
        if self.sends.arm(self.poller.links):
            channel.ring()

    @says_no_memory
    @alone
    def arm_service(self) -> None:
        channel = self.channels.get("service")
        self.poll_sockets()  # what has been before is no news
        channel.arm()
        self.poll_sockets()
        if self.waiting or self.context.failed_for_good:
            channel.ring()

    @alone
    def ring_recv(self) -> None:
        self.channels.ring("recv")


@says_no_memory
def open_port(
    ctx: object,
    max_msg_size: int | None,
    send_queue_size: int | None,
    one_sided: bool,
    predecessor: object = None,
    *,
    make: Callable[[ControlContext, int | None, int, bool], Port] = Port,
) -> Port:
    """See comch_next.driver.protocol.OpenPort."""
    context = expect(ctx, ControlContext, "port_open")
    with context.lock:
        return _open(context, max_msg_size, send_queue_size, one_sided, predecessor, make)


@uninterrupted
def _open(
    context: ControlContext,
    max_msg_size: int | None,
    send_queue_size: int | None,
    one_sided: bool,
    predecessor: object,
    make: Callable[[ControlContext, int | None, int, bool], Port],
) -> Port:
    in_state(context, "port_open")
    before = None if predecessor is None else expect(predecessor, Port, "port_open")
    if isinstance(context.delivery, Port) and context.delivery is not before:
        raise BadState(f"port_open: {context} has a port already")
    limits = context.dev.info.row.limits
    size = None if max_msg_size is None else expect_number(max_msg_size, limits.max_msg_size, "port_open")
    depth = limits.default_queue_size if send_queue_size is None else send_queue_size
    depth = expect_number(depth, limits.max_queue_size, "port_open")
    port = make(context, size, depth, one_sided)
    if before is not None:
        port.take_over(before)
    context.delivery = port
    return port
