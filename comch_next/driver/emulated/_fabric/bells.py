"""Bells: what one side rings so that the other wakes up.

A bell is a pair of connected datagram sockets. The side that is to be woken makes it and keeps the end that is read and
watched; the other end goes to the one peer that rings it, and serves nothing else. So a hostile peer can neither
silence another bell nor make this side wait. A death does not ring; the connection's own socket reports it.
"""

import socket

from comch_next.driver.emulated._fabric.handshake import close_all
from comch_next.driver.emulated._kernel.memory import lib
from comch_next.driver.protocol import suppress_system
from comch_next.errors import ErrorCode, from_code

__all__ = ["check_bell", "new_bell", "new_bells"]

_SO_PASSRIGHTS = 83  # since Linux 6.16; not in the socket module


def new_bell() -> tuple[int, int]:
    """The end that is heard and the end that is rung. Raises OSError."""
    heard, rung = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with suppress_system(OSError):  # older kernels let a ringer attach descriptors, whose closing may take its time
        heard.setsockopt(socket.SOL_SOCKET, _SO_PASSRIGHTS, 0)
    return heard.detach(), rung.detach()


def new_bells(count: int) -> tuple[list[int], list[int]]:
    """Make bells: the ends that are heard, the ends that are rung. Raises OSError."""
    heard: list[int] = []
    rung: list[int] = []
    try:
        for _ in range(count):
            ends = new_bell()
            heard.append(ends[0])
            rung.append(ends[1])
    except BaseException:
        close_all(heard)
        close_all(rung)
        raise
    return heard, rung


def check_bell(fd: int) -> int:
    """Return a received descriptor if it is a bell; otherwise raise ConnectionAborted."""
    if not lib.comch_is_bell(fd):
        raise from_code(ErrorCode.CONNECTION_ABORTED, "a bell's descriptor is not an AF_UNIX datagram socket")
    return fd
