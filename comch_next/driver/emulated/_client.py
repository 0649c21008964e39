"""The client context: it dials its server, waits for the welcome, and has one connection."""

import errno

from comch_next._codes import ErrorCode, State
from comch_next.driver.emulated._checks import expect, in_state, says_no_memory
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext, check_name
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.bells import check_bell, new_bells
from comch_next.driver.emulated._fabric.meeting import dial, runtime_dir
from comch_next.driver.emulated._kernel.alarm import Alarm
from comch_next.driver.emulated._kernel.handle import has_left
from comch_next.driver.emulated._kernel.memory import EXHAUSTED
from comch_next.driver.emulated._pushed import Pushed
from comch_next.driver.emulated._send_task import TaskPool
from comch_next.driver.emulated._state import Trigger
from comch_next.driver.protocol import by_system, uninterrupted
from comch_next.errors import BadState, DocaError, Initialization, InvalidValue, describe

__all__ = ["Client", "Clients"]

_REDIAL_S = 0.01  # a server whose backlog is full is dialled again this often, also by a program that sleeps


class Client(ControlContext):
    """A handle. A dial that fails is reported by the next progress: STARTING, then IDLE."""

    is_server = False
    start_trigger = Trigger.START_LATER

    def __init__(self, dev: Dev, name: str) -> None:
        super().__init__(dev, name)
        self.delivery = Pushed(self)
        self.connection: Connection | None = None
        self._dialled = False
        self._redial: Alarm | None = None  # while the server's backlog is full

    def supported(self) -> bool:
        row = self.dev.info.row
        return row.capable and row.side == "host"

    def begin(self) -> None:
        if has_left():
            raise Initialization(f"client {self.name!r} cannot connect: the process is ending")
        self.delivery.begin()
        self.connection = Connection(self, None)
        self.connections.append(self.connection)
        self._dialled = False
        self._dial()
        self.busy_engine()

    def undo_begin(self) -> None:
        self._end_redial()
        self.lost.clear()
        while self.connections:
            self.connections.pop().disconnect()

    @uninterrupted
    def _dial(self) -> None:
        """Connect and greet. A full backlog is tried again later."""
        connection = self.connection
        assert connection is not None
        own = self.dev.info.row.pci_addr
        dpu = self.dev.info.topology.dpu_of(own)
        try:
            if dpu is None:
                raise ConnectionRefusedError(errno.ECONNREFUSED, f"no representor stands for {own}")
            sock = dial(dpu.pci_addr, own, self.name)
        except by_system(BlockingIOError):
            self._dial_later()
            return
        except by_system(OSError) as error:
            if error.errno in EXHAUSTED:
                raise self._cannot_dial(error) from error
            why = "it cannot be reached" if isinstance(error, PermissionError) else "nobody listens on it"
            self._refused(f"{why} in {runtime_dir()} ({error.strerror or error})")
            return
        self._end_redial()
        self._dialled = True
        connection.sock = sock
        self.watched(sock, self._on_welcome, accepts=True)
        try:
            connection.heard, bells = new_bells(self.delivery.bells)
        except by_system(OSError) as error:
            raise self._cannot_dial(error) from error
        try:
            handshake.send(sock, handshake.Hello(self.delivery.terms()).encode(), bells)
        except by_system(OSError) as error:
            self._refused(f"the server has gone ({error.strerror})")
        finally:
            handshake.close_all(bells)

    def _dial_later(self) -> None:
        """Wake the program for the next try: no socket does."""
        try:
            if self._redial is None:
                self._redial = Alarm()
                self.watched(self._redial, self._redial.stop, accepts=True)
        except by_system(OSError) as error:
            raise self._cannot_dial(error) from error
        self._redial.set(_REDIAL_S)

    def _end_redial(self) -> None:
        redial, self._redial = self._redial, None
        if redial is not None:
            self.unwatch(redial)
            redial.close()

    def _cannot_dial(self, error: OSError) -> Initialization:
        return Initialization(f"ctx_start: {self} cannot dial: {error}")

    def _refused(self, reason: str) -> None:
        assert self.connection is not None
        self._end_redial()
        self._dialled = True
        self.connection.lose(ErrorCode.CONNECTION_ABORTED, f"connection to {self.name!r} failed: {reason}")

    @uninterrupted
    def _on_welcome(self) -> None:
        """The server's answer, or its end."""
        connection = self.connection
        assert connection is not None
        assert connection.sock is not None
        fds: list[int] = []
        try:
            data, fds = handshake.receive(connection.sock)
            if not data:
                return self._refused("the server has gone")
            self._welcomed(connection, handshake.Welcome.decode(data), fds)
        except by_system(BlockingIOError):
            return None
        except by_system(DocaError, OSError, MemoryError) as error:
            self._refused(str(error) or "out of memory")
        finally:
            handshake.discard_all(fds)
        return None

    def _welcomed(self, connection: Connection, welcome: handshake.Welcome, fds: list[int]) -> None:
        if welcome.code != ErrorCode.SUCCESS:
            why = handshake.refusal(welcome.code, self.delivery.terms(), welcome.terms)
            return self._refused(f"the server refuses ({describe(welcome.code)}){why}")
        if len(fds) not in (3, 4):
            return self._refused("the server's handshake has no rings or bells, or descriptors have run out")
        own = self.delivery.terms()
        handshake.check_memory(own, welcome.terms, own, self.dev.info.row.limits.max_connection_memory)
        to_server, to_client = handshake.negotiate(own, welcome.terms)
        connection.rung = [check_bell(fd) for fd in fds[2:]]
        del fds[2:]  # they are the connection's now
        connection.establish((fds[0], fds[1]), (to_server, to_client), welcome.terms)
        assert connection.sock is not None
        self.watched(connection.sock, connection.on_socket)
        self.move(Trigger.CONNECTED)
        self.delivery.on_welcomed(connection)
        connection.log_up()
        return None

    def end(self) -> None:
        """Dial no more; stop disconnects the one connection."""
        self._end_redial()

    def check(self) -> bool:
        if self.state is State.STARTING and not self._dialled:
            try:
                self._dial()
            except DocaError as error:
                self._refused(str(error))
            return self._dialled
        return False

    def report_loss(self, connection: Connection) -> None:
        if self.state is State.STARTING:
            self.move(Trigger.REFUSED)
        elif self.state is State.RUNNING:
            self.move(Trigger.FATAL)


class Clients(TaskPool):
    """The noun Clients of the driver protocol."""

    kind = Client

    @says_no_memory
    @uninterrupted
    def create(self, dev: object, name: object) -> Client:
        device = expect(dev, Dev, "client_create")
        if not device.open:
            raise InvalidValue("client_create takes a device that is open")
        return Client(device, check_name(name, device))

    def get_connection(self, client: object) -> Connection:
        context = expect(client, Client, "client_get_connection")
        with context.lock:
            if context.state is State.IDLE and context.connection is not None:
                ended = f"legal while it is started: its connection has ended ({context.connection.reason})"
                text = f"client_get_connection was attempted on {context} while IDLE; {ended}; connect or start again"
                raise BadState(text)
            in_state(context, "client_get_connection")
            assert context.connection is not None
            return context.connection
