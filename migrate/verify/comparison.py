"""The first event in which the accounts of an end differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from migrate.verify.account import FILE, LEFT_OPEN, LIFE, SIZES, STDERR, Account
from migrate.verify.events import ORDER, Event, Events, Topics
from migrate.verify.strands import FAILURES, TURNS

NOTHING = Event("nothing")


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
    def is_minor(self) -> bool:
        """Whether it counts only where every run shows it, and nothing else: an order, a file, standard error."""
        return self.topic.startswith((ORDER, FILE, STDERR))

    @property
    def t(self) -> float:
        """When it showed first: infinity for what has no time."""
        return min(self.old.t, self.new.t)


def differences(old: Account, new: Account) -> list[Difference]:
    """Return the first difference of each topic, the earliest first; what has no time comes last."""
    found = [
        *_of_topics(old.topics, new.topics),
        *_of_connections(old.connections, new.connections),
        *_of_strands(old.strands, new.strands),
        *(() if old.files is None or new.files is None else _of_topics(old.files, new.files)),
    ]
    return sorted(found, key=lambda difference: difference.t)


def without_numbers(account: Account) -> Account:
    """Return an account whose texts have no numbers: what they are may depend on the clock.

    The places in a thread are nothing else.
    """
    return replace(
        account,
        topics=_masked(account.topics),
        connections=tuple(map(_masked, account.connections)),
        strands=(),
        files=account.files and _masked(account.files),
    )


def without_order(account: Account) -> Account:
    """Return an account without numbers in which no event has a place: neither in time, nor at a connection."""
    bare = without_numbers(account)
    pooled: dict[str, Events] = {}
    for topics in bare.connections:
        for topic, events in topics.items():
            pooled[topic] = pooled.get(topic, ()) + events
    files = bare.files and _sorted(bare.files)
    return replace(bare, topics=_sorted(bare.topics), connections=(_sorted(pooled),), files=files)


def _sorted(topics: Topics) -> Topics:
    return {topic: tuple(sorted(events, key=lambda event: event.text)) for topic, events in topics.items()}


def _masked(topics: Topics) -> Topics:
    return {topic: tuple(event.without_numbers for event in events) for topic, events in topics.items()}


def _of_topics(old: Topics, new: Topics) -> Iterator[Difference]:
    for topic in {**old, **new}:
        if topic.startswith(SIZES) and not (topic in old and topic in new):
            continue  # a default that a context without one_sided has elsewhere
        compare = _longer if topic.startswith(LIFE) else _more if topic == STDERR else _first
        if (found := compare(topic, old.get(topic, ()), new.get(topic, ()))) is not None:
            yield found


def _first(topic: str, old: Events, new: Events) -> Difference | None:
    for number, (before, after) in enumerate(zip_longest(old, new, fillvalue=NOTHING), start=1):
        if before.text != after.text:
            return Difference(topic, number, before, after)
    return None


def _longer(topic: str, old: Events, new: Events) -> Difference | None:
    """Return a life that only the new side leaves open. It may close more than the old side."""
    left_old, left_new = ([event for event in side if event.text == LEFT_OPEN] for side in (old, new))
    if len(left_new) <= len(left_old):
        return None
    closed = [event for event in old if event.text != LEFT_OPEN]
    return Difference(topic, len(left_new), closed[-1] if closed else NOTHING, left_new[-1])


def _more(topic: str, old: Events, new: Events) -> Difference | None:
    """Return the first line that only one side has. The contents are not compared: texts of errors are new."""
    if len(old) == len(new):
        return None
    fewer, more = sorted((old, new), key=len)
    before, after = ([event.without_numbers.text for event in side] for side in (fewer, more))
    for _, start, end, place, behind in SequenceMatcher(None, before, after).get_opcodes():
        if behind - place > end - start:
            extra = more[place]
            return Difference(topic, place + 1, *((extra, NOTHING) if more is old else (NOTHING, extra)))
    return None


def _of_connections(old: Sequence[Topics], new: Sequence[Topics]) -> Iterator[Difference]:
    """Take away the connections that are equal, then those with the same messages, whose order may differ.

    Those that are left are compared, of one end each, in their order.
    """
    left_old, left_new = list(old), list(new)
    for are_twins in (_are_equal, _have_same_messages, _are_alike):
        for topics in [*left_old]:
            twin = next((other for other in left_new if are_twins(topics, other)), None)
            if twin is not None:
                left_old.remove(topics)
                left_new.remove(twin)
                yield from _of_connection(topics, twin)
    for topics in left_old:
        yield from _of_connection(topics, {})
    for other in left_new:
        yield from _of_connection({}, other)


def _of_connection(old: Topics, new: Topics) -> list[Difference]:
    """Return the differences; in the order of sends and receives only where there is no other."""
    found = list(_of_topics(old, new))
    return [difference for difference in found if not difference.is_minor] or found


def _of_strands(old: Sequence[Topics], new: Sequence[Topics]) -> Iterator[Difference]:
    """Take away the threads that are equal, then compare those that did as much of everything: others are not alike.

    They are compared in the topics that both have, in failures if both show as many.
    """
    left_old, left_new = list(old), list(new)
    for are_twins in (_are_equal, _end_alike):
        for topics in [*left_old]:
            pairs = ((_shared(topics, other), _shared(other, topics), other) for other in left_new)
            twins = next((pair for pair in pairs if pair[0] and are_twins(*pair[:2])), None)
            if twins is not None:
                left_old.remove(topics)
                left_new.remove(twins[2])
                yield from filter(_is_of_program, _of_topics(*twins[:2]))


def _shared(topics: Topics, others: Topics) -> Topics:
    return {
        topic: events
        for topic, events in topics.items()
        if topic in others and (not topic.endswith(FAILURES) or events[-1].text == others[topic][-1].text)
    }


def _end_alike(old: Topics, new: Topics) -> bool:
    return all(events[-1].text == new[topic][-1].text for topic, events in old.items())


def _is_of_program(difference: Difference) -> bool:
    """Whether the program decides the order: it does not decide whose message comes first."""
    took = (difference.old, difference.new)
    return difference.topic != TURNS or all(event.text.startswith("send") for event in took)


def _are_equal(old: Topics, new: Topics) -> bool:
    return not any(_of_topics(old, new))


def _have_same_messages(old: Topics, new: Topics) -> bool:
    return all(difference.is_minor for difference in _of_topics(old, new))


def _are_alike(old: Topics, new: Topics) -> bool:
    return not old.keys().isdisjoint(new)
