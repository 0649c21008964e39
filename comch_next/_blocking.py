"""A channel without a device whose calls block, as generation 1 was before DOCA 1.5 (old guide of 1.4: Comm Channel).

It listens on every representor of this machine, and connects through whichever device reaches the service. Each of
these is a one-sided Channel, so peers end as on those. What DOCA 1.5 renamed or split is as before: sizes come at once,
a connection is up when `connect` returns, and each failure has the code that the headers of the time name.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from comch_next._channel import Channel
from comch_next._codes import ErrorCode
from comch_next._init_attr import NONBLOCK, InitAttr, setting_up, sizes_of
from comch_next._life import Life
from comch_next._names import Hinted
from comch_next.arguments import ANY_SIZE, UNSET, Buffer, cut, instance, text
from comch_next.connection import Connection, Message
from comch_next.device import DevInfo, Representor, devices
from comch_next.driver.protocol import new_lock, told_in_child, uninterrupted
from comch_next.engine import deadline_after, seconds_left, wait_readable
from comch_next.errors import (
    Again,
    ConnectionAborted,
    ConnectionReset,
    DocaError,
    InvalidValue,
    NotConnected,
    NotPermitted,
    TimeOut,
    Unknown,
)

__all__ = ["BlockingChannel"]

_T = TypeVar("_T")
_DEAD_AT_ONCE = 1024  # clients that one look passes over; they may come and go for ever
_Received = tuple[ErrorCode, "bytes | None", "int | None", "Connection | None"]


class BlockingChannel(Hinted):
    """A channel whose calls block: a service after `listen`, a client after `connect`.

    Timeouts are in seconds: None waits for ever, 0 raises Again. The default is None, or 0 if the attributes have the
    flag NONBLOCK. Raises NotPermitted if `msgsize` is above the largest message of every device.
    """

    def __init__(self, attr: InitAttr) -> None:
        self._sizes = sizes_of(attr)
        self._timeout = 0 if attr.flags & NONBLOCK else None
        self._lock = new_lock()  # of the three below
        self._life: Life | None = None
        self._alive = True
        self._readable: select.epoll | None = None  # what `recv_fd` is, of all lives: programs keep it registered
        self._shown = False  # whether the program has asked for it
        _channels.add(self)

    def __repr__(self) -> str:
        life = self._life
        if life is None:
            return f"<BlockingChannel, {'not connected' if self._alive else 'closed'}>"
        return f"<BlockingChannel, {'a service' if life.serves else 'a client'}>"

    # Connections

    def listen(self, name: str | bytes) -> None:
        """Become the service of that name on every representor; `receive` accepts clients.

        Raises NotPermitted on a machine that is not a DPU, ConnectionAborted if the name is taken on a representor.
        """
        found = self._able("listen", name, DevInfo.cap_server_is_supported)

        def listen(life: Life) -> None:
            life.serves = True
            for info in found:
                device = life.keep(info.open)
                for rep in device.representors():
                    self._open(life, device=device, device_rep=life.keep(rep.open)).listen(text(name, "service name"))

        self._begin_by(listen, "listen")

    def connect(self, name: str | bytes) -> Connection:
        """Wait until the service of that name has accepted this client, without a limit, and return the connection.

        Raises NotPermitted on a machine that is not a host, ConnectionAborted if no device reaches such a service.
        """
        refused: DocaError = ConnectionAborted("connect: no device reaches a service")

        def connect(info: DevInfo, life: Life) -> Connection:
            channel = self._open(life, device=life.keep(info.open))
            life.dialled = channel.connect(text(name, "service name"), timeout=None)
            return life.dialled

        for info in self._able("connect", name, DevInfo.cap_client_is_supported):
            try:
                return self._begin_by(partial(connect, info), "connect")
            except ConnectionAborted as error:
                refused = error
        raise refused

    def _able(self, call: str, name: object, able: Callable[[DevInfo], bool]) -> list[DevInfo]:
        """Check that a life may begin, and return the devices for it."""
        self._check(call)
        text(name, "service name")
        self._check_free(call)
        with setting_up(call):
            found = [info for info in devices() if able(info)]
        if not found:
            raise NotPermitted(f"{call}: no device of this machine stands on the side for it")
        return found

    def _check_free(self, call: str) -> None:
        if self._life is not None:
            raise NotPermitted(f"{call} was attempted on {self!r}; legal once, on a channel that is not connected")

    def _begin_by(self, fill: Callable[[Life], _T], call: str) -> _T:
        """Begin a life, and return what fills it; one that fails leaves nothing."""
        with setting_up(call):
            life = Life(self._descriptor(call), shown=self._shown)
        try:
            self._begin(call, life)
            with setting_up(call):
                made = fill(life)
                life.watch()
                if life.shown:
                    life.arm()
            return made
        except BaseException:
            self._end(life)
            raise

    @uninterrupted
    def _descriptor(self, call: str) -> select.epoll:
        with self._lock:
            self._check(call)  # one that is closed would keep what is made here
            if self._readable is None or self._readable.closed:  # closed in a forked child: it was the parent's
                self._readable, self._shown = select.epoll(), False
            return self._readable

    def _close_descriptor(self) -> None:
        with self._lock:
            if self._readable is not None:
                self._readable.close()

    def _begin(self, call: str, life: Life) -> None:
        with self._lock:
            self._check(call)
            self._check_free(call)
            self._life = life

    def _open(self, life: Life, *, device: Any, device_rep: Representor | None = None) -> Channel:
        given = self._sizes if device_rep is None else {**self._sizes, "device_rep": device_rep}
        channel: Channel = life.keep(lambda: Channel(one_sided=True, device=device, **given))
        life.channels.append(channel)
        return channel

    def _end(self, life: Life) -> None:
        """End a life; one whose end is interrupted is still this channel's, to be closed."""
        life.end()
        with self._lock:
            if life is self._life:
                self._life = None

    def disconnect(self, connection: Connection) -> None:
        """Wait until all messages sent on a connection have arrived, and leave it; a client may connect again."""
        life, channel = self._of(connection, "disconnect")
        self._flush([connection])
        if life.serves:
            channel.disconnect(connection)
        else:
            self._end(life)

    def close(self) -> None:
        """Wait until all sent messages have arrived, and leave every connection. Raises NotConnected the second time.

        A channel with the flag NONBLOCK does not wait: undelivered messages are lost.
        """
        if not self._alive and self._life is None:
            raise NotConnected("close was attempted on a channel that is closed; it is closed once")
        if (life := self._life) is not None:
            self._flush(self._connections(life))
        with self._lock:
            self._alive, life = False, self._life
        if life is not None:
            self._end(life)
        self._close_descriptor()

    def _connections(self, life: Life) -> list[Connection]:
        """List all connections, without a descriptor: there may be none left."""
        if not life.serves:
            return [] if life.dialled is None else [life.dialled]
        found: list[Connection] = []
        for port in [channel.port for channel in tuple(life.channels)]:
            if port is not None:  # else it does not listen yet
                with suppress(DocaError):  # or no more
                    found += port.connections
        return found

    def _flush(self, connections: list[Connection]) -> None:
        for connection in connections if self._timeout is None else ():
            with suppress(DocaError):  # it has ended: nothing more arrives
                connection.flush()

    def _check(self, call: str) -> None:
        if not self._alive:
            raise InvalidValue(f"{call} was attempted on a channel that is closed; make another")

    def _of(self, connection: object, call: str) -> tuple[Life, Channel]:
        """Return the life and the channel of a connection."""
        self._check(call)
        if connection is None:
            raise NotConnected(f"{call}: {self!r} has no connection to None; connect and receive return one")
        context = instance(connection, Connection, "connection")._context
        life = self._life
        for channel in () if life is None else tuple(life.channels):
            if life is not None and channel is context:
                return life, channel
        raise NotConnected(f"{call}: {connection!r} is not a connection of {self!r}")

    # Messages

    def send_to(
        self, data: Buffer, connection: Connection, timeout: float | None = UNSET, *, length: int = UNSET
    ) -> None:
        """Send one message, data first; wait for room in the queue. length: send only that many bytes of the data.

        Raises NotConnected for a connection that has ended or belongs to another channel, InvalidValue above the
        largest message, Again or TimeOut if there is no room in time.
        """
        if connection is None:
            cut(data, UNSET)  # the first wrong argument is reported
        _, channel = self._of(connection, "send_to")
        try:
            channel.send_to(data, connection, self._timeout if timeout is UNSET else timeout, length=length)
        except ConnectionReset as error:
            raise NotConnected(str(error), connection=connection) from None

    def receive(self, size: int = ANY_SIZE, timeout: float | None = UNSET) -> Message:
        """Receive a message, waiting for one. A service also accepts waiting clients here.

        size: bytes that the program can hold; a longer message stays, and InvalidValue has its length. Raises Unknown
        if nothing can arrive any more, because the service died or lost its name; Again or TimeOut if nothing arrives
        in time.
        """
        timeout = self._timeout if timeout is UNSET else timeout
        deadline = None if timeout == 0 else deadline_after(timeout, "receive")
        life = self._living("receive")
        while True:
            life.refuse_ended()
            life.arm()
            if (found := self._next(life, size)) is not None:
                if life.shown:
                    life.arm()
                return found
            if timeout == 0:
                raise Again("receive: nothing waits")
            # Clients that come and go may keep the descriptor ready.
            if not seconds_left(deadline) or not wait_readable(life.fileno, deadline):
                raise TimeOut(f"receive: nothing came to {self!r} within {timeout} s")

    def try_receive(self, size: int = ANY_SIZE, *, timeout: float | None = UNSET) -> _Received:
        """Receive one message and return (code, data, length, connection); absent values are None."""
        try:
            data, connection = BlockingChannel.receive(instance(self, BlockingChannel, "channel"), size, timeout)
        except DocaError as error:
            return error.code, None, error.length, None
        return ErrorCode.SUCCESS, data, len(data), connection

    def _next(self, life: Life, size: int) -> Message | None:
        """Return a message that has come; each function's clients have their turn."""
        for channel in tuple(life.channels):
            with suppress(Again):
                found = self._receive_from(channel, size, life)
                life.channels.rotate(-1)
                return found
        return None

    def _receive_from(self, channel: Channel, size: int, life: Life) -> Message:
        for _ in range(_DEAD_AT_ONCE):
            try:
                return channel.receive(size, timeout=0)
            except ConnectionReset as error:
                self._refuse_dead(life, channel, error)
        raise Again("receive: clients die faster than they are reported")

    def _refuse_dead(self, life: Life, channel: Channel, error: ConnectionReset) -> None:
        """Raise if nothing can arrive any more; a service continues without one of its clients."""
        if not life.serves or channel._failed:
            raise Unknown(f"receive: {error}") from None

    def _living(self, call: str) -> Life:
        self._check(call)
        life = self._life
        if life is None:
            raise NotConnected(f"{call} was attempted on {self!r}; listen or connect first")
        return life

    @property
    def recv_fd(self) -> int:
        """A descriptor for poll and epoll, ready while a message, a waiting client or a lost peer is there.

        One until `close`, however often the channel connects; -1 while it is not connected.
        """
        life = self._life
        if life is None:
            return -1
        self._shown = life.shown = True
        life.arm()
        return life.fileno()


_channels = told_in_child(BlockingChannel._close_descriptor)  # the parent goes on with them
