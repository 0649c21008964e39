#!/usr/bin/env python3
"""The control path on the DPU, by tasks and callbacks: answer a client's text with another, end when it has left."""

import argparse
import contextlib
import sys

import comch_next as comch

SERVICE_NAME = "ctrl_path"
NUM_SEND_TASKS = 16


def show(what: str, text: bytes) -> None:
    print(f"peer 1 {what} {len(text)} bytes {text.decode(errors='replace')!r}", flush=True)


class Answerer:
    """The callbacks of one server, and what they have learned."""

    def __init__(self, server: comch.Server, text: bytes) -> None:
        self.server = server
        self.text = text
        self.answered = False
        self.client_has_left = False
        server.task_send_set_conf(self.on_sent, self.on_send_failed, NUM_SEND_TASKS)
        server.event_msg_recv_register(self.on_message)
        server.event_connection_status_changed_register(self.on_connected, self.on_disconnected)

    def on_connected(self, connection: comch.Connection, ok: bool) -> None:
        """Nothing to do: the client speaks first."""

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        show("received", data)
        self.server.task_send_alloc_init(connection, self.text).submit()

    def on_sent(self, task: comch.SendTask) -> None:
        show("sent", self.text)
        task.free()
        self.answered = True

    def on_send_failed(self, task: comch.SendTask) -> None:
        status = task.status
        task.free()
        raise comch.from_code(status, "the client did not take the answer")

    def on_disconnected(self, connection: comch.Connection, ok: bool) -> None:
        self.client_has_left = True


def serve(device: comch.Device, rep: comch.Representor, text: bytes) -> None:
    with (
        comch.ProgressEngine() as engine,
        contextlib.closing(comch.Server(device, rep, SERVICE_NAME, engine=engine)) as server,
    ):
        answerer = Answerer(server, text)
        server.start()
        print("listening on", SERVICE_NAME, flush=True)
        while not answerer.client_has_left:
            if not engine.progress():
                engine.wait()
    if not answerer.answered:
        raise comch.ConnectionReset("the client has gone without an answer")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", default="Hello from the DPU", help="text to be sent to the client")
    args = parser.parse_args()
    try:
        with comch.open_device(args.pci_addr) as device, device.open_representor(args.rep_pci) as rep:
            serve(device, rep, args.text.encode())
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
