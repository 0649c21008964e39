"""The DPA of a card: its programs are compiled by NVIDIA's DPACC and started through libdoca_dpa, not from here.

What that library makes, such as a doca_dpa or a doca_dpa_thread, is given to message queues by its address.
"""

from collections.abc import Callable
from typing import NoReturn

from comch_next.errors import NotSupported

__all__ = ["Dpas"]


class Dpas:
    """A noun whose every call is refused: those of doca_dpa_*."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        call = f"{self._prefix}{name}"

        def refuse(*_: object) -> NoReturn:
            text = "kernels for a card are compiled by DPACC; give what libdoca_dpa has made by its address"
            raise NotSupported(f"{call}: {text}, or use the emulated driver")

        return refuse
