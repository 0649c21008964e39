"""Where a program waited for a task: its pool was empty, it tried again, and went on."""

from __future__ import annotations

from collections.abc import Iterable

from migrate.verify.stage import Line

NO_TASK = "DOCA_ERROR_NO_MEMORY"

_TRIES = ("send", "post")
_NAMES = ("pid", "service", "side", "connection", "producer", "consumer")


def places(trace: Iterable[Line]) -> frozenset[str]:
    """Return the places that waited for tasks, given the lines of a trace in order of time.

    Behind each refusal at such a place, something of the same kind was accepted on the same connection.
    """
    open_refusals: dict[tuple[object, ...], set[str]] = {}
    waited, gave_up = set[str](), set[str]()
    for line in trace:
        if line["what"] not in _TRIES:
            continue
        key = (line["what"], *map(line.get, _NAMES))
        if line["result"] == NO_TASK:
            open_refusals.setdefault(key, set()).add(str(line.get("at", "")))
        elif line["result"] == "DOCA_SUCCESS":
            waited |= open_refusals.pop(key, set())
        elif line["result"] != "DOCA_ERROR_AGAIN":
            gave_up |= open_refusals.pop(key, set())
    return frozenset(waited - gave_up.union(*open_refusals.values()))
