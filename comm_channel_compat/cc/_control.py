"""What servers and clients share (old guide: Configurations, Send Task, events of messages and consumers)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comch_next as comch
from comch_next.arguments import UNSET, Buffer, cut, text
from comch_next.pull import passing
from comm_channel_compat._devices import Device
from comm_channel_compat._known import current
from comm_channel_compat.cc._arguments import count, function, unwrap
from comm_channel_compat.cc._sending import Sending
from comm_channel_compat.cc.connection import Connection, known
from comm_channel_compat.cc.task import TaskSend

__all__ = ["Control", "Event", "OnMessage", "service_name"]

OnConsumer = Callable[["Event", Connection, int], object]
OnMessage = Callable[["Event", bytes, int, Connection], object]


class Event:
    """What C passes to a callback of an event; it has no methods."""

    def __init__(self, name: str) -> None:
        self._compat_name = name

    def __repr__(self) -> str:
        return f"<Event {self._compat_name}>"


_MSG_RECV, _CONSUMER = Event("msg_recv"), Event("consumer")


class Control(Sending):
    """A server or a client."""

    def __init__(self, modern: comch.Server | comch.Client, dev: Device) -> None:
        super().__init__(modern)
        self._compat_dev = dev

    def set_max_msg_size(self, size: int) -> None:
        """Set the largest message in bytes, up to the device's limit. A size that the other side sets must be equal."""
        self.modern.max_msg_size = count(size, "size")

    def get_max_msg_size(self) -> int:
        """Return the largest message in bytes: what was set, or the default."""
        size: int = self.modern.max_msg_size
        return size

    def set_recv_queue_size(self, size: int) -> None:
        """Set how many messages may wait to be received, up to the device's limit."""
        self.modern.recv_queue_size = count(size, "size")

    def get_recv_queue_size(self) -> int:
        """Return how many messages may wait to be received: what was set, or the default."""
        size: int = self.modern.recv_queue_size
        return size

    def get_device(self) -> Device:
        """Return the device of the context."""
        device: Device = current(self._compat_dev, self.modern.device, Device)
        return device

    # Sending

    def task_send_alloc_init(self, peer: Connection, msg: Buffer, len: int = UNSET) -> TaskSend:  # noqa: A002
        """Return a task that sends a copy of a message, or of its first `len` bytes."""
        return self._compat_alloc(peer, msg, len)

    def send_task_alloc_init(self, peer: Connection, msg: Buffer, len: int = UNSET) -> TaskSend:  # noqa: A002
        """Return a send task under the name of DOCA 2.5: as task_send_alloc_init."""
        return self._compat_alloc(peer, msg, len)

    def _compat_alloc(self, peer: Connection, msg: Buffer, length: int) -> TaskSend:
        modern = self.modern.task_send_alloc_init(unwrap(peer, Connection, "peer"), cut(msg, length))
        return TaskSend(modern, self._compat_ctx)

    # Events

    def event_msg_recv_register(self, recv_event_cb: OnMessage) -> None:
        """Call `recv_event_cb(event, recv_buffer, msg_len, cc_connection)` for every message; mandatory."""
        call = function(recv_event_cb, "recv_event_cb")

        def arguments(connection: Any, data: bytes) -> tuple[object, ...]:
            return _MSG_RECV, data, len(data), known(connection, self)  # type: ignore[arg-type]

        self.modern.event_msg_recv_register(passing(arguments, call))

    def event_consumer_register(self, new_consumer_event_cb: OnConsumer, expired_consumer_event_cb: OnConsumer) -> None:
        """Call `(event, cc_connection, id)` for each consumer of the other side that is new or has expired."""
        new = function(new_consumer_event_cb, "new_consumer_event_cb")
        expired = function(expired_consumer_event_cb, "expired_consumer_event_cb")
        self.modern.event_consumer_register(*(self._compat_passing(_CONSUMER, call) for call in (new, expired)))

    def _compat_passing(self, event: Event, call: Callable[..., object]) -> Callable[[Any, Any], object]:
        """Make a callback of comch_next from the program's: with the event, and its own connection."""
        return passing(lambda connection, news: (event, known(connection, self), news), call)  # type: ignore[arg-type]


def service_name(name: str) -> str:
    """Return the name of a service, which C has as bytes."""
    return text(name, "name")
