#!/usr/bin/env python3
"""Secure channel of the modern API, both sides in one program: `-r` makes it the server on the DPU.

The control connection carries what is negotiated. Messages travel by fast path: one producer and one consumer per
side, each in a thread with an engine of its own, while the main thread turns the engine of the control connection.
"""

from __future__ import annotations

import argparse
import struct
import sys
import threading
import time
from collections.abc import Callable

import comch_next as comch
from comch_next import AccessFlag, Connection, PostRecvTask, ProducerSendTask, SendTask, State

SERVER_NAME = "secure_channel_comch"
MAX_QUEUE_SIZE = 8
NUM_SEND_TASKS = 16
NEGOTIATION = struct.Struct("!II")
DONE = b"done"
SLEEP_S = 1e-5


class ControlPath:
    """The control connection of one side."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.pe = comch.ProgressEngine()
        self.device = comch.open_device(args.pci_addr)
        self.rep = self.device.open_representor(args.rep_pci) if args.rep_pci else None
        self.context: comch.Server | comch.Client
        if self.rep is not None:
            self.context = server = comch.Server(self.device, self.rep, SERVER_NAME)
            self.pe.connect_ctx(server)
            server.event_connection_status_changed_register(self.connected, self.disconnected)
        else:
            self.context = comch.Client(self.device, SERVER_NAME)
            self.pe.connect_ctx(self.context)
        self.context.max_msg_size = 4080
        self.context.recv_queue_size = MAX_QUEUE_SIZE
        self.context.task_send_set_conf(self.send_completed, self.send_failed, NUM_SEND_TASKS)
        self.context.event_msg_recv_register(self.message_recv)
        self.context.event_consumer_register(self.new_consumer, self.expired_consumer)
        self.context.set_state_changed_cb(self.state_changed)
        self.connection: Connection | None = None
        self.remote_consumer = 0
        self.negotiated: tuple[int, int] | None = None
        self.peer_is_done = False

    def connected(self, connection: Connection, ok: bool) -> None:
        self.connection = connection

    def disconnected(self, connection: Connection, ok: bool) -> None:
        self.connection = None

    def state_changed(self, context: comch.Context, old: State, new: State) -> None:
        if new is State.RUNNING and isinstance(context, comch.Client):
            self.connection = context.connection

    def send_completed(self, task: SendTask) -> None:
        task.free()

    def send_failed(self, task: SendTask) -> None:
        status = task.status
        task.free()
        raise comch.from_code(status, "a control message was not sent")

    def message_recv(self, connection: Connection, data: bytes) -> None:
        if data == DONE:
            self.peer_is_done = True
            return
        number, size = NEGOTIATION.unpack(data)
        self.negotiated = number, size

    def new_consumer(self, connection: Connection, consumer_id: int) -> None:
        self.remote_consumer = consumer_id

    def expired_consumer(self, connection: Connection, consumer_id: int) -> None:
        self.remote_consumer = 0

    def progress_until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            if not self.pe.progress():
                time.sleep(SLEEP_S)

    def send(self, message: bytes) -> None:
        assert self.connection is not None
        self.context.task_send_alloc_init(self.connection, message).submit()

    def destroy(self) -> None:
        """A client stops, which disconnects; a server waits for that and stops then."""
        if self.rep is not None:
            self.progress_until(lambda: self.connection is None)
        self.context.stop()
        self.progress_until(lambda: self.context.state is State.IDLE)
        print("Context is", self.context.state.name, flush=True)
        self.context.destroy()
        self.pe.destroy()
        if self.rep is not None:
            self.rep.close()
        self.device.close()


def stop_and_destroy(pe: comch.ProgressEngine, context: comch.Context) -> None:
    context.stop()
    while context.state is not State.IDLE:
        if not pe.progress():
            time.sleep(SLEEP_S)
    context.destroy()
    pe.destroy()


class FastPath:
    """Memory for a number of buffers of one size, and an engine for one thread."""

    def __init__(self, control: ControlPath, size: int, buffers: int, access: AccessFlag) -> None:
        self.control = control
        self.size = size
        self.buffers = buffers
        self.mmap = comch.Mmap()
        self.mmap.add_dev(control.device)
        self.mmap.set_permissions(access)
        self.mmap.set_memrange(size * buffers)
        self.mmap.start()
        self.inventory = comch.BufInventory(buffers)
        self.inventory.start()
        self.pe = comch.ProgressEngine()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.work()
        except BaseException as error:
            self.error = error

    def work(self) -> None:
        raise NotImplementedError

    def destroy(self) -> None:
        self.inventory.stop()
        self.inventory.destroy()
        self.mmap.stop()
        self.mmap.destroy()


class SendThread(FastPath):
    """Sends the same buffer so many times, one task after the other."""

    def __init__(self, control: ControlPath, size: int, number: int) -> None:
        super().__init__(control, size, 1, AccessFlag.PCI_READ_ONLY)
        self.number = number
        self.completed = self.failed = 0

    def done(self, task: ProducerSendTask) -> None:
        self.completed += 1

    def on_failed(self, task: ProducerSendTask) -> None:
        self.failed += 1

    def work(self) -> None:
        connection = self.control.connection
        assert connection is not None
        producer = comch.Producer(connection)
        self.pe.connect_ctx(producer)
        producer.task_send_set_conf(self.done, self.on_failed, 1)
        producer.start()
        while (consumer_id := self.control.remote_consumer) == 0:
            time.sleep(SLEEP_S)
        buf = self.inventory.buf_get_by_data(self.mmap, self.mmap.addr, self.size)
        task = producer.task_send_alloc_init(buf, b"", consumer_id)
        while self.completed + self.failed < self.number:
            ended = self.completed + self.failed
            while True:
                try:
                    task.submit()
                    break
                except comch.Again:
                    self.pe.progress()
            while self.completed + self.failed == ended:
                self.pe.progress()
        buf.dec_refcount()
        task.free()
        stop_and_destroy(self.pe, producer)
        self.destroy()


class ReceiveThread(FastPath):
    """Keeps all its buffers posted until every message has come; the stop takes those back."""

    def __init__(self, control: ControlPath, size: int, number: int) -> None:
        super().__init__(control, size, MAX_QUEUE_SIZE, AccessFlag.PCI_READ_WRITE)
        self.number = number
        self.received = self.flushed = self.wrong = 0

    def done(self, task: PostRecvTask) -> None:
        assert task.buf is not None
        self.received += 1
        self.wrong += task.buf.data_len != self.size
        task.buf.reset_data_len()
        task.submit()

    def on_failed(self, task: PostRecvTask) -> None:
        self.flushed += 1
        task.free()

    def work(self) -> None:
        connection = self.control.connection
        assert connection is not None
        consumer = comch.Consumer(connection, self.mmap)
        self.pe.connect_ctx(consumer)
        consumer.task_post_recv_set_conf(self.done, self.on_failed, MAX_QUEUE_SIZE)
        consumer.start()
        while consumer.state is not State.RUNNING:
            if not self.pe.progress():
                time.sleep(SLEEP_S)
        bufs = []
        for index in range(MAX_QUEUE_SIZE):
            bufs.append(self.inventory.buf_get_by_addr(self.mmap, self.mmap.addr + index * self.size, self.size))
            consumer.task_post_recv_alloc_init(bufs[-1]).submit()
        while self.received < self.number:
            if not self.pe.progress():
                time.sleep(SLEEP_S)
        for buf in bufs:
            buf.dec_refcount()  # while its task is posted: the error callback finds a task without need of it
        stop_and_destroy(self.pe, consumer)
        self.destroy()


def sc_start(args: argparse.Namespace) -> bool:
    control = ControlPath(args)
    control.context.start()
    print("Listening on" if args.rep_pci else "Connecting to", SERVER_NAME, flush=True)
    control.progress_until(lambda: control.connection is not None)
    control.send(NEGOTIATION.pack(args.number, args.size))
    control.progress_until(lambda: control.negotiated is not None)
    assert control.negotiated is not None
    number, size = control.negotiated
    print(f"Peer sends {number} messages of {size} bytes", flush=True)
    sender = SendThread(control, args.size, args.number)
    receiver = ReceiveThread(control, size, number)
    threads = [threading.Thread(target=path.run) for path in (sender, receiver)]
    for thread in threads:
        thread.start()
    control.progress_until(lambda: not any(thread.is_alive() for thread in threads))
    for path in (sender, receiver):
        if path.error is not None:
            raise path.error
    print(f"Producer: {sender.completed} completed, {sender.failed} failed", flush=True)
    print(f"Consumer: {receiver.received} received, {receiver.wrong} of a wrong size", flush=True)
    print(f"Consumer: {receiver.flushed} posted buffers came back", flush=True)
    control.send(DONE)
    control.progress_until(lambda: control.peer_is_done and control.context.num_inflight_tasks == 0)
    control.destroy()
    return sender.failed == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", required=True)
    parser.add_argument("-r", "--rep-pci")
    parser.add_argument("-s", "--size", type=int, default=4096)
    parser.add_argument("-n", "--number", type=int, default=100)
    args = parser.parse_args()
    try:
        is_good = sc_start(args)
    except comch.DocaError as error:
        print("Result", error.name, flush=True)
        return 1
    print("Result DOCA_SUCCESS" if is_good else "Result: sends failed", flush=True)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
