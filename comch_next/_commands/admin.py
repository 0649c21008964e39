"""``admin``: who serves whom, seen from outside."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from comch_next._commands.report import Report, Section
from comch_next.driver import load
from comch_next.driver.protocol import ServerStatus
from comch_next.errors import NotSupported

__all__ = ["Wanted", "admin"]

# Keys of a row (in JSON; it has device and representor everywhere) and their headings.
_SERVER = {
    "name": "Server",
    "pid": "PID",
    "device": "Device",
    "representor": "Representor",
    "connections": "Clients",
    "max_clients": "Limit",
    "wire": "Wire",
}
_CONNECTION = {
    "server": "Server",
    "server_pid": "PID",
    "client_pid": "Client",
    "sent_messages": "Sent",
    "sent_bytes": "Bytes",
    "recv_messages": "Received",
    "recv_bytes": "Bytes",
}
_CLIENT = {
    "client_pid": "Client",
    "device": "Device",
    "server": "Server",
    "server_pid": "PID",
    "to_messages": "To it",
    "to_bytes": "Bytes",
    "from_messages": "From it",
    "from_bytes": "Bytes",
}


class Wanted(NamedTuple):
    """Which servers and connections to show; None leaves nothing out."""

    server: str | None = None  # its name
    device: str | None = None  # the server's, or the host function of its clients, in the long form
    pid: int | None = None  # of a server or a client


_ALL = Wanted()


def admin(wanted: Wanted = _ALL, *, clients: bool = False) -> Report:
    """List the running servers and their connections, with the messages and bytes that each server counts."""
    driver = load()
    if driver.admin is None:
        raise NotSupported(f"admin: driver {driver.name!r} cannot show the servers of other processes")
    found = [server for server in driver.admin.create_list() if _is_wanted(server, wanted)]
    found.sort(key=lambda server: (server.name is None, server.name or "", server.place))
    connections = [row for server in found for row in _connections(server, wanted.pid)]
    title = f"Servers in {driver.admin.get_place()} (limit 0: no limit)"
    sections = [
        Section("servers", title, _SERVER, list(map(_server, found))),
        _clients(connections)
        if clients
        else Section("connections", "Connections (the counts are the server's)", _CONNECTION, connections),
    ]
    return Report(sections, [f"{server.place}: {server.fault}" for server in found if server.fault])


def _is_wanted(server: ServerStatus, wanted: Wanted) -> bool:
    pids = {server.pid, *(connection.client_pid for connection in server.connections or ())}
    return (
        wanted.server in (None, server.name)
        and wanted.device in (None, server.device, server.representor)
        and (wanted.pid is None or wanted.pid in pids)
    )


def _server(server: ServerStatus) -> dict[str, Any]:
    count = None if server.connections is None else len(server.connections)
    return {**{key: getattr(server, key) for key in _SERVER}, "connections": count}


def _connections(server: ServerStatus, pid: int | None) -> list[dict[str, Any]]:
    where = {
        "server": server.name,
        "server_pid": server.pid,
        "device": server.device,
        "representor": server.representor,
    }
    return [
        {**where, **connection._asdict()}
        for connection in server.connections or ()
        if pid in (None, server.pid, connection.client_pid)
    ]


def _clients(connections: Sequence[dict[str, Any]]) -> Section:
    """By client: its device, and what the server has sent it and taken from it."""
    rows = [
        {
            "client_pid": row["client_pid"],
            "device": row["representor"],
            "server": row["server"],
            "server_pid": row["server_pid"],
            "to_messages": row["sent_messages"],
            "to_bytes": row["sent_bytes"],
            "from_messages": row["recv_messages"],
            "from_bytes": row["recv_bytes"],
        }
        for row in connections
    ]
    rows.sort(key=lambda row: (row["client_pid"] or 0, row["server"] or ""))
    return Section("clients", "Clients: what servers have sent to each, and received from it", _CLIENT, rows)
