"""Numbered messages: what is lost, doubled, out of order or damaged shows where they arrive."""

from __future__ import annotations

import struct
import threading
from itertools import count

__all__ = ["SIZE", "Letters", "Received"]

SIZE = 300  # bytes of each
_HEAD = struct.Struct("<QQ")  # of which row, and its number there
_rows = count(1)
_broken: set[int] = set()  # rows of which accepted messages have failed


class Letters:
    """What one end sends. Each thread has a row of its own for each receiver, and a new one when nobody knows whether
    a send has been accepted, and when accepted ones have failed."""

    def __init__(self) -> None:
        self._of_thread = threading.local()
        self._era = 0
        self._own: set[int] = set()

    def head(self, receiver: int) -> bytes:
        """The next head for a receiver; the number is used up by `sent`."""
        row, era, number = vars(self._of_thread).get(str(receiver), (0, -1, 0))
        if era != self._era:
            row, number = next(_rows), 0
            self._own.add(row)
            vars(self._of_thread)[str(receiver)] = row, self._era, number
        return _HEAD.pack(row, number)

    def sent(self, receiver: int) -> None:
        """The message has been accepted."""
        rows = vars(self._of_thread)
        row, era, number = rows[str(receiver)]
        rows[str(receiver)] = row, era, number + 1

    def forget(self, receiver: int) -> None:
        """Nobody knows whether the message has been accepted."""
        vars(self._of_thread).pop(str(receiver), None)

    def failed(self) -> None:
        """Messages that had been accepted have failed."""
        self._era += 1
        _broken.update(list(self._own))

    @staticmethod
    def text(head: bytes) -> bytes:
        """The whole message."""
        return (head * (SIZE // len(head) + 1))[:SIZE]


class Received:
    """What has come to one receiver. `damage` are the messages that should not have; `lossy`: some have come to nobody,
    as the program has freed what it had posted, or an interrupt came first."""

    def __init__(self, damage: list[str], *, lossy: bool) -> None:
        self._next: dict[int, int] = {}
        self._damage = damage
        self.lossy = lossy

    def take(self, head: bytes, text: bytes) -> None:
        """Check a message; `text` is empty for a head alone."""
        if len(head) != _HEAD.size or text not in (b"", Letters.text(head)):
            self._damage.append(f"damaged: {head!r} {text!r}")
            return
        row, number = _HEAD.unpack(head)
        wanted = self._next.get(row, 0)
        if number < wanted or (number > wanted and not self.lossy and row not in _broken):
            self._damage.append(f"number {number} of row {row} came in place of {wanted}")
        self._next[row] = number + 1
