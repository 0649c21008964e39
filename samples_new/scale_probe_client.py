#!/usr/bin/env python3
"""Many clients on one progress engine, on the host: in every round each sends a number, and expects it back in turn."""

import argparse
import sys
import time
from collections.abc import Callable

import comch_next as comch
from comch_next import State

SERVICE_NAME = "scale_probe"
MSG_SIZE = 64
QUEUE_SIZE = 8
ROUND_S = 0.05
TIMEOUT_S = 10.0  # for all to connect, to be answered, to become IDLE


class Probe:
    """One client, and what it has sent and received."""

    def __init__(self, device: comch.Device, engine: comch.ProgressEngine, number: int) -> None:
        name = f"{SERVICE_NAME}-{number}"
        self.number = number
        self.sent = self.received = 0
        self.client = comch.Client(device, name, engine=engine, max_msg_size=MSG_SIZE, recv_queue_size=QUEUE_SIZE)
        self.client.task_send_set_conf(comch.SendTask.free, self.on_send_failed, QUEUE_SIZE)
        self.client.event_msg_recv_register(self.on_message)

    def send(self) -> None:
        self.client.task_send_alloc_init(self.client.connection, self.sent.to_bytes(MSG_SIZE, "big")).submit()
        self.sent += 1

    def on_send_failed(self, task: comch.SendTask) -> None:
        """The loss of the connection shows in the state."""
        task.free()

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        if int.from_bytes(data, "big") != self.received:
            raise comch.Unexpected(f"{self.client.name}: {data!r} came in place of number {self.received}")
        self.received += 1


def progress_until(engine: comch.ProgressEngine, deadline: float, done: Callable[[], bool]) -> bool:
    """Progress, sleeping between, until `done` or until the deadline; whether it is done."""
    while not done():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        if not engine.progress():
            engine.wait(left)
    return True


def run_rounds(engine: comch.ProgressEngine, probes: list[Probe], rounds: int, least_live: int) -> None:
    def connected() -> bool:
        return all(probe.client.state is not State.STARTING for probe in probes)

    def answered() -> bool:
        return all(probe.received == probe.sent for probe in probes)

    progress_until(engine, time.monotonic() + TIMEOUT_S, connected)
    print("rounds begin", flush=True)
    for _ in range(rounds):
        deadline = time.monotonic() + ROUND_S
        live = [probe for probe in probes if probe.client.state is State.RUNNING]
        if len(live) < least_live:
            raise comch.ConnectionAborted(f"only {len(live)} clients of {len(probes)} are live, not {least_live}")
        for probe in live:
            probe.send()
        progress_until(engine, deadline, lambda: False)
    if not progress_until(engine, time.monotonic() + TIMEOUT_S, answered):
        raise comch.TimeOut(f"not all numbers came back within {TIMEOUT_S:g} s")


def stop_all(engine: comch.ProgressEngine, probes: list[Probe]) -> None:
    for probe in probes:
        if probe.client.state is not State.IDLE:
            probe.client.stop()
    deadline = time.monotonic() + TIMEOUT_S
    if not progress_until(engine, deadline, lambda: all(probe.client.state is State.IDLE for probe in probes)):
        raise comch.TimeOut(f"not all clients are IDLE after {TIMEOUT_S:g} s")
    for probe in probes:
        probe.client.destroy()


def run(device: comch.Device, count: int, rounds: int, least_live: int) -> None:
    with comch.ProgressEngine() as engine:
        probes: list[Probe] = []
        try:
            for number in range(1, count + 1):
                probes.append(Probe(device, engine, number))
            for probe in probes:
                probe.client.start()
            run_rounds(engine, probes, rounds, least_live)
        finally:
            stop_all(engine, probes)
    for probe in probes:
        print(f"peer {probe.number} sent {probe.sent} numbers, received {probe.received} numbers")
    print(f"all {count} idle", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-n", "--count", type=int, default=8, help="number of clients")
    parser.add_argument("-k", "--rounds", type=int, default=20, help="numbers that each client sends, every 50 ms")
    parser.add_argument("-m", "--least-live", type=int, help="clients that must be connected all the time (all)")
    args = parser.parse_args()
    for option, number in (("--count", args.count), ("--rounds", args.rounds)):
        if number < 1:
            parser.error(f"{option} is {number}: it must be at least 1")
    if args.least_live is not None and args.least_live < 0:
        parser.error(f"--least-live is {args.least_live}: it must be at least 0")
    least_live = args.count if args.least_live is None else args.least_live
    try:
        with comch.open_device(args.pci_addr) as device:
            run(device, args.count, args.rounds, least_live)
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
