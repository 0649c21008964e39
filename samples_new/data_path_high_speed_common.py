"""What both ends of data_path_high_speed do on their connection: a consumer, a producer, one text each way."""

import argparse
import contextlib
import time

import comch_next as comch
from comch_next import AccessFlag, State

SERVICE_NAME = "data_path_high_speed"
MAX_TEXT_SIZE = 4096
TIMEOUT_S = 30.0  # for one step


def text_of(argument: str) -> bytes:
    """The value of --text: it must fit into the buffers of both sides, and no buffer is empty."""
    text = argument.encode()
    if not 1 <= len(text) <= MAX_TEXT_SIZE:
        raise argparse.ArgumentTypeError(f"the text is of 1 to {MAX_TEXT_SIZE} bytes, not of {len(text)}")
    return text


def show(what: str, text: bytes) -> None:
    print(f"peer 1 {what} {len(text)} bytes {text.decode(errors='replace')!r}", flush=True)


class End:
    """The callbacks of one end, and what they have learned. The control path carries the news of consumers only."""

    def __init__(self, context: comch.Server | comch.Client) -> None:
        self.context = context
        self.connection: comch.Connection | None = None
        self.remote_consumer_id: int | None = None
        self.disconnected = False
        self.tasks_failed: list[comch.ErrorCode] = []
        self.text_sent = self.text_received = False
        context.task_send_set_conf(comch.SendTask.free, comch.SendTask.free, 1)
        context.event_msg_recv_register(self.on_message)
        context.event_consumer_register(self.on_new_consumer, self.on_expired_consumer)

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        """Nothing to do: the texts go through the fast path."""

    def on_new_consumer(self, connection: comch.Connection, consumer_id: int) -> None:
        self.remote_consumer_id = consumer_id

    def on_expired_consumer(self, connection: comch.Connection, consumer_id: int) -> None:
        self.remote_consumer_id = None

    def on_received(self, task: comch.PostRecvTask) -> None:
        assert task.buf is not None
        show("received", bytes(task.buf.view))
        self.text_received = True
        give_back(task)

    def on_sent(self, task: comch.ProducerSendTask) -> None:
        assert task.buf is not None
        show("sent", bytes(task.buf.view))
        self.text_sent = True
        give_back(task)

    def on_failed(self, task: comch.PostRecvTask | comch.ProducerSendTask) -> None:
        self.tasks_failed.append(task.status)
        give_back(task)

    def progress(self) -> None:
        """Take the next step, whatever it is. Raises what ended the connection, and TimeOut."""
        if not self.context.engine.progress() and not self.context.engine.wait(TIMEOUT_S):
            raise comch.TimeOut(f"the other side did nothing for {TIMEOUT_S:g} s")
        if self.disconnected and self.connection is not None:
            self.connection.update_info()
        if self.tasks_failed:
            raise comch.from_code(self.tasks_failed[0], "a text did not get through")


def give_back(task: comch.PostRecvTask | comch.ProducerSendTask) -> None:
    """The task to its pool, its buffer to the inventory."""
    assert task.buf is not None
    task.buf.dec_refcount()
    task.free()


def exchange(end: End, connection: comch.Connection, text: bytes) -> None:
    """Send the text and receive the other side's: what the guide calls the data path."""
    engine, device = end.context.engine, end.context.device
    with (
        comch.Mmap(device, MAX_TEXT_SIZE, AccessFlag.PCI_READ_WRITE) as inbox,
        comch.Mmap(device, MAX_TEXT_SIZE, AccessFlag.LOCAL_READ_WRITE) as outbox,
        comch.BufInventory(2) as inventory,
        contextlib.closing(comch.Consumer(connection, inbox, engine=engine)) as consumer,
        contextlib.closing(comch.Producer(connection, engine=engine)) as producer,
    ):
        consumer.task_post_recv_set_conf(end.on_received, end.on_failed, 1)
        producer.task_send_set_conf(end.on_sent, end.on_failed, 1)
        consumer.start()
        producer.start()
        while not (consumer.state is producer.state is State.RUNNING) or end.remote_consumer_id is None:
            end.progress()
        consumer.task_post_recv_alloc_init(inventory.buf_get_by_addr(inbox, inbox.addr, MAX_TEXT_SIZE)).submit()

        buf = inventory.buf_get_by_data(outbox, outbox.addr, len(text))
        buf.view[:] = text
        send(end, producer.task_send_alloc_init(buf, None, end.remote_consumer_id))
        while not (end.text_sent and end.text_received):
            end.progress()


def send(end: End, task: comch.ProducerSendTask) -> None:
    """Submit, again and again until the other side has posted a buffer, of which no event tells."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return task.submit()
        except comch.DocaError as error:
            if not isinstance(error, comch.Again) or time.monotonic() > deadline:
                give_back(task)
                raise
            end.context.engine.progress()
