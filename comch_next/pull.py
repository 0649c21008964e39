"""PullPort: the pull view of a context, for programs that ask for messages instead of being called.

The one extension beside the documented calls. A driver that has it does it without a thread; for another it is
built from tasks, callbacks and one helper thread (`comch_next._threaded`). COMCH_PULL=threaded in the environment
forces that form on every port: to try a program as it would run on such a driver.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from comch_next._codes import ErrorCode
from comch_next._names import Hinted
from comch_next.errors import BadState, InvalidValue

if TYPE_CHECKING:
    from comch_next._control import ControlContext
    from comch_next.connection import Connection
    from comch_next.driver.protocol import Ports

__all__ = ["PullPort"]

_ANY_SIZE = 1 << 31


class PullPort(Hinted):
    """Opened on an IDLE context; then `start()` it. Connections wait for `accept`, messages for `receive`."""

    def __init__(
        self,
        context: ControlContext,
        *,
        max_msg_size: int | None = None,
        send_queue_size: int | None = None,
        threaded: bool = False,
        one_sided: bool = False,
    ) -> None:
        """max_msg_size: bytes of the largest message this side sends, asking the other side for nothing.
        send_queue_size: messages that may be in flight per connection. threaded: the form with a helper thread,
        even where the driver has its own. one_sided: a peer that leaves in order makes neither send_fd nor recv_fd
        ready, unless messages are lost by it. Raises BadState unless the context is IDLE and has no port, InvalidValue
        for a COMCH_PULL that is unknown.
        """
        if not hasattr(context, "_open_port"):
            raise InvalidValue(f"a pull port is opened on a Server or a Client, not on {context!r}")
        if context._port is not None:
            raise BadState(f"PullPort was attempted on {context!r}, which has a port already; close that one first")
        self.context = context
        self._ports: Ports = _choose(context, threaded)
        self._handle: Any = self._ports.open(context._handle, max_msg_size, send_queue_size, one_sided)
        context._port = self

    def send(self, connection: Connection, data: bytes | bytearray | memoryview) -> bool:
        """Send one message. False when it is not accepted now: the queue is full, or the connection not up yet.

        Raises InvalidValue above the largest message, ConnectionReset when the peer died or the server has
        failed, Shutdown when the peer left, NotConnected after this side disconnected.
        """
        return self._ports.send(self._handle, connection._handle, data)

    def withdraw(self, connection: Connection) -> None:
        """Give up a send that was not accepted: `send_fd` tells of it no more. Harmless when there is none."""
        self._ports.withdraw(self._handle, connection._handle)

    def receive(self, size: int | None = None) -> tuple[bytes, Connection] | None:
        """The oldest message and its connection; None when there is none, or when `accept` should be called first.

        size: bytes that the caller can hold; a longer message stays, and InvalidValue tells its length.
        Raises ConnectionReset (the peer died) or Shutdown (it left) once per lost connection, after its messages; on
        a one-sided client's port ConnectionAborted, once, for one that never came up, unless it has started again.
        """
        return self._ports.receive(self._handle, _ANY_SIZE if size is None else size)

    def accept(self) -> Connection | None:
        """Complete the oldest waiting handshake; None when none waits. Raises ConnectionReset when it breaks."""
        handle = self._ports.accept(self._handle)
        return None if handle is None else self.context._connection(handle)

    @property
    def pending(self) -> int:
        """Handshakes that wait for `accept`."""
        return self._ports.get_pending(self._handle)

    @property
    def connections(self) -> list[Connection]:
        """Those that are up, the oldest first."""
        return self._ports.get_connections(self._handle)

    def status(self, connection: Connection) -> ErrorCode:
        """SUCCESS, CONNECTION_INPROGRESS, or what ended it: SHUTDOWN when the peer left, CONNECTION_RESET when it
        died, CONNECTION_ABORTED when it never came up, NOT_CONNECTED when this side left."""
        return self._ports.status(self._handle, connection._handle)

    def in_flight(self, connection: Connection) -> int:
        """Messages accepted that are not in the receiver's queue yet."""
        return self._ports.in_flight(self._handle, connection._handle)

    def failed(self, connection: Connection) -> int:
        """Messages accepted that never reached the receiver's queue, because the connection ended before."""
        return self._ports.failed(self._handle, connection._handle)

    @property
    def send_fd(self) -> int:
        """A descriptor for poll and epoll, ready when a send may be tried again; see `arm_send`."""
        return self._ports.get_fd(self._handle, "send")

    @property
    def recv_fd(self) -> int:
        """A descriptor, ready when a message, a waiting client or a lost peer is there; see `arm_recv`."""
        return self._ports.get_fd(self._handle, "recv")

    @property
    def service_fd(self) -> int:
        """A descriptor, ready when a client comes or goes or the service fails. NotSupported on a client."""
        return self._ports.get_fd(self._handle, "service")

    def arm_send(self) -> None:
        """Arm `send_fd` once; at once ready when there is room."""
        self._ports.arm_send(self._handle)

    def arm_recv(self) -> None:
        """Arm `recv_fd` once; at once ready when something waits."""
        self._ports.arm_recv(self._handle)

    def arm_service(self) -> None:
        """Arm `service_fd` once; at once ready when a client waits."""
        self._ports.arm_service(self._handle)

    def ring_recv(self) -> None:
        """Make `recv_fd` ready, if it has been armed: for what the program itself wants to be told there."""
        self._ports.ring_recv(self._handle)

    def close(self) -> None:
        """Close it, for good; the context must be IDLE. Twice is harmless."""
        if self.context._port is self:
            self._ports.close(self._handle)
            self.context._port = None


def _choose(context: ControlContext, threaded: bool) -> Ports:
    form = os.environ.get("COMCH_PULL", "")
    if form not in ("", "driver", "threaded"):
        raise InvalidValue(f"COMCH_PULL is {form!r}; legal are driver, threaded and empty")
    ports = context._driver.ports
    if threaded or ports is None or form == "threaded":
        from comch_next._threaded import ThreadedPorts

        return ThreadedPorts(context)
    return ports
