"""The delivery of a context with a pull port: messages, clients and ends wait until the program asks for them."""

import select
from collections import deque
from collections.abc import Collection
from functools import partial
from typing import ClassVar

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._channels import Channels
from comch_next.driver.emulated._checks import in_state
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._fabric.channel import Watchable
from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.emulated._fabric.handshake import Terms
from comch_next.driver.emulated._guard import alone
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.emulated._port_sends import PortSends
from comch_next.driver.emulated._pushed import Pushed
from comch_next.driver.protocol import Lock, uninterrupted

__all__ = ["Pulled"]

_DEAD = 512  # clients whose ends may wait to be reported, if clients have no limit
_REPORTED = (ErrorCode.SHUTDOWN, ErrorCode.CONNECTION_RESET)  # what the puller has not done itself


class Pulled(Handle):
    """See _delivery. `waiting` are clients that have greeted, `ended` connections whose end has not been reported."""

    bells: ClassVar[int] = 2  # a port's sender and receiver may wait apart

    def __init__(self, context: ControlContext, msg_size: int | None, send_limit: int, one_sided: bool) -> None:
        self.context = context
        self.poller = Poller()
        self.poller.watch(context.watch.fileno())
        self.waiting: deque[Greeting] = deque()
        self.ended: list[Connection] = []
        self.channels = Channels(context, self.poller, one_sided)
        self.sends = PortSends(self.channels, one_sided)
        self._msg_size = msg_size
        self._send_limit = send_limit
        self.one_sided = one_sided
        owned(self)

    def __str__(self) -> str:
        return f"pull port of {self.context}"

    @property
    def lock(self) -> Lock:
        """Its context's."""
        return self.context.lock

    def poll_sockets(self) -> None:
        """Poll the sockets now, unless a callback of this engine is running."""
        engine = self.context.engine
        if engine is not None and not engine.busy:
            engine.poller.hurry()
            engine.progress()

    def poll_if_due(self) -> None:
        """Poll the sockets if a millisecond has passed since the last time."""
        if self.poller.poll_due():
            self.poll_sockets()

    def poll_unless_silent(self, silent: bool) -> None:
        """Poll the sockets before a wait for them, unless they are known to be silent: then only if that is due."""
        engine = self.context.engine
        silent = silent and not self.context.out_of_descriptors
        if silent:
            self.poller.attended()
        if not silent or (engine is not None and engine.pending_calls) or self.poller.poll_due():
            self.poll_sockets()

    # What the context asks and reports: see _delivery

    def terms(self) -> Terms:
        """What the handshake states: a port names the size that it sends and insists on none by itself."""
        context = self.context
        size = context.max_msg_size or self._msg_size or context.stated_msg_size
        return Terms(size, context.max_msg_size is not None, self._send_limit, context.recv_queue_size)

    def mandatory(self, lacking: list[str]) -> list[str]:
        return []

    def begin(self) -> None:
        while self.ended:
            self.close_ended(self.ended.pop())

    def accepts(self, sock: Watchable) -> None:
        self.channels.accepts(sock)

    def forget(self, sock: Watchable) -> None:
        self.channels.forget(sock)

    def notify(self, *channels: str) -> None:
        self.poller.hurry()  # so that the next receive reports it at once
        self.channels.ring(*channels)

    def is_full(self, most: int) -> bool:
        living = len(self.context.connections) + sum(not greeting.gone for greeting in self.waiting)
        return (bool(most) and living >= most) or len(self.ended) >= (most or _DEAD)

    def ends_come_first(self) -> bool:
        return False  # clients wait for the program, as ends do

    def on_greeted(self, greeting: Greeting) -> None:
        self.waiting.append(greeting)
        greeting.waits = True
        self.notify("recv", "service")
        self.context.watched(greeting.sock, partial(self._on_gone, greeting), select.EPOLLRDHUP)

    def _on_gone(self, greeting: Greeting) -> None:
        """Let a client go that has hung up while it waited: `accept` reports it, and it holds nothing any more."""
        greeting.drop()
        gone = [known for known in self.waiting if known.gone]
        if len(gone) > (self.context.dev.info.row.limits.max_clients or _DEAD):
            self.waiting.remove(gone[0])

    def drop_waiting(self) -> None:
        while self.waiting:
            self.waiting.pop().drop()

    def follow(self, connection: Connection) -> None:
        self.poller.add(connection)
        self.channels.listen(connection)
        if connection.sock is not None:  # a sender that waits for room must be woken by this connection's death, too
            self.channels.connected(connection.sock)

    def on_admitted(self, connection: Connection) -> None: ...  # by accept, which returns it

    def on_welcomed(self, connection: Connection) -> None:
        self.notify("send", "recv", "service")

    def waiting_senders(self) -> Collection[Connection]:
        return self.sends.blocked

    def arm(self, connections: list[Connection]) -> bool:
        return False  # the port's descriptors listen to the bells

    def on_lost(self, connection: Connection) -> None:
        if self._is_reported(connection):
            self.ended.append(connection)
            self.sends.news |= connection.undelivered > 0
        self.notify(*(() if self._is_silent(connection) else ("send", "recv")), "service")

    def _is_reported(self, connection: Connection) -> bool:
        """Whether `receive` reports the end; that it never came up, only on a one-sided port."""
        status = connection.status
        return status in _REPORTED or connection.parted or (self.one_sided and status is ErrorCode.CONNECTION_ABORTED)

    def _is_silent(self, connection: Connection) -> bool:
        """Return whether this end wakes neither sender nor receiver of a one-sided port."""
        return self.one_sided and connection.status is ErrorCode.SHUTDOWN and not connection.undelivered

    def is_due(self, connection: Connection) -> bool:
        return True  # its messages wait here

    def release(self, connection: Connection) -> None:
        if connection not in self.ended:
            self.close_ended(connection)

    def report_loss(self, connection: Connection) -> None: ...  # by receive

    @uninterrupted
    def disconnect_lost(self, connection: Connection) -> bool:
        if connection in self.ended:
            self.ended.remove(connection)
        elif connection.context is not self.context or connection.status not in _REPORTED:
            return False
        self.close_ended(connection)
        connection.status = ErrorCode.NOT_CONNECTED
        return True

    def close_ended(self, connection: Connection) -> None:
        """Close a connection that has ended, and keep nothing of it here."""
        self.sends.forget(connection)
        connection.close()

    def unlisten(self, connection: Connection) -> None:
        self.channels.unlisten(connection)

    # The end

    def take_over(self, predecessor: "Pulled") -> None:
        """Make the descriptors that another port gave out this port's own, and close that one."""
        made = predecessor.channels.hand_over()
        try:
            self.channels.adopt(made)
        except BaseException:
            predecessor.channels.adopt(made)
            raise
        predecessor.close()

    @alone
    @uninterrupted
    def close(self) -> None:
        in_state(self.context, "port_open")
        for connection in self.ended:
            connection.close()
        self.let_go()
        if self.context.delivery is self:
            self.context.delivery = Pushed(self.context)

    def let_go(self) -> None:
        """Close its descriptors, and read no ring; a forked child does just this."""
        self.poller.follow(())  # first: what follows may find a descriptor that the program has closed
        self.channels.close()
        for greeting in self.waiting:
            greeting.let_go()
