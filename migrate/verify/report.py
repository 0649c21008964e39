"""The result of a verification as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from migrate.report.run import counted, printable
from migrate.verify.account import Event
from migrate.verify.verdict import Divergence, Result, Run, Verdict

FORMAT = 1  # raised when a key changes its meaning or goes
_SHOWN = 10  # differences, or lines, of a kind


def text(result: Result) -> str:
    """Return the verdict, what led to it, and where to look."""
    return "".join(f"{printable(line)}\n" for line in _lines(result))


def _lines(result: Result) -> Iterator[str]:
    yield f"{result.verdict.word}: {counted(result.runs, 'run')}, {_sentence(result)}"
    for divergence in _first_of_each(result.divergences)[:_SHOWN]:
        yield from _divergence(divergence)
    yield from (f"  {reason}" for reason in result.reasons)
    for stays in result.stays[:_SHOWN]:
        yield f"  {stays.path}:{stays.line}: stays old ({': '.join(filter(None, (stays.code, stays.message)))})"
    if result.never_ran:
        yield f"  {counted(len(result.never_ran), 'call')} of the old API never ran:"
    for call in result.never_ran[:_SHOWN]:
        yield f"    {call.path}:{call.line}: {call.name}"
    if len(result.never_ran) > _SHOWN:
        yield f"    and {len(result.never_ran) - _SHOWN} more"


def _sentence(result: Result) -> str:
    if result.verdict is Verdict.DIVERGED:
        return "the first differences:"
    if result.verdict is Verdict.EQUIVALENT:
        return "no difference; every call of the old API ran"
    return (
        "no difference that is certain, but not everything is proved"
        if result.divergences
        else ("no difference, but not everything is proved")
    )


def _first_of_each(divergences: Sequence[Divergence]) -> list[Divergence]:
    """The first of each kind: other runs repeat it."""
    kinds: dict[tuple[str, str], Divergence] = {}
    for divergence in sorted(divergences, key=lambda divergence: not divergence.is_steady):
        kinds.setdefault((divergence.peer, divergence.difference.topic), divergence)
    return list(kinds.values())


def _divergence(divergence: Divergence) -> Iterator[str]:
    difference = divergence.difference
    loose = "" if divergence.is_steady else "; the old program differs from itself here"
    yield f"  {divergence.peer}, {difference.topic}, number {difference.number} ({_run(divergence.run)}{loose})"
    yield f"    old: {_event(difference.old)}"
    yield f"    new: {_event(difference.new)}"


def _run(run: Run) -> str:
    faults = f", faults {run.faults}" if run.faults else ""
    return f"{run.pairing}{faults}{f', repetition {run.repetition}' if run.repetition > 1 else ''}"


def _event(event: Event) -> str:
    return f"{event.text}  [{event.at}]" if event.at else event.text


def to_json(result: Result) -> str:
    """Return everything as a JSON document."""
    document = {
        "format": FORMAT,
        "verdict": result.verdict.word,
        "runs": result.runs,
        "divergences": [_divergence_json(divergence) for divergence in result.divergences],
        "never_ran": [{"path": str(call.path), "line": call.line, "name": call.name} for call in result.never_ran],
        "stays": [{**stays._asdict(), "path": str(stays.path)} for stays in result.stays],
        "reasons": list(result.reasons),
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
        "is_steady": divergence.is_steady,
        "old": _event_json(difference.old),
        "new": _event_json(difference.new),
    }


def _event_json(event: Event) -> dict[str, str]:
    return {"text": event.text, "at": event.at}
