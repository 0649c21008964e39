#!/usr/bin/env python3
"""The guide's Data Path Client, call for call: say "start", receive and send by fast path, say "stop"."""

from __future__ import annotations

import argparse
import sys

import comch_next as comch
from comch_data_path_high_speed_common import SERVER_NAME, START_MSG, STOP_MSG, Control, Receiver, Sender
from comch_next import State


class Sample(Control):
    """The control path of the client."""

    def __init__(self, device: comch.Device, text: str) -> None:
        super().__init__()
        self.device = device
        self.text = text
        self.idle = False
        self.client = comch.Client(device, SERVER_NAME)
        self.pe.connect_ctx(self.client)
        self.client.set_state_changed_cb(self.state_changed)
        self.configure(self.client)

    def state_changed(self, client: comch.Client, old: State, new: State) -> None:
        print("Client context is", new.name, flush=True)
        if new is State.RUNNING:
            self.connection = client.connection
        self.idle = new is State.IDLE

    def say(self, message: bytes) -> None:
        assert self.connection is not None
        self.client.task_send_alloc_init(self.connection, message).submit()
        while self.client.num_inflight_tasks:
            self.progress()

    def run(self) -> None:
        self.client.start()
        while self.connection is None and not self.idle:
            self.progress()
        if self.connection is None:
            raise comch.ConnectionAborted("nobody accepted the client")
        self.say(START_MSG)
        Receiver(self, self.device).run()
        Sender(self, self.device, self.text.encode()).run()
        self.say(STOP_MSG)
        self.client.stop()
        while not self.idle:
            self.progress()
        self.client.destroy()
        self.pe.destroy()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0")
    parser.add_argument("-t", "--text", default="Message from client")
    args = parser.parse_args()
    try:
        device = comch.open_device(args.pci_addr)
        Sample(device, args.text).run()
        device.close()
    except comch.DocaError as error:
        print("Sample failed:", error.name, file=sys.stderr)
        return 1
    print("Sample finished successfully", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
