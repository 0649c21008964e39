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

    def in_force(self, wanted: object, device: DevInfo | None) -> int:
        """Return what `wanted` (None: not set) comes to on that device: rounded up, never down, but to its limit.

        Raises InvalidValue above that limit.
        """
        most = UINT16_MAX if device is None else min(UINT16_MAX, self.most(device))
        if wanted is None:
            return min(self.default, most)
        value = max(integer(wanted, self.name, least=1, most=most), self.least)
        return min(1 << (value - 1).bit_length(), most) if self.power_of_two else value


SIZES = {
    size.name: size
    for size in (
        Size("max_msg_size", 4080, 64, False, DevInfo.cap_get_max_msg_size),
        Size("send_queue_size", 64, 8, True, DevInfo.cap_get_max_send_tasks),
        Size("recv_queue_size", 64, 8, True, DevInfo.cap_get_max_recv_queue_size),
    )
}
