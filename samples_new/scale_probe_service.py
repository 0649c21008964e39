#!/usr/bin/env python3
"""Many servers on one progress engine, on the DPU: each serves one client, and sends back its numbers in turn."""

import argparse
import sys
import time

import comch_next as comch
from comch_next import State

SERVICE_NAME = "scale_probe"
MSG_SIZE = 64
QUEUE_SIZE = 8
NUM_SEND_TASKS = 2 * QUEUE_SIZE  # as many as a client can have sent without an answer
TIMEOUT_S = 10.0  # for all to become IDLE


class Probe:
    """One server, and what it has received and sent."""

    def __init__(
        self, device: comch.Device, rep: comch.Representor, engine: comch.ProgressEngine, number: int
    ) -> None:
        name = f"{SERVICE_NAME}-{number}"
        self.number = number
        self.received = self.sent = 0
        self.has_left = self.has_died = False
        self.server = comch.Server(
            device, rep, name, engine=engine, max_msg_size=MSG_SIZE, recv_queue_size=QUEUE_SIZE
        )
        self.server.task_send_set_conf(self.on_sent, self.on_send_failed, NUM_SEND_TASKS)
        self.server.event_msg_recv_register(self.on_message)
        self.server.event_connection_status_changed_register(self.on_connected, self.on_disconnected)

    def on_connected(self, connection: comch.Connection, ok: bool) -> None:
        """Nothing to do: the client speaks first."""

    def on_disconnected(self, connection: comch.Connection, ok: bool) -> None:
        self.has_left, self.has_died = True, not ok

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        if int.from_bytes(data, "big") != self.received:
            raise comch.Unexpected(f"{self.server.name}: {data!r} came in place of number {self.received}")
        self.received += 1
        self.server.task_send_alloc_init(connection, data).submit()

    def on_sent(self, task: comch.SendTask) -> None:
        self.sent += 1
        task.free()

    def on_send_failed(self, task: comch.SendTask) -> None:
        """The totals will differ."""
        task.free()


def serve(engine: comch.ProgressEngine, probes: list[Probe]) -> None:
    for probe in probes:
        probe.server.start()
    print(f"listening on {SERVICE_NAME}-1 to {SERVICE_NAME}-{len(probes)}", flush=True)
    while not all(probe.has_left for probe in probes):
        if not engine.progress():
            engine.wait()
    if died := sum(probe.has_died for probe in probes):
        raise comch.ConnectionReset(f"{died} clients of {len(probes)} have died")
    if lost := sum(probe.received - probe.sent for probe in probes):
        raise comch.Unexpected(f"{lost} numbers did not get back to their clients")


def stop_all(engine: comch.ProgressEngine, probes: list[Probe]) -> None:
    for probe in probes:
        if probe.server.state is not State.IDLE:
            probe.server.stop()
    deadline = time.monotonic() + TIMEOUT_S
    while not all(probe.server.state is State.IDLE for probe in probes):
        if not engine.progress() and not engine.wait(max(0.0, deadline - time.monotonic())):
            raise comch.TimeOut(f"not all servers are IDLE after {TIMEOUT_S:g} s")
    for probe in probes:
        probe.server.destroy()


def run(device: comch.Device, rep: comch.Representor, count: int) -> None:
    with comch.ProgressEngine() as engine:
        probes: list[Probe] = []
        try:
            for number in range(1, count + 1):
                probes.append(Probe(device, rep, engine, number))
            serve(engine, probes)
        finally:
            stop_all(engine, probes)
    for probe in probes:
        print(f"peer {probe.number} received {probe.received} numbers, sent {probe.sent} numbers")
    print(f"all {count} idle", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-n", "--count", type=int, default=8, help="number of servers")
    args = parser.parse_args()
    if args.count < 1:
        parser.error(f"--count is {args.count}: it must be at least 1")
    try:
        with comch.open_device(args.pci_addr) as device, device.open_representor(args.rep_pci) as rep:
            run(device, rep, args.count)
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
