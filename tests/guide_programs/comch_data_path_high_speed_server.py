#!/usr/bin/env python3
"""The guide's Data Path Server, call for call: wait for "start", send and receive by fast path, wait for "stop"."""

from __future__ import annotations

import argparse
import sys

import comch_next as comch
from comch_data_path_high_speed_common import SERVER_NAME, START_MSG, STOP_MSG, Control, Receiver, Sender
from comch_next import Connection, State


class Sample(Control):
    """The control path of the server."""

    def __init__(self, device: comch.Device, rep: comch.Representor, text: str) -> None:
        super().__init__()
        self.device = device
        self.text = text
        self.server = comch.Server(device, rep, SERVER_NAME)
        self.pe.connect_ctx(self.server)
        self.configure(self.server)
        self.server.event_connection_status_changed_register(self.connected, self.disconnected)

    def connected(self, connection: Connection, ok: bool) -> None:
        self.connection = connection

    def disconnected(self, connection: Connection, ok: bool) -> None:
        self.connection = None

    def run(self) -> None:
        self.server.start()
        print("Server started", flush=True)
        self.wait_for_message(START_MSG)
        print("Start", flush=True)
        Sender(self, self.device, self.text.encode()).run()
        Receiver(self, self.device).run()
        self.wait_for_message(STOP_MSG)
        print("Stop", flush=True)
        while self.connection is not None:
            self.progress()
        self.server.stop()
        while self.server.state is not State.IDLE:
            self.progress()
        self.server.destroy()
        self.pe.destroy()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0")
    parser.add_argument("-t", "--text", default="Message from server")
    args = parser.parse_args()
    try:
        device = comch.open_device(args.pci_addr)
        rep = device.open_representor(args.rep_pci)
        Sample(device, rep, args.text).run()
        rep.close()
        device.close()
    except comch.DocaError as error:
        print("Sample failed:", error.name, file=sys.stderr)
        return 1
    print("Sample finished successfully", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
