"""Faults on demand: the text of COMCH_FAULTS, and when its faults strike."""

import re
from collections import Counter
from dataclasses import dataclass

from comch_next.driver.protocol import monotonic, new_lock
from comch_next.errors import InvalidValue

__all__ = ["GRAMMAR", "Fault", "Faults"]

GRAMMAR = """\
COMCH_FAULTS is a list of faults, separated by commas:
  again:KIND@N         message N is refused once
  again:KIND@NxM       message N is refused M times
  full:KIND@N=Ts       from message N on the queue is full, for T seconds
  drop:KIND@N          the connection is lost just before message N; each side sees a peer that died
  delay:service@N=Ts   client N, and every later one, becomes visible to the service after T seconds
KIND is send (of a pull port), task (taken for a send on the control path) or producer (a producer's task submitted).
N is the number of the accepted message, from 1, per process and kind; refused calls do not count.
For example: again:send@10x3, full:task@20=0.5s, drop:send@50, delay:service@1=0.2s"""

_SENDS = r"(?P<kind>send|task|producer)@(?P<number>[1-9][0-9]{0,8})"
_TIME = r"=(?P<seconds>[0-9]{1,6}(\.[0-9]{1,6})?)s"
_FORMS = {
    "again": re.compile(_SENDS + r"(x(?P<times>[1-9][0-9]{0,8}))?"),
    "full": re.compile(_SENDS + _TIME),
    "drop": re.compile(_SENDS),
    "delay": re.compile(r"(?P<kind>service)@(?P<number>[1-9][0-9]{0,8})" + _TIME),
}


@dataclass
class Fault:
    """`number` is the message, or client, that it befalls; `times` is how often it still does."""

    name: str
    kind: str
    number: int
    times: int = 1
    seconds: float = 0.0

    @classmethod
    def parse(cls, text: str) -> "Fault":
        """Raises InvalidValue, which shows the grammar."""
        name, _, rest = text.strip().partition(":")
        found = _FORMS[name].fullmatch(rest) if name in _FORMS else None
        if found is None:
            raise InvalidValue(f"COMCH_FAULTS: {text.strip()!r} is not a fault\n{GRAMMAR}")
        told = found.groupdict()
        times, seconds = told.get("times") or 1, told.get("seconds") or 0
        return cls(name, told["kind"], int(told["number"]), int(times), float(seconds))


class Faults:
    """All faults of a process, and its counts; any thread may ask.

    Who sends holds `lock` from `next` to `accepted`: no two threads count the same message.
    """

    def __init__(self, text: str) -> None:
        self._faults = [Fault.parse(part) for part in text.split(",")]
        self._accepted: Counter[str] = Counter()
        self._until = dict.fromkeys(("send", "task", "producer", "service"), 0.0)
        self.lock = new_lock()

    def next(self, kind: str) -> str | None:
        """Return the fault of the next message, or client, of that kind."""
        with self.lock:
            if self.left(kind) > 0:
                return "full"
            number = self._accepted[kind] + 1
            for fault in self._faults:
                if (fault.kind, fault.number) == (kind, number) and fault.times:
                    fault.times -= 1
                    self._until[kind] = monotonic() + fault.seconds
                    return fault.name
            return None

    def left(self, kind: str) -> float:
        """Seconds for which the queue is still full, or clients are not seen."""
        return max(0.0, self._until[kind] - monotonic())

    def accepted(self, kind: str) -> None:
        """Count a message, or client, that was accepted."""
        with self.lock:
            self._accepted[kind] += 1
