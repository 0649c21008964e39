"""What each side checks of the other: numbered messages of random size, in order, each once, of this life only."""

from __future__ import annotations

import os
import random
import struct
from typing import Any

import comch_next as comch
from tests.descriptors import open_fds

_HEADER = struct.Struct("<QI?H")  # life, number, last, bytes that follow
_PATTERN = bytes(range(251)) * 18  # no part of it is like the one before
LONGEST = 4080
_RSS_SLACK = 64 << 20  # bytes
_FDS_SLACK = 4  # what is made when it is first needed: descriptors to wait on


class Fault(Exception):
    """A promise has been broken."""


def _payload(number: int, length: int) -> bytes:
    """What follows the header: it begins elsewhere for each number, and each byte shows its place."""
    return _PATTERN[number % 251 : number % 251 + length]


class Stream:
    """Both directions of one connection. A life is a number that no other connection ever has."""

    def __init__(self, connection: Any, rng: random.Random, life: int = 0) -> None:
        self.connection = connection
        self.life = life  # the server learns it from the first message
        self.sent = 0
        self.received = 0
        self.ended = False  # the other side has sent its last message
        self.over = False  # this side has
        self._rng = rng

    def send(self, *, last: bool = False) -> bool:
        """Send the next message if it is accepted now."""
        length = self._rng.choice((0, self._rng.randrange(64), self._rng.randrange(LONGEST - _HEADER.size)))
        data = _HEADER.pack(self.life, self.sent, last, length) + _payload(self.sent, length)
        try:
            self.connection.send(data, timeout=0)
        except comch.Again:
            return False
        self.sent += 1
        self.over = last
        return True

    def take(self, data: bytes) -> None:
        """Check a message that has come."""
        life, number, last, length = _HEADER.unpack_from(data)
        self.life = self.life or life
        if life != self.life:
            raise Fault(f"a message of life {life:x} came in life {self.life:x}")
        if number != self.received:
            raise Fault(f"message {number} came in place of {self.received} in life {life:x}")
        if self.ended:
            raise Fault(f"message {number} came after the last in life {life:x}")
        if data[_HEADER.size :] != _payload(number, length):
            raise Fault(f"message {number} of life {life:x} has been changed on its way")
        self.received += 1
        self.ended = last


class Resources:
    """What this process holds, against what it held when it began; `each` are the descriptors of a connection."""

    def __init__(self, each: int = 3) -> None:
        self._each = each
        self._fds, self._rss = self._now()

    def _now(self) -> tuple[int, int]:
        with open("/proc/self/statm") as statm:
            pages = int(statm.read().split()[1])
        return open_fds(), pages * os.sysconf("SC_PAGESIZE")

    def check(self, connections: int) -> None:
        """At most so many descriptors per connection, and memory that does not grow."""
        fds, rss = self._now()
        if fds > self._fds + _FDS_SLACK + self._each * connections:
            raise Fault(f"{fds} descriptors with {connections} connections, {self._fds} at first")
        if rss > self._rss + _RSS_SLACK:
            raise Fault(f"{rss >> 20} MiB of memory, {self._rss >> 20} MiB at first")
