"""The log calls that old programs make: levels and sources are kept and reported; nothing is logged here."""

from comch_next._codes import LogLevel
from comch_next.arguments import integer, text
from comch_next.driver.protocol import new_lock, quoted
from comch_next.errors import InvalidValue

__all__ = ["Backend", "register_source", "standard", "unregister_source"]

_WARNING, _TRACE = int(LogLevel.WARNING), int(LogLevel.TRACE)


def _level(value: object) -> int:
    if not isinstance(value, int) or int.__int__(value) not in list(LogLevel):
        raise InvalidValue(f"log level is {quoted(value)}; legal are the DOCA_LOG_LEVEL_* values")
    return int.__int__(value)


class Backend:
    """Where messages would go, and which of them: those between its two limits."""

    def __init__(self, target: object = None) -> None:
        self.target = target
        self.lower_limit = _WARNING
        self.upper_limit = _TRACE
        self.sdk_limit = _WARNING

    def set_level_lower_limit(self, level: int) -> None:
        """Set the least level of the program's messages, a DOCA_LOG_LEVEL_* value (so for the next two)."""
        self.lower_limit = _level(level)

    def set_level_upper_limit(self, level: int) -> None:
        """Set the greatest level of the program's messages."""
        self.upper_limit = _level(level)

    def set_sdk_level(self, level: int) -> None:
        """Set the level of the library's own messages."""
        self.sdk_limit = _level(level)


standard = Backend()  # its limits are the global ones
_lock = new_lock()
_sources: list[str | None] = []  # names; None: nobody has the number


def register_source(name: str) -> int:
    """Return a number for a named source of messages: the first that no other has."""
    name = text(name, "source name")
    with _lock:
        if None not in _sources:
            _sources.append(None)
        number = _sources.index(None)
        _sources[number] = name
        return number


def unregister_source(source: int) -> None:
    """Give back what register_source returned; InvalidValue for any other number, and the second time."""
    number = integer(source, "source", most=len(_sources) - 1)
    with _lock:
        if _sources[number] is None:
            raise InvalidValue(f"source is {number}, which has been unregistered")
        _sources[number] = None
