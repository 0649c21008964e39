"""Gives the calls of C programs to what asks for them: COMCH_CALL_SINK=MODULE:FUNCTION."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["through", "watched", "watched_engines", "watched_tasks"]


def watched(name: str, is_coded: bool, function: Callable[..., Any]) -> Callable[..., Any]:
    """Have the sink make the calls of a C function, if there is one; `is_coded`: it returns a result code."""
    place = os.environ.get("COMCH_CALL_SINK")
    if not place:
        return function

    def run(*args: Any) -> Any:
        return _sink(place)(name, is_coded, function, args)

    return run


def through(_: str, __: bool, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Make a call: a sink for those who watch the frames of Python, as C makes some calls without any."""
    return function(*args)


class _WatchedNoun:
    """A noun of the driver some calls of which the sink makes."""

    def __init__(self, noun: Any, calls: Mapping[str, str]) -> None:
        self._noun = noun
        for method, name in calls.items():
            setattr(self, method, watched(name, False, getattr(noun, method)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._noun, name)


def watched_tasks(noun: Any) -> Any:
    """Return a noun of tasks whose calls in C's loops the sink makes, if there is one."""
    return _WatchedNoun(noun, _OF_TASKS) if os.environ.get("COMCH_CALL_SINK") else noun


def watched_engines(noun: Any) -> Any:
    """Return the noun of engines whose progress the sink makes; None without a sink, where progress needs no noun."""
    return _WatchedNoun(noun, _OF_ENGINES) if os.environ.get("COMCH_CALL_SINK") else None


# Method -> C function
_OF_TASKS = {"submit": "doca_task_submit", "free": "doca_task_free"}
_OF_ENGINES = {"progress": "doca_pe_progress"}


@cache
def _sink(place: str) -> Callable[..., Any]:
    """Load it at the first call: it may stand on what is being loaded."""
    module, _, name = place.partition(":")
    sink: Callable[..., Any] = getattr(import_module(module), name)
    return sink
