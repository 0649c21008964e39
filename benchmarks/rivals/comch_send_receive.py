"""comch_next by its conveniences: connection.send and context.receive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import comch_next as comch
from benchmarks.rivals._end import MAX_SIZE, QUEUE_SIZE, End


class SendReceive(End):
    """timeout=0 polls, and Again says that there is nothing yet, or no room."""

    def __init__(self, context: comch.Server | comch.Client, connection: comch.Connection) -> None:
        self.context = context
        self.connection = connection

    def send(self, data: bytes) -> None:
        while True:
            try:
                self.connection.send(data, 0)
                return
            except comch.Again:
                pass

    def receive(self) -> bytes:
        while True:
            try:
                return self.context.receive(timeout=0).data
            except comch.Again:
                pass

    def send_many(self, data: bytes, count: int) -> None:
        send, again = self.connection.send, comch.Again
        while count:
            try:
                send(data, 0)
                count -= 1
            except again:
                pass

    def receive_many(self, count: int) -> None:
        receive, again = self.context.receive, comch.Again
        while count:
            try:
                receive(timeout=0)
                count -= 1
            except again:
                pass

    def close(self) -> None:
        self.context.close()


Meeting = tuple[comch.Server | comch.Client, comch.Connection]


def meet_as_server(ready: Callable[[], None]) -> Meeting:
    device = comch.open_device("03:00.0")
    server = comch.Server(
        device, "b1:00.0", "bench", max_msg_size=MAX_SIZE, recv_queue_size=QUEUE_SIZE, send_queue_size=QUEUE_SIZE
    )
    server.listen()
    ready()
    return server, server.receive().connection  # the first message only says that somebody is there


def meet_as_client() -> Meeting:
    client = comch.Client(
        comch.open_device("b1:00.0"),
        "bench",
        max_msg_size=MAX_SIZE,
        recv_queue_size=QUEUE_SIZE,
        send_queue_size=QUEUE_SIZE,
    )
    connection = client.connect()
    connection.send(b"")
    return client, connection


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return SendReceive(*meet_as_server(ready))


def connect(folder: Path) -> End:
    return SendReceive(*meet_as_client())
