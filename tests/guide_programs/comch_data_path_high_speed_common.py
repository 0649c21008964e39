"""What both ends of the Data Path sample share: sending through a producer, receiving through a consumer."""

from __future__ import annotations

import time
from typing import TypeVar

import comch_next as comch
from comch_next import AccessFlag, Connection, PostRecvTask, ProducerSendTask, SendTask, State

SERVER_NAME = "comch_data_path_high_speed_sample_server"
START_MSG = b"start"
STOP_MSG = b"stop"
NUM_SEND_TASKS = 1024
RECV_QUEUE_SIZE = 16
BUF_SIZE = 4096
NUM_MSGS = 8
NUM_POSTED = 2  # fewer than messages: the producer runs out of credits
SLEEP_S = 1e-5

Fast = TypeVar("Fast", comch.Producer, comch.Consumer)


class Control:
    """What the control path of one end knows; the engine turns while the fast path works."""

    def __init__(self) -> None:
        self.pe = comch.ProgressEngine()
        self.connection: Connection | None = None
        self.consumer_id = 0
        self.remote_consumer_gone = False
        self.received: list[bytes] = []
        self.failed = 0

    def new_consumer(self, connection: Connection, consumer_id: int) -> None:
        self.consumer_id = consumer_id

    def expired_consumer(self, connection: Connection, consumer_id: int) -> None:
        self.remote_consumer_gone = consumer_id == self.consumer_id

    def message_recv(self, connection: Connection, data: bytes) -> None:
        self.received.append(data)

    def send_completed(self, task: SendTask) -> None:
        task.free()

    def send_failed(self, task: SendTask) -> None:
        self.failed += 1
        task.free()

    def progress(self) -> None:
        if not self.pe.progress():
            time.sleep(SLEEP_S)

    def configure(self, context: comch.Server | comch.Client) -> None:
        context.task_send_set_conf(self.send_completed, self.send_failed, NUM_SEND_TASKS)
        context.event_msg_recv_register(self.message_recv)
        context.event_consumer_register(self.new_consumer, self.expired_consumer)
        assert context.device is not None
        context.max_msg_size = context.device.devinfo.cap_get_max_msg_size()
        context.recv_queue_size = RECV_QUEUE_SIZE

    def wait_for_message(self, expected: bytes) -> None:
        while not self.received:
            self.progress()
        assert self.received.pop(0) == expected


def stop_until_idle(control: Control, pe: comch.ProgressEngine, context: comch.Context) -> None:
    context.stop()
    while context.state is not State.IDLE:
        if not pe.progress():
            control.progress()


class Sender:
    """One producer with its own engine; each message is sent again until the consumer has credits for it."""

    def __init__(self, control: Control, device: comch.Device, text: bytes) -> None:
        self.control = control
        self.text = text
        self.mmap = comch.Mmap()
        self.mmap.add_dev(device)
        self.mmap.set_permissions(AccessFlag.PCI_READ_ONLY)
        self.mmap.set_memrange(BUF_SIZE)
        self.mmap.start()
        self.mmap.view[: len(text)] = text
        self.inventory = comch.BufInventory(1)
        self.inventory.start()
        self.completed = self.failed = self.refused = 0

    def done(self, task: ProducerSendTask) -> None:
        self.completed += 1

    def error(self, task: ProducerSendTask) -> None:
        self.failed += 1

    def run(self) -> None:
        pe = comch.ProgressEngine()
        assert self.control.connection is not None
        producer = comch.Producer(self.control.connection)
        pe.connect_ctx(producer)
        producer.task_send_set_conf(self.done, self.error, NUM_SEND_TASKS)
        producer.start()
        while self.control.consumer_id == 0:
            self.control.progress()
        buf = self.inventory.buf_get_by_data(self.mmap, self.mmap.addr, len(self.text))
        task = producer.task_send_alloc_init(buf, b"\x07", self.control.consumer_id)
        for number in range(1, NUM_MSGS + 1):
            self.submit(pe, task)
            while self.completed + self.failed < number:
                if not pe.progress():
                    self.control.progress()
        buf.dec_refcount()
        task.free()
        stop_until_idle(self.control, pe, producer)
        producer.destroy()
        pe.destroy()
        self.inventory.destroy()
        self.mmap.destroy()
        print(f"Producer: {self.completed} completed, {self.failed} failed", flush=True)

    def submit(self, pe: comch.ProgressEngine, task: ProducerSendTask) -> None:
        while True:
            try:
                task.submit()
                return
            except comch.Again:
                self.refused += 1
                pe.progress()
                self.control.progress()


class Receiver:
    """One consumer with its own engine; a buffer that was filled is posted again while messages are to come."""

    def __init__(self, control: Control, device: comch.Device) -> None:
        self.control = control
        self.mmap = comch.Mmap()
        self.mmap.add_dev(device)
        self.mmap.set_permissions(AccessFlag.PCI_READ_WRITE)
        self.mmap.set_memrange(BUF_SIZE * NUM_POSTED)
        self.mmap.start()
        self.inventory = comch.BufInventory(NUM_POSTED)
        self.inventory.start()
        self.texts: list[str] = []
        self.failed = 0

    def done(self, task: PostRecvTask) -> None:
        assert task.buf is not None
        assert task.imm_data == b"\x07"
        self.texts.append(bytes(task.buf.view).decode())
        if len(self.texts) <= NUM_MSGS - NUM_POSTED:
            task.buf.reset_data_len()
            task.submit()
            return
        task.buf.dec_refcount()
        task.free()

    def error(self, task: PostRecvTask) -> None:
        self.failed += 1
        assert task.buf is not None
        task.buf.dec_refcount()
        task.free()

    def run(self) -> None:
        pe = comch.ProgressEngine()
        assert self.control.connection is not None
        consumer = comch.Consumer(self.control.connection, self.mmap)
        pe.connect_ctx(consumer)
        consumer.task_post_recv_set_conf(self.done, self.error, NUM_POSTED)
        consumer.imm_data_len = 4
        consumer.start()
        while consumer.state is not State.RUNNING:
            if not pe.progress():
                self.control.progress()
        for index in range(NUM_POSTED):
            buf = self.inventory.buf_get_by_addr(self.mmap, self.mmap.addr + index * BUF_SIZE, BUF_SIZE)
            consumer.task_post_recv_alloc_init(buf).submit()
        while len(self.texts) + self.failed < NUM_MSGS:
            if not pe.progress():
                self.control.progress()
        stop_until_idle(self.control, pe, consumer)
        consumer.destroy()
        pe.destroy()
        self.inventory.destroy()
        self.mmap.destroy()
        assert set(self.texts[1:]) <= set(self.texts[:1])
        print(f"Consumer: {len(self.texts)} times {self.texts[0]!r}, {self.failed} failed", flush=True)
