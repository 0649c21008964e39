"""The pages of ``python -m migrate explain``: a code's text, and its golden cases as examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from migrate._codes import CODES

FOLDER = Path(__file__).parent / "rules"
_CASE, _OUTPUT = "# case:", "# output"


@dataclass(frozen=True)
class Case:
    """One golden case: `after` is None when the source must be left alone."""

    rule: str
    title: str
    before: str
    after: str | None


def cases() -> Iterator[Case]:
    """Every golden case, by rule, in the order of its file."""
    for path in sorted(FOLDER.glob("*.case.py")):
        rule = path.name.removesuffix(".case.py")
        for part in path.read_text(encoding="utf-8").split(_CASE)[1:]:
            title, _, body = part.partition("\n")
            before, found, after = body.partition(f"\n{_OUTPUT}\n")
            yield Case(rule, title.strip(), before.strip("\n") + "\n", after.strip("\n") + "\n" if found else None)


def page(code: str) -> str:
    """What there is to say about a code."""
    entry = CODES[code]
    lines = [
        f"{code}: {entry.title}",
        f"level: {entry.level}",
        "",
        entry.explanation,
        "",
        f"What to do: {entry.advice}",
    ]
    example = next((each for each in cases() if each.after and f"# {code}:" in each.after), None)
    if example and example.after:
        lines += ["", f"Example ({example.title}):", "", *_indented(example.before), "", "becomes", ""]
        lines += _indented(example.after)
    return "\n".join(lines)


def _indented(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.splitlines()]
