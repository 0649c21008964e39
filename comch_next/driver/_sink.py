"""Receivers of the records of a trace."""

from typing import Any

from comch_next.driver.protocol._typed import Protocol

__all__ = ["Sink"]


class Sink(Protocol):
    """What receives every record of a trace, such as the file that COMCH_TRACE names."""

    def write(self, what: str, facts: dict[str, Any], at_ns: int | None = None) -> int:
        """Record an event, with the time on the monotonic clock, now if it is None. Returns the line's number."""
