"""What leads to the DPA, the card's data path accelerator, which the emulated card does not have."""

from collections.abc import Callable
from typing import ClassVar, NoReturn

from comch_next.errors import NotSupported

__all__ = ["ConsumerCompletions", "MsgQs", "dpa_only"]


def dpa_only(call: str) -> Callable[..., NoReturn]:
    """A call that is refused, whatever it is given."""

    def refuse(*_: object) -> NoReturn:
        raise NotSupported(f"{call}: the emulated card has no DPA, which is where it leads")

    return refuse


class _Refused:
    """A noun whose every call is refused."""

    prefix: ClassVar[str]

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        return dpa_only(f"{self.prefix}_{name}")


class MsgQs(_Refused):
    """The noun MsgQs of the driver protocol."""

    prefix = "msgq"


class ConsumerCompletions(_Refused):
    """The noun ConsumerCompletions of the driver protocol."""

    prefix = "consumer_completion"
