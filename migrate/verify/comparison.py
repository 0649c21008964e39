"""The first event in which the accounts of an end differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from migrate.verify.account import Account, Event, Events, Topics

NOTHING = Event("nothing")
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+(\.\d+)?")


class Difference(NamedTuple):
    """Where two accounts of an end part: `number` counts the events of the topic from 1.

    `code` is the page of migrate about a difference that was meant.
    """

    topic: str
    number: int
    old: Event
    new: Event
    code: str = ""

    @property
    def t(self) -> float:
        """When it showed first: infinity for what has no time."""
        return min(self.old.t, self.new.t)


def differences(old: Account, new: Account) -> list[Difference]:
    """Return the first difference of each topic, the earliest first; what has no time comes last."""
    found = [*_of_topics(old.topics, new.topics), *_of_connections(old.connections, new.connections)]
    return sorted(found, key=lambda difference: difference.t)


def without_numbers(account: Account) -> Account:
    """Return an account whose texts have no numbers: what they are may depend on the clock."""
    return Account(_masked(account.topics), tuple(map(_masked, account.connections)))


def without_order(account: Account) -> Account:
    """Return an account without numbers in which no event has a place: neither in time, nor at a connection."""
    bare = without_numbers(account)
    pooled: dict[str, Events] = {}
    for topics in bare.connections:
        for topic, events in topics.items():
            pooled[topic] = pooled.get(topic, ()) + events
    return Account(_sorted(bare.topics), (_sorted(pooled),))


def _sorted(topics: Topics) -> Topics:
    return {topic: tuple(sorted(events, key=lambda event: event.text)) for topic, events in topics.items()}


def _masked(topics: Topics) -> Topics:
    return {
        topic: tuple(event._replace(text=_NUMBERS.sub("#", event.text)) for event in events)
        for topic, events in topics.items()
    }


def _of_topics(old: Topics, new: Topics) -> Iterator[Difference]:
    for topic in {**old, **new}:
        if (found := _first(topic, old.get(topic, ()), new.get(topic, ()))) is not None:
            yield found


def _first(topic: str, old: Events, new: Events) -> Difference | None:
    for number, (before, after) in enumerate(zip_longest(old, new, fillvalue=NOTHING), start=1):
        if before.text != after.text:
            return Difference(topic, number, before, after)
    return None


def _of_connections(old: Sequence[Topics], new: Sequence[Topics]) -> Iterator[Difference]:
    """Take away the connections that are equal; those that are left are compared, of one end each, in their order."""
    left = list(new)
    unmatched = []
    for topics in old:
        twin = next((other for other in left if not any(_of_topics(topics, other))), None)
        if twin is None:
            unmatched.append(topics)
        else:
            left.remove(twin)
    for topics in unmatched:
        like = next((other for other in left if not other.keys().isdisjoint(topics)), None)
        if like is not None:
            left.remove(like)
        yield from _of_topics(topics, like or {})
    for other in left:
        yield from _of_topics({}, other)
