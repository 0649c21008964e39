"""The logger ``comch_next``: what becomes of connections. Silent unless the program sets logging up."""

import sys
from functools import cache
from typing import Any

__all__ = ["log_event", "log_warning"]


@cache
def _logger(logging: Any) -> Any:
    logger = logging.getLogger("comch_next")
    logger.addHandler(logging.NullHandler())
    return logger


def log_event(text: str, *values: object) -> None:
    """Log what was to be expected, as INFO; never for a message. Call it last, as a handler is the program's."""
    if (logging := sys.modules.get("logging")) is not None:  # a program that has not imported it cannot see it
        _logger(logging).info(text, *values)


def log_warning(text: str, *values: object) -> None:
    """Log what may need somebody, as WARNING."""
    if (logging := sys.modules.get("logging")) is not None:
        _logger(logging).warning(text, *values)
