"""The emulated driver: the Comch library's states, refusals and limits, on one Linux machine without hardware.

Above, one file per noun of the library, and beside them what they share:

_device, _engine                    what every program has
_context, _state                    a context, and the tables of its life
_control, _server, _client          the contexts of the control path
_delivery, _pushed, _pulled         how their messages reach the program
_connection, _task, _send_task      what they carry
_port, _port_sends, _channels       the pull port, what its program waits for, and its descriptors
_fast_context, _consumer, _producer, _path, _fast_path    the fast path
_msgq, _dpa                         message queues, and the DPA that they lead to
_mmap, _mmaps, _inventory, _buf     memory
_sharing, _export, _remote          how another process has it
_meter                              a progress engine that counts its callbacks
_admin                              the servers of this machine, for `python -m comch_next`
_checks, _guard                     the refusals that nouns share, and what a call asks before it runs

Below them two storeys, neither of which imports anything above it, and one storey beside:

_fabric    how two processes find and notify each other
_kernel    rings and posts in C, and what else touches Linux and shared memory
_faults    nouns that fail on demand
"""

import os
from typing import Any

from comch_next.driver.emulated._admin import Admin
from comch_next.driver.emulated._buf import Bufs
from comch_next.driver.emulated._client import Clients
from comch_next.driver.emulated._connection import Connections
from comch_next.driver.emulated._consumer import Consumers, PostRecvTasks
from comch_next.driver.emulated._control import ControlContexts
from comch_next.driver.emulated._device import Devices
from comch_next.driver.emulated._dpa.completions import ConsumerCompletions, DpaCompletions
from comch_next.driver.emulated._dpa.device import DpaDev
from comch_next.driver.emulated._dpa.instance import Dpas
from comch_next.driver.emulated._dpa.threads import DpaThreads
from comch_next.driver.emulated._engine import Engines
from comch_next.driver.emulated._inventory import BufInventories
from comch_next.driver.emulated._mmaps import Mmaps
from comch_next.driver.emulated._msgq import MsgQs
from comch_next.driver.emulated._port import open_port
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
        self.contexts = ControlContexts()
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
        self.dpas = Dpas()
        self.dpa_threads = DpaThreads(DpaDev)
        self.dpa_completions = DpaCompletions()
        self.open_port: Any = open_port  # on handles of its own, which the protocol keeps opaque
        self.admin = Admin()
        if text := os.environ.get("COMCH_FAULTS"):
            from comch_next.driver.emulated._faults.nouns import make_faulty

            make_faulty(self, text)
