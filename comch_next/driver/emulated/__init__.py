"""The emulated driver: the Comch library's states, refusals and limits, on one Linux machine without hardware."""

import os

from comch_next.driver.emulated._admin import Admin
from comch_next.driver.emulated._buf import BufInventories, Bufs
from comch_next.driver.emulated._client import Clients
from comch_next.driver.emulated._connection import Connections
from comch_next.driver.emulated._consumer import Consumers, PostRecvTasks
from comch_next.driver.emulated._contexts import Contexts
from comch_next.driver.emulated._devices import Devices
from comch_next.driver.emulated._engine import Engines
from comch_next.driver.emulated._mmap import Mmaps
from comch_next.driver.emulated._msgq import ConsumerCompletions, MsgQs
from comch_next.driver.emulated._port import Ports
from comch_next.driver.emulated._producer import Producers, ProducerSendTasks
from comch_next.driver.emulated._send_task import SendTasks
from comch_next.driver.emulated._server import Servers

__all__ = ["Driver"]


class Driver:
    """One attribute per noun, as comch_next.driver.protocol.Driver says; some are faulty when COMCH_FAULTS asks."""

    name = "emulated"

    def __init__(self) -> None:
        self.devices = Devices()
        self.engines = Engines()
        self.contexts = Contexts()
        self.servers = Servers()
        self.clients = Clients()
        self.connections = Connections()
        self.send_tasks = SendTasks()
        self.mmaps = Mmaps()
        self.buf_inventories = BufInventories()
        self.bufs = Bufs()
        self.consumers = Consumers()
        self.post_recv_tasks = PostRecvTasks()
        self.producers = Producers()
        self.producer_send_tasks = ProducerSendTasks()
        self.msgqs = MsgQs()
        self.consumer_completions = ConsumerCompletions()
        self.ports = Ports()
        self.admin = Admin()
        if text := os.environ.get("COMCH_FAULTS"):
            from comch_next.driver.emulated._faulty import make_faulty

            make_faulty(self, text)
