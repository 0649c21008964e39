"""The forms of a report: JSON, Markdown, and text for everything else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["Facts", "written"]

Facts = dict[str, Any]
Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]  # title, heads of the columns, rows


def written(facts: Facts, suffix: str) -> str:
    """Return the account in the form of a file's suffix."""
    return _FORMS.get(suffix, _text)(facts)


def _json(facts: Facts) -> str:
    return json.dumps(facts, indent=1) + "\n"


def _text(facts: Facts) -> str:
    blocks = [f"old calls of {' '.join(facts['program'])} (process {facts['pid']})\n"]
    for title, heads, rows in _tables(facts):
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        lines = (_padded(row, widths) for row in (heads, *rows))
        blocks.append(f"{title}\n" + "".join(f"  {line}\n" for line in lines))
    return "\n".join(blocks)


def _padded(row: Iterable[str], widths: Iterable[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _markdown(facts: Facts) -> str:
    blocks = [f"# Old calls of `{' '.join(facts['program'])}`\n"]
    for title, heads, rows in _tables(facts):
        lines = (heads, ("---",) * len(heads), *rows)
        table = "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
        blocks.append(f"## {title.capitalize()}\n\n{table}")
    return "\n".join(blocks)


def _tables(facts: Facts) -> list[Table]:
    """The tables that have rows."""
    calls = [(call["symbol"], str(call["count"]), _results(call["results"]), _place(call)) for call in facts["calls"]]
    peers = [
        (f"{peer['service']} {peer['side']} {peer['connection']}", _carried(peer, "sent"), _carried(peer, "received"))
        for peer in facts["peers"]
    ]
    left = [(made["symbol"], str(made["count"]), _place(made)) for made in facts["never_destroyed"]]
    tables: list[Table] = [
        ("calls", ("call", "times", "results", "place"), [*calls]),
        ("peers", ("connection", "sent", "received"), [*peers]),
        ("never destroyed", ("made by", "times", "place"), [*left]),
    ]
    return [table for table in tables if table[2]]


def _results(results: Mapping[str, int]) -> str:
    return ", ".join(f"{name.removeprefix('DOCA_').removeprefix('ERROR_')} {count}" for name, count in results.items())


def _place(site: Mapping[str, Any]) -> str:
    if not site["file"]:
        return "no line of Python"
    return f"{site['file'].removeprefix(_here())}:{site['line']}"


def _here() -> str:
    """The beginning of paths below the working directory; nothing is below one that the program has removed."""
    try:
        return os.path.join(os.getcwd(), "")
    except FileNotFoundError:
        return ""


def _carried(peer: Mapping[str, Any], direction: str) -> str:
    return f"{peer.get(f'{direction}_messages', 0)} messages, {peer.get(f'{direction}_bytes', 0)} bytes"


_FORMS: dict[str, Callable[[Facts], str]] = {".json": _json, ".md": _markdown}
