"""The rivals, one file each: two ends of a connection, written as a user in a hurry would write them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.rivals._end import Rival

__all__ = ["RIVALS", "rival"]

# What the table calls it -> the module, in the order of the table.
RIVALS = {
    "raw seqpacket": "seqpacket",
    "multiprocessing.Pipe": "mp_pipe",
    "pyzmq PAIR": "pyzmq_pair",
    "comch_next tasks": "comch_tasks",
    "comch_next send/receive": "comch_send_receive",
    "comch_next PullPort": "comch_pull_port",
    "compat objects": "compat_objects",
    "compat flat": "compat_flat",
}


def rival(name: str) -> Rival:
    """The module of a rival: it has `serve` and `connect`."""
    return import_module(f"benchmarks.rivals.{RIVALS[name]}")
