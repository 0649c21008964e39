"""What consumers and producers stand on: a connection's fast path, or a message queue (guide: Comch, Fast Path)."""

import socket
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from itertools import count

from comch_next.driver.emulated._context import Progress
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._fabric.offers import Offer, Target
from comch_next.driver.protocol import WeakSet, listed, suppress_system, them
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import ErrorCode, InUse, InvalidValue

__all__ = ["Path"]


class Carried(Protocol):
    """A consumer or producer of this side, as what it stands on sees it."""

    engine: Progress | None

    def on_peer_lost(self) -> None: ...


class Path(ABC):
    """`live` are this side's consumers and producers from their start until they are IDLE; `targets` the consumers that
    its producers write to, by number.
    """

    takes_buffers = True  # else immediate data only
    in_process = False  # else the other side is a thread of this process

    def __init__(self, ids: "count[int]") -> None:
        self.live: list[Carried] = []
        self.targets: dict[int, Target] = {}
        self.made: dict[str, WeakSet[Carried]] = defaultdict(WeakSet)  # by kind, those that have not been destroyed
        self._ids = ids

    def let_go(self) -> None:
        """Give the bells of the other side's consumers back; a forked child does, too: see _kernel.fork. Idempotent."""
        while self.targets:
            with suppress_system(OSError):
                self.targets.popitem()[1].let_go()

    def next_id(self) -> int:
        """A number for a consumer or producer that no other here has had."""
        return next(self._ids)

    def check_unused(self, call: str) -> None:
        """Raise InUse while consumers or producers are running."""
        if self.live:
            raise InUse(
                f"{call}: the {self} still carries {listed([*map(str, self.live)])}; stop {them(len(self.live))} first"
            )

    def notify_live(self) -> None:
        """Have this side's consumers and producers learn on their own engines that the other side is lost."""
        for context in list(self.live):
            engine = context.engine  # asked once: its own thread may destroy it meanwhile
            if engine is not None:
                engine.call_soon_threadsafe(context.on_peer_lost)

    @property
    @abstractmethod
    def dev(self) -> Dev:
        """The device that it belongs to."""

    @property
    @abstractmethod
    def status(self) -> ErrorCode:
        """SUCCESS while it works, then what ended it."""

    def check_takes_buffers(self, call: str) -> None:
        """Raise InvalidValue where there is immediate data only."""
        if not self.takes_buffers:
            raise InvalidValue(f"{call}: the {self} carries immediate data, and no buffers")

    def unnoticed_end(self) -> ErrorCode:
        """What has ended it though its status says nothing yet."""
        return ErrorCode.CONNECTION_RESET

    @property
    def most_imm_data(self) -> int:
        """Bytes of the longest immediate data."""
        return self.dev.info.row.limits.max_imm_data_len

    @abstractmethod
    def lacking(self) -> list[str]:
        """The configuration of its own without which nothing here starts."""

    @abstractmethod
    def end_of_peer(self) -> socket.socket | None:
        """The socket that reports the other side's end, if there is one; it must not have ended."""

    @abstractmethod
    def run(self, call: Callable[[], object]) -> None:
        """Run what sends or takes in news of consumers where that is done."""

    @abstractmethod
    def announce(self, offer: Offer, announced: Callable[[], object]) -> None:
        """Make a consumer known to producers, unless it has been withdrawn since; then call `announced`."""

    @abstractmethod
    def withdraw(self, offer: Offer) -> None:
        """Have producers forget it."""

    @abstractmethod
    def lose(self, status: ErrorCode, reason: str) -> None:
        """End it, on any thread: the other side has been lost."""

    @abstractmethod
    def report_violation(self) -> None:
        """Report that the other side violates the protocol of posts."""
