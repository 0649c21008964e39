"""What a channel was made from before DOCA 1.5 (C: struct doca_comm_channel_init_attr)."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from comch_next._channel import Channel
from comch_next.arguments import instance, integer
from comch_next.device import devices
from comch_next.driver.protocol import by_system
from comch_next.errors import (
    BadState,
    ConnectionAborted,
    DocaError,
    Initialization,
    InvalidValue,
    NoMemory,
    NotPermitted,
)

__all__ = ["NONBLOCK", "InitAttr", "setting_up", "sizes_of"]

NONBLOCK = 1  # of the flags
_UINT32_MAX = 2**32 - 1
_NAMED = (InvalidValue, ConnectionAborted, NoMemory, NotPermitted, BadState)  # failures that keep their code
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class InitAttr(SimpleNamespace):
    """The attributes of a BlockingChannel (C: struct doca_comm_channel_init_attr). For a size of 0 the library chooses.

    msgsize: bytes of the longest message. maxmsgs: messages in each queue. flags: 1 if no call waits, else 0. cookie: a
    number of the program's own.
    """

    cookie: int
    flags: int
    maxmsgs: int
    msgsize: int

    def __init__(self, cookie: int = 0, flags: int = 0, maxmsgs: int = 0, msgsize: int = 0) -> None:
        super().__init__(cookie=cookie, flags=flags, maxmsgs=maxmsgs, msgsize=msgsize)


@contextmanager
def setting_up(call: str) -> Iterator[None]:
    """Give what fails in the block a code that the headers of the time name."""
    try:
        yield
    except _NAMED:
        raise
    except by_system(DocaError, OSError) as error:
        exhausted = isinstance(error, OSError) and error.errno in _EXHAUSTED
        raise (NoMemory if exhausted else Initialization)(f"{call}: {error}") from error


def sizes_of(attr: InitAttr) -> dict[str, int]:
    """Return the options of the channels that attributes ask for."""
    for field, value in vars(instance(attr, InitAttr, "attr")).items():
        integer(value, field, most=NONBLOCK if field == "flags" else _UINT32_MAX)
    with setting_up("create"):
        largest = max((info.cap_get_max_msg_size() for info in devices()), default=0)
    if not largest:
        raise Initialization("create: this machine has no device")
    if attr.msgsize > largest:
        raise NotPermitted(f"msgsize is {attr.msgsize}; legal is up to {largest}")
    sizes = {"max_msg_size": attr.msgsize, "send_queue_size": attr.maxmsgs, "recv_queue_size": attr.maxmsgs}
    given: dict[str, Any] = {option: size for option, size in sizes.items() if size}
    Channel(one_sided=True).configure(**given)
    return given
