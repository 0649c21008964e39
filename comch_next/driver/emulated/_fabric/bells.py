"""Bells: what one side rings so that the other wakes up.

A bell is a pair of connected datagram sockets. The side that is to be woken makes it and keeps the end that is read and
watched; the other end goes to the one peer that rings it, and serves nothing else. So a hostile peer can neither
silence another bell nor make this side wait. A death does not ring; the connection's own socket reports it.
"""

import socket
from _socket import socketpair  # socket's own leaves an end open without memory
from collections.abc import Iterable
from typing import Any

from comch_next.driver.emulated._kernel.memory import lib
from comch_next.driver.protocol import suppress_system
from comch_next.errors import ErrorCode, from_code

__all__ = ["check_bell", "new_bell", "new_bells"]

_SO_PASSRIGHTS = 83  # since Linux 6.16; not in the socket module


def new_bell() -> tuple[int, int]:
    """The end that is heard and the end that is rung. Raises OSError."""
    heard, rung = ends = _new_pair()
    bell = heard.fileno(), rung.fileno()
    _hand_over(ends)
    return bell


def new_bells(count: int) -> tuple[list[int], list[int]]:
    """Make bells: the ends that are heard, the ends that are rung. Raises OSError."""
    ends: list[Any] = []
    try:
        for _ in range(count):
            pair = _new_pair()
            ends.append(pair[0])
            ends.append(pair[1])
        bells = [end.fileno() for end in ends[::2]], [end.fileno() for end in ends[1::2]]
    except BaseException:
        for end in ends:
            end.close()
        raise
    _hand_over(ends)
    return bells


def _new_pair() -> tuple[Any, Any]:
    ends = socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with suppress_system(OSError):  # older kernels let a ringer attach descriptors, whose closing may take its time
        ends[0].setsockopt(socket.SOL_SOCKET, _SO_PASSRIGHTS, 0)
    return ends


def _hand_over(ends: Iterable[Any]) -> None:
    """Leave the descriptors of these sockets, which somebody has, to the caller."""
    for end in ends:
        end.detach()


def check_bell(fd: int) -> int:
    """Return a received descriptor if it is a bell; otherwise raise ConnectionAborted."""
    if not lib.comch_is_bell(fd):
        raise from_code(ErrorCode.CONNECTION_ABORTED, "a bell's descriptor is not an AF_UNIX datagram socket")
    return fd
