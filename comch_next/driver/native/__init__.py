"""The native driver: the real libdoca_common and libdoca_comch of DOCA 2.7 and later, called through cffi.

One file per noun of the library, as the emulated driver has them:

_device, _engine, _context              what every program has
_control, _server, _client              the contexts of the control path
_connection, _task, _send_task          what they carry
_fast_context, _consumer, _producer     the fast path
_completion, _msgq, _dpa                what leads to the DPA
_mmap, _buf                             memory

and below them, none importing anything above:

_find, _library     where the libraries are, and their functions in the spelling of their release
_handle, _progress  what the program holds of a C object, and the life of that object
_notification       what an engine's program sleeps on
_calls              methods that are one C function each
_kernel             what runs for every message of the control path, in C: through pointers to the library's functions

The library pushes only: there is no port of its own, so the pull view is the one with a helper thread, and nothing is
known of other processes' servers. docs/native.md says what has been proved without a card, and what has not.
"""

from typing import Any

from comch_next.driver.native._buf import BufInventories, Bufs
from comch_next.driver.native._client import Clients
from comch_next.driver.native._completion import ConsumerCompletions
from comch_next.driver.native._connection import Connections
from comch_next.driver.native._consumer import Consumers, PostRecvTasks
from comch_next.driver.native._control import ControlContexts
from comch_next.driver.native._device import Devices
from comch_next.driver.native._dpa import Dpas
from comch_next.driver.native._engine import Engines
from comch_next.driver.native._library import Library
from comch_next.driver.native._mmap import Mmaps
from comch_next.driver.native._msgq import MsgQs
from comch_next.driver.native._producer import Producers, ProducerSendTasks
from comch_next.driver.native._send_task import SendTasks
from comch_next.driver.native._server import Servers

__all__ = ["Driver"]


class Driver:
    """One attribute per noun, as comch_next.driver.protocol.Driver says."""

    name = "native"

    def __init__(self) -> None:
        library = Library()
        self.devices = Devices(library)
        self.engines = Engines(library)
        self.contexts = ControlContexts(library)
        self.servers = Servers(library)
        self.clients = Clients(library)
        self.connections = Connections(library)
        self.send_tasks = SendTasks(library)
        self.mmaps = Mmaps(library)
        self.buf_inventories = BufInventories(library)
        self.bufs = Bufs(library)
        self.consumers = Consumers(library)
        self.post_recv_tasks = PostRecvTasks(library)
        self.producers = Producers(library)
        self.producer_send_tasks = ProducerSendTasks(library)
        self.msgqs = MsgQs(library)
        self.consumer_completions = ConsumerCompletions(library)
        self.dpas: Any = Dpas("doca_dpa_")
        self.dpa_threads: Any = Dpas("doca_dpa_thread_")
        self.dpa_completions: Any = Dpas("doca_dpa_completion_")
        self.open_port = None
        self.admin = None
