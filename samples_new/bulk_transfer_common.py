"""What both ends of bulk_transfer do: the control messages, and between them a stream each way."""

import contextlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

import comch_next as comch
from bulk_transfer_streams import TICK_S, Incoming, Outgoing, Plan

SERVICE_NAME = "bulk_transfer"
NUM_SEND_TASKS = 4


class End:
    """The callbacks of one end's control context, and what they have learned. The main thread turns its engine."""

    def __init__(self, context: comch.Server | comch.Client) -> None:
        self.context = context
        self.connection: comch.Connection | None = None
        self.remote_consumer_id: int | None = None
        self.disconnected = False
        self.messages: deque[str] = deque()
        context.task_send_set_conf(comch.SendTask.free, self.on_send_failed, NUM_SEND_TASKS)
        context.event_msg_recv_register(self.on_message)
        context.event_consumer_register(self.on_new_consumer, self.on_expired_consumer)

    def on_send_failed(self, task: comch.SendTask) -> None:
        """The loss of the connection has a callback of its own."""
        task.free()

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        self.messages.append(data.decode(errors="replace"))

    def on_new_consumer(self, connection: comch.Connection, consumer_id: int) -> None:
        self.remote_consumer_id = consumer_id

    def on_expired_consumer(self, connection: comch.Connection, consumer_id: int) -> None:
        self.remote_consumer_id = None

    def progress(self) -> bool:
        """Take the next step, if there is one; else wait a little for it. Raises what ended the connection."""
        moved = self.context.engine.progress()
        if self.disconnected and self.connection is not None:
            self.connection.update_info()
        if not moved:
            self.context.engine.wait(TICK_S)
        return moved

    def say(self, text: str) -> None:
        assert self.connection is not None
        self.context.task_send_alloc_init(self.connection, text.encode()).submit()
        print("peer 1 sent", text.split()[0], flush=True)

    def hear(self, word: str) -> list[str]:
        """Wait for that message; what stands behind the word."""
        while not self.messages:
            self.progress()
        found, *rest = self.messages.popleft().split() or [""]
        if found != word:
            raise comch.Unexpected(f"{found!r} came, not {word!r}")
        print("peer 1 received", word, flush=True)
        return rest


def stream(end: End, plan: Plan) -> tuple[Outgoing, Incoming]:
    """Both streams, from their start to their end. Raises what ended the connection, else what failed first."""
    assert end.connection is not None
    device = end.context.device
    with contextlib.ExitStack() as kept:
        incoming, outgoing = Incoming(device, plan, kept), Outgoing(device, plan, kept)
        with ThreadPoolExecutor(2) as pool:
            running = [pool.submit(incoming.run, end.connection)]
            while end.remote_consumer_id is None and failure(running) is None:
                end.progress()
            if end.remote_consumer_id is not None:
                print("streams begin", flush=True)
                running.append(pool.submit(outgoing.run, end.connection, end.remote_consumer_id))
            while not all(future.done() for future in running):
                end.progress()
                if (error := failure(running)) is not None:
                    incoming.fail(error)
                    outgoing.fail(error)
        if failure(running) is not None:
            while end.progress():  # raises, if that stream failed because the connection was lost
                pass
        for future in running:
            future.result()
    outgoing.show("sent")
    incoming.show("received")
    return outgoing, incoming


def failure(running: list[Future[None]]) -> BaseException | None:
    """What one of the streams has failed with."""
    return next((future.exception() for future in running if future.done() and future.exception()), None)


def check(incoming: Incoming, told: list[str]) -> None:
    """Compare with the checksum that came with the other side's "stop"."""
    if told != [f"{incoming.checksum:08x}"]:
        raise comch.IoFailed(f"received {incoming.checksum:08x}, but what was sent has the checksum {told}")
