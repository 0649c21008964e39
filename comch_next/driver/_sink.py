"""What is told everything that a trace records."""

from typing import Any

from comch_next.driver.protocol._typed import Protocol

__all__ = ["Sink"]


class Sink(Protocol):
    """The file that COMCH_TRACE names is one."""

    def write(self, what: str, facts: dict[str, Any], at_ns: int | None = None) -> int:
        """Take what happened, with the time on the monotonic clock, now if it is None. Returns the line's number."""
