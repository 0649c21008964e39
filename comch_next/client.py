"""The client context (guide: Comch, Client; runs on the host)."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from comch_next._alone import alone
from comch_next._codes import ErrorCode, State
from comch_next._control import ControlContext
from comch_next._library_context import Unmade
from comch_next._origins import shown
from comch_next._phases import Phase
from comch_next.arguments import UNSET
from comch_next.connection import Connection
from comch_next.device import Device
from comch_next.driver.protocol import Clients, Driver, by_system
from comch_next.engine import deadline_after, seconds_left
from comch_next.errors import (
    BadState,
    ConnectionAborted,
    DocaError,
    InvalidValue,
    NotConnected,
    Shutdown,
    TimeOut,
    from_code,
)
from comch_next.pull import PullPort

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from comch_next._settings import Options

__all__ = ["Client"]

_REDIAL_S = 0.05  # a server whose backlog is full is dialled again this often


class Client(ControlContext):
    """A context on the host that connects to one server by its name (C: struct doca_comch_client).

    Each argument is a setting, too: give or change it while IDLE, also after `disconnect`, by assignment,
    `configure` or `connect(name)`. The library's context is made as soon as device and name are known.
    """

    _options = tuple(option for option in ControlContext._options if option != "device_rep")
    _required: tuple[str, ...] = ("device", "name")
    _is_server = False
    _clients: Clients = Unmade()  # type: ignore[assignment]

    def __init__(self, device: Device | None = None, name: str | None = None, **options: Unpack[Options]) -> None:
        """Create a client (C: doca_comch_client_create). Options as Server. Raises InvalidValue for bad arguments."""
        super().__init__(device=device, name=name, **options)

    def _configure_first(self) -> None:
        self._shutdown: tuple[Connection, str] | None = None  # what receive has raised when its server left: the text
        self._current: Connection | None = None  # what the last start began, until this side leaves it
        self._begun: Connection | None = None  # the same, until it is known to be up

    def _create(self, driver: Driver) -> Any:
        return driver.clients.create(self._settings["device"]._handle, self._settings["name"])

    def _bind(self, driver: Driver) -> None:
        super()._bind(driver)
        self._clients = driver.clients
        self._draw_from(driver.clients)

    def __enter__(self) -> Self:
        """Connect. With registered callbacks only start; the engine's progress then runs them."""
        self._enter(self.connect)
        return self

    @alone
    def start(self) -> State:
        ran = self._active()
        try:
            return super().start()
        finally:  # a callback of the program may have raised, and the client has started all the same
            if not ran:
                self._note_begun()

    def _note_begun(self) -> None:
        """Keep the connection of a client that has started; without memory for that it leaves again."""
        try:
            with suppress(BadState):  # a callback has forked, and this is the child
                if self._active():
                    self._shutdown = None
                    self._begun = self._current = self._connection(self._clients.get_connection(self._handle))
        except by_system(MemoryError):
            self._give_up()
            raise

    @property
    def connection(self) -> Connection:
        """The connection of a client that has been started (C: doca_comch_client_get_connection); else BadState.

        After its end the calls of a connection that was kept say how it ended.
        """
        if not self._made:
            self._refuse_unmade("connection")
        return self._connection(self._clients.get_connection(self._handle))

    # Pulling

    def connect(
        self, name: str | None = UNSET, timeout: float | None = 5.0, *, wait_for_server: bool = False
    ) -> Connection:
        """Start the client and wait for the server to accept it. Without registered callbacks it opens a pull port.

        name: the service, unless it has been set; it stays set, except on a one-sided client for which no server
        listens. timeout: seconds; None waits for ever, 0 returns the connection in progress. wait_for_server: where no
        server listens or it refuses, for whatever reason, try again until the timeout. Raises ConnectionAborted when no
        server listens or it refuses, TimeOut when it has not accepted in time, with the last refusal that was waited
        out; the attempt then has no other effect. Raises BadState when a setting is missing, InvalidValue for an
        invalid timeout.
        """
        deadline = deadline_after(timeout, "connect")
        refused = ""  # its text, not the error, which would hold this frame
        while True:
            try:
                return self._dial(name, timeout, deadline, refused)
            except ConnectionAborted as error:
                if not wait_for_server or self._active():  # by a callback of the program's
                    raise
                refused = f": {error}"
                if seconds_left(deadline) < _REDIAL_S:
                    raise self._late(timeout, refused) from error
            time.sleep(_REDIAL_S)

    def _dial(self, name: str | None, timeout: float | None, deadline: float | None, refused: str) -> Connection:
        connection = self._begin(name)
        if self._endpoint is not None and timeout == 0:
            return connection
        try:
            self._come_up(connection, timeout, deadline, refused)
        except by_system(MemoryError):
            self._give_up()
            self._note_left(connection)
            raise
        except DocaError:  # also of a callback of the program's, while the client goes on connecting
            self._note_left(connection)
            raise
        return connection

    @alone
    def _note_left(self, connection: Connection) -> None:
        """Forget a connection that this side has left, unless another thread has begun another one."""
        if self._current is connection and not self._active():
            self._current = None
            if (endpoint := self._endpoint) is not None:
                endpoint.end(Phase.LEFT)

    @alone
    def _begin(self, name: str | None) -> Connection:
        if (endpoint := self._endpoint) is not None:
            return endpoint.connect(name)
        self._refuse_active("connect")
        if name is not UNSET and name is not None:
            self.configure(name=name)
        self._need_engine("connect")
        if not self._pushes:
            self._open_port()
        self.start()
        try:
            return self.connection
        except by_system(MemoryError):
            self._give_up()
            raise

    def _come_up(self, connection: Connection, timeout: float | None, deadline: float | None, refused: str) -> None:
        self.engine.progress()
        while (state := self.state) not in (State.RUNNING, State.IDLE):
            if timeout == 0:
                return
            if not (left := seconds_left(deadline, _REDIAL_S)):
                self._give_up()
                raise self._late(timeout, refused)
            self.engine.wait(left)
            self.engine.progress()
        self.engine._raise_kept()
        if state is State.IDLE:
            self._raise_reason(connection, "connect")

    def _late(self, timeout: float | None, refused: str) -> TimeOut:
        """Return the error of a connect that was not accepted in time; `refused` ends its text."""
        return TimeOut(f"connect: {self!r} was not accepted within {timeout} s{refused}")

    def _raise_reason(self, connection: Connection, call: str) -> None:
        """Raise why a connection never came up, as the failure of the call that was attempted.

        Return for one that was up and has ended since: what came on it can be received, and then that end.
        """
        port = self._port
        if port is not None and port.status(connection) is not ErrorCode.CONNECTION_ABORTED:
            return
        try:
            connection.update_info()
        except DocaError as error:
            reason = str(error).removeprefix("connection_update_info: ").removeprefix("the connection is dead: ")
            raise from_code(error.code, f"{call}: {reason}", connection=error.connection) from None

    def disconnect(self, connection: Connection | None = UNSET, timeout: float = 5.0) -> None:
        """Stop the client and progress to IDLE; then every setting may change, and `connect` is legal again.

        connection: the client's one connection, for programs that pass it. Also legal, once, for a connection that the
        server has ended. Raises BadState unless started, InvalidValue for a connection of another context, NotConnected
        for a connection that this client has left before; a one-sided client raises NotConnected in all these cases,
        and for None.
        """
        if (endpoint := self._endpoint) is not None:
            deadline_after(timeout, "disconnect")  # a refusal has no effect
            endpoint.disconnect(self._current if connection is UNSET else connection, timeout)
            return
        if not self._alive:
            raise InvalidValue(f"disconnect was attempted on {self!r}, which has been destroyed; make another")
        connection, current = None if connection is UNSET else connection, self._current
        if connection is not None and getattr(connection, "_context", None) is not self:
            raise InvalidValue(f"disconnect takes a connection of {self!r}, not {shown(connection)}")
        if connection is not None and connection is not current:
            raise NotConnected(f"disconnect: {self!r} has left this connection before")
        if current is None:
            raise BadState(f"disconnect was attempted on {self!r} while IDLE; connect first")
        deadline_after(timeout, "disconnect")
        self._drop(current, timeout)

    def _drop(self, connection: Connection, timeout: float) -> None:
        try:
            self._leave(timeout)
        finally:
            if not self._active():
                self._note_left(connection)
                if (port := self._port) is not None:  # once: another thread may destroy the client
                    port._forget(connection)
                    port.ring_recv()  # for a receive that waits in another thread

    def _refuse_silent(self, call: str) -> None:
        if self._current is None:
            raise NotConnected(f"{call} was attempted on {self!r}, which is not connected; connect first")

    def _is_over(self) -> bool:
        if (endpoint := self._endpoint) is None:
            return self.state is State.IDLE
        endpoint.follow()
        return endpoint.link.closed

    def _accept_waiting(self, port: PullPort) -> bool:
        """Accept nothing; raise if the server has gone without accepting this client."""
        begun = self._begun
        if begun is not None:  # programs poll: a connection that has come up is not asked for again
            state = self.state
            if state is State.RUNNING:
                self._begun = None
            elif state is State.IDLE and port.status(begun) is ErrorCode.CONNECTION_ABORTED:
                self._raise_reason(begun, "receive")
        return False

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        if self._current is None:
            self._refuse_silent("receive")
        if (shutdown := self._shutdown) is not None:
            connection, text = shutdown
            if connection is self._current:  # else another thread's receive has noted it late
                raise Shutdown(text, connection=connection)
        try:
            return port.receive(size)
        except Shutdown as error:
            if (current := self._current) is not None and error.connection is current:
                self._shutdown = current, error.message
            raise
