"""The server context (guide: Comch, Server; runs on the DPU)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from comch_next.connection import Connection
from comch_next.context import Context
from comch_next.device import Device, Representor
from comch_next.driver.protocol import Driver
from comch_next.engine import ProgressEngine
from comch_next.errors import ConnectionReset, InvalidValue, Shutdown
from comch_next.pull import PullPort
from comch_next.task import SendTask

__all__ = ["Server"]


class Server(Context):
    """Many clients find it by device, representor and name (C: struct doca_comch_server)."""

    def __init__(
        self,
        device: Device,
        rep: Representor | str,
        name: str,
        *,
        engine: ProgressEngine | None = None,
        max_msg_size: int | None = None,
        recv_queue_size: int | None = None,
        send_queue_size: int | None = None,
    ) -> None:
        """C: doca_comch_server_create. `rep` is a representor or its host function's PCI address.

        Sizes: bytes of a message, messages in a queue. Raises InvalidValue for bad arguments.
        """
        if not isinstance(device, Device):
            raise InvalidValue(f"a server takes an open device, not {device!r}")
        self._own_rep = device.open_representor(rep) if isinstance(rep, str) else None
        self.device_rep: Representor = self._own_rep if self._own_rep is not None else rep  # type: ignore[assignment]
        if not isinstance(self.device_rep, Representor):
            raise InvalidValue(f"a server takes a representor or its PCI address, not {rep!r}")
        self._servers = device._driver.servers
        handle = self._servers.create(device._handle, self.device_rep._handle, name)
        super().__init__(device._driver, handle, device, name, engine)
        self._configure(max_msg_size, recv_queue_size, send_queue_size)

    def _go_through(self, driver: Driver) -> None:
        super()._go_through(driver)
        self._servers = driver.servers

    def __enter__(self) -> Server:
        try:
            self.listen()
        except BaseException:
            self.close()
            raise
        return self

    def event_connection_status_changed_register(
        self, up: Callable[[Connection, bool], object], down: Callable[[Connection, bool], object]
    ) -> None:
        """Call `up(connection, ok)` for a client that came and `down(connection, ok)` for one that went; mandatory.

        `ok` is False for a handshake that broke, and for a client that died without taking leave.
        """
        known = self._connection
        calls: list[Any] = [
            (lambda handle, ok, call=call: call(known(handle), ok)) if callable(call) else call for call in (up, down)
        ]
        self._servers.event_connection_status_changed_register(self._handle, *calls)

    def task_send_alloc_init(self, connection: Connection, msg: bytes) -> SendTask:
        """A task that sends `msg`, of which it keeps a copy, to that client.

        Raises NoMemory when all tasks of the pool are in use, InvalidValue above the largest message.
        """
        return SendTask(self, self._servers.task_send_alloc_init, connection, msg)

    def disconnect(self, connection: Connection) -> None:
        """Drop one client and tell it (C: doca_comch_server_disconnect); the callback follows from progress."""
        self._servers.disconnect(self._handle, getattr(connection, "_handle", connection))

    def destroy(self) -> None:
        super().destroy()
        if self._own_rep is not None:
            self._own_rep.close()

    # Pulling

    def listen(self) -> None:
        """Configure what is mandatory, open the pull port and start."""
        self._open_port()
        self.start()

    def _accept_waiting(self, port: PullPort) -> bool:
        accepted = False
        while port.pending:
            accepted = True
            with suppress(ConnectionReset):  # a client that went away before it was accepted
                port.accept()
        return accepted

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        while True:
            try:
                return port.receive(size)
            except Shutdown:
                continue  # a client that left in order is just gone
