"""The three sizes of an endpoint: default, limit and rounding of each (old guide: Optional Properties)."""

from collections.abc import Callable
from typing import NamedTuple

import comch_next as comch
from comm_channel_compat._arguments import integer

__all__ = ["MAX_MSG_SIZE", "RECV_QUEUE_SIZE", "SEND_QUEUE_SIZE", "Size"]

_UINT16_MAX = 65535  # the properties are 16 bits wide, whatever a device could do


class Size(NamedTuple):
    """One of the sizes; `most` asks a device for its limit."""

    name: str
    default: int
    least: int
    power_of_two: bool
    most: Callable[[comch.DevInfo], int]

    def accept(self, wanted: object, device: comch.DevInfo | None) -> int:
        """The value that comes into force when a program sets `wanted`: rounded up, never down."""
        most = self._most(device)
        value = max(integer(wanted, self.name, least=1, most=most), self.least)
        if self.power_of_two:
            value = min(1 << (value - 1).bit_length(), most)
        return value

    def unset(self, device: comch.DevInfo | None) -> int:
        """The value in force while a program has set none."""
        return min(self.default, self._most(device))

    def _most(self, device: comch.DevInfo | None) -> int:
        return _UINT16_MAX if device is None else min(_UINT16_MAX, self.most(device))


MAX_MSG_SIZE = Size("max_msg_size", 4080, 64, False, comch.DevInfo.cap_get_max_msg_size)
SEND_QUEUE_SIZE = Size("send_queue_size", 64, 8, True, comch.DevInfo.cap_get_max_send_tasks)
RECV_QUEUE_SIZE = Size("recv_queue_size", 64, 8, True, comch.DevInfo.cap_get_max_recv_queue_size)
