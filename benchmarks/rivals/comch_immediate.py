"""The fast path of comch_next without buffers: immediate data only, as message queues carry it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import comch_next as comch
from benchmarks.rivals._end import End
from benchmarks.rivals._immediate import Immediate
from benchmarks.rivals.comch_tasks import new_client, new_server

UNUSED_SIZE = 4096  # bytes; a consumer takes a map, also where no receive has a buffer


def serve(folder: Path, ready: Callable[[], None]) -> End:
    server = new_server()
    consumers, connections = _expect_consumer(server), list[comch.Connection]()
    server.event_connection_status_changed_register(lambda connection, _: connections.append(connection), _ignore)
    server.start()
    ready()
    while not connections:
        server.engine.progress()
    return _open(server, connections[0], consumers)


def connect(folder: Path) -> End:
    client = new_client()
    consumers = _expect_consumer(client)
    client.start()
    while client.state is comch.State.STARTING:
        client.engine.progress()
    return _open(client, client.connection, consumers)


def _expect_consumer(context: comch.Server | comch.Client) -> list[int]:
    """Where the number of the other end's consumer will be."""
    consumers: list[int] = []
    context.task_send_set_conf(comch.SendTask.free, comch.SendTask.free, 1)
    context.event_msg_recv_register(_ignore)
    context.event_consumer_register(lambda _, consumer_id: consumers.append(consumer_id), _ignore)
    return consumers


def _ignore(connection: comch.Connection, what: object) -> None:
    """Nothing to do: nobody sends messages, and who leaves does so after the run."""


def _open(context: comch.Server | comch.Client, connection: comch.Connection, consumers: list[int]) -> End:
    unused = comch.Mmap(context.device, UNUSED_SIZE, comch.AccessFlag.PCI_READ_WRITE)
    unused.start()
    end = Immediate(comch.Producer(connection), comch.Consumer(connection, unused), context.engine)
    while not consumers:
        context.engine.progress()
    end.send_to(consumers[0])
    return end
