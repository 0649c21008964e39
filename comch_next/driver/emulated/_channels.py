"""The descriptors of a pull port, for poll and epoll, and what makes them ready."""

import select

from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._fabric.channel import Channel, Watchable
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.protocol import uninterrupted
from comch_next.errors import BadState, NotSupported

__all__ = ["Channels"]

_HEARD = {"recv": 0, "send": 1}  # which of a connection's bells


class Channels:
    """A port's descriptors by name (send, recv, service), made when first asked for.

    Accepting sockets are those where a client may come in; ends belong to connections. A one-sided port waits
    for the hang-up of an end and not for words, and a farewell hangs up only when it is read. `made` are those that
    have been asked for.
    """

    def __init__(self, context: ControlContext, poller: Poller, one_sided: bool) -> None:
        self._context = context
        self._poller = poller
        self._one_sided = one_sided
        self._end_events = select.EPOLLRDHUP if one_sided else select.EPOLLIN
        self.made: dict[str, Channel] = {}
        self._accepting_fds: set[int] = set()
        self._accepting: select.epoll | None = None
        self._ends: select.epoll | None = None
        self._watched: dict[int, int] = {}  # of these, the events that each waits for
        self._closed = False

    def get(self, name: str) -> Channel:
        """The descriptor of that name. Raises BadState once they have been given back."""
        self.refuse_closed()
        if name not in self.made:
            self._add(name)
        return self.made[name]

    def ring(self, *names: str) -> None:
        """Make ready those descriptors that are armed."""
        for name in names:
            if name in self.made and self.made[name].armed:
                self.made[name].ring()

    def refuse_closed(self) -> None:
        """Raise BadState once they have been given back."""
        if self._closed:
            text = f"{self._context}, or its pull port, has been closed"
            raise BadState(f"{text}; open another on a context that is IDLE")

    def hand_over(self) -> dict[str, Channel]:
        """Leave the channels to another port, which adopts them."""
        self.refuse_closed()
        made = dict(self.made)
        self.made.clear()
        return made

    def adopt(self, made: dict[str, Channel]) -> None:
        """Make these, which another port has left, this port's own. They are nobody's if that fails."""
        for name, channel in made.items():
            channel.reset()
            if name != "service" or self._context.is_server:
                self._connect(name, channel)
        self.made.update(made)

    @uninterrupted
    def _add(self, name: str) -> None:
        channel = Channel()
        try:
            self._connect(name, channel)
        except BaseException:
            channel.close()
            raise
        self.made[name] = channel

    def _connect(self, name: str, channel: Channel) -> None:
        for sockets in self._sockets(name):
            channel.watch(sockets)
        for connection in self._poller.links if name in _HEARD else ():
            if connection.heard:  # else it has ended
                channel.listen(connection.heard[_HEARD[name]], connection.report_violation)

    def _sockets(self, name: str) -> list[select.epoll]:
        """What the channel of that name watches."""
        if name == "service" and not self._context.is_server:
            raise NotSupported(f"{self._context} has no service channel; a server has")
        if name == "service" or (name == "recv" and not self._one_sided):
            return [self._context.watch]
        return [self._all_ends(), self._accepting_set()] if name == "recv" else [self._all_ends()]

    def _accepting_set(self) -> select.epoll:
        if self._accepting is None:
            self._accepting = select.epoll()
            for fd in self._accepting_fds:
                self._accepting.register(fd, select.EPOLLIN)
        return self._accepting

    def _all_ends(self) -> select.epoll:
        if self._ends is None:
            self._ends = select.epoll()
            for connection in self._poller.links:
                if connection.sock is not None:
                    self.end(connection.sock)
        return self._ends

    # What is listened to and watched

    def listen(self, connection: Connection) -> None:
        """Let the peer wake this side, which waits for data or for space."""
        for name in _HEARD.keys() & self.made.keys():
            self.made[name].listen(connection.heard[_HEARD[name]], connection.report_violation)

    def unlisten(self, connection: Connection) -> None:
        """Stop listening to the connection's bells. Idempotent."""
        for channel in self.made.values():
            for bell in connection.heard:
                channel.unlisten(bell)

    def accepts(self, sock: Watchable) -> None:
        """Watch a socket where a client may come in. Idempotent."""
        if sock.fileno() in self._accepting_fds:
            return
        if self._accepting is not None:
            self._accepting.register(sock, select.EPOLLIN)
        self._accepting_fds.add(sock.fileno())

    def connected(self, sock: Watchable) -> None:
        """Watch a socket where somebody has come in: it is the end of a connection from now on."""
        self._stop_accepting(sock)
        self.end(sock)

    def end(self, sock: Watchable, *, wake_on_data: bool = False) -> None:
        """Watch the socket of a connection. `wake_on_data`: wake for a farewell, too, on a one-sided port."""
        if self._ends is not None:
            events = select.EPOLLIN if wake_on_data else self._end_events
            if self._watched.get(sock.fileno()) != events:
                self._watch(self._ends, sock, events)

    @uninterrupted
    def _watch(self, ends: select.epoll, sock: Watchable, events: int) -> None:
        number = sock.fileno()
        (ends.modify if number in self._watched else ends.register)(sock, events)
        self._watched[number] = events

    def forget(self, sock: Watchable) -> None:
        """Stop watching a socket that is going to be closed; a farewell may hold it open elsewhere."""
        self._stop_accepting(sock)
        if self._ends is not None and self._watched.pop(sock.fileno(), None) is not None:
            self._ends.unregister(sock)

    def _stop_accepting(self, sock: Watchable) -> None:
        if sock.fileno() in self._accepting_fds:
            self._accepting_fds.remove(sock.fileno())
            if self._accepting is not None:
                self._accepting.unregister(sock)

    def close(self) -> None:
        """Give the descriptors back."""
        self._closed = True
        for channel in self.made.values():
            channel.close()
        for sockets in (self._accepting, self._ends):
            if sockets is not None:
                sockets.close()
