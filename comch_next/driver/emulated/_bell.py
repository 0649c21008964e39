"""Bells: what one side rings so that the other wakes up.

A bell is a pair of connected datagram sockets, one end each. Nobody else shares it: whatever a hostile side does to
its end, or to ours, deafens nobody else, and nothing can make a ringer wait. A death does not ring; the connection's
own socket tells of that.
"""

import os
import socket

from comch_next.errors import ErrorCode, from_code

__all__ = ["check_bell", "new_bell", "new_bells"]


def new_bell() -> tuple[int, int]:
    """This side's end and the other's. Raises OSError."""
    own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return own.detach(), other.detach()


def new_bells() -> tuple[list[int], list[int]]:
    """A data bell and a space bell: this side's ends and the other's. Raises OSError."""
    data = new_bell()
    try:
        space = new_bell()
    except OSError:
        for fd in data:
            os.close(fd)
        raise
    return [data[0], space[0]], [data[1], space[1]]


def check_bell(fd: int) -> int:
    """A descriptor that came as a bell, if it is one, else CONNECTION_ABORTED."""
    try:
        sock = socket.socket(fileno=fd)
    except OSError:
        kind = None
    else:
        kind = sock.family, sock.type & socket.SOCK_DGRAM
        sock.detach()
    if kind != (socket.AF_UNIX, socket.SOCK_DGRAM):
        raise from_code(ErrorCode.CONNECTION_ABORTED, "the bell offered is no bell")
    return fd
