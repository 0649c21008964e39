"""A context whose role is decided by the call that opens it, for tools with a -l option."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from comch_next._alone import alone
from comch_next._codes import State
from comch_next._settings import Configured
from comch_next.arguments import UNSET
from comch_next.client import Client
from comch_next.connection import Connection, Message
from comch_next.driver.protocol import Driver
from comch_next.errors import BadState
from comch_next.pull import PullPort
from comch_next.server import Server

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Channel"]


class Channel(Server, Client):
    """A context that `listen` makes a server and `connect` a client; while IDLE it may change its role.

    It has the settings of both. If you know the role when you write the program, use Server or Client.
    """

    _options = Server._options
    _required = ()  # see _lacks
    _role: type[Server] | type[Client] | None = None

    def _configure_first(self) -> None:
        Client._configure_first(self)
        Server._configure_first(self)

    @property
    def _is_server(self) -> bool:  # type: ignore[override]
        """Whether it listens, or would by its last call."""
        return self._role is Server

    def _lacks(self) -> list[str]:
        if self._role is None:
            return ["role (by listen or connect)"]
        return [option for option in self._role._required if self._settings[option] is None]

    def _complete(self) -> bool:
        """Do nothing: listen and connect decide the role, and then have the library make the context."""
        return False

    def _check(self, options: dict[str, Any]) -> None:
        Configured._check(self, options)  # a representor is of no use to a client, and its device may have none

    def _decide(self, call: str, role: type[Server] | type[Client], name: str | None) -> None:
        """Take a role, and have the library make the context for it, unless it has."""
        self._refuse_active(call)
        if name is not UNSET and name is not None:
            self.configure(name=name)
        before, outdated = self._role, self._outdated
        self._take_role(role is Server)
        try:
            self._settle(call)
        except BaseException:
            self._role, self._outdated = before, outdated
            raise

    def _take_role(self, server: bool) -> None:
        role = Server if server else Client
        if role is not self._role:
            self._role, self._outdated = role, True

    def __enter__(self) -> Self:
        """Leave the role open; the block ends with `close`."""
        return self

    @alone
    def listen(self, name: str | None = UNSET) -> None:
        """Become a server, as Server.listen."""
        if self._endpoint is None:
            self._decide("listen", Server, name)
        Server.listen(self, name)

    def connect(
        self, name: str | None = UNSET, timeout: float | None = 5.0, *, wait_for_server: bool = False
    ) -> Connection:
        """Become a client, as Client.connect."""
        return Client.connect(self, name, timeout, wait_for_server=wait_for_server)

    @alone
    def _begin(self, name: str | None) -> Connection:
        if self._endpoint is None:
            self._decide("connect", Client, name)
        return Client._begin(self, name)

    @property
    def connection(self) -> Connection:
        """A client's one connection, as Client.connection."""
        if self._role is Server:
            text = f"connection was attempted on {self!r}, which listens"
            raise BadState(f"{text}; receive returns each connection with its message")
        return super().connection

    def disconnect(self, connection: Connection | None = UNSET, timeout: float = 5.0) -> None:
        """Leave one connection: as Server.disconnect, which requires a connection, or as Client.disconnect."""
        if self._role is Server:
            Server.disconnect(self, None if connection is UNSET else connection)  # type: ignore[arg-type]
        else:
            Client.disconnect(self, connection, timeout)

    @alone
    def start(self) -> State:
        """Start in the role that it has had, as listen and connect do."""
        if self._role is None:
            self._refuse_unmade("start")
        if self._endpoint is None:
            self._decide("start", self._role, None)
        state: State = self._acting().start(self)
        return state

    def __iter__(self) -> Iterator[Message]:
        """Iterate over messages, as Server or Client does."""
        messages: Iterator[Message] = self._acting().__iter__(self)
        return messages

    def _acting(self) -> type[Any]:
        if self._role is None:
            self._refuse_unmade()
        return self._role

    def _create(self, driver: Driver) -> Any:
        return self._acting()._create(self, driver)

    def _bind(self, driver: Driver) -> None:
        super()._bind(driver)
        self._draw_from(driver.servers if self._role is Server else driver.clients)

    def _drop(self, connection: Connection, timeout: float) -> None:
        self._acting()._drop(self, connection, timeout)

    def _refuse_silent(self, call: str) -> None:
        self._acting()._refuse_silent(self, call)

    def _is_over(self) -> bool:
        return self._acting()._is_over(self)  # type: ignore[no-any-return]

    def _accept_waiting(self, port: PullPort) -> bool:
        return self._acting()._accept_waiting(self, port)  # type: ignore[no-any-return]

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        return self._acting()._pull(self, port, size)  # type: ignore[no-any-return]

    def _survives(self, connection: Connection) -> bool:
        return self._role is Server and super()._survives(connection)
