"""Whether the ends of a pair have met, and what the program printed if they have not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from migrate.verify.peers import Peer

if TYPE_CHECKING:
    from migrate.verify.stage import Line, Remains


def reasons(peers: Sequence[Peer], remains: Sequence[Remains]) -> Iterator[str]:
    """Yield what kept a pair of old ends from meeting, and the last words of each end that failed before it had met.

    Nothing for ends that have met, nor for a single program that has called the toolkit: it may well fail on purpose.
    """
    if len(peers) < 2 and (remains[0].watched or remains[0].compiled):
        return
    if are_apart(remains):
        yield f"the old ends never met: {'; '.join(_named(peers, remains))}"
        for peer, left in zip(peers, remains, strict=True):
            if left.unready_s is not None:
                waited = f"the old {peer.name} was not ready after {left.unready_s:g} s (--patience)"
                yield f"{waited}, when the next end was started; --cue is what it prints when it is"
    for peer, left in zip(peers, remains, strict=True):
        if isinstance(left.status, int) and left.status > 0 and not has_met(left.trace):
            yield _last_words(peer, left)


def failures(peers: Sequence[Peer], remains: Sequence[Remains]) -> Iterator[str]:
    """Yield the last words of each end that has met another one, and ended by an exception that nothing caught."""
    for peer, left in zip(peers, remains, strict=True):
        if left.status == 1 and "\nTraceback (most recent call last):\n" in f"\n{left.stderr}" and has_met(left.trace):
            yield _last_words(peer, left)


def _last_words(peer: Peer, left: Remains) -> str:
    *_, last = ["nothing", *filter(None, map(str.strip, left.stderr.splitlines()))]
    return f"the old {peer.name} ended with status {left.status}; the last line of its standard error: {last}"


def are_apart(remains: Sequence[Remains]) -> bool:
    """Return whether several ends have not met."""
    return len(remains) > 1 and not has_met(line for left in remains for line in left.trace)


def has_met(trace: Iterable[Line]) -> bool:
    """Return whether a connection came up."""
    return any((line["what"] == "up" and line["ok"]) or _is(line, "client", "RUNNING") for line in trace)


def listened_on(trace: Iterable[Line]) -> set[str]:
    """Return the names of the services that listened."""
    return {line["service"] for line in trace if _is(line, "server", "RUNNING")}


def asked_for(trace: Iterable[Line]) -> set[str]:
    """Return the names of the services that clients tried to reach."""
    return {line["service"] for line in trace if _is(line, "client", "STARTING")}


def _is(line: Line, side: str, state: str) -> bool:
    return bool(line["what"] == "state" and line.get("side") == side and line["new"] == state)


def _named(peers: Sequence[Peer], remains: Sequence[Remains]) -> Iterator[str]:
    for does, names in (("listened on", listened_on), ("asked for", asked_for)):
        for peer, left in zip(peers, remains, strict=True):
            if found := names(left.trace):
                yield f"the {peer.name} {does} {', '.join(map(repr, sorted(found)))}"
        if not any(names(left.trace) for left in remains):
            yield f"no end {does} a name"
