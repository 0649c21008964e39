"""What the program of a pull port knows of its sends, and which of them it waits for."""

from collections.abc import Iterable

from comch_next.driver.emulated._channels import Channels
from comch_next.driver.emulated._connection import Connection

__all__ = ["PortSends"]


class PortSends:
    """`blocked` are connections whose last send was answered AGAIN, with the number of sends accepted before it."""

    def __init__(self, channels: Channels, one_sided: bool) -> None:
        self.blocked: dict[Connection, int] = {}
        self.news = False  # a connection has ended that a send waited for or was lost with, which arming has to report
        self._channels = channels
        self._one_sided = one_sided

    def block(self, connection: Connection) -> None:
        """Note that a send was answered AGAIN."""
        self.blocked[connection] = int(connection.tx.head)

    def withdraw(self, connection: Connection) -> None:
        """Forget that a send was answered AGAIN."""
        if self.blocked.pop(connection, None) is not None:
            self.attend(connection)

    def forget(self, connection: Connection) -> None:
        """Forget a connection that is being closed: who still waits to send on it is woken by the next arming."""
        if self.blocked.pop(connection, None) is not None:
            self.news = True

    def attend(self, connection: Connection) -> None:
        """On a one-sided port a farewell is an event only while sends wait for the peer: they fail by it."""
        if connection.sock is not None and (self._one_sided or connection.in_progress()):
            waits = connection in self.blocked or connection.in_flight() > 0
            connection.wakes = waits and self._one_sided
            self._channels.end(connection.sock, wake_on_data=waits)

    def arm(self, links: Iterable[Connection]) -> bool:
        """Arm what can end a wait. Whether it has ended already since the program last knew."""
        news, self.news = self.news, False
        for link in links:
            news |= link.arm_flight()
            self.attend(link)
        for link, head in list(self.blocked.items()):
            if link.in_progress():
                self.attend(link)
                news |= link.sock is None  # not even dialled: nobody will notify
            elif link.sender is None or link.tx.head != head or link.arm_space():
                news = True  # also when a send has been accepted since: it may have been another thread's
                self.withdraw(link)
        return news
