"""What a driver must offer: one Protocol per noun, methods named as the C calls without their prefix.

Handles are opaque, out-parameters are return values, failures raise DocaError. The callbacks of the hot paths get
the user data that was set on the handles concerned, so that no caller has to look up the owner of a handle. Sizes are
bytes, depths are messages.

_handles     a type for each noun's handles
_device      devices and representors; their addresses
_lock        what is held around the calls of an engine
_clock       the clock of waits
_signals     calls that no signal interrupts
_raised      exceptions of callbacks, of which one is raised
_system      failures of the system, as opposed to what a signal's handler raises
_stderr      what is reported on standard error
_shield      finalizers and the like, which none cuts short
_exit        what is done at the end of the process
_events      what is logged of connections
_control     engines, contexts, servers, clients, connections, send tasks
_memory      maps, inventories, buffers; what is not a buffer
_fast_path   consumers, producers, their tasks, and message queues
_dpa         the DPA, where message queues lead
_kernels     what may be called there
_port        the pull view of a context
_weak        a set and a table that keep nothing alive
_text        text as C has it; numbers, lists and refused values in messages
_admin       servers as other processes see them
"""

from comch_next.driver.protocol._admin import Admin, ConnectionStatus, ServerStatus
from comch_next.driver.protocol._clock import monotonic
from comch_next.driver.protocol._control import (
    Clients,
    Connections,
    Contexts,
    Engines,
    SendTasks,
    Servers,
    Tasks,
    Unrecorded,
)
from comch_next.driver.protocol._device import Devices, pci_parts
from comch_next.driver.protocol._dpa import DpaCompletions, Dpas, DpaThreads
from comch_next.driver.protocol._events import event_hearers, log_event, log_warning
from comch_next.driver.protocol._exit import at_exit, has_ended, wait_at_exit
from comch_next.driver.protocol._fast_path import (
    ConsumerCompletions,
    Consumers,
    MsgQs,
    PostRecvTasks,
    Producers,
    ProducerSendTasks,
)
from comch_next.driver.protocol._garbage import collect_garbage
from comch_next.driver.protocol._handles import (
    Buf,
    BufInventory,
    Client,
    Connection,
    Consumer,
    ConsumerCompletion,
    Context,
    Dev,
    DevInfo,
    Dpa,
    DpaCompletion,
    DpaThread,
    Engine,
    Mmap,
    MsgQ,
    PostRecvTask,
    Producer,
    ProducerSendTask,
    Rep,
    RepInfo,
    SendTask,
    Server,
    Task,
)
from comch_next.driver.protocol._kernels import KERNELS, device_calls, enter_kernel, leave_kernel, refuse_kernel
from comch_next.driver.protocol._lock import LONGEST_S, Lock, new_lock
from comch_next.driver.protocol._memory import NO_BUFFER, BufInventories, Bufs, Mmaps, borrowed
from comch_next.driver.protocol._port import Call, OpenPort, Port, QuickCalls
from comch_next.driver.protocol._raised import OnError, handed_over, raised_of, report_unraisable
from comch_next.driver.protocol._shield import Finalized, handing_on, passing, shielded
from comch_next.driver.protocol._signals import (
    MASKED,
    Own,
    interruptible,
    signals_blocked,
    too_large_raises,
    uninterrupted,
    uninterrupted_in_c,
)
from comch_next.driver.protocol._stderr import complain
from comch_next.driver.protocol._system import by_system, suppress_system
from comch_next.driver.protocol._text import bytes_of, counted, listed, quoted, text_of, them
from comch_next.driver.protocol._typed import Protocol
from comch_next.driver.protocol._weak import WeakSet, WeakTable, told_in_child

__all__ = [
    "Admin",
    "Buf",
    "BufInventories",
    "BufInventory",
    "Bufs",
    "Call",
    "Client",
    "Clients",
    "Connection",
    "ConnectionStatus",
    "Connections",
    "Consumer",
    "ConsumerCompletion",
    "ConsumerCompletions",
    "Consumers",
    "Context",
    "Contexts",
    "Dev",
    "DevInfo",
    "Devices",
    "Dpa",
    "DpaCompletion",
    "DpaCompletions",
    "DpaThread",
    "DpaThreads",
    "Dpas",
    "Driver",
    "Engine",
    "Engines",
    "Finalized",
    "KERNELS",
    "LONGEST_S",
    "Lock",
    "MASKED",
    "Mmap",
    "Mmaps",
    "MsgQ",
    "MsgQs",
    "NO_BUFFER",
    "OnError",
    "OpenPort",
    "Own",
    "Port",
    "PostRecvTask",
    "PostRecvTasks",
    "Producer",
    "ProducerSendTask",
    "ProducerSendTasks",
    "Producers",
    "QuickCalls",
    "Rep",
    "RepInfo",
    "SendTask",
    "SendTasks",
    "Server",
    "ServerStatus",
    "Servers",
    "Task",
    "Tasks",
    "Unrecorded",
    "WeakSet",
    "WeakTable",
    "at_exit",
    "borrowed",
    "by_system",
    "bytes_of",
    "collect_garbage",
    "complain",
    "counted",
    "device_calls",
    "enter_kernel",
    "event_hearers",
    "handed_over",
    "handing_on",
    "has_ended",
    "interruptible",
    "leave_kernel",
    "listed",
    "log_event",
    "log_warning",
    "monotonic",
    "new_lock",
    "passing",
    "pci_parts",
    "quoted",
    "raised_of",
    "refuse_kernel",
    "report_unraisable",
    "shielded",
    "signals_blocked",
    "suppress_system",
    "text_of",
    "them",
    "told_in_child",
    "too_large_raises",
    "uninterrupted",
    "uninterrupted_in_c",
    "wait_at_exit",
]


class Driver(Protocol):
    """A driver: its name and its nouns. `open_port` is None if the library only pushes, `admin` if it has no view."""

    name: str
    devices: Devices
    engines: Engines
    contexts: Contexts
    servers: Servers
    clients: Clients
    connections: Connections
    send_tasks: SendTasks
    mmaps: Mmaps
    buf_inventories: BufInventories
    bufs: Bufs
    consumers: Consumers
    post_recv_tasks: PostRecvTasks
    producers: Producers
    producer_send_tasks: ProducerSendTasks
    msgqs: MsgQs
    consumer_completions: ConsumerCompletions
    dpas: Dpas
    dpa_threads: DpaThreads
    dpa_completions: DpaCompletions
    open_port: OpenPort | None
    admin: Admin | None
