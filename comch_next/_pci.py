"""PCI addresses in numbers (C: struct doca_pci_bdf)."""

from typing import NamedTuple

__all__ = ["PciBdf"]


class PciBdf(NamedTuple):
    """A PCI address in numbers; the low byte of `raw` is the bus."""

    raw: int
    bus: int
    device: int
    function: int

    @classmethod
    def of(cls, address: str) -> "PciBdf":
        """Return the numbers of an address in either form: ``"0000:03:00.0"`` or ``"03:00.0"``."""
        bus_text, _, slot = address.rpartition(":")
        device_text, _, function_text = slot.partition(".")
        bus, device, function = int(bus_text[-2:], 16), int(device_text, 16), int(function_text)
        return cls(bus | device << 8 | function << 13, bus, device, function)
