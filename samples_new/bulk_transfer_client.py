#!/usr/bin/env python3
"""Stream buffers over the fast path to and from the DPU: "start", the streams, "stop"; the end on the host."""

import argparse
import contextlib
import sys

import comch_next as comch
from bulk_transfer_common import SERVICE_NAME, End, check, stream
from bulk_transfer_streams import Plan
from comch_next import State


class ClientEnd(End):
    """The client's one connection shows in its state."""

    def __init__(self, client: comch.Client) -> None:
        super().__init__(client)
        client.set_state_changed_cb(self.on_state_changed)

    def on_state_changed(self, client: comch.Client, old: State, new: State) -> None:
        self.disconnected = new in (State.STOPPING, State.IDLE)


def run(device: comch.Device, plan: Plan) -> None:
    with (
        comch.ProgressEngine() as engine,
        contextlib.closing(comch.Client(device, SERVICE_NAME, engine=engine)) as client,
    ):
        end = ClientEnd(client)
        client.start()
        end.connection = client.connection
        while client.state is State.STARTING:
            end.progress()
        end.say(f"start {plan.buffers} {plan.size}")
        outgoing, incoming = stream(end, plan)
        end.say(f"stop {outgoing.checksum:08x}")
        check(incoming, end.hear("stop"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-n", "--count", type=int, default=256, help="buffers each way")
    parser.add_argument("-s", "--size", type=int, default=1 << 20, help="bytes of a buffer")
    args = parser.parse_args()
    try:
        plan = Plan.of(args.count, args.size)
    except ValueError as error:
        parser.error(str(error))
    try:
        with comch.open_device(args.pci_addr) as device:
            run(device, plan)
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
