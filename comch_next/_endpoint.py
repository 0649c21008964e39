"""What a one-sided context answers: every call as generation 1 did (old guide: Creating and Configuring Endpoint)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from comch_next._alone import alone
from comch_next._closable import Closable
from comch_next._codes import ErrorCode, State
from comch_next._link import Link, Unlinked, no_peer
from comch_next._one_sided_port import OneSidedPort
from comch_next._peer import Peer
from comch_next._phases import Phase, check
from comch_next._sizes import SIZES, UINT16_MAX
from comch_next.arguments import UNSET, instance, integer, text
from comch_next.device import Device, DevInfo, Representor
from comch_next.driver.protocol import Lock, by_system, told_in_child, uninterrupted
from comch_next.errors import (
    AlreadyExist,
    BadState,
    ConnectionAborted,
    InvalidValue,
    NotConnected,
    NotPermitted,
    NotSupported,
)

if TYPE_CHECKING:
    from comch_next._settings import Configured
    from comch_next.connection import Connection
    from comch_next.pull import PullPort

__all__ = ["Endpoint"]

_RUNS = (State.STARTING, State.RUNNING)
_HANDLES: dict[str, type[Closable]] = {"device": Device, "device_rep": Representor}


class Endpoint:
    """The state of a one-sided context, beside what the library knows. `send` and `receive` are its port's."""

    def __init__(self, context: Configured) -> None:
        self._context: Any = context
        self._become(Unlinked(Phase.FRESH if context._port is None else Phase.LEFT))  # which has descriptors
        _endpoints.add(self)

    @property
    def _lock(self) -> Lock:
        return self._context._lock

    def _become(self, link: Link | Unlinked) -> None:
        self.link = link
        self.send = link.send
        self.receive = link.receive
        if isinstance(self._context._port, OneSidedPort):
            self._context._port.link = link

    def check(self, call: str) -> None:
        """Raise what generation 1 answered to the call in this phase; return when it is allowed."""
        self.follow()
        check(self.link.phase, call)

    def follow(self) -> None:
        """End the life that the program has stopped, once its context is IDLE."""
        if self.link.stopped:
            self._end_stopped()

    @alone
    def _end_stopped(self) -> None:
        if self.link.stopped and not self._context._active():  # else another thread has begun another life
            self.end(Phase.LEFT)

    # Settings

    def accept(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return what comes into force when the program sets options in that order, or raise what one is refused with.

        As in C an argument of the wrong type, or that was closed, is refused first, whatever the phase; but before it a
        context inherited by a fork.
        """
        device = self._context._settings["device"]
        accepted: dict[str, Any] = {}
        for option, value in options.items():
            accepted[option] = self._accept(option, value, accepted.get("device", device))
        return accepted

    def _accept(self, option: str, value: object, device: Device | None) -> Any:
        if self.link.phase is Phase.INHERITED:
            self.check(f"set_{option}")
        if option in _HANDLES and not instance(value, _HANDLES[option], option)._open:
            raise InvalidValue(f"set_{option}: {value!r} is not open any more; open it again")
        if option in SIZES:
            value = integer(value, option, most=UINT16_MAX)
        if option == "name" and value is not None:
            value = text(value, "service name")
        self.check(f"set_{option}")
        if option in SIZES:
            SIZES[option].in_force(value, _devinfo(device))
        return value

    def get(self, option: str) -> Any:
        """Return a setting in force; InvalidValue for a device or representor that has not been set."""
        self.check(f"get_{option}")
        if option in SIZES:
            return self.size(option)
        value = self._context._settings[option]
        if value is None:
            raise InvalidValue(f"get_{option}: none has been set")
        return value

    def size(self, option: str) -> int:
        """Return the size in force; the device may have been set after it."""
        settings = self._context._settings
        return SIZES[option].in_force(settings[option], _devinfo(settings["device"]))

    # Connections

    @alone
    def listen(self, name: object = UNSET) -> None:
        """Become the service of that name; ConnectionAborted when it is taken."""
        name = self._name(name)
        self.check("listen")
        self._check_device("listen", dpu=True)
        if self._context._settings["device_rep"] is None:
            raise BadState("listen: no representor has been set; set device_rep first")
        try:
            self._open(name, server=True)
        except AlreadyExist as error:
            raise ConnectionAborted(f"listen: {error}") from error

    @alone
    def connect(self, name: object = UNSET) -> Connection:
        """Begin a handshake; ConnectionAborted when no server listens on the name."""
        name = self._name(name)
        self.check("connect")
        self._check_device("connect", dpu=False)
        connection: Connection = self._open(name, server=False)
        return connection

    def _name(self, name: object) -> str:
        return text(self._context._settings["name"] if name is UNSET else name, "service name")

    def _check_device(self, call: str, *, dpu: bool) -> None:
        """Check the device that was set. The wrong side comes before a missing representor: no host has one."""
        info = _devinfo(self._context._settings["device"])
        if info is None:
            raise BadState(f"{call}: no device has been set; set device first")
        if _is_dpu(info) != dpu:
            right = "a DPU device listens, a host device connects"
            raise NotPermitted(f"{call}: {info} stands on the other side; {right}")
        if not (info.cap_server_is_supported() if dpu else info.cap_client_is_supported()):
            raise NotSupported(f"{call}: {info} has no communication channel; use another device")

    def _open(self, name: str, *, server: bool) -> Any:
        """Start a life, and return a client's connection. One that fails leaves the phase, the name and the descriptors
        as they were.
        """
        context, before, fresh = self._context, self.link, self._context._port is None
        known, engine = context._settings["name"], context._own_engine
        try:
            context._open_as(name, server=server)
            return None if server else self._dialled(name)
        except BaseException as error:
            if isinstance(error, by_system(MemoryError)) and context._active():
                context._give_up()
            if not self._has_begun():
                self._become(before)
                context._rename(known)
                if fresh:
                    context._unmake(engine)
            raise

    def _dialled(self, name: str) -> Connection:
        connection: Connection = self._context.connection
        if self._context._port.status(connection) == ErrorCode.CONNECTION_ABORTED:
            self.disconnect(connection)
            raise ConnectionAborted(f"connect: no server listens as {name!r}, or it refuses")
        return connection

    @contextmanager
    def begun(self, port: PullPort | None) -> Iterator[None]:
        """Begin a life on a port; as before when starting the context fails in the block."""
        before = self.link
        if port is not None:
            self._become(Link(self._context, port))
        try:
            yield
        except BaseException:
            if not self._has_begun():
                self._become(before)
            raise

    def _has_begun(self) -> bool:
        """Return whether the life has begun, and a callback of the program's has raised: in a forked child, perhaps."""
        return self.link.phase is Phase.INHERITED or self._context._active()

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Have a stop of the context in the block end the life that there is, unless it is refused."""
        link, ran = self.link, self._context.state in _RUNS
        link.stopped = link.stopped or ran
        try:
            yield
        finally:
            if self.link.phase is not Phase.INHERITED:
                if ran and self._context.state in _RUNS:
                    link.stopped = False
                self.follow()

    def disconnect(self, connection: object, timeout: float = 5.0) -> None:
        """Leave one connection. A client may connect again afterwards."""
        if connection is not None and not isinstance(connection, Peer):
            raise no_peer("disconnect", connection)
        link = self._linked("disconnect")
        if connection is None:
            raise no_peer("disconnect", connection)
        link.disconnect(connection, timeout)
        self._forget(link, connection)

    @alone
    def _forget(self, link: Link, connection: Peer) -> None:
        link.forget(connection)
        if link.closed and self.link is link:  # else another thread has begun another life
            self._become(Unlinked(Phase.LEFT))

    @uninterrupted
    def end(self, phase: Phase) -> None:
        """End the life that there is."""
        if isinstance(self.link, Link):
            self.link.close(phase)
        if (port := self._context._port) is not None and port._endings is not None:
            port._endings.forget_all()
        self._become(Unlinked(phase))

    def server_port(self, call: str) -> PullPort:
        """The port, for a call that is a server's."""
        if not self._linked(call).is_server:
            raise NotSupported(f"{call}: the context is a client; only a server has a state")
        port: PullPort | None = self._context._port
        if port is None:
            raise NotConnected(f"{call}: another thread has just closed the context")
        return port

    def _linked(self, call: str) -> Link:
        link = self.link
        check(link.phase, call)
        assert isinstance(link, Link)
        return link


def _devinfo(device: Device | None) -> DevInfo | None:
    return None if device is None else device.devinfo


def _is_dpu(info: DevInfo) -> bool:
    """Whether the device stands on the DPU: only there are representors."""
    try:
        return info.rep_cap_is_filter_all_supported()
    except NotSupported:
        return False


def _disinherit(endpoint: Endpoint) -> None:
    endpoint.end(Phase.INHERITED)


_endpoints = told_in_child(_disinherit)
