"""The logger ``comch_next``: what becomes of connections. Silent unless the program has set up that logger.

C programs have the SDK log, which hears of everything and has limits of its own.

The level of the root logger does not count: that logger belongs to the program, and migrated programs must print what
they printed before.
"""

import sys
from collections.abc import Callable
from typing import Any

from comch_next._codes import LogLevel

__all__ = ["event_hearers", "log_event", "log_warning"]

event_hearers: list[Callable[[LogLevel, str], object]] = []


def _tell(level: LogLevel, text: str, values: tuple[object, ...]) -> None:
    for hear in event_hearers:
        hear(level, text % values)


def _logger() -> Any:
    """The logger, once it has a level or a handler; None before."""
    logging = sys.modules.get("logging")  # a program that has not imported it cannot see anything
    logger = logging.getLogger("comch_next") if logging is not None else None
    return logger if logger is not None and (logger.level or logger.handlers) else None


def log_event(text: str, *values: object) -> None:
    """Log an expected event, as INFO; never for each message. Call it last, as a handler is the program's."""
    _tell(LogLevel.INFO, text, values)
    if (logger := _logger()) is not None:
        logger.info(text, *values)


def log_warning(text: str, *values: object) -> None:
    """Log an event that may need attention, as WARNING."""
    _tell(LogLevel.WARNING, text, values)
    if (logger := _logger()) is not None:
        logger.warning(text, *values)
