"""The result of a verification as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from migrate.report.run import counted, printable
from migrate.verify.events import Event
from migrate.verify.verdict import Divergence, Result, Verdict

FORMAT = 1  # raised when a key changes its meaning or goes
_SHOWN = 10  # differences, or lines, of a kind


def text(result: Result) -> str:
    """Return the verdict, what led to it, and where to look."""
    return "".join(f"{printable(line)}\n" for line in _lines(result))


def _lines(result: Result) -> Iterator[str]:
    yield headline(result)
    yield from (f"  left out (--ignore): {pattern}" for pattern in result.ignored)
    for divergence in (*first_of_each(result.divergences)[:_SHOWN], *first_of_each(result.coded)[:_SHOWN]):
        yield from _divergence(divergence)
    yield from (f"  {words}" for words in (*hints(result), *result.reasons))
    for stays in result.stays[:_SHOWN]:
        yield f"  {stays.path}:{stays.line}: stays old ({': '.join(filter(None, (stays.code, stays.message)))})"
    if result.never_ran:
        yield f"  {never_ran(result)}:"
    for call in result.never_ran[:_SHOWN]:
        yield f"    {call.path}:{call.line}: {call.name}"
    if len(result.never_ran) > _SHOWN:
        yield f"    and {len(result.never_ran) - _SHOWN} more"


def hints(result: Result) -> Iterator[str]:
    """Yield which options may settle what keeps a verdict open."""
    if result.verdict is Verdict.INCONCLUSIVE and result.divergences:
        yield "what differs from run to run proves nothing; --ignore REGEX leaves it out"
    if codes := sorted({stays.code for stays in result.stays if stays.code}):
        yield f"what stays old: see python -m migrate explain {' '.join(codes)}; --evidence and --unsafe may settle it"


def never_ran(result: Result) -> str:
    """Return how many calls never ran, and what helps."""
    calls = counted(len(result.never_ran), "call")
    options = "--args, --args-service, --args-client, --faults, and a --patience that ends before the service listens"
    return f"{calls} of the old API never ran; what may reach them: {options}"


def headline(result: Result) -> str:
    """Return the verdict in one line, which begins with its word."""
    coded = first_of_each(result.coded)
    beside = "but for" if result.verdict is Verdict.EQUIVALENT else "beside"
    but = f" {beside} {counted(len(coded), 'coded difference')}" if coded else ""
    return f"{result.verdict.word}{but}: {counted(result.runs, 'run')}, {_sentence(result)}"


def _sentence(result: Result) -> str:
    if result.verdict is Verdict.DIVERGED:
        return "the first differences:"
    if result.verdict is Verdict.EQUIVALENT:
        ran = "every call of the old API ran"
        if result.compiled:
            ran = f"every call in Python ran, and C programs called {counted(len(result.compiled), 'old function')}"
        return f"no difference; {ran}"
    return (
        "no difference that is certain, but not everything is proved"
        if result.divergences
        else ("no difference, but not everything is proved")
    )


def first_of_each(divergences: Sequence[Divergence]) -> list[Divergence]:
    """Return the first of each kind: other runs repeat it. Of what was meant, each line of the program is a kind."""
    kinds: dict[tuple[str, ...], Divergence] = {}
    for divergence in sorted(divergences, key=lambda divergence: not divergence.is_steady):
        difference = divergence.difference
        place = (difference.code, difference.new.at or str(difference.number)) if difference.code else ()
        kinds.setdefault((divergence.peer, difference.topic, *place), divergence)
    return list(kinds.values())


def _divergence(divergence: Divergence) -> Iterator[str]:
    yield f"  {where(divergence)}"
    for name, event in sides(divergence):
        yield f"    {name}: {event}"


def where(divergence: Divergence) -> str:
    """Return what differs, and in which run."""
    difference = divergence.difference
    loose = "" if divergence.is_steady else "; it differs from run to run"
    code = f"{difference.code}, " if difference.code else ""
    return f"{code}{divergence.peer}, {difference.topic}, number {difference.number} ({divergence.run.words}{loose})"


def sides(divergence: Divergence) -> Iterator[tuple[str, str]]:
    """Yield what happened on the old side and on the new one."""
    yield "old", _event(divergence.difference.old)
    yield "new", _event(divergence.difference.new)


def _event(event: Event) -> str:
    return f"{event.text}  [{event.at}] {event.source}".rstrip() if event.at else event.text


def to_json(result: Result) -> str:
    """Return everything as a JSON document."""
    document = {
        "format": FORMAT,
        "verdict": result.verdict.word,
        "runs": result.runs,
        "divergences": [_divergence_json(divergence) for divergence in result.divergences],
        "coded": [_divergence_json(divergence) for divergence in result.coded],
        "never_ran": [{"path": str(call.path), "line": call.line, "name": call.name} for call in result.never_ran],
        "stays": [{**stays._asdict(), "path": str(stays.path)} for stays in result.stays],
        "reasons": list(result.reasons),
        "compiled": list(result.compiled),
        "ignored": list(result.ignored),
    }
    return json.dumps(document, indent=2) + "\n"


def _divergence_json(divergence: Divergence) -> dict[str, object]:
    run, difference = divergence.run, divergence.difference
    return {
        "pairing": run.pairing,
        "faults": run.faults,
        "repetition": run.repetition,
        "peer": divergence.peer,
        "topic": difference.topic,
        "number": difference.number,
        "code": difference.code,
        "is_steady": divergence.is_steady,
        "old": _event_json(difference.old),
        "new": _event_json(difference.new),
    }


def _event_json(event: Event) -> dict[str, str]:
    return {"text": event.text, "at": event.at, "source": event.source}
