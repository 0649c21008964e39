"""The server context: a listener, clients on their way in, and its connections."""

import errno
import select
import socket

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._checks import expect, says_no_memory
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._context import Callback
from comch_next.driver.emulated._control import ControlContext, check_name
from comch_next.driver.emulated._device import Dev, DevRep
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.bells import new_bells
from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.emulated._fabric.lobby import Lobby
from comch_next.driver.emulated._fabric.meeting import Listener
from comch_next.driver.emulated._fabric.status import Board, Status
from comch_next.driver.emulated._fabric.topology import Limits
from comch_next.driver.emulated._guard import callback, guard, known
from comch_next.driver.emulated._kernel.fork import inherited
from comch_next.driver.emulated._kernel.handle import has_left
from comch_next.driver.emulated._kernel.memory import EXHAUSTED
from comch_next.driver.emulated._kernel.removal import Removal
from comch_next.driver.emulated._kernel.ring import make_memory
from comch_next.driver.emulated._pushed import Pushed
from comch_next.driver.emulated._send_task import TaskPool
from comch_next.driver.emulated._state import Trigger
from comch_next.driver.protocol import by_system, log_warning, new_lock, uninterrupted
from comch_next.errors import ConnectionAborted, DocaError, Initialization, InvalidValue

__all__ = ["Server", "Servers"]

_ACCEPTED = 64  # clients that one poll accepts, so that there is time for others
_CONNECTED = 8  # of whom it connects so many at once, which takes longest, and the others in later polls


class Server(ControlContext):
    """A handle. `lobby` has the clients that have not greeted yet."""

    is_server = True
    start_trigger = Trigger.START_NOW

    def __init__(self, dev: Dev, rep: DevRep, name: str) -> None:
        self.lobby = Lobby()
        self._listener: Listener | None = None
        self._board: Board | None = None
        self._removal: Removal | None = None
        self._files_lock = new_lock()  # held while files are made or removed: the end of the process waits for that
        super().__init__(dev, name)  # from here on a fork on another thread lets go of all these
        self.delivery = Pushed(self)
        self.rep = rep
        self._events = select.EPOLLIN  # what the listener is watched for
        rep.users.add(self)

    @property
    def limits(self) -> Limits:
        return self.dev.info.row.limits

    def terms(self) -> handshake.Terms:
        return self.delivery.terms()

    def supported(self) -> bool:
        row = self.dev.info.row
        return row.capable and row.side == "dpu"

    def begin(self) -> None:
        self.failed_for_good = False
        self.delivery.begin()
        device, representor = self.dev.info.row, self.rep.info.row.pci_addr
        with self._files_lock:
            if has_left():
                raise Initialization(f"server {self.name!r} cannot listen: the process is ending")
            self._listener = Listener(device.pci_addr, representor, self.name)
        self._events = select.EPOLLIN
        self.watched(self._listener.socket, self._on_clients, accepts=True)
        self._removal = Removal.of(self._listener.path)
        if self._removal is not None:
            self.watched(self._removal, self._removal.drain, accepts=True)
        most = device.limits.max_clients
        self._board = Board.of(most)  # last: what the server itself needs comes first
        place = self._board.place if self._board is not None else None
        status = Status.of_this_process(self.name, device.pci_addr, representor, most, place)
        self._listener.publish(status.encode())

    def undo_begin(self) -> None:
        self.end()

    @uninterrupted
    def end(self) -> None:
        self._events = select.EPOLLIN
        self.lobby.clear()
        self.delivery.drop_waiting()
        if self._listener is not None:
            self.unwatch(self._listener.socket)
            with self._files_lock:
                self._listener.close()
            self._listener = None
        if self._board is not None:
            self._board.close()
            self._board = None
        if self._removal is not None:
            self.unwatch(self._removal)
            self._removal.close()
            self._removal = None

    def destroy(self) -> None:
        super().destroy()
        self.rep.users.discard(self)

    def say_goodbye(self) -> None:
        with self._files_lock:
            if self._listener is not None:
                self._listener.remove()

    def let_go(self) -> None:
        super().let_go()
        if self._listener is not None:
            self._listener.let_go()
        if self._board is not None:
            self._board.close()
        if self._removal is not None:
            self._removal.close()
        self.lobby.let_go()

    @uninterrupted
    def _on_clients(self) -> None:
        """Accept some waiting clients; without descriptors to spare, refuse them."""
        before = len(self.connections)
        for _ in range(_ACCEPTED):
            if self._listener is None or not self.lobby.has_room():  # None: a callback has just stopped it
                return
            try:
                sock = self._listener.accept()
            except by_system(BlockingIOError):
                return
            except by_system(OSError) as error:
                if error.errno not in EXHAUSTED:
                    raise
                if not self._turn_away():
                    return
                continue
            met = False
            try:
                self._listen_for(select.EPOLLIN)
                self.meet(sock, at_once=len(self.connections) - before < _CONNECTED)
                met = True
            finally:
                if not met and not inherited(self) and sock.fileno() not in self._handlers:  # nobody else knows of it
                    handshake.hang_up(sock)

    def meet(self, sock: socket.socket, *, at_once: bool = True) -> None:
        """Read a client's greeting, now or in a later poll."""
        self.delivery.notify("recv", "service")  # ready by the connect, they stay so until the greeting comes
        greeting = Greeting(self, sock)
        try:
            self.lobby.enter(greeting)
            self.watched(sock, greeting.on_socket, accepts=True)
        except BaseException:
            self.lobby.leave(greeting)
            greeting.drop()
            raise
        if at_once:
            greeting.on_socket()

    def spoken(self, greeting: Greeting) -> None:
        """Note that a client has sent something."""
        self.lobby.leave(greeting)

    def is_full(self) -> bool:
        """Return whether there may be no more clients: the living, and those whose ends have not been reported."""
        return self.delivery.is_full(self.limits.max_clients)

    def _turn_away(self) -> bool:
        """Refuse a client for want of descriptors: one that stayed in the backlog would keep the program awake."""
        assert self._listener is not None
        try:
            self._listener.turn_away(handshake.Welcome(ErrorCode.NO_MEMORY, self.terms()).encode())
        except by_system(BlockingIOError):
            return False  # no client waits
        except by_system(OSError):
            self._listen_for(select.EPOLLIN | select.EPOLLET)  # until a descriptor is free, each connect wakes once
            return False
        return True

    @property
    def out_of_descriptors(self) -> bool:
        return self._events != select.EPOLLIN

    def _listen_for(self, events: int) -> None:
        if self._events != events:
            assert self._listener is not None
            self._events = events
            self.watch.modify(self._listener.socket, events)
            if events == select.EPOLLIN:
                self.delivery.accepts(self._listener.socket)
            else:  # a port's descriptors would stay ready
                self.delivery.forget(self._listener.socket)

    def check(self) -> bool:
        """Drop silent clients; a server whose socket file is gone or replaced has failed."""
        if self.out_of_descriptors and not self.ends_come_first():
            self._on_clients()
        moved = self.lobby.drop_expired()
        if self._listener is None or self._listener.intact():
            return moved
        self._fail()
        return True

    @uninterrupted
    def _fail(self) -> None:
        self.failed_for_good = True
        self.end()
        for connection in list(self.connections):
            connection.disconnect()
            self.lost_connection(connection)
        self.move(Trigger.FATAL)
        self.delivery.notify("send", "recv", "service")
        log_warning("%s has failed: its socket is gone or was replaced", self)

    def greeted(self, greeting: Greeting) -> None:
        """Hand a client that has greeted well to the delivery."""
        self.delivery.on_greeted(greeting)

    @uninterrupted
    def admit(self, greeting: Greeting) -> Connection:
        """Make the rings, welcome the client, and report it; the status of the result has the outcome."""
        greeting.answered = True
        connection: Connection | None = None
        rings: list[int] = []
        try:
            if not greeting.gone:
                self.unwatch(greeting.sock)
            connection = Connection(self, greeting.sock, self._board.take() if self._board is not None else None)
            self._connect(greeting, connection, rings)
        except by_system(DocaError, OSError, MemoryError) as error:
            self._refuse(greeting, connection, error)
            if connection is None:
                raise
        finally:
            handshake.close_all(rings)
        assert connection is not None
        try:
            self.delivery.on_admitted(connection)
        except by_system(MemoryError):
            self.leave_unknown(connection)
            raise
        return connection

    def leave_unknown(self, connection: Connection) -> None:
        """Leave a client, if it has come in, of which the program does not get to know."""
        if connection in self.connections:
            connection.disconnect()
            self.lost_connection(connection)

    def _refuse(self, greeting: Greeting, connection: Connection | None, error: Exception) -> None:
        """Refuse a client whose connection could not be made, or only in part."""
        exhausted = isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in EXHAUSTED)
        code = ErrorCode.NO_MEMORY if exhausted else ErrorCode.CONNECTION_ABORTED
        reason = f"the handshake broke: {str(error) or 'out of memory'}"
        try:
            if connection is not None:
                connection.status, connection.reason = ErrorCode.CONNECTION_ABORTED, reason
                if connection in self.connections:
                    self.connections.remove(connection)
                connection.close()
        finally:
            greeting.refuse(code, reason)

    def _connect(self, greeting: Greeting, connection: Connection, rings: list[int]) -> None:
        other, own = greeting.terms, self.delivery.terms()
        assert other is not None
        if greeting.gone:
            raise BrokenPipeError(errno.EPIPE, "the client has gone")
        if has_left():
            raise ConnectionAborted("the process is ending")
        to_server, to_client = handshake.negotiate(other, own)
        sizes = (to_server, other.send_limit + own.recv_limit), (to_client, own.send_limit + other.recv_limit)
        for size in sizes:
            rings.append(-1)
            rings[-1] = make_memory(*size)
        connection.rung, greeting.bells = greeting.bells, connection.rung
        connection.heard, bells = new_bells(self.delivery.bells)
        try:
            rings += bells
        except BaseException:
            handshake.close_all(bells)
            raise
        connection.establish((rings[1], rings[0]), (to_client, to_server), other)
        connection.cell.show(greeting.client_pid)
        self.connections.append(connection)
        self.watched(greeting.sock, connection.on_socket)
        welcome = handshake.Welcome(ErrorCode.SUCCESS, own).encode()
        handshake.send(greeting.sock, welcome, rings)  # last: from here on the client has a connection

    def report_loss(self, connection: Connection) -> None:
        self.delivery.report_loss(connection)


class Servers(TaskPool):
    """The noun Servers of the driver protocol."""

    kind: type[Server] = Server

    @says_no_memory
    @uninterrupted
    def create(self, dev: object, rep: object, name: object) -> Server:
        device = expect(dev, Dev, "server_create")
        representor = expect(rep, DevRep, "server_create")
        if not (device.open and representor.open):
            raise InvalidValue("server_create takes a device and a representor that are open")
        return self.kind(device, representor, check_name(name, device))

    def get_device_rep(self, server: object) -> DevRep:
        return expect(server, Server, "server_get_device_rep").rep

    @guard("server_", known(Server), up=callback, down=callback)
    def event_connection_status_changed_register(self, server: Server, up: Callback, down: Callback) -> None:
        server.up, server.down = up, down

    @guard("server_", known(Server))
    @uninterrupted
    def disconnect(self, server: Server, connection: object) -> None:
        link = expect(connection, Connection, "server_disconnect")
        if server.delivery.disconnect_lost(link):
            return
        link.fast.check_unused("server_disconnect")
        if link not in server.connections:
            raise InvalidValue(f"server_disconnect takes a connection of {server} that has not been disconnected")
        link.disconnect(require_notice=True)
        server.lost_connection(link)
