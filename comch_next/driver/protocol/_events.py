"""The logger ``comch_next``: what becomes of connections. Silent unless the program has set up that logger.

The level of the root logger does not count: that logger belongs to the program, and migrated programs must print what
they printed before.
"""

import sys
from typing import Any

__all__ = ["log_event", "log_warning"]


def _logger() -> Any:
    """The logger, once it has a level or a handler; None before."""
    logging = sys.modules.get("logging")  # a program that has not imported it cannot see anything
    logger = logging.getLogger("comch_next") if logging is not None else None
    return logger if logger is not None and (logger.level or logger.handlers) else None


def log_event(text: str, *values: object) -> None:
    """Log an expected event, as INFO; never for each message. Call it last, as a handler is the program's."""
    if (logger := _logger()) is not None:
        logger.info(text, *values)


def log_warning(text: str, *values: object) -> None:
    """Log an event that may need attention, as WARNING."""
    if (logger := _logger()) is not None:
        logger.warning(text, *values)
