"""The sizes of a one-sided context: default, limit and rounding of each (old guide: Optional Properties)."""

from collections.abc import Callable
from typing import NamedTuple

from comch_next.arguments import integer
from comch_next.device import DevInfo

__all__ = ["SIZES", "UINT16_MAX", "Size"]

UINT16_MAX = 65535  # the properties are 16 bits wide, whatever a device could do


class Size(NamedTuple):
    """One of the sizes; `most` asks a device for its limit."""

    name: str
    default: int
    least: int
    power_of_two: bool
    most: Callable[[DevInfo], int]

    def accept(self, wanted: object, device: DevInfo | None) -> int:
        """Return the value that comes into force when a program sets `wanted`: rounded up, never down."""
        most = self._most(device)
        value = max(integer(wanted, self.name, least=1, most=most), self.least)
        if self.power_of_two:
            value = min(1 << (value - 1).bit_length(), most)
        return value

    def unset(self, device: DevInfo | None) -> int:
        """Return the value in force while a program has set none."""
        return min(self.default, self._most(device))

    def _most(self, device: DevInfo | None) -> int:
        return UINT16_MAX if device is None else min(UINT16_MAX, self.most(device))


SIZES = {
    size.name: size
    for size in (
        Size("max_msg_size", 4080, 64, False, DevInfo.cap_get_max_msg_size),
        Size("send_queue_size", 64, 8, True, DevInfo.cap_get_max_send_tasks),
        Size("recv_queue_size", 64, 8, True, DevInfo.cap_get_max_recv_queue_size),
    )
}
