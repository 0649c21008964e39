"""The producer: writes to buffers that the other side's consumers posted (old guide: Producer)."""

from __future__ import annotations

import comch_next as comch
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc._arguments import count, unwrap
from comm_channel_compat.cc._sending import Sending
from comm_channel_compat.cc.connection import Connection
from comm_channel_compat.cc.memory import Buf
from comm_channel_compat.cc.task import ProducerTaskSend

__all__ = ["Producer"]


@old_call("doca_cc_producer_")
class Producer(Sending):
    """A queue of sends on a connection (C: struct doca_cc_producer). It runs as soon as it is started."""

    @old_call("doca_cc_producer_create")
    def __init__(self, cc_connection: Connection) -> None:
        super().__init__(comch.Producer(unwrap(cc_connection, Connection, "cc_connection")))

    def get_id(self) -> int:
        """Return the id by which consumers of the other side know the producer."""
        number: int = self.modern.id
        return number

    def task_send_alloc_init(self, buf: Buf, consumer_id: int) -> ProducerTaskSend:
        """Return a task that sends the data segment of a buffer to a consumer, whose id came with its event."""
        return self._compat_alloc(buf, consumer_id)

    def send_task_alloc_init(self, buf: Buf, consumer_id: int) -> ProducerTaskSend:
        """Return a send task under the name of DOCA 2.5: as task_send_alloc_init."""
        return self._compat_alloc(buf, consumer_id)

    def _compat_alloc(self, buf: Buf, consumer_id: int) -> ProducerTaskSend:
        number = count(consumer_id, "consumer_id")
        modern = self.modern.task_send_alloc_init(unwrap(buf, Buf, "buf"), None, number)
        return ProducerTaskSend(modern, self._compat_ctx, buf)
