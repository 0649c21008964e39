"""Reading a trace, and finding the two ends of a message in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Line = dict[str, Any]
Key = tuple[Any, ...]


def read(*paths: Path) -> list[Line]:
    """Every line of the files; one that is not whole is a ValueError."""
    lines: list[Line] = []
    for path in paths:
        text = path.read_text(encoding="ascii")
        assert text.endswith("\n")
        lines += [json.loads(line) for line in text.splitlines()]
    return lines


def of(lines: list[Line], what: str, **facts: Any) -> list[Line]:
    """The lines about that, with those facts."""
    return [line for line in lines if line["what"] == what and facts.items() <= line.items()]


def accepted(lines: list[Line], side: str) -> dict[Key, Line]:
    """The sends of that side that were accepted and have not failed since, by what names a message."""
    completed = of(lines, "complete", side=side)
    failed = {key(line) for line in completed if line["result"] != "DOCA_SUCCESS"}
    sent = {key(line): line for line in of(lines, "send", side=side, result="DOCA_SUCCESS")}
    return {name: line for name, line in sent.items() if name not in failed}


def received(lines: list[Line], side: str) -> dict[Key, Line]:
    """What that side received, by the same."""
    return {key(line): line for line in of(lines, "receive", side=side)}


def key(line: Line) -> Key:
    """What a message has at both ends."""
    names = ("service", "connection", "consumer", "producer", "n", "length", "digest", "imm_length", "imm_digest")
    return tuple(line.get(name) for name in names)
