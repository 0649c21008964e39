"""A command's own options, and what stands behind them: a program and its arguments."""

from __future__ import annotations

TYPE_CHECKING = False  # typing alone would take longer than the launcher
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class UsageError(Exception):
    """The words are not a valid command line."""


def split_options(words: Sequence[str], known: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The leading options with their values, and the rest; `known` maps an option to its value's name, "" for none.

    An unknown option belongs to the rest: it may be for what is started. ``--`` ends the options.
    """
    given: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0] != "--":
        option, joined, value = rest[0].partition("=")
        if option not in known:
            return given, rest
        del rest[0]
        if joined and not known[option]:
            raise UsageError(f"{option} has no value")
        if known[option] and not joined:
            if not rest:
                raise UsageError(f"{option}: {known[option]} is missing")
            value = rest.pop(0)
        given[option] = value
    return given, rest[1:]
