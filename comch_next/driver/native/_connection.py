"""A connection, as the library knows it until its end, and what is known of it afterwards."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from comch_next._codes import Counter
from comch_next.driver.native._calls import Noun
from comch_next.driver.native._handle import Handle, address
from comch_next.driver.native._library import check, ffi
from comch_next.driver.protocol import Lock, quoted
from comch_next.errors import ConnectionAborted, DocaError, InvalidValue

if TYPE_CHECKING:
    from comch_next.driver.native._control import ControlContext

__all__ = ["Connection", "Connections", "living_connection"]


class Connection(Handle, tag="doca_comch_connection"):
    """A handle. The library's object, at `address`, goes with the connection; this stays, with the last counters."""

    def __init__(self, pointer: Any, context: "ControlContext") -> None:
        self.context = context
        self.address = address(pointer)
        self.user_data: Any = None
        self.counters = dict.fromkeys(Counter, 0)  # of the last snapshot
        self.live_as(pointer, None)

    def __str__(self) -> str:
        return f"connection of a {self.context}"

    @property
    def lock(self) -> Lock:
        """Its context's."""
        return self.context.lock

    def update_info(self) -> None:
        """Take a snapshot of the counters; raise what the library reports for the state of the connection."""
        if self.pointer is None:
            kind = ConnectionAborted if self.is_gone() else self.fault
            raise kind("doca_comch_connection_update_info: the connection is dead: it has ended")
        library = self.context.life.library
        code = library["doca_comch_connection_update_info"](self.pointer)
        cell = ffi.new("uint64_t *")
        for counter in Counter:
            if not library["doca_comch_connection_get_counter"](self.pointer, counter, cell):
                self.counters[counter] = int(cell[0])
        check(code, "doca_comch_connection_update_info")

    def take_snapshot(self) -> None:
        """Read the counters for a program that asks when the connection has ended."""
        with suppress(DocaError):
            self.update_info()


def living_connection(connection: object, name: str) -> Connection:
    """Return the connection, or raise InvalidValue."""
    if not isinstance(connection, Connection):
        raise InvalidValue(f"{name} takes a Connection, not {quoted(connection)}")
    if connection.pointer is None:
        raise connection.fault(f"{name}: the {connection} has ended")
    return connection


class Connections(Noun):
    """The noun Connections of the driver protocol."""

    def set_user_data(self, connection: object, user_data: object) -> None:
        self._own(connection, "doca_comch_connection_set_user_data").user_data = user_data

    def get_user_data(self, connection: object) -> Any:
        return self._own(connection, "doca_comch_connection_get_user_data").user_data

    def get_server(self, connection: object) -> object | None:
        context = self._own(connection, "doca_comch_server_get_server_ctx").context
        return context if context.is_server else None

    def get_client(self, connection: object) -> object | None:
        context = self._own(connection, "doca_comch_client_get_client_ctx").context
        return None if context.is_server else context

    def update_info(self, connection: object) -> None:
        found = self._own(connection, "doca_comch_connection_update_info")
        with found.lock:
            found.update_info()

    def get_counter(self, connection: object, counter_type: int) -> int:
        counters = self._own(connection, "doca_comch_connection_get_counter").counters
        if not isinstance(counter_type, int) or counter_type not in counters:
            raise InvalidValue(f"doca_comch_connection_get_counter takes a Counter, not {quoted(counter_type)}")
        return counters[Counter(counter_type)]

    def _own(self, connection: object, name: str) -> Connection:
        if not isinstance(connection, Connection):
            raise InvalidValue(f"{name} takes a Connection, not {quoted(connection)}")
        return connection
