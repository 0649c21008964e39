"""The client context (guide: Comch, Client; runs on the host)."""

from __future__ import annotations

import time

from comch_next._codes import ErrorCode, State
from comch_next._control import ControlContext
from comch_next.connection import Connection
from comch_next.device import Device
from comch_next.driver.protocol import Driver
from comch_next.engine import ProgressEngine, deadline_after
from comch_next.errors import BadState, DocaError, InvalidValue, Shutdown, TimeOut, from_code
from comch_next.pull import PullPort

__all__ = ["Client"]

_LEAVE_S = 5.0  # for giving up a connection that has not come up: nothing can hold it
_REDIAL_S = 0.05  # a server whose backlog is full is dialled again this often


class Client(ControlContext):
    """It reaches one server, by the name and through its own device (C: struct doca_comch_client)."""

    def __init__(
        self,
        device: Device,
        name: str,
        *,
        engine: ProgressEngine | None = None,
        max_msg_size: int | None = None,
        recv_queue_size: int | None = None,
        send_queue_size: int | None = None,
    ) -> None:
        """C: doca_comch_client_create. Sizes: bytes of a message, messages in a queue."""
        if not isinstance(device, Device):
            raise InvalidValue(f"a client takes an open device, not {device!r}")
        self._clients = device._driver.clients
        self._alloc = self._clients.task_send_alloc_init
        self._shutdown: Shutdown | None = None
        self._started = False
        self._begun: Connection | None = None  # what the last start began, until it is known to be up
        handle = self._clients.create(device._handle, name)
        super().__init__(device._driver, handle, device, name, engine)
        self._configure(max_msg_size, recv_queue_size, send_queue_size)

    def _go_through(self, driver: Driver) -> None:
        super()._go_through(driver)
        self._clients = driver.clients
        self._alloc = driver.clients.task_send_alloc_init

    def __enter__(self) -> Client:
        try:
            self.connect()
        except BaseException:
            self.close()
            raise
        return self

    def start(self) -> State:
        self._shutdown = None
        state = super().start()
        self._started = True
        self._begun = self._connection(self._clients.get_connection(self._handle))
        return state

    @property
    def connection(self) -> Connection:
        """The one connection, once started (C: doca_comch_client_get_connection); else BadState."""
        return self._connection(self._clients.get_connection(self._handle))

    # Pulling

    def connect(self, timeout: float | None = 5.0) -> Connection:
        """Configure what is mandatory, open the pull port, start, and wait for the server to accept.

        timeout: seconds; None waits for ever, 0 returns the connection in progress. Raises ConnectionAborted when
        nobody listens or the server refuses, TimeOut when it has not accepted in time; then nothing is left.
        Raises InvalidValue for a timeout that is no number of seconds from 0 on.
        """
        deadline = deadline_after(timeout, "connect")
        self._open_port()
        self.start()
        connection = self.connection
        self.engine.progress()
        while self.state is not State.RUNNING:
            if self.state is State.IDLE:
                self._say_why(connection, "connect")
            if timeout == 0:
                break
            left = _REDIAL_S if deadline is None else deadline - time.monotonic()
            if left <= 0:
                self._leave(_LEAVE_S)
                raise TimeOut(f"connect: {self!r} was not accepted within {timeout} s")
            self.engine.wait(min(left, _REDIAL_S))
            self.engine.progress()
        return connection

    def _say_why(self, connection: Connection, call: str) -> None:
        """Raise why a connection never came up, as the failure of the call that was attempted."""
        try:
            connection.update_info()
        except DocaError as error:
            reason = str(error).removeprefix("connection_update_info: ").removeprefix("the connection is dead: ")
            raise from_code(error.code, f"{call}: {reason}", connection=error.connection) from None

    def disconnect(self, timeout: float = 5.0) -> None:
        """Stop and progress to IDLE; afterwards `connect` is legal again. Raises BadState unless started.

        Legal, too, once for a connection that the server has ended already.
        """
        if not self._started:
            raise BadState(f"disconnect was attempted on {self!r} while IDLE; connect first")
        deadline_after(timeout, "disconnect")  # a refusal has no effect
        self._started = False
        self._leave(timeout)

    def _accept_waiting(self, port: PullPort) -> bool:
        """A client accepts nobody; it learns here that its server has gone without letting it in."""
        begun = self._begun
        if begun is not None:  # programs poll: a connection that has come up is not asked for again
            state = self.state
            if state is State.RUNNING:
                self._begun = None
            elif state is State.IDLE and port.status(begun) is ErrorCode.CONNECTION_ABORTED:
                self._say_why(begun, "receive")
        return False

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        if self._shutdown is not None:
            raise self._shutdown
        try:
            return port.receive(size)
        except Shutdown as error:
            self._shutdown = error
            raise
