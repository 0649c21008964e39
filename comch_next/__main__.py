"""What there is and what goes on: ``python -m comch_next devices``, ``caps`` or ``admin``, each with ``--json``; and
what went on: ``timeline TRACE...``."""

import argparse
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from comch_next._report import Report, Section, plain
from comch_next.device import DevInfo
from comch_next.device import devices as list_devices
from comch_next.driver import load
from comch_next.driver.protocol import ServerStatus
from comch_next.errors import DocaError, NotSupported

# Keys of a row (in JSON; most are the properties and methods that are asked) and their headings.
_DEVICE = {
    "pci_addr_str": "PCI address",
    "side": "Side",
    "iface_name": "Interface",
    "ibdev_name": "RDMA device",
}
_REPRESENTOR = {
    "device": "Device",
    "pci_addr_str": "PCI address",
    "pci_func_type": "Type",
    "vuid": "VUID",
    "iface_name": "Interface",
    "vhca_id": "vHCA id",
    "is_hotplug": "Hotplug",
}
_CAP = {
    "cap_server_is_supported": "Server",
    "cap_client_is_supported": "Client",
    "cap_get_max_name_len": "Name (bytes)",
    "cap_get_max_msg_size": "Message (bytes)",
    "cap_get_max_recv_queue_size": "Receive queue",
    "cap_get_max_send_tasks": "Send tasks",
    "cap_get_max_clients": "Clients (0: any)",
}
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


def devices() -> Report:
    """The devices that this side sees, and the representors on them."""
    rows, representors, notes = [], [], []
    for info in list_devices():
        side = "dpu" if _has_representors(info) else "host"
        rows.append({"side": side, **_ask(info, "pci_addr_str", "iface_name", "ibdev_name")})
        try:
            representors += _representors(info) if side == "dpu" else []
        except DocaError as error:
            notes.append(f"the representors of {info.pci_addr_str} cannot be listed: {error}")
    sections = [
        Section("devices", "Devices", _DEVICE, rows),
        Section("representors", "Representors", _REPRESENTOR, representors),
    ]
    return Report(sections, notes)


def _ask(info: object, *properties: str) -> dict[str, Any]:
    return {name: getattr(info, name) for name in properties}


def _has_representors(info: DevInfo) -> bool:
    try:
        return info.rep_cap_is_filter_all_supported()
    except NotSupported:
        return False


def _representors(info: DevInfo) -> list[dict[str, Any]]:
    with info.open() as device:
        return [
            {
                "device": info.pci_addr_str,
                "pci_func_type": found.pci_func_type.name,
                **_ask(found, "pci_addr_str", "vuid", "iface_name", "vhca_id", "is_hotplug"),
            }
            for found in device.representors()
        ]


def caps() -> Report:
    """What Comch can do on each device, and its limits there (C: doca_comch_cap_*)."""
    columns = {"pci_addr_str": "Device", **_CAP}
    rows = [{**_ask(info, "pci_addr_str"), **{cap: getattr(info, cap)() for cap in _CAP}} for info in list_devices()]
    return Report([Section("caps", "Comch capabilities", columns, rows)])


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
    return {**_ask(server, "name", "pid", "device", "representor", "max_clients"), "connections": count}


def _connections(servers: Sequence[ServerStatus]) -> list[dict[str, Any]]:
    return [
        {
            "server": server.name,
            "server_pid": server.pid,
            **_ask(server, "device", "representor"),
            **connection._asdict(),
        }
        for server in servers
        for connection in server.connections or ()
    ]


def timeline(traces: Sequence[str], picture: str | None) -> str:
    """What happened between the ends of channels, from the traces of their processes (see COMCH_TRACE)."""
    from comch_next import _timeline  # only this command reads traces

    found = _timeline.read((trace, Path(trace).read_text(encoding="utf-8")) for trace in traces)
    if picture is not None:
        Path(picture).write_text(_timeline.svg(found), encoding="utf-8")
    return _timeline.text(found)


_COMMANDS: Mapping[str, Callable[[], Report]] = {"devices": devices, "caps": caps, "admin": admin}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status. A usage error exits with 2."""
    parser = argparse.ArgumentParser(prog="python -m comch_next", description="Look at devices, servers and clients.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        known = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        known.add_argument("--json", action="store_true", help="the same as one JSON object")
    known = commands.add_parser("timeline", help=timeline.__doc__, description=timeline.__doc__)
    known.add_argument("traces", nargs="+", metavar="TRACE")
    known.add_argument("--svg", metavar="FILE", help="write a picture of it, too")
    given = parser.parse_args(arguments)
    try:
        print(_reported(given), flush=True)
    except (DocaError, OSError) as error:
        print(f"comch_next: {plain(str(error))}", file=sys.stderr)
        return 1
    return 0


def _reported(given: argparse.Namespace) -> str:
    if given.command == "timeline":
        return timeline(given.traces, given.svg)
    report = _COMMANDS[given.command]()
    return report.as_json() if given.json else report.as_text()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has seen enough ends it without a word
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())
