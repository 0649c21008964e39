"""Generation 2: contexts, tasks and events, before they were Comch. Old programs import it as ``doca_cc``.

DOCA 2.5 and 2.6 had it in two shapes. Both are here, and the name of a call decides which one is meant::

    2.5  send_task_set_conf(done, failed, 10)     send_task_alloc_init     post_recv_task_...   log2 of a count
    2.6  task_send_set_conf(done, failed, 1024)   task_send_alloc_init     task_post_recv_...   the count

**Objects.** A class for each struct, methods that are the C names without prefix, no properties; outputs are
returned. ``..._create(...)`` is the class, lengths that Python knows may be left out::

    dev = open_device("03:00.0"); rep = dev.open_representor("b1:00.0"); pe = ProgressEngine()
    server = Server(dev, rep, "svc")                     client = Client(dev, "svc")
    server.set_max_msg_size(4080)                        connection = client.get_connection()
    server.task_send_set_conf(done, failed, 1024)        done(task, task_user_data, ctx_user_data)
    server.event_msg_recv_register(received)             received(event, recv_buffer, msg_len, connection)
    server.event_connection_register(up, down)           up(event, connection, change_successful)
    server.event_consumer_register(new, expired)         new(event, connection, id)
    ctx = server.as_ctx()                                ctx is server.as_ctx()
    ctx.set_state_changed_cb(changed)                    changed(user_data, ctx, prev_state, next_state)
    pe.connect_ctx(ctx); ctx.start(); pe.progress()      ctx.stop(); server.destroy(); pe.destroy()
    task = server.task_send_alloc_init(connection, b"hello"); task.as_task().set_user_data(1)
    task.as_task().submit()                              task.as_task().get_status(); task.as_task().free()
    connection.get_counter(DOCA_CC_COUNTER_SENT_BYTES)   cap_get_max_msg_size(dev.as_devinfo())

The other classes: Producer(connection), Consumer(connection, mmap), Mmap(), BufInventory(n), Buf; Context and Task are
what as_ctx and as_task return; Device, Representor, DevInfo, RepInfo as in generation 1. ``get_server_ctx`` and
``get_client_ctx`` are methods of a connection, the capabilities functions with a DevInfo. Every failure raises the
exception of its name, which is comch_next's; ``start`` and ``stop`` return the state instead of raising InProgress.

**Flat.** The C names: inputs in C order, the code alone or with the outputs; the value alone where C has no code::

    rc, server = doca_cc_server_create(dev, rep, "svc")
    rc = doca_cc_server_task_send_set_conf(server, done, failed, 1024)
    rc = doca_ctx_start(doca_cc_server_as_ctx(server))   # DOCA_ERROR_IN_PROGRESS for a client
    rc, task = doca_cc_server_task_send_alloc_init(server, connection, msg, len(msg))
    rc = doca_task_submit(doca_cc_task_send_as_task(task))
    busy = doca_pe_progress(pe)

**Both.** Callbacks get objects, of which one stands for each handle, and run inside progress, which runs one at a
time; ``recv_buffer`` is bytes, ``event`` has no methods. User data is any object, None until it is set.
Memory is an address, or a writable buffer that stands for its own.
"""

# Named for the sections of the old guide: capabilities  server  client  connection  producer  consumer  task
#   context  engine  memory    the core objects
#   flat                       the C names as functions, and every DOCA_* constant
# Behind them: _control, what servers and clients share; _sending, what producers share with them, too; _arguments, what
#   is refused in arguments

from typing import TYPE_CHECKING

from comch_next import errors
from comch_next.errors import *
from comm_channel_compat._devices import Device, DevInfo, RepInfo, Representor, devices, open_device
from comm_channel_compat._flatten import no_such_name
from comm_channel_compat._old_calls import LegacyCallWarning
from comm_channel_compat.cc import capabilities, flat
from comm_channel_compat.cc._control import Event
from comm_channel_compat.cc._conversion import unwrap, wrap
from comm_channel_compat.cc.capabilities import *
from comm_channel_compat.cc.client import Client
from comm_channel_compat.cc.connection import Connection
from comm_channel_compat.cc.consumer import Consumer
from comm_channel_compat.cc.context import Context
from comm_channel_compat.cc.engine import ProgressEngine
from comm_channel_compat.cc.flat import *
from comm_channel_compat.cc.memory import Buf, BufInventory, Mmap
from comm_channel_compat.cc.producer import Producer
from comm_channel_compat.cc.server import Server
from comm_channel_compat.cc.task import ConsumerTaskPostRecv, ProducerTaskSend, Task, TaskSend

__all__ = [
    "Buf",
    "BufInventory",
    "Client",
    "Connection",
    "Consumer",
    "ConsumerTaskPostRecv",
    "Context",
    "DevInfo",
    "Device",
    "Event",
    "LegacyCallWarning",
    "Mmap",
    "Producer",
    "ProducerTaskSend",
    "ProgressEngine",
    "RepInfo",
    "Representor",
    "Server",
    "Task",
    "TaskSend",
    "devices",
    "open_device",
    "unwrap",
    "wrap",
]
__all__ += errors.__all__
__all__ += capabilities.__all__
__all__ += flat.__all__
__all__.sort()
if not TYPE_CHECKING:  # a type checker would take any name for one of the module
    __getattr__ = no_such_name(__name__, __all__)
