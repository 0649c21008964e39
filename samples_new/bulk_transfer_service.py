#!/usr/bin/env python3
"""Stream buffers over the fast path to and from the host: "start", the streams, "stop"; the end on the DPU."""

import argparse
import contextlib
import sys

import comch_next as comch
from bulk_transfer_common import SERVICE_NAME, End, check, stream
from bulk_transfer_streams import Plan


class ServerEnd(End):
    """A server hears of each connection; this one serves the first."""

    def __init__(self, server: comch.Server) -> None:
        super().__init__(server)
        server.event_connection_status_changed_register(self.on_connected, self.on_disconnected)

    def on_connected(self, connection: comch.Connection, ok: bool) -> None:
        self.connection = self.connection or connection

    def on_disconnected(self, connection: comch.Connection, ok: bool) -> None:
        self.disconnected = self.disconnected or connection is self.connection


def plan_of(told: list[str]) -> Plan:
    """What the client asks for, if it can be done."""
    try:
        count, size = map(int, told)
        return Plan.of(count, size)
    except ValueError as error:
        raise comch.Unexpected(f"the client's start: {error}") from error


def run(device: comch.Device, rep: comch.Representor) -> None:
    with (
        comch.ProgressEngine() as engine,
        contextlib.closing(comch.Server(device, rep, SERVICE_NAME, engine=engine)) as server,
    ):
        end = ServerEnd(server)
        server.start()
        print("listening on", SERVICE_NAME, flush=True)
        outgoing, incoming = stream(end, plan_of(end.hear("start")))
        check(incoming, end.hear("stop"))
        end.say(f"stop {outgoing.checksum:08x}")
        while not end.disconnected:  # the client leaves first
            if not engine.progress():
                engine.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    args = parser.parse_args()
    try:
        with comch.open_device(args.pci_addr) as device, device.open_representor(args.rep_pci) as rep:
            run(device, rep)
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    except KeyboardInterrupt:
        sys.exit("interrupted")
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
