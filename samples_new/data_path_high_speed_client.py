#!/usr/bin/env python3
"""The fast path on the host: a consumer and a producer on a client's connection, one text each way."""

import argparse
import contextlib
import sys

import comch_next as comch
from comch_next import State
from data_path_high_speed_common import SERVICE_NAME, End, exchange, text_of


class ClientEnd(End):
    """The client's one connection shows in its state."""

    def __init__(self, client: comch.Client) -> None:
        super().__init__(client)
        client.set_state_changed_cb(self.on_state_changed)

    def on_state_changed(self, client: comch.Client, old: State, new: State) -> None:
        self.disconnected = new in (State.STOPPING, State.IDLE)


def run(device: comch.Device, text: bytes) -> None:
    with (
        comch.ProgressEngine() as engine,
        contextlib.closing(comch.Client(device, SERVICE_NAME, engine=engine)) as client,
    ):
        end = ClientEnd(client)
        client.start()
        end.connection = client.connection
        while client.state is State.STARTING:
            end.progress()
        exchange(end, end.connection, text)
        while end.remote_consumer_id is not None:  # the server still uses the connection
            end.progress()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-t", "--text", type=text_of, default="Hello from the host", help="text for the server")
    args = parser.parse_args()
    try:
        with comch.open_device(args.pci_addr) as device:
            run(device, args.text)
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
