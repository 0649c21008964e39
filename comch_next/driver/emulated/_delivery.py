"""How the messages and connections of a context reach its program: pushed through the engine, or pulled by a port.

A context has one delivery at a time. It is born `Pushed`; an open port takes that place until it is closed.
"""

from collections.abc import Collection
from typing import ClassVar

from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._fabric.channel import Watchable
from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.emulated._fabric.handshake import Terms
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.protocol._typed import Protocol

__all__ = ["Delivery"]


class Delivery(Protocol):
    """What a server or client, and its connections, ask of it and report to it."""

    bells: ClassVar[int]  # of each connection: where sender and receiver may wait apart, two

    @property
    def one_sided(self) -> bool:
        """Whether peers see the ends of its connections as generation 1 did."""

    @property
    def poller(self) -> Poller:
        """The rings that are read for this context."""

    def terms(self) -> Terms:
        """Return what the handshake states of this side."""

    def mandatory(self, lacking: list[str]) -> list[str]:
        """Return those missing callbacks that keep the context from starting."""

    def begin(self) -> None:
        """Forget the former life of a context that starts."""

    def close(self) -> None:
        """Give everything back: the context is being destroyed."""

    # Sockets where a client may come in, and all others

    def accepts(self, sock: Watchable) -> None: ...
    def forget(self, sock: Watchable) -> None: ...
    def notify(self, *channels: str) -> None:
        """Wake the program, if it waits for one of these; they are named as a port's descriptors."""

    # Clients that have greeted

    def is_full(self, most: int) -> bool:
        """Return whether there are as many clients as a limit allows (0: none), those included that only wait."""

    def ends_come_first(self) -> bool:
        """Whether the program has to learn which clients have gone before another may come in."""

    def on_greeted(self, greeting: Greeting) -> None:
        """Admit a server's client, which has greeted well, or let it wait."""

    def drop_waiting(self) -> None:
        """Hang up on the clients that wait."""

    # Connections, in the order of their lives

    def follow(self, connection: Connection) -> None:
        """Read its messages, and listen to its bells."""

    def on_admitted(self, connection: Connection) -> None:
        """Report that a server has answered; the connection's status has the outcome."""

    def on_welcomed(self, connection: Connection) -> None:
        """Report that a client's connection is up."""

    def waiting_senders(self) -> Collection[Connection]:
        """Return the connections on which the program waits to send again."""

    def arm(self, connections: list[Connection]) -> bool:
        """Ask for a bell before the engine sleeps. Whether a task has ended already."""

    def on_lost(self, connection: Connection) -> None:
        """Wake the program for a connection that has ended; its report comes later."""

    def is_due(self, connection: Connection) -> bool:
        """Whether a lost connection may leave its context now."""

    def release(self, connection: Connection) -> None:
        """Close a lost connection, unless its messages may still be read."""

    def report_loss(self, connection: Connection) -> None:
        """Report a lost connection of a server."""

    def disconnect_lost(self, connection: Connection) -> bool:
        """Give up what a lost connection has left to read. Whether it was one."""

    def unlisten(self, connection: Connection) -> None:
        """Stop listening to its bells. Idempotent."""
