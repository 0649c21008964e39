"""The pull port: a context's messages stay in their rings until they are asked for.

An extension of the emulated library, for programs that pull where the modern API pushes. No thread: each call
does its own looking at the sockets, at most once per millisecond.
"""

from typing import Any

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._channels import Channels
from comch_next.driver.emulated._checks import as_bytes, expect, expect_number, in_state, says_no_memory
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._engine import AGAIN, CORRUPT, POLL, Poller, receive
from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.emulated._fabric.handshake import Terms
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.ring import ffi, lib
from comch_next.driver.emulated._server import Server
from comch_next.errors import BadState, ConnectionReset, InvalidValue, NoMemory, from_code

__all__ = ["Port", "Ports"]

_LENGTH = (1 << 32) - 1
send = lib.comch_send
_REPORTED = (ErrorCode.SHUTDOWN, ErrorCode.CONNECTION_RESET)  # what the puller has not done itself
OK, LONG = lib.COMCH_OK, lib.COMCH_LONG


class Port:
    """A handle. `lost` are connections whose end has not been reported to the puller, `blocked` those whose last
    send was answered AGAIN, with the number of sends accepted before it."""

    def __init__(self, context: ControlContext, msg_size: int | None, send_limit: int, one_sided: bool) -> None:
        self.context = context
        self.poller = Poller()
        self.waiting: list[Greeting] = []
        self.lost: list[Connection] = []
        self.blocked: dict[Connection, int] = {}
        self._msg_size = msg_size
        self._send_limit = send_limit
        self._one_sided = one_sided
        self._pace = ffi.addressof(self.poller.c, "pace")
        self._send_lost = False  # sends were lost with their connection, which the program has not been told
        self.channels = Channels(context, one_sided)
        owned(self)

    def __str__(self) -> str:
        return f"pull port of {self.context}"

    def terms(self) -> Terms:
        """What the handshake says: a port states what it sends and insists on nothing by itself."""
        context = self.context
        size = self._msg_size or context.msg_size()
        strict = context.max_msg_size is not None
        return Terms(context.max_msg_size or size, strict, self._send_limit, context.recv_queue_size)

    def poll_sockets(self) -> None:
        """Look at the sockets now, unless a callback of this engine is running."""
        engine = self.context.engine
        if engine is not None and not engine.busy:
            engine.poller.c.pace.next = 0
            engine.progress()

    def poll_if_due(self) -> None:
        """Look at the sockets if it is time to."""
        if lib.comch_poll_due(self._pace):
            self.poll_sockets()

    def take_over(self, predecessor: "Port") -> None:
        """Make the descriptors that another port gave out this port's own, and close that one."""
        made = predecessor.channels.hand_over()
        predecessor.close()
        self.channels.adopt(made)

    # What the context tells

    def notice(self, connection: Connection | None) -> None:
        """A client waits, a connection came up, or `connection` was lost: latch what is armed."""
        if connection is not None and self._is_loss(connection):
            self.lost.append(connection)
            self._send_lost |= connection.failed > 0
        if connection is None:
            self.tell("recv", "service")
        elif self._keeps_quiet(connection):
            self.tell("service")
        else:
            self.tell("send", "recv", "service")

    def _is_loss(self, connection: Connection) -> bool:
        """Whether `receive` has to report it; that it never came up, only on a one-sided port."""
        status = connection.status
        return status in _REPORTED or (self._one_sided and status is ErrorCode.CONNECTION_ABORTED)

    def tell(self, *channels: str) -> None:
        """Latch these, where armed, and let the next receive tell its caller at once."""
        self.poller.c.pace.next = 0
        self.channels.ring(*channels)

    def _keeps_quiet(self, connection: Connection) -> bool:
        """Whether sender and receiver of a one-sided port do not hear of this end."""
        return self._one_sided and connection.status is ErrorCode.SHUTDOWN and not connection.failed

    def established(self, connection: Connection) -> None:
        """A sender that waits for room must hear of this connection's death, too."""
        if connection.sock is not None:
            self.channels.end(connection.sock)

    def still_reads(self, connection: Connection) -> bool:
        """Whether the connection's messages may still be pulled."""
        return connection in self.lost

    def begin_again(self) -> None:
        """Drop what a client's former connections have left to report: it dials once more."""
        while self.lost:
            self.lost.pop().close()

    def forget(self, connection: Connection) -> bool:
        """Leave a connection that its peer has ended: its messages and its report go. Whether it was one."""
        if connection.context is not self.context or connection.status not in _REPORTED:
            return False
        if connection in self.lost:
            self.lost.remove(connection)
        connection.close()
        connection.status = ErrorCode.NOT_CONNECTED
        return True

    # What the puller calls

    def failed(self, connection: Connection, result: int, data: Any) -> bool:
        """A send that was not accepted: False for AGAIN, else the exception."""
        context = self.context
        if result == AGAIN:
            self.blocked[connection] = int(connection.tx.head)
            connection.note_refusal()
            return False
        if result == POLL:
            return self._poll_and_send(connection, data)
        if result == LONG:
            text = f"send: a message of {len(data)} bytes is above this connection's {connection.max_msg}"
            raise InvalidValue(text, length=len(data))
        if result == CORRUPT:
            connection.on_protocol_violation()
        elif result == lib.COMCH_NOMEM:
            raise NoMemory("send: no memory for the next part of the ring")
        elif connection.in_progress():
            self.blocked[connection] = int(connection.tx.head)
            return self._poll_and_send(connection, data)
        text = f"send was attempted on a connection of {context} that has ended: {connection.reason}"
        status = ErrorCode.CONNECTION_RESET if context.failed_for_good else connection.status
        raise from_code(status, text, connection=connection.user_data)

    def _poll_and_send(self, connection: Connection, data: Any) -> bool:
        self.poll_sockets()
        while (result := send(connection.tx, data, len(data))) == POLL:
            pass  # a look may take so long that the next is due
        if result == OK:
            return True
        return not connection.in_progress() and self.failed(connection, result, data)

    def fetch(self, result: int, size: int) -> tuple[bytes, Any] | None:
        """What the hot path could not decide: look, report a loss, or say that nothing is there."""
        poller = self.poller
        if result == POLL:
            self.poll_sockets()
            if self.waiting:
                return None  # let the puller accept first
            self._report_loss()  # now: with messages from others there may never be nothing to receive
            result = receive(poller.c, poller.scratch, min(size, poller.size))
        while result == CORRUPT:
            poller.links[poller.c.index].on_protocol_violation()
            result = receive(poller.c, poller.scratch, min(size, poller.size))
        if result >= 0:
            return poller.view[: result & _LENGTH], poller.links[result >> 32].user_data
        if result == LONG:
            needed = int(poller.c.length)
            raise InvalidValue(f"receive: a message of {needed} bytes waits, room is for {size}", length=needed)
        self._report_loss()
        return None

    def _report_loss(self) -> None:
        """Raise for one lost connection whose messages have all been pulled, if there is one."""
        for connection in self.lost:
            if not connection.waiting():
                self.lost.remove(connection)
                connection.close()
                text = f"receive: a connection of {self.context} has ended: {connection.reason}"
                raise from_code(connection.status, text, connection=connection.user_data)

    def accept(self) -> Connection | None:
        """Complete the oldest waiting handshake."""
        if not self.waiting:
            self.poll_sockets()
        if not self.waiting:
            return None
        server = self.context
        assert isinstance(server, Server)
        connection = server.admit(self.waiting.pop(0))
        if connection.status != ErrorCode.SUCCESS:
            raise ConnectionReset(f"accept: {connection.reason}")
        return connection

    # Descriptors

    def arm_recv(self) -> None:
        """Be ready when a message, a waiting client or a loss is there."""
        channel = self.channels.get("recv")
        channel.arm()
        self.poll_sockets()
        if not self.context.is_server:
            for link in self.poller.links:  # its one connection
                self._attend(link)
        news = self.waiting or not all(map(self._keeps_quiet, self.lost))
        if lib.comch_arm_data(self.poller.c) or news or self.context.failed_for_good:
            channel.ring()

    def arm_send(self) -> None:
        """Be ready when a send in flight has ended, or one that was answered AGAIN may be tried again."""
        channel = self.channels.get("send")
        channel.arm()
        self.poll_sockets()
        if self._send_news():
            channel.ring()

    def _send_news(self) -> bool:
        """Arm what can end a wait. Whether it has ended already since the program last knew."""
        news, self._send_lost = self._send_lost, False
        for link in self.poller.links:
            news |= link.arm_flight()
            self._attend(link)
        for link, head in list(self.blocked.items()):
            if link.in_progress():
                self._attend(link)
                news |= link.sock is None  # not even dialled: nobody will notify
            elif link.sender is None or link.tx.head != head or lib.comch_arm_space(link.tx):
                news |= link.sender is None or link.tx.head == head  # else a send has been accepted since
                self.withdraw(link)
        return news

    def withdraw(self, connection: Connection) -> None:
        """Forget that a send was answered AGAIN."""
        if self.blocked.pop(connection, None) is not None:
            self._attend(connection)

    def _attend(self, connection: Connection) -> None:
        """On a one-sided port a farewell is an event only while sends wait for the peer: they fail by it."""
        if connection.sock is not None and (self._one_sided or connection.in_progress()):
            waits = connection in self.blocked or connection.in_flight() > 0
            self.channels.end(connection.sock, wake_on_data=waits)

    def arm_service(self) -> None:
        """Be ready when a client comes, goes, or the service fails."""
        channel = self.channels.get("service")
        self.poll_sockets()  # what has been before is no news
        channel.arm()
        self.poll_sockets()
        if self.waiting or self.context.failed_for_good:
            channel.ring()

    def ring_recv(self) -> None:
        self.channels.ring("recv")

    def close(self) -> None:
        """Give the descriptors back; the context must be IDLE."""
        for connection in self.lost:
            connection.close()
        self.let_go()
        if self.context.port is self:
            self.context.port = None

    def let_go(self) -> None:
        """Close its descriptors, and do nothing else; a forked child does just this."""
        self.channels.close()


class Ports:
    """The noun Ports of the driver protocol; send and receive are the hot paths."""

    @says_no_memory
    def open(
        self,
        ctx: object,
        max_msg_size: int | None,
        send_queue_size: int | None,
        one_sided: bool,
        predecessor: object = None,
    ) -> Port:
        context = expect(ctx, ControlContext, "port_open")
        in_state(context, "port_open")
        before = None if predecessor is None else expect(predecessor, Port, "port_open")
        if context.port not in (None, before):
            raise BadState(f"port_open: {context} has a port already")
        limits = context.dev.info.row.limits
        size = None if max_msg_size is None else expect_number(max_msg_size, limits.max_msg_size, "port_open")
        depth = limits.default_queue_size if send_queue_size is None else send_queue_size
        depth = expect_number(depth, limits.max_queue_size, "port_open")
        context.port = port = Port(context, size, depth, one_sided)
        if before is not None:
            port.take_over(before)
        return port

    def send(self, port: Port, connection: Connection, data: Any) -> bool:
        if type(data) is not bytes:  # cffi would take a list, too
            data = as_bytes(data, "send")
        result = send(connection.tx, data, len(data))
        return result == OK or port.failed(connection, result, data)

    def withdraw(self, port: Port, connection: Connection) -> None:
        port.withdraw(connection)

    def receive(self, port: Port, size: int) -> tuple[bytes, Any] | None:
        poller = port.poller
        try:
            result = receive(poller.c, poller.scratch, size if size < poller.size else poller.size)
        except (TypeError, OverflowError):
            raise InvalidValue(f"receive takes a size of 0 or more bytes, not {size!r}") from None
        if result >= 0:
            return poller.view[: result & _LENGTH], poller.links[result >> 32].user_data
        return None if result == AGAIN and not port.lost else port.fetch(result, size)

    def accept(self, port: Port) -> Connection | None:
        return port.accept()

    def get_pending(self, port: Port) -> int:
        port.poll_if_due()
        return len(port.waiting)

    def get_connections(self, port: Port) -> list[Any]:
        port.poll_sockets()
        return [link.user_data for link in port.context.connections if link.status is ErrorCode.SUCCESS]

    def status(self, port: Port, connection: Connection) -> ErrorCode:
        port.poll_sockets()
        connection.check_reader()
        return connection.status

    def in_flight(self, port: Port, connection: Connection) -> int:
        return connection.note_flight()

    def failed(self, port: Port, connection: Connection) -> int:
        return connection.failed

    def get_max_msg_size(self, port: Port, connection: Connection) -> int:
        return connection.max_msg

    @says_no_memory
    def get_fd(self, port: Port, channel: str) -> int:
        return port.channels.get(channel).fileno()

    @says_no_memory
    def arm_send(self, port: Port) -> None:
        port.arm_send()

    @says_no_memory
    def arm_recv(self, port: Port) -> None:
        port.arm_recv()

    @says_no_memory
    def arm_service(self, port: Port) -> None:
        port.arm_service()

    def ring_recv(self, port: Port) -> None:
        port.ring_recv()

    def close(self, port: Port) -> None:
        in_state(port.context, "port_open")
        port.close()
