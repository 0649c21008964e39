"""How much is measured: a plan that both ends of a pair follow."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["BULK_BUFFERS", "BULK_SIZE", "FULL", "IMMEDIATE_SIZE", "QUICK", "Plan"]

BULK_SIZE = 1 << 20  # bytes of a large buffer
IMMEDIATE_SIZE = 32  # bytes that a message queue carries
BULK_BUFFERS = 8  # large buffers in turn, each way


@dataclass(frozen=True)
class Plan:
    """Counts of one round, and the number of rounds."""

    rounds: int
    pings: int
    messages: int  # of the one-way measurement; 0 leaves it out
    warm_up: int  # round trips that are not counted
    sleeps: int  # round trips of ends that sleep in epoll, which take ten times as long
    crowd: int  # clients that come at once, and clients that are connected and silent
    storms: int
    kills: int  # of each way to hear of a death
    idle_s: float
    large: int  # rounds of the largest messages
    sizes: tuple[int, ...] = (64, 4080)  # bytes

    def asleep(self) -> Plan:
        """The same for ends that sleep: round trips only."""
        return replace(self, pings=self.sleeps, warm_up=self.sleeps // 10, messages=0)

    def immediate(self) -> Plan:
        """The same for immediate data, of which there are fewer messages: a kernel's thread has to wake up for each."""
        return replace(
            self, sizes=(IMMEDIATE_SIZE,), pings=self.sleeps, warm_up=self.sleeps // 10, messages=self.sleeps
        )

    def bulk(self) -> Plan:
        """The same for large buffers, which are fewer; the warm-up uses each of them at least once."""
        counts = {name: max(16, getattr(self, name) // 64) for name in ("pings", "warm_up", "messages")}
        return replace(self, sizes=(BULK_SIZE,), **counts)


FULL = Plan(
    rounds=7,
    pings=20_000,
    messages=200_000,
    warm_up=2_000,
    sleeps=2_000,
    crowd=200,
    storms=5,
    kills=250,
    idle_s=10.0,
    large=1_000,
)
QUICK = Plan(
    rounds=3,
    pings=4_000,
    messages=30_000,
    warm_up=500,
    sleeps=500,
    crowd=200,
    storms=2,
    kills=40,
    idle_s=2.0,
    large=200,
)
