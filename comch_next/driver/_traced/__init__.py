"""A driver that is traced: the same nouns around it, which write records to sinks, as the file that COMCH_TRACE names.

Each line of that is a JSON object. `seq` counts the lines of a process, `pid` names it and `thread_id` the thread, as
the system does; `t` is the monotonic clock in nanoseconds, the same for all processes of a machine; a send has the time
at which it was attempted. `at` is the file and line of the program whose call led to it, absent where there is none, as
on a helper thread. `what` is

open, close       something was opened or created, and closed or destroyed: `noun` is device, representor, engine,
                  context, mmap or buf_inventory, `handle` a number that its open and its close have in common.
                  What is left to the end of the process has no close
state             a context went from `old` to `new`; a server or client that starts has `max_msg_size`,
                  `recv_queue_size` and, on a pull port, `send_queue_size`
up, down          a connection came up, or a handshake broke (`ok` false); it went (`ok` false: the peer died; servers)
lost              a pull port reported a connection that ended: `result` is how
disconnect        this server left one connection (`result` DOCA_SUCCESS), or could not, as its peer had left first
send              a message was accepted (`result` DOCA_SUCCESS) or refused (why). A task that cannot be allocated is a
                  refused send, on the fast path without its message; any other task is recorded when it is
                  submitted. On a threaded port every send is a task
complete          a task of a send, or a post that nothing came to, was completed with `result`
receive           a message was delivered to the program
post              a consumer's buffer was posted, with `room` bytes, or refused; without `room` for want of a
                  task, and for a buffer that has been given back
consumer_new, consumer_expired     the other side has a new consumer, or one has expired
payload           the bytes from `offset` on of the message recorded in line `of`

The two ends of a message are found by `service`, `connection`, `n` and `digest`. `side` is server or client.
Connections are numbered in the order in which a process sees them, by service and side; `n` counts the messages
accepted, or received, on a connection, and on the fast path to one consumer: then `consumer` and `producer` are their
ids; on a message queue `msgq` is its number in this process. Producers on several engines that send to one consumer at
the same time, from several threads, may exchange numbers. `digest` begins the message's SHA-256, `length` is in bytes;
`imm_digest` and `imm_length` are those of immediate data. With COMCH_TRACE_PAYLOAD=1 there are the bytes, too, as
base64: `payload`, the first 1024 of them, and `imm`. `pci_addr` and `rep_pci_addr` are the addresses of a device and a
representor; the open of a server or client names those that it is on.

A line may begin with spaces, which keep it within a page: so a process that is killed leaves whole lines. Two that
append to one file in the same moment may miss that; with `%p` in its name each has a file of its own.
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
