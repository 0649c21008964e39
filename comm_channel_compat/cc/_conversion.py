"""Objects of generation 2 from those of comch_next and back, for a program that uses both while it moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import comch_next as comch
from comch_next import InvalidValue
from comch_next.arguments import register_origin, shown
from comm_channel_compat._conversion import DEVICES, unwrap
from comm_channel_compat._known import known
from comm_channel_compat.cc.client import Client
from comm_channel_compat.cc.connection import Connection
from comm_channel_compat.cc.connection import known as known_connection
from comm_channel_compat.cc.consumer import Consumer
from comm_channel_compat.cc.context import OfContext
from comm_channel_compat.cc.engine import ProgressEngine
from comm_channel_compat.cc.memory import Buf, BufInventory, Mmap
from comm_channel_compat.cc.producer import Producer
from comm_channel_compat.cc.server import Server
from comm_channel_compat.cc.task import ConsumerTaskPostRecv, ProducerTaskSend, Task, TaskSend, task_of

__all__ = ["unwrap", "wrap"]

_PACKAGE = "comm_channel_compat.cc"
register_origin(_PACKAGE, f"generation 2 ({_PACKAGE})", wrap=f"{_PACKAGE}.wrap", unwrap=f"{_PACKAGE}.unwrap")


def _of_control(cls: type[Server | Client]) -> Callable[[Any], Any]:
    def make(modern: Any) -> Any:
        old: Any = cls.__new__(cls)
        old._compat_dev = wrap(modern.device)
        if cls is Server:
            old._compat_repr = wrap(modern.device_rep)
        OfContext.__init__(old, modern, may_use_own=True)
        return old

    return make


def _of_fast(cls: type[Producer | Consumer]) -> Callable[[Any], Any]:
    def make(modern: Any) -> Any:
        old: Any = cls.__new__(cls)
        OfContext.__init__(old, modern, may_use_own=True)
        return old

    return make


def _holding(cls: Any) -> Callable[[Any], Any]:
    """Make objects that hold the modern one, and nothing besides."""

    def make(modern: Any) -> Any:
        old: Any = cls.__new__(cls)
        old._compat_modern = modern
        return old

    return make


def _connection(modern: comch.Connection) -> Connection:
    return known_connection(modern, wrap(modern.client or modern.server))


def _of_task(cls: type[TaskSend | ProducerTaskSend | ConsumerTaskPostRecv]) -> Callable[[Any], Any]:
    def make(modern: Any) -> Any:
        if (task := task_of(modern)) is not None:
            return task
        old: Any = cls.__new__(cls)
        old._task = Task(modern, wrap(modern.context).as_ctx())
        if cls is not TaskSend:
            old._buf = None
        return old

    return make


# class of comch_next -> the class here, and what makes its objects
_KINDS: Mapping[type, tuple[type, Callable[[Any], Any]]] = {
    comch.Server: (Server, _of_control(Server)),
    comch.Client: (Client, _of_control(Client)),
    comch.Producer: (Producer, _of_fast(Producer)),
    comch.Consumer: (Consumer, _of_fast(Consumer)),
    comch.Connection: (Connection, _connection),
    comch.ProgressEngine: (ProgressEngine, _holding(ProgressEngine)),
    comch.Mmap: (Mmap, _holding(Mmap)),
    comch.BufInventory: (BufInventory, _holding(BufInventory)),
    comch.Buf: (Buf, Buf),
    comch.SendTask: (TaskSend, _of_task(TaskSend)),
    comch.ProducerSendTask: (ProducerTaskSend, _of_task(ProducerTaskSend)),
    comch.PostRecvTask: (ConsumerTaskPostRecv, _of_task(ConsumerTaskPostRecv)),
}


def wrap(modern: Any) -> Any:
    """Return the object of generation 2 for an object of comch_next, always the same one for the same object.

    Raises InvalidValue for an object that generation 2 has no handle for, such as a Channel, whose role is open.
    """
    for kind, make in DEVICES.items():
        if isinstance(modern, kind):
            return make(modern)
    for kind, (cls, make) in _KINDS.items():
        if isinstance(modern, kind) and not isinstance(modern, comch.Channel):
            return known(cls, modern, make)
    raise InvalidValue(f"wrap takes an object of comch_next that generation 2 has a handle of, not {shown(modern)}")
