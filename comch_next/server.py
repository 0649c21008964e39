"""The server context (guide: Comch, Server; runs on the DPU)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeVar

from comch_next._codes import State
from comch_next._control import ControlContext
from comch_next._handles import handle_of
from comch_next.connection import Connection
from comch_next.context import Context
from comch_next.device import Device, Representor
from comch_next.driver.protocol import Driver
from comch_next.engine import ProgressEngine
from comch_next.errors import ConnectionReset, InvalidValue, Shutdown
from comch_next.pull import PullPort

__all__ = ["Server"]

_C = TypeVar("_C", bound=Callable[..., object])


def _nothing(*_: object) -> None:
    """The callback of a program that asks for none."""


class _Snapshot(NamedTuple):
    """What was known of a server."""

    connections: tuple[Connection, ...] = ()
    pending: int = 0


class Server(ControlContext):
    """Many clients find it by device, representor and name (C: struct doca_comch_server)."""

    device_rep: Representor

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
        self.device_rep = self._own_rep if self._own_rep is not None else rep  # type: ignore[assignment]
        if not isinstance(self.device_rep, Representor):
            raise InvalidValue(f"a server takes a representor or its PCI address, not {rep!r}")
        self._servers = device._driver.servers
        self._alloc = self._servers.task_send_alloc_init
        self._begin()
        handle = self._servers.create(device._handle, self.device_rep._handle, name)
        super().__init__(device._driver, handle, device, name, engine)
        self.set_state_changed_cb(_nothing)
        self._configure(max_msg_size, recv_queue_size, send_queue_size)

    def _go_through(self, driver: Driver) -> None:
        super()._go_through(driver)
        self._servers = driver.servers
        self._alloc = driver.servers.task_send_alloc_init

    def _begin(self) -> None:
        self._leaving = self._failed = False
        self._service_armed = False
        self._snapshot = _Snapshot()

    def __enter__(self) -> Server:
        try:
            self.listen()
        except BaseException:
            self.close()
            raise
        return self

    def stop(self) -> State:
        before, self._leaving = self._leaving, True
        try:
            return super().stop()
        except BaseException:
            self._leaving = before
            raise

    def set_state_changed_cb(self, callback: _C) -> _C:
        super().set_state_changed_cb(partial(self._on_state, callback) if callable(callback) else callback)
        return callback

    def _on_state(self, callback: Callable[..., object], context: Context, old: State, new: State) -> None:
        """A server stops by itself only when it has failed."""
        if new is State.RUNNING:
            self._begin()
        elif new is State.STOPPING:
            self._failed = not self._leaving
        callback(context, old, new)

    def event_connection_status_changed_register(
        self, up: Callable[[Connection, bool], object], down: Callable[[Connection, bool], object]
    ) -> None:
        """Call `up(connection, ok)` for a client that came and `down(connection, ok)` for one that went; mandatory.

        `ok` is False for a handshake that broke, and for a client that died without taking leave.
        """
        self._servers.event_connection_status_changed_register(self._handle, *self._given_connections(up, down))

    def disconnect(self, connection: Connection) -> None:
        """Drop one client and tell it (C: doca_comch_server_disconnect); the callback follows from progress.

        On a server that is pulled from, harmless for a client that has ended, and when the server has failed: it has
        left everybody.
        """
        if self._failed and self._port is not None and getattr(connection, "server", None) is self:
            return
        self._servers.disconnect(self._handle, handle_of(connection))

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
        if self._failed:
            raise self._failure("receive")
        return accepted

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        while True:
            try:
                return port.receive(size)
            except Shutdown:
                continue  # a client that left in order is just gone

    # Who is connected, for programs that ask instead of being called

    @property
    def service_fd(self) -> int:
        """A descriptor, ready when a client comes or goes or the server fails.

        Asking for it first arms it; afterwards `arm_service` and `update_info` do.
        """
        fd = self._opened_port("service_fd").service_fd
        if not self._service_armed:
            self.arm_service()
        return fd

    def arm_service(self) -> None:
        """Let `service_fd` become ready once, at once when a client waits."""
        self._opened_port("arm_service").arm_service()
        self._service_armed = True

    def update_info(self) -> None:
        """Arm `service_fd`, then snapshot `connections` and `pending`: what the snapshot lacks is an event.

        Raises ConnectionReset, after the snapshot, when the server has failed: it has lost its name, and no client
        finds it any more. Close it and make another.
        """
        port = self._opened_port("update_info")
        self.arm_service()
        self._snapshot = _Snapshot(tuple(port.connections), port.pending)
        if self._failed:
            raise self._failure("update_info")

    @property
    def connections(self) -> list[Connection]:
        """Those that were up at the last `update_info`, the oldest first; none before."""
        return list(self._known("connections").connections)

    @property
    def pending(self) -> int:
        """Clients that waited at the last `update_info`; `receive` lets them in."""
        return self._known("pending").pending

    def _known(self, call: str) -> _Snapshot:
        self._opened_port(call)
        self._contexts.get_state(self._handle)  # a forked child is refused here
        return self._snapshot

    def _failure(self, call: str) -> ConnectionReset:
        return ConnectionReset(f"{call}: {self!r} has lost its name; close it and make another")
