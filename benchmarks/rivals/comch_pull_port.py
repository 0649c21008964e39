"""comch_next by its pull port, which the conveniences and the old faces stand on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import comch_next as comch
from benchmarks.rivals._end import MAX_SIZE, QUEUE_SIZE, End


class Port(End):
    """No exceptions: False and None say that there is no room, or no message."""

    def __init__(self, port: comch.PullPort, connection: comch.Connection) -> None:
        self.port = port
        self.connection = connection

    def send(self, data: bytes) -> None:
        while not self.port.send(self.connection, data):
            pass

    def receive(self) -> bytes:
        receive = self.port.receive
        while (message := receive()) is None:
            pass
        return message[0]

    def send_many(self, data: bytes, count: int) -> None:
        send, connection = self.port.send, self.connection
        while count:
            if send(connection, data):
                count -= 1

    def receive_many(self, count: int) -> None:
        receive = self.port.receive
        while count:
            if receive() is not None:
                count -= 1

    def close(self) -> None:
        self.port.context.close()


def _port(context: comch.Server | comch.Client) -> comch.PullPort:
    context.recv_queue_size = QUEUE_SIZE
    port = comch.PullPort(context, max_msg_size=MAX_SIZE, send_queue_size=QUEUE_SIZE)
    context.start()
    return port


def serve(folder: Path, ready: Callable[[], None]) -> End:
    port = _port(comch.Server(comch.open_device("03:00.0"), "b1:00.0", "bench"))
    ready()
    while (connection := port.accept()) is None:
        pass
    return Port(port, connection)


def connect(folder: Path) -> End:
    client = comch.Client(comch.open_device("b1:00.0"), "bench")
    port = _port(client)
    while port.status(client.connection) == comch.ErrorCode.CONNECTION_INPROGRESS:
        pass
    return Port(port, client.connection)
