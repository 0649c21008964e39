"""PCI addresses in numbers (C: struct doca_pci_bdf)."""

from typing import NamedTuple

from comch_next.driver.protocol import pci_parts, quoted
from comch_next.errors import InvalidValue

__all__ = ["PciBdf"]

_MOST_DEVICE = 0x1F  # of a bus


class PciBdf(NamedTuple):
    """A PCI address in numbers; the low byte of `raw` is the bus."""

    raw: int
    bus: int
    device: int
    function: int

    @classmethod
    def of(cls, address: str) -> "PciBdf":
        """Return the numbers of an address, ``"0000:03:00.0"`` or ``"03:00.0"``; InvalidValue for anything else."""
        parts = pci_parts(address)
        if parts is None or parts[2] > _MOST_DEVICE:
            raise InvalidValue(f"{quoted(address)} is not a PCI address; legal are BB:DD.F and DDDD:BB:DD.F")
        _, bus, device, function = parts
        return cls(bus | device << 8 | function << 13, bus, device, function)
