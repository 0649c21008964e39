"""What is compared where the old program differs from itself: a clock may be printed, something may be said again until
it is heard, and work may go to whoever is free.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from migrate.verify.account import Account, Event, Events, Topics
from migrate.verify.comparison import Difference, differences

Form = Callable[[Account], Account]

_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+(\.\d+)?")


def as_it_is(account: Account) -> Account:
    """Return an account with everything that counts."""
    return account


def without_repeats(account: Account) -> Account:
    """Return an account in which an event that repeats the last one of its topic counts once."""
    return _each(account, lambda events: tuple(next(same) for _, same in groupby(events, key=_text)))


def without_numbers(account: Account) -> Account:
    """Return an account whose texts have no numbers: what they are may depend on the clock."""
    return _each(account, lambda events: tuple(event._replace(text=_NUMBERS.sub("#", event.text)) for event in events))


def without_repeated_numbers(account: Account) -> Account:
    """Return an account without numbers, in which repeats count once: a count that goes on."""
    return without_repeats(without_numbers(account))


def without_order(account: Account) -> Account:
    """Return an account without numbers in which no event has a place: neither in time, nor at a connection."""
    bare = without_numbers(account)
    pooled: dict[str, Events] = {}
    for topics in bare.connections:
        for topic, events in topics.items():
            pooled[topic] = pooled.get(topic, ()) + events
    return _each(Account(bare.topics, (pooled,)), lambda events: tuple(sorted(events, key=_text)))


FORMS: tuple[Form, ...] = (as_it_is, without_repeats, without_numbers, without_repeated_numbers, without_order)


def persistent(olds: Sequence[Account], news: Sequence[Account]) -> Iterator[tuple[Difference, bool]]:
    """Yield the differences between the first accounts that no other old one takes away, and whether each side agrees
    with itself there.
    """
    for difference in differences(olds[0], news[0]):
        topic = difference.topic
        forms = _agreed(topic, olds)
        if all(topic in _topics_apart(form(old), form(news[0])) for form in forms for old in olds):
            is_steady = forms == (as_it_is,) and all(topic in _topics_apart(olds[0], new) for new in news)
            yield difference, is_steady


def _agreed(topic: str, olds: Sequence[Account]) -> Sequence[Form]:
    """Return the first form in which old accounts agree on a topic; all forms if they agree in none."""
    for form in FORMS:
        first, *others = map(form, olds)
        if not any(topic in _topics_apart(first, other) for other in others):
            return (form,)
    return FORMS


def _topics_apart(old: Account, new: Account) -> set[str]:
    return {difference.topic for difference in differences(old, new)}


def _each(account: Account, change: Callable[[Events], Events]) -> Account:
    def changed(topics: Topics) -> Topics:
        return {topic: change(events) for topic, events in topics.items()}

    return Account(changed(account.topics), tuple(map(changed, account.connections)))


def _text(event: Event) -> str:
    return event.text
