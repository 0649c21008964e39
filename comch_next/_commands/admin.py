"""``admin``: who serves whom, seen from outside."""

from collections.abc import Sequence
from typing import Any

from comch_next._commands.report import Report, Section
from comch_next.driver import load
from comch_next.driver.protocol import ServerStatus
from comch_next.errors import NotSupported

__all__ = ["admin"]

# Keys of a row (in JSON) and their headings.
_SERVER = {
    "name": "Server",
    "pid": "PID",
    "device": "Device",
    "representor": "Representor",
    "connections": "Connections",
    "max_clients": "At most (0: any)",
}
_CONNECTION = {
    "server": "Server",
    "server_pid": "Server PID",
    "client_pid": "Client PID",
    "device": "Device",
    "representor": "Representor",
    "sent_messages": "Sent",
    "sent_bytes": "Sent bytes",
    "recv_messages": "Received",
    "recv_bytes": "Received bytes",
}


def admin() -> Report:
    """The living servers and their connections, with the messages and bytes that each server counts."""
    driver = load()
    if driver.admin is None:
        raise NotSupported(f"admin: driver {driver.name!r} cannot show the servers of other processes")
    found = sorted(driver.admin.create_list(), key=lambda each: (each.name is None, each.name or "", each.place))
    sections = [
        Section("servers", f"Servers in {driver.admin.get_place()}", _SERVER, [_server(each) for each in found]),
        Section("connections", "Connections, as the server counts", _CONNECTION, _connections(found)),
    ]
    return Report(sections, [f"{each.place}: {each.fault}" for each in found if each.fault])


def _server(server: ServerStatus) -> dict[str, Any]:
    count = None if server.connections is None else len(server.connections)
    shown = {key: getattr(server, key) for key in ("name", "pid", "device", "representor", "max_clients")}
    return {**shown, "connections": count}


def _connections(servers: Sequence[ServerStatus]) -> list[dict[str, Any]]:
    return [
        {
            "server": server.name,
            "server_pid": server.pid,
            "device": server.device,
            "representor": server.representor,
            **connection._asdict(),
        }
        for server in servers
        for connection in server.connections or ()
    ]
