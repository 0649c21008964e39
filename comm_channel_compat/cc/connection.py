"""A connection between one client and one server (old guide: Connections)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import comch_next as comch
from comch_next import Counter, InvalidValue
from comch_next.arguments import shown
from comm_channel_compat._known import remember
from comm_channel_compat._old_calls import old_call

if TYPE_CHECKING:
    from comm_channel_compat.cc.client import Client
    from comm_channel_compat.cc.server import Server

__all__ = ["Connection"]

_KEY = "_of_generation_2"  # where the modern object has ours; its user data is the program's


@old_call("doca_cc_connection_")
class Connection:
    """Made by the library: a client has one, a server one for each client (C: struct doca_cc_connection)."""

    def __init__(self, modern: comch.Connection, owner: Server | Client) -> None:
        self.modern = modern
        self._compat_owner = owner
        self._compat_user_data: Any = None

    def __repr__(self) -> str:
        return f"<Connection of a {type(self._compat_owner).__name__.lower()}>"

    def set_user_data(self, user_data: object) -> None:
        """Keep any object with the connection."""
        self._compat_user_data = user_data

    def get_user_data(self) -> Any:
        """Return the object that was set; None before."""
        return self._compat_user_data

    @old_call("doca_cc_server_get_server_ctx")
    def get_server_ctx(self) -> Server | None:
        """Return the server of the connection, None on a client's side."""
        return self._compat_owner if self.modern.server is not None else None  # type: ignore[return-value]

    @old_call("doca_cc_client_get_client_ctx")
    def get_client_ctx(self) -> Client | None:
        """Return the client of the connection, None on a server's side."""
        return self._compat_owner if self.modern.client is not None else None  # type: ignore[return-value]

    def update_info(self) -> None:
        """Take a snapshot of the counters. Raises ConnectionInprogress or ConnectionAborted unless connected."""
        self.modern.update_info()

    def get_counter(self, counter_type: int) -> int:
        """Return a DOCA_CC_COUNTER_* of the last snapshot."""
        if counter_type not in list(Counter):
            raise InvalidValue(f"counter_type is {shown(counter_type)}; legal are the DOCA_CC_COUNTER_* values")
        return self.modern.get_counter(Counter(counter_type))


def known(modern: comch.Connection, owner: Server | Client) -> Connection:
    """The one object of a connection, made when it is first seen."""
    connection: Connection | None = vars(modern).get(_KEY)
    if connection is None:
        connection = vars(modern).setdefault(_KEY, Connection(modern, owner))  # unless another thread has just made it
        remember(connection, modern)
    return connection
