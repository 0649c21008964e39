"""The rivals, one file each: two ends of a connection, written as a user in a hurry would write them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.rivals._end import Rival

__all__ = ["CARRIERS", "IMMEDIATE", "RIVALS", "SLEEPERS", "absence", "rival"]

# What the table calls it -> the module, in the order of the table.
RIVALS = {
    "raw seqpacket": "seqpacket",
    "multiprocessing.Pipe": "mp_pipe",
    "pyzmq PAIR": "pyzmq_pair",
    "pynng Pair0": "pynng_pair",
    "iceoryx2 pub/sub": "iceoryx2_pub_sub",
    "comch_next tasks": "comch_tasks",
    "comch_next send/receive": "comch_send_receive",
    "comch_next PullPort": "comch_pull_port",
    "comch_next fast path": "comch_fast_path",
    "compat objects": "compat_objects",
    "compat flat": "compat_flat",
    "cffi script": "cffi_script",
    "comch_next tasks, native": "comch_native",
}

# Those that sleep in epoll until there is a message, where the others spin.
SLEEPERS = {
    "raw seqpacket, epoll": "seqpacket_epoll",
    "comch_next engine, epoll": "comch_tasks_epoll",
    "comch_next recv_fd, epoll": "comch_recv_fd_epoll",
    "compat event channel, epoll": "compat_event_channel_epoll",
}

# Those that carry large buffers.
CARRIERS = {
    "comch_next fast path, bulk": "comch_bulk",
    "memcpy": "memcpy",
}

# Those that carry immediate data only, as much as a message queue takes.
IMMEDIATE = {
    "comch_next immediate data": "comch_immediate",
    "comch_next message queue": "comch_msgq",
}


def rival(name: str) -> Rival:
    """The module of a rival: it has `serve` and `connect`. Raises ImportError where its library is not installed."""
    return import_module(f"benchmarks.rivals.{(RIVALS | SLEEPERS | CARRIERS | IMMEDIATE)[name]}")


def absence(name: str) -> str | None:
    """Why a rival cannot be measured here, or None."""
    try:
        rival(name)
    except ImportError as error:
        return str(error)
    return None
