"""The server context (guide: Comch, Server; runs on the DPU)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from comch_next._alone import alone
from comch_next._callbacks import expect_callback
from comch_next._codes import State
from comch_next._handles import handle_of
from comch_next._library_context import Unmade
from comch_next._service_state import ServiceState
from comch_next.arguments import UNSET
from comch_next.connection import Connection, Message
from comch_next.device import Device, Representor
from comch_next.driver.protocol import Driver, Servers, by_system
from comch_next.errors import BadState, ConnectionReset, DocaError, InvalidValue, NotConnected, Shutdown
from comch_next.pull import PullPort

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from comch_next._settings import Options

__all__ = ["Server"]

OnLost = Callable[[Connection, DocaError], object]


def _nothing(*_: object) -> None:
    """The callback of a program that asks for none."""


class Server(ServiceState):
    """A context on the DPU that clients find by device, representor and name (C: struct doca_comch_server).

    Each argument is a setting, too: give or change it while IDLE by assignment, `configure` or `listen(name)`.
    The library's context is made as soon as device, representor and name are known.
    """

    _required: tuple[str, ...] = ("device", "device_rep", "name")
    _is_server = True
    _servers: Servers = Unmade()  # type: ignore[assignment]

    def __init__(
        self,
        device: Device | None = None,
        device_rep: Representor | str | None = None,
        name: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Create a server (C: doca_comch_server_create).

        device_rep: a representor, or the PCI address of its host function; with one_sided a representor only. Options:
        engine, max_msg_size in bytes, recv_queue_size and send_queue_size in messages, one_sided. Raises InvalidValue
        for bad arguments.
        """
        super().__init__(device=device, device_rep=device_rep, name=name, **options)

    def _configure_first(self) -> None:
        self._listening = False
        self._on_lost: list[OnLost] = []  # of the loops that are under way and want to know, the innermost last
        self._begin_service()
        self.set_state_changed_cb(_nothing)

    def _create(self, driver: Driver) -> Any:
        device, rep = self._settings["device"], self._settings["device_rep"]
        self._own_rep = device.open_representor(rep) if isinstance(rep, str) else None
        return driver.servers.create(device._handle, (self._own_rep or rep)._handle, self._settings["name"])

    def _bind(self, driver: Driver) -> None:
        super()._bind(driver)
        self._servers = driver.servers
        self._draw_from(driver.servers)

    def _begin_service(self) -> None:
        self._leaving = self._failed = False
        self._forget_service()

    def __enter__(self) -> Self:
        """Listen. With registered callbacks only start; the engine's progress then runs them."""
        self._enter(self.listen)
        return self

    def _check(self, options: dict[str, Any]) -> None:
        super()._check(options)
        device, rep = self._settings["device"], self._settings["device_rep"]
        if isinstance(rep, str) and device is not None and not self._complete():
            device.open_representor(rep).close()

    @property
    def device_rep(self) -> Representor | str | None:
        """The representor; None until it is set, an address while no device is known.

        C: doca_comch_server_get_device_rep.
        """
        if (endpoint := self._endpoint) is not None:
            return endpoint.get("device_rep")  # type: ignore[no-any-return]
        opened: Representor | None = vars(self).get("_own_rep")
        given: Representor | str | None = self._settings["device_rep"]
        return opened if opened is not None else given

    @device_rep.setter
    def device_rep(self, device_rep: Representor | str) -> None:
        self.configure(device_rep=device_rep)

    @alone
    def stop(self, *, strict: bool = False) -> State:
        before, self._leaving = self._leaving, True
        try:
            return super().stop(strict=strict)
        except BaseException:
            self._leaving = before
            raise

    def _state_changed(self, callback: Callable[..., object], old: State, new: State) -> None:
        if self._is_server:  # a Channel may have become a client
            self._server_moved(new)
        super()._state_changed(callback, old, new)

    def _server_moved(self, new: State) -> None:
        """Follow the state: a server stops by itself only when it has failed."""
        self._listening = new is State.RUNNING
        if self._listening:
            self._begin_service()
        elif new is State.STOPPING:
            self._failed = not self._leaving
        if (endpoint := self._endpoint) is not None:
            endpoint.follow()
        if not self._listening and (port := self._port) is not None:
            port.ring_recv()  # for a receive that waits in another thread

    def event_connection_status_changed_register(
        self, up: Callable[[Connection, bool], object], down: Callable[[Connection, bool], object]
    ) -> None:
        """Call `up(connection, ok)` when a client connects and `down(connection, ok)` when it disconnects. Mandatory.

        `ok` is False if the handshake failed, and if the client died.
        """
        callbacks = self._given_connections(up, down)

        def register() -> None:
            if self._is_server:
                self._servers.event_connection_status_changed_register(self._handle, *callbacks)
            elif self._active():  # a Channel that has become a client, whose library does not know of the callbacks
                text = f"event_connection_status_changed_register was attempted on {self!r} while {self.state.name}"
                raise BadState(f"{text}; it is legal while IDLE")

        self._register("event_connection_status_changed_register", register, up, down)

    @alone
    def disconnect(self, connection: Connection) -> None:
        """Disconnect one client (C: doca_comch_server_disconnect); the callback follows from progress.

        On a server that is pulled from, the call has no effect if the client has gone already, or if the server has
        failed. A one-sided server raises NotConnected for None, and for a client that it has disconnected before.
        """
        if (endpoint := self._endpoint) is not None:
            endpoint.disconnect(connection)
            return
        if not self._was_ended(connection):
            self._servers.disconnect(self._handle, handle_of(connection))
        if self._port is not None:
            self._port._forget(connection)

    def _was_ended(self, connection: Connection) -> bool:
        """Return whether the failed server has left the connection already."""
        has_failed = self._failed and self._port is not None
        return has_failed and isinstance(connection, Connection) and connection.server is self

    def _drop(self, connection: Connection, timeout: float) -> None:
        if not self._was_ended(connection):
            with suppress(InvalidValue):  # its end has been reported: the driver has forgotten it
                self._servers.disconnect(self._handle, connection._handle)
        if (port := self._port) is not None:  # else another thread has just destroyed the server
            port._forget(connection)

    # Pulling

    @alone
    def listen(self, name: str | None = UNSET) -> None:
        """Start the server. Without registered callbacks it sets the mandatory configuration and opens a pull port.

        name: the service, unless it has been set; it stays set, except on a one-sided server that cannot start. Raises
        BadState if a setting is missing, and what `start` raises.
        """
        if (endpoint := self._endpoint) is not None:
            endpoint.listen(name)
            return
        self._refuse_active("listen")
        if name is not UNSET and name is not None:
            self.configure(name=name)
        self._need_engine("listen")
        if not self._pushes:
            self._open_port()
        self.start()

    def _accept_waiting(self, port: PullPort) -> bool:
        accepted = port._accept_waiting()
        if self._failed:
            raise self._failure("receive")
        return accepted > 0

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        while True:
            try:
                return port.receive(size)
            except by_system(Shutdown) as error:  # a client that left in order is just gone
                if not self._is_own(error):
                    raise
                self._report_lost(error.connection, error)

    def _report_lost(self, connection: Connection, error: DocaError) -> None:
        for on_lost in self._on_lost[-1:]:  # in one: another thread's loop may end
            on_lost(connection, error)

    def _refuse_silent(self, call: str) -> None:
        if not self._listening:
            raise NotConnected(f"{call} was attempted on {self!r}, which does not listen; listen first")

    def _survives(self, connection: Connection) -> bool:
        return self._listening

    def __iter__(self) -> Iterator[Message]:
        """Iterate over the messages of all clients, waiting for each, as `messages`."""
        return self.messages()

    def messages(self, on_lost: OnLost | None = None) -> Iterator[Message]:
        """Iterate over the messages of all clients. A client that leaves or dies does not end the loop.

        on_lost: called as `on_lost(connection, error)` for a client that has gone, after its messages: Shutdown when it
        left (not on a one-sided server), ConnectionReset when it died. In the body of a loop with `on_lost`, a receive
        and a loop without one report to it, too. Raises ConnectionReset when the server itself has failed.
        """
        with self._reporting_to(on_lost):
            while True:
                try:
                    message = self.receive()
                except by_system(Shutdown) as error:  # of the server that a Channel has connected to
                    if not self._is_own(error):
                        raise
                    return
                except by_system(ConnectionReset) as error:
                    if self._failed or not (error.connection is None or self._is_own(error)):
                        raise
                    if error.connection is not None:  # else a client went away before it was accepted
                        self._report_lost(error.connection, error)
                    continue
                yield message

    @contextmanager
    def _reporting_to(self, on_lost: OnLost | None) -> Iterator[None]:
        """Report clients that have gone to a loop, as long as it lasts; None leaves them to the loop around it."""
        if on_lost is not None:
            expect_callback(on_lost, "messages", "a function as on_lost")
        try:
            if on_lost is not None:
                self._on_lost.append(on_lost)
            yield
        finally:
            if on_lost in self._on_lost:
                self._on_lost.remove(on_lost)
