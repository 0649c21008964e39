#!/usr/bin/env python3
"""The fast path on the DPU: a consumer and a producer on a server's connection, one text each way."""

import argparse
import contextlib
import sys

import comch_next as comch
from data_path_high_speed_common import SERVICE_NAME, End, exchange, text_of


class ServerEnd(End):
    """A server hears of each connection; this one serves the first."""

    def __init__(self, server: comch.Server) -> None:
        super().__init__(server)
        server.event_connection_status_changed_register(self.on_connected, self.on_disconnected)

    def on_connected(self, connection: comch.Connection, ok: bool) -> None:
        self.connection = self.connection or connection

    def on_disconnected(self, connection: comch.Connection, ok: bool) -> None:
        if connection is self.connection:
            self.disconnected = True


def run(device: comch.Device, rep: comch.Representor, text: bytes) -> None:
    with (
        comch.ProgressEngine() as engine,
        contextlib.closing(comch.Server(device, rep, SERVICE_NAME, engine=engine)) as server,
    ):
        end = ServerEnd(server)
        server.start()
        print("listening on", SERVICE_NAME, flush=True)
        while end.connection is None:
            if not engine.progress():
                engine.wait()
        exchange(end, end.connection, text)
        while not end.disconnected:  # the client may still use the connection, and leaves first
            if not engine.progress():
                engine.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", type=text_of, default="Hello from the DPU", help="text for the client")
    args = parser.parse_args()
    try:
        with comch.open_device(args.pci_addr) as device, device.open_representor(args.rep_pci) as rep:
            run(device, rep, args.text)
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
