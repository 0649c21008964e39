"""Servers as other processes see them."""

from typing import NamedTuple

from comch_next.driver.protocol._typed import Protocol

__all__ = ["Admin", "ConnectionStatus", "ServerStatus"]


class ConnectionStatus(NamedTuple):
    """A connection as its server counts it: messages and bytes. The pid is None where it cannot be told."""

    client_pid: int | None
    sent_messages: int
    sent_bytes: int
    recv_messages: int
    recv_bytes: int


class ServerStatus(NamedTuple):
    """A living server. What is None cannot be told, and `fault` says why; `place` is where it was found.

    `representor` is the host's address of the function that the clients are on; `max_clients` 0 means no limit;
    `wire` is the version of the protocol between processes that the server speaks.
    """

    place: str
    name: str | None = None
    device: str | None = None
    representor: str | None = None
    pid: int | None = None
    max_clients: int | None = None
    wire: int | None = None
    connections: tuple[ConnectionStatus, ...] | None = None
    fault: str | None = None


class Admin(Protocol):
    """Other processes' servers, seen from outside, as NVIDIA's Comm Channel Admin Tool shows them."""

    def get_place(self) -> str: ...
    def create_list(self) -> list[ServerStatus]: ...
