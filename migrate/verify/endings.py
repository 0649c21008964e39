"""Endings that were modernised by hand: intended differences, each with its code.

A context without `one_sided=True` raises Shutdown when a peer leaves in order, and ConnectionAborted from update_info
after that, where generation 1 reported nothing, or ConnectionReset at another time. Lines of standard output that name
the new ending belong to it. Any other difference is a divergence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from migrate.verify.account import RESULTS, STDERR, STDOUT, TRACEBACKS, Account
from migrate.verify.comparison import NOTHING, Difference
from migrate.verify.events import Event, Events

CODE = "CCM061"

_MODERN = {"DOCA_ERROR_SHUTDOWN", "DOCA_ERROR_CONNECTION_ABORTED"}
_EARLIER = {"DOCA_ERROR_CONNECTION_RESET", "DOCA_ERROR_CONNECTION_ABORTED"}
_CLASSES = {"Shutdown", "ConnectionReset", "ConnectionAborted"}  # of the exceptions that name an ending
_SHUTDOWN = re.compile(r"DOCA_ERROR_SHUTDOWN|\bShutdown\b")


class _Pair(NamedTuple):
    """An event of the new side, and that of the old side which is taken for it: NOTHING if there is none."""

    old: Event
    new: Event

    @property
    def is_meant(self) -> bool:
        return self.old.text != self.new.text


def as_of_generation_1(old: Account, new: Account) -> tuple[Account, list[Difference]]:
    """Return the new account with the endings of the old one, and the differences that this takes away.

    With another ending a thread does more, or less, and says so: it has no order then that could be compared, and no
    number of lines on standard error.
    """
    paired = {
        topic: list(_results(old.topics.get(topic, ()), events))
        for topic, events in new.topics.items()
        if topic.startswith(RESULTS)
    }
    if any(pair.is_meant for pairs in paired.values() for pair in pairs):
        paired[STDOUT] = list(_lines(old.topics[STDOUT], new.topics[STDOUT]))
    coded = [
        Difference(topic, number, *pair, CODE)
        for topic, pairs in paired.items()
        for number, pair in enumerate(pairs, start=1)
        if pair.is_meant
    ]
    if not coded:
        return new, []
    topics = {**new.topics, **{topic: _as_old(pairs) for topic, pairs in paired.items()}}
    if TRACEBACKS in old.topics and _other_than_endings(old) == _other_than_endings(new):
        topics[TRACEBACKS] = old.topics[TRACEBACKS]
    if STDERR in old.topics:
        topics[STDERR] = old.topics[STDERR]
    return replace(new, topics=topics, strands=()), coded


def _other_than_endings(account: Account) -> list[str]:
    """The tracebacks that name no ending."""
    return [event.text for event in account.topics.get(TRACEBACKS, ()) if event.text not in _CLASSES]


def _results(old: Events, new: Events) -> Iterator[_Pair]:
    """Pair the results of a thread. What is not an ending stands for itself."""
    left = list(old)
    for event in new:
        before = left[0] if left else NOTHING
        if before.text == event.text or event.text not in _MODERN:
            yield _Pair(event, event)
        else:
            yield _Pair(before if before.text in _EARLIER else NOTHING, event)
            if before.text not in _EARLIER:
                continue
        del left[:1]


def _lines(old: Events, new: Events) -> Iterator[_Pair]:
    """Pair the lines of standard output. One that names the ending took the place of another, or was put before it."""
    left = list(old)
    for number, event in enumerate(new):
        before = left[0] if left else NOTHING
        behind = next((line.text for line in new[number:] if not _SHUTDOWN.search(line.text)), NOTHING.text)
        if before.text == event.text or not _SHUTDOWN.search(event.text):
            yield _Pair(event, event)
        elif before.text == behind:
            yield _Pair(NOTHING, event)
            continue
        else:
            yield _Pair(before, event)
        del left[:1]


def _as_old(pairs: list[_Pair]) -> Events:
    """The events in the words of the old side. Results that an ending stood between count once, as ever."""
    events: list[Event] = []
    was_meant = False
    for pair in pairs:
        is_again = was_meant and events[-1:] and events[-1].text == pair.old.text
        if pair.old is not NOTHING and not is_again:
            events.append(pair.new._replace(text=pair.old.text))
        was_meant = pair.is_meant
    return tuple(events)
