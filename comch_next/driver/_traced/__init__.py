"""A driver that is traced: the same nouns around it, which write records to sinks, as the file that COMCH_TRACE names.

Each line of that is a JSON object; docs/testing.md describes its keys. On a threaded port every send is a task.
"""

from collections.abc import Sequence
from typing import Any

from comch_next.driver._sink import Sink
from comch_next.driver._traced._control import Clients, Connections, Contexts, SendTasks, Servers
from comch_next.driver._traced._fast import Consumers, MsgQs, PostRecvTasks, Producers, ProducerSendTasks
from comch_next.driver._traced._file import TraceFile
from comch_next.driver._traced._lives import BufInventories, Devices, Engines, Mmaps
from comch_next.driver._traced._ports import open_traced
from comch_next.driver._traced._tracer import Tracer
from comch_next.driver.protocol import Driver

__all__ = ["TraceFile", "TracedDriver"]


class TracedDriver:
    """One attribute per noun, as comch_next.driver.protocol.Driver lists."""

    def __init__(self, driver: Driver, sinks: Sequence[Sink], *, payload: bool) -> None:
        tracer = Tracer(driver, sinks, payload=payload)
        self.name = driver.name
        self.devices: Any = Devices(driver.devices, tracer)
        self.engines: Any = Engines(driver.engines, tracer)
        self.contexts: Any = Contexts(driver.contexts, tracer)
        self.servers: Any = Servers(driver.servers, tracer)
        self.clients: Any = Clients(driver.clients, tracer)
        self.connections: Any = Connections(driver.connections, tracer)
        self.send_tasks: Any = SendTasks(driver.send_tasks, tracer)
        self.consumers: Any = Consumers(driver.consumers, tracer)
        self.post_recv_tasks: Any = PostRecvTasks(driver.post_recv_tasks, tracer)
        self.producers: Any = Producers(driver.producers, tracer)
        self.producer_send_tasks: Any = ProducerSendTasks(driver.producer_send_tasks, tracer)
        self.mmaps: Any = Mmaps(driver.mmaps, tracer)
        self.buf_inventories: Any = BufInventories(driver.buf_inventories, tracer)
        self.bufs: Any = driver.bufs  # nothing happens there that a trace records
        self.msgqs: Any = MsgQs(driver.msgqs, tracer)
        self.consumer_completions: Any = driver.consumer_completions
        self.dpas: Any = driver.dpas
        self.dpa_threads: Any = driver.dpa_threads
        self.dpa_completions: Any = driver.dpa_completions
        self.open_port = open_traced(driver, tracer)
        self.admin: Any = driver.admin
