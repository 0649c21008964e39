#!/usr/bin/env python3
"""The control path on the host, by tasks and callbacks: send a text once connected, print what the server answers."""

import argparse
import contextlib
import sys

import comch_next as comch
from comch_next import State

SERVICE_NAME = "ctrl_path"
NUM_SEND_TASKS = 16
TIMEOUT_S = 30.0  # for one step


def show(what: str, text: bytes) -> None:
    print(f"peer 1 {what} {len(text)} bytes {text.decode(errors='replace')!r}", flush=True)


class Greeter:
    """The callbacks of one client, and what they have learned."""

    def __init__(self, client: comch.Client, text: bytes) -> None:
        self.client = client
        self.text = text
        self.answered = False
        client.task_send_set_conf(self.on_sent, self.on_send_failed, NUM_SEND_TASKS)
        client.event_msg_recv_register(self.on_message)
        client.set_state_changed_cb(self.on_state_changed)

    def on_state_changed(self, client: comch.Client, old: State, new: State) -> None:
        if new is State.RUNNING:
            client.task_send_alloc_init(client.connection, self.text).submit()

    def on_sent(self, task: comch.SendTask) -> None:
        show("sent", self.text)
        task.free()

    def on_send_failed(self, task: comch.SendTask) -> None:
        status = task.status
        task.free()
        raise comch.from_code(status, "the server did not take the text")

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        show("received", data)
        self.answered = True


def talk(device: comch.Device, text: bytes) -> None:
    with (
        comch.ProgressEngine() as engine,
        contextlib.closing(comch.Client(device, SERVICE_NAME, engine=engine)) as client,
    ):
        greeter = Greeter(client, text)
        client.start()
        connection = client.connection
        while not greeter.answered or client.num_inflight_tasks:
            if client.state is State.IDLE:
                connection.update_info()  # raises what became of it
            if not engine.progress() and not engine.wait(TIMEOUT_S):
                raise comch.TimeOut(f"nothing came from the server for {TIMEOUT_S:g} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-t", "--text", default="Hello from the host", help="text to be sent to the server")
    args = parser.parse_args()
    try:
        with comch.open_device(args.pci_addr) as device:
            talk(device, args.text.encode())
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
