"""PullPort: the pull view of a context, for programs that ask for messages instead of being called.

The one extension beside the documented calls. Some drivers have it, without a thread; for others it is built from
tasks, callbacks and one helper thread (`comch_next._threaded`). COMCH_PULL=threaded in the environment forces that form
on every port, to try a program as it would run on such a driver.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from comch_next._alone import alone
from comch_next._codes import ErrorCode
from comch_next._one_sided import Endings
from comch_next._origins import shown
from comch_next._quick import QuickOwner, call_shape, quick_method, quicken
from comch_next.arguments import ANY_SIZE
from comch_next.connection import Message
from comch_next.driver.protocol import WeakSet, new_lock, passing, shielded, suppress_system
from comch_next.errors import BadState, ConnectionReset, DocaError, InvalidValue, NotConnected

if TYPE_CHECKING:
    from collections.abc import Callable

    from comch_next._control import ControlContext
    from comch_next.connection import Connection
    from comch_next.driver import protocol
    from comch_next.driver.protocol import Call, Lock, OpenPort, Port

__all__ = [
    "NOTHING_WAITS",
    "PullPort",
    "QuickOwner",
    "call_shape",
    "new_lock",
    "passing",
    "quick_method",
    "quick_receive",
    "quick_send",
    "quicken",
    "shielded",
]

NOTHING_WAITS = "receive: nothing waits"
_SEND = call_shape("connection", "data", least=2, nothing=True)
_RECEIVE = call_shape("size", least=0, gives=("data", "connection"))
_MESSAGE = call_shape("size", least=0, gives=("data", "connection"), kind=Message, again=NOTHING_WAITS, timed=True)
_AT_ONCE = 16  # clients that one receive accepts, so that a crowd does not hold others up
_BY_TASKS = frozenset({"task_send_set_conf"})  # what the form with a helper thread takes for itself


class PullPort:
    """The pull view of a context: connections wait for `accept`, messages for `receive`.

    Open it on an IDLE context, then `start()` the context.

    On a one-sided context it reports the ends of connections as generation 1 did: see Server.one_sided.
    """

    def __init__(
        self,
        context: ControlContext,
        *,
        max_msg_size: int | None = None,
        send_queue_size: int | None = None,
        threaded: bool = False,
    ) -> None:
        """Open the port of a context.

        max_msg_size: bytes of the largest message that this side sends; it does not bind the other side.
        send_queue_size: messages that may be in flight per connection, the context's by default. threaded: use the form
        with a helper thread, even if the driver has a port of its own. Raises BadState unless the context is IDLE, has
        no port and no callbacks that a port would leave uncalled, InvalidValue for an unknown COMCH_PULL.
        """
        if not hasattr(context, "_open_port") or isinstance(context, type):
            raise InvalidValue(f"a pull port is opened on a Server or a Client, not on {shown(context)}")
        self.context = context
        self._threaded = threaded
        self._port: Port = None  # type: ignore[assignment]  # until the driver has opened one
        self._endings: Endings | None = None
        self._left: WeakSet[Connection] = WeakSet()  # by this side
        undo = shielded(self.close)
        try:
            self._begin(max_msg_size, send_queue_size)
        except BaseException:
            undo()  # interrupted at its end, it is open, and the program has it not
            raise

    @property
    def _lock(self) -> Lock:
        return self.context._lock

    @alone
    def _begin(self, max_msg_size: int | None, send_queue_size: int | None) -> None:
        context = self.context
        if context._port is not None:
            raise BadState(f"PullPort was attempted on {context!r}, which has a port already; close that one first")
        try:
            self._open(None, max_msg_size, send_queue_size)
            context._port = self
        except BaseException:
            if self._port is not None:
                self._port.close()
            raise

    @alone
    def reopen(self, *, max_msg_size: int | None = None, send_queue_size: int | None = None) -> None:
        """Open the port again on its IDLE context, with other sizes; its descriptors stay valid.

        The sizes are those of the constructor. Raises BadState unless the context is IDLE, or once the port is closed.
        """
        if self.context._alive and self.context._port is not self:
            raise BadState(f"reopen was attempted on a port of {self.context!r} that has been closed; open another")
        self._open(self._port, max_msg_size, send_queue_size)

    def _open(self, predecessor: Port | None, max_msg_size: int | None, send_queue_size: int | None) -> None:
        context = self.context
        if not context._alive:
            context._refuse_unmade("PullPort")
        context._settle("PullPort")
        sizes = context._port_sizes()
        open_port = _choose(context, self._threaded)
        self._unheard = frozenset() if open_port is context._driver.open_port else _BY_TASKS
        context._refuse_callbacks("PullPort", self._unheard)
        most = sizes["max_msg_size"] if max_msg_size is None else max_msg_size
        depth = sizes["send_queue_size"] if send_queue_size is None else send_queue_size
        self._port = open_port(context._handle, most, depth, context.one_sided, predecessor)
        self._send_queue_size = send_queue_size
        self.max_msg_size = max_msg_size
        self._endings = (self._endings or Endings(self)) if context.one_sided else None
        # What stands on a call of the port's is quick where that is: a program may have put its own there.
        self._sends_quickly = quicken(self, "send", quick_send(self, _SEND))
        receives = quicken(self, "receive", quick_receive(self, _RECEIVE))
        quicken(context, "receive", quick_receive(self, _MESSAGE) if receives else _nothing)
        quick = self._quick_arm()
        quicken(context, "arm_recv", quick if quicken(self, "arm_recv", quick) else _nothing)

    def _quick_arm(self) -> Callable[[Call], Call | None]:
        """Return what makes the driver's `arm_recv` of a slow one."""
        quick = self._port.quick
        errors = () if self._endings is None else self._endings._errors
        return lambda slow: None if quick is None else quick.arm_recv(slow, errors)

    def _take_up(self, connection: Connection) -> None:
        """Make a new connection's `send` quick."""
        quick = self._port.quick
        if quick is not None and self._sends_quickly:
            quicken(connection, "send", partial(quick.send_on, connection._handle))

    def _follow(self) -> None:
        """Serve the context that the library has made anew."""
        self.reopen(max_msg_size=self.max_msg_size, send_queue_size=self._send_queue_size)

    def send(self, connection: Connection, data: bytes | bytearray | memoryview) -> bool:
        """Send one message and return whether it was accepted: not if the queue is full or the connection not up yet.

        Raises InvalidValue above the largest message, ConnectionReset when the peer died or the server has
        failed, Shutdown when the peer left, NotConnected after this side disconnected.
        """
        try:
            return self._port.send(self._own(connection, "send"), data)
        except DocaError as error:
            return self._send_failed(data, connection, error)

    def _own(self, connection: Connection, call: str) -> protocol.Connection:
        """The handle of a connection of this port's context."""
        if getattr(connection, "_context", None) is not self.context:
            raise InvalidValue(f"{call} takes a connection of {self.context!r}, not {shown(connection)}")
        return connection._handle

    def _send_failed(self, data: bytes | bytearray | memoryview, connection: Connection, error: DocaError) -> bool:
        """Decide what a send that the driver refused was: accepted in spite of it (True), or the error to raise."""
        if connection in self._left and not isinstance(error, InvalidValue):
            raise NotConnected("send: this side has left the connection", connection=connection) from None
        if self._endings is None:
            raise error
        return self._endings.send_failed(connection, data, error)

    def withdraw(self, connection: Connection) -> None:
        """Give up a send that was not accepted: `send_fd` no longer waits for it. Idempotent."""
        self._port.withdraw(self._own(connection, "withdraw"))

    def receive(self, size: int | None = None) -> tuple[bytes, Connection] | None:
        """Return the oldest message and its connection; None if there is none, or if `accept` has to be called first.

        size: bytes that the caller can hold; a longer message stays, and InvalidValue carries its length.
        Raises ConnectionReset (the peer died) or Shutdown (it left) once per lost connection, after its messages; on
        a one-sided context no Shutdown, and ConnectionReset as well for a connection that never came up. A server
        that has lost its name raises ConnectionReset in each call from then on.
        """
        while True:
            try:
                arrived = self._port.receive(ANY_SIZE if size is None else size)
            except DocaError as error:
                self._absorb(error)
            else:
                if arrived is None:
                    if self._endings is not None:
                        self._endings.raise_error()
                    if self.context._failed:
                        raise self.context._failure("receive")
                return arrived

    def _absorb(self, error: DocaError) -> None:
        """Raise what the driver's refusal of a receive is to the program, or return if it is no event."""
        if getattr(error.connection, "_context", None) is not self.context:
            raise error  # of a handshake, or of a callback on the context's engine
        if error.connection in self._left:
            return
        if self._endings is None:
            raise error
        self._endings.receive_failed(error)

    def accept(self) -> Connection | None:
        """Complete the oldest waiting handshake and return its connection; None if none waits.

        Raises ConnectionReset if the handshake fails.
        """
        return self._port.accept(self.context._connection)

    def _accept_waiting(self, most: int = _AT_ONCE) -> int:
        """Complete the oldest waiting handshakes and return how many waited: clients that went away are among them."""
        waiting = min(self.pending, most)
        for _ in range(waiting):
            with suppress_system(ConnectionReset):
                self.accept()
        return waiting

    @property
    def pending(self) -> int:
        """The number of handshakes that wait for `accept`."""
        return self._port.get_pending()

    @property
    def connections(self) -> list[Connection]:
        """The connections that are up, the oldest first."""
        return self._port.get_connections()

    def status(self, connection: Connection) -> ErrorCode:
        """Return the state of a connection as a result code.

        SUCCESS while it is up, CONNECTION_INPROGRESS before; then SHUTDOWN if the peer left, CONNECTION_RESET if it
        died, CONNECTION_ABORTED if it never came up, NOT_CONNECTED if this side left.
        """
        status = self._port.get_status(self._own(connection, "status"))
        if connection in self._left:
            return ErrorCode.NOT_CONNECTED
        return status if self._endings is None else self._endings.status(connection, status)

    def update_info(self, connection: Connection) -> None:
        """Snapshot the counters, as Connection.update_info."""
        handle = self._own(connection, "update_info")
        if self._endings is not None:
            self._endings.update_info(connection)
        else:
            self.status(connection)
            connection._connections.update_info(handle)

    def in_flight(self, connection: Connection) -> int:
        """Return the number of accepted messages that are not in the receiver's queue yet."""
        return self._port.get_in_flight(self._own(connection, "in_flight"))

    def failed(self, connection: Connection) -> int:
        """Return the number of accepted messages that did not arrive because the connection ended."""
        return self._port.get_undelivered(self._own(connection, "failed"))

    def max_msg_size_of(self, connection: Connection) -> int:
        """Return the largest message that a connection carries from here, in bytes; 0 if it never came up."""
        return self._port.get_max_msg_size(self._own(connection, "max_msg_size_of"))

    @property
    def send_fd(self) -> int:
        """A descriptor for poll and epoll, ready when a send in flight has ended; see `arm_send`."""
        return self._port.get_fd("send")

    @property
    def recv_fd(self) -> int:
        """A descriptor for poll and epoll, ready when a message, a waiting client or a lost peer is there."""
        return self._port.get_fd("recv")

    @property
    def service_fd(self) -> int:
        """A descriptor for poll and epoll, ready when a client connects or disconnects, or the service fails.

        NotSupported on a client.
        """
        return self._port.get_fd("service")

    def arm_send(self) -> None:
        """Arm `send_fd` once, for a send in flight that ends or a refused one that may be tried again.

        Ready at once if that has happened since the program last called `send`, `in_flight` or this method.
        """
        self._port.arm_send()

    def arm_recv(self) -> None:
        """Arm `recv_fd` once. It is ready at once if something waits."""
        self._port.arm_recv()
        if self._endings is not None and self._endings.has_errors:
            self.ring_recv()

    def arm_service(self) -> None:
        """Arm `service_fd` once. It is ready at once if a client waits."""
        self._port.arm_service()

    def ring_recv(self) -> None:
        """Make `recv_fd` ready if it is armed, for events of your own."""
        self._port.ring_recv()

    def _forget(self, connection: Connection) -> None:
        """Report nothing of this connection any more: this side has left it."""
        self._left.add(connection)
        if self._endings is not None:
            self._endings.forget(connection)

    @alone
    def close(self) -> None:
        """Close the port; the context must be IDLE. Idempotent."""
        if self.context._port is self:
            self._port.close()
            self.context._port = None


def _nothing(_: Call) -> None:
    """Make no quick call."""


def _choose(context: ControlContext, threaded: bool) -> OpenPort:
    form = os.environ.get("COMCH_PULL", "")
    if form not in ("", "driver", "threaded"):
        raise InvalidValue(f"COMCH_PULL is {form!r}; legal are driver, threaded and empty")
    open_port: OpenPort | None = context._driver.open_port
    if threaded or open_port is None or form == "threaded":
        from comch_next._threaded import open_threaded

        return partial(open_threaded, context)
    return open_port


def quick_send(port: PullPort, shape: tuple[Any, ...]) -> Callable[[Call], Call | None]:
    """Return what makes the driver's send of that shape (`call_shape`) of a slow one, or None where it has none.

    It does what succeeds at once, and leaves all else to the slow one. To be asked for anew when the port is reopened.
    """
    quick = port._port.quick
    return lambda slow: None if quick is None else quick.send(slow, shape)


def quick_receive(port: PullPort, shape: tuple[Any, ...]) -> Callable[[Call], Call | None]:
    """Return what makes the driver's receive of that shape, as `quick_send` does."""
    quick = port._port.quick
    errors = () if port._endings is None else port._endings._errors
    return lambda slow: None if quick is None else quick.receive(slow, shape, errors)
