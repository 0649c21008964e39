"""The pull view of a context: the one extension beside the documented calls."""

from collections.abc import Callable, Sized
from typing import Any, TypeVar

from comch_next._codes import ErrorCode
from comch_next.driver.protocol._handles import Connection, Context
from comch_next.driver.protocol._typed import Protocol

__all__ = ["Call", "OpenPort", "Port", "QuickCalls"]

_T = TypeVar("_T")

Call = Callable[..., Any]


class QuickCalls(Protocol):
    """Makes calls that stand in front of a program's own, `slow`, and take the same arguments.

    Each does what succeeds at once; whatever else comes, it leaves everything as it was and calls the slow one. A
    program's object for a connection has the connection's handle as `_handle`.
    """

    def send(self, slow: Call, shape: tuple[Any, ...]) -> Call:
        """Make a send of that shape, on any connection of the port: see comch_next._quick.call_shape."""

    def send_on(self, connection: Connection, slow: Call) -> Call:
        """Make a `send(data, timeout=None)` of this connection, which returns None."""

    def receive(self, slow: Call, shape: tuple[Any, ...], errors: Sized = ()) -> Call:
        """Make a receive of that shape. While there are errors to report, having received nothing is the slow one's."""

    def arm_recv(self, slow: Call, errors: Sized = ()) -> Call:
        """Make an `arm_recv()`, which is the slow one's while there are errors to report."""


class Port(Protocol):
    """The pull view of one context: the extension beside the documented calls.

    `send` returns False for AGAIN; `withdraw` gives such a send up. `receive` returns the data and the
    connection's user data, or None; it raises a lost connection's error once, after its messages. None also sends
    the caller to `accept` first, which returns what `greet` makes of a connection before a signal may come. A
    descriptor, of the channel send, recv or service, is ready once for each arming.
    """

    @property
    def quick(self) -> QuickCalls | None: ...

    def send(self, connection: Connection, data: Any) -> bool: ...
    def withdraw(self, connection: Connection) -> None: ...
    def receive(self, size: int) -> tuple[bytes, Any] | None: ...
    def accept(self, greet: Callable[[Connection], _T]) -> _T | None: ...
    def get_pending(self) -> int: ...
    def get_connections(self) -> list[Any]: ...
    def get_status(self, connection: Connection) -> ErrorCode: ...
    def get_in_flight(self, connection: Connection) -> int: ...
    def get_undelivered(self, connection: Connection) -> int: ...
    def get_max_msg_size(self, connection: Connection) -> int: ...
    def get_fd(self, channel: str) -> int: ...
    def arm_send(self) -> None: ...
    def arm_recv(self) -> None: ...
    def arm_service(self) -> None: ...
    def ring_recv(self) -> None: ...
    def close(self) -> None: ...


class OpenPort(Protocol):
    """Opens the port of an IDLE context.

    A `one_sided` port's descriptors sleep through a peer's farewell, unless messages are lost by it. A port closes
    its `predecessor`, whose context is IDLE, and takes over the descriptors that it gave out.
    """

    def __call__(
        self,
        ctx: Context,
        max_msg_size: int | None,
        send_queue_size: int | None,
        one_sided: bool,
        predecessor: Any = None,
    ) -> Port: ...
