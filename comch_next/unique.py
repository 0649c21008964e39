"""What there is once: an object that stands for something this process holds."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex

__all__ = ["Unique"]


class Unique:
    """An object that is neither copied nor pickled: closing the copy would close the original."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Raise TypeError, for `copy` and `pickle`."""
        raise TypeError(
            f"cannot copy or pickle a {type(self).__name__}: it stands for something this process holds; "
            "threads may share it, another process must open its own"
        )
