#!/usr/bin/env python3
"""The guide's Control Path Server, call for call: answer the first message, stop when the client has gone."""

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

    def __init__(self, device: comch.Device, rep: comch.Representor, text: str) -> None:
        self.text = text
        self.finish = False
        self.failed = 0
        self.pe = comch.ProgressEngine()
        self.server = comch.Server(device, rep, SERVER_NAME)
        self.pe.connect_ctx(self.server)
        self.server.set_state_changed_cb(self.server_state_changed)
        self.server.task_send_set_conf(self.send_completed, self.send_failed, NUM_SEND_TASKS)
        self.server.event_msg_recv_register(self.message_recv)
        self.server.event_connection_status_changed_register(self.connected, self.disconnected)
        devinfo = device.devinfo
        self.server.max_msg_size = devinfo.cap_get_max_msg_size()
        self.server.recv_queue_size = RECV_QUEUE_SIZE

    def server_state_changed(self, server: comch.Server, old: State, new: State) -> None:
        print("Server context is", new.name, flush=True)
        self.finish = new is State.IDLE

    def send_completed(self, task: SendTask) -> None:
        print("Server task sent", flush=True)
        task.free()

    def send_failed(self, task: SendTask) -> None:
        print("Server task failed:", task.status.name, flush=True)
        self.failed += 1
        task.free()
        self.server.stop()

    def message_recv(self, connection: Connection, data: bytes) -> None:
        print("Message received:", data.decode(), flush=True)
        assert connection.server is self.server
        self.server.task_send_alloc_init(connection, self.text.encode()).submit()

    def connected(self, connection: Connection, ok: bool) -> None:
        print("Connection event", ok, flush=True)

    def disconnected(self, connection: Connection, ok: bool) -> None:
        print("Disconnection event", ok, flush=True)
        self.server.stop()

    def run(self) -> None:
        self.server.start()
        print("Server started", flush=True)
        while not self.finish:
            if not self.pe.progress():
                time.sleep(SLEEP_S)

    def clean(self) -> None:
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
        sample = Sample(device, rep, args.text)
        sample.run()
        sample.clean()
        rep.close()
        device.close()
    except comch.DocaError as error:
        print("Sample failed:", error.name, file=sys.stderr)
        return 1
    print("Sample finished successfully" if not sample.failed else "Sample failed", flush=True)
    return min(sample.failed, 1)


if __name__ == "__main__":
    sys.exit(main())
