"""Where a program waited for a task, or for its service: it was refused, tried again, and went on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from migrate.verify.stage import Line

NO_TASK, NO_SERVICE = "DOCA_ERROR_NO_MEMORY", "DOCA_ERROR_CONNECTION_ABORTED"

_OF_CONNECTION = ("pid", "service", "side", "connection", "producer", "consumer")
_OF_CLIENT = ("pid", "service", "side")
_WAITING, _ACCEPTED = {"DOCA_ERROR_AGAIN"}, {"DOCA_SUCCESS"}


class Wait(NamedTuple):
    """What a program that waits is answered, and the place of the call."""

    result: str
    at: str


class _Try(NamedTuple):
    """A line of a trace about something that may have to be tried again: what it is, and how it came out.

    `refused` is what the program is answered where that may be waiting; `accepted`: it went on.
    """

    key: tuple[object, ...]
    refused: str = ""
    accepted: bool = False


def waits(trace: Iterable[Line]) -> frozenset[Wait]:
    """Return what was waiting, given the lines of a trace in order of time.

    Behind each refusal at such a place the same was accepted: something sent, or posted, on the connection, or the
    client connected to the service.
    """
    left: dict[tuple[object, ...], set[Wait]] = {}
    waited, gave_up = set[Wait](), set[Wait]()
    for line in trace:
        attempt = _try(line)
        if attempt is None:
            continue
        if attempt.refused:
            left.setdefault(attempt.key, set()).add(Wait(attempt.refused, str(line.get("at", ""))))
        else:
            (waited if attempt.accepted else gave_up).update(left.pop(attempt.key, ()))
    return frozenset(waited - gave_up.union(*left.values()))


def _try(line: Line) -> _Try | None:
    if line["what"] in ("send", "post") and line["result"] not in _WAITING:
        key = (line["what"], *map(line.get, _OF_CONNECTION))
        return _Try(key, NO_TASK if line["result"] == NO_TASK else "", line["result"] in _ACCEPTED)
    if line["what"] == "state" and line["old"] == "STARTING" and "consumer" not in line and "producer" not in line:
        key = ("connect", *map(line.get, _OF_CLIENT))
        return _Try(key, accepted=True) if line["new"] == "RUNNING" else _Try(key, NO_SERVICE)
    return None
