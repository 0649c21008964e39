#!/usr/bin/env python3
"""The guide's Control Path Client, call for call: send once RUNNING, stop inside the receive callback."""

from __future__ import annotations

import argparse
import sys
import time

import comch_next as comch
from comch_next import Connection, SendTask, State

SERVER_NAME = "comch_ctrl_path_sample_server"
NUM_SEND_TASKS = 1024
RECV_QUEUE_SIZE = 16
SLEEP_S = 1e-5


class Sample:
    """The objects of the sample; its callbacks find each other here."""

    def __init__(self, device: comch.Device, text: str) -> None:
        self.text = text
        self.finish = False
        self.completed = self.failed = 0
        self.pe = comch.ProgressEngine()
        self.client = comch.Client(device, SERVER_NAME)
        self.pe.connect_ctx(self.client)
        self.client.set_state_changed_cb(self.client_state_changed)
        self.client.task_send_set_conf(self.send_completed, self.send_failed, NUM_SEND_TASKS)
        self.client.event_msg_recv_register(self.message_recv)
        devinfo = device.devinfo
        self.client.max_msg_size = devinfo.cap_get_max_msg_size()
        self.client.recv_queue_size = RECV_QUEUE_SIZE

    def client_state_changed(self, client: comch.Client, old: State, new: State) -> None:
        print("Client context is", new.name, flush=True)
        if new is State.RUNNING:
            client.task_send_alloc_init(client.connection, self.text.encode()).submit()
        self.finish = new is State.IDLE

    def send_completed(self, task: SendTask) -> None:
        self.completed += 1
        task.free()

    def send_failed(self, task: SendTask) -> None:
        self.failed += 1
        task.free()
        self.client.stop()

    def message_recv(self, connection: Connection, data: bytes) -> None:
        print("Message received:", data.decode(), flush=True)
        assert connection.client is self.client
        self.client.stop()

    def run(self) -> None:
        self.client.start()
        while not self.finish:
            if not self.pe.progress():
                time.sleep(SLEEP_S)

    def clean(self) -> None:
        self.client.destroy()
        self.pe.destroy()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0")
    parser.add_argument("-t", "--text", default="Message from client")
    args = parser.parse_args()
    try:
        device = comch.open_device(args.pci_addr)
        sample = Sample(device, args.text)
        sample.run()
        sample.clean()
        device.close()
    except comch.DocaError as error:
        print("Sample failed:", error.name, file=sys.stderr)
        return 1
    print(f"Sends: {sample.completed} completed, {sample.failed} failed")
    print("Sample finished successfully", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
