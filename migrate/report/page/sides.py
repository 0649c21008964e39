"""A file's changes as rows: the old line beside the new one, with some lines around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from migrate.outcome import FileOutcome
from migrate.report.diff import Matcher, count_equal

_WORD = re.compile(r"\w+|\W")


class Side(NamedTuple):
    """A line of one side: its number, from 1, and its text, of which the middle part differs from the other side."""

    number: int
    before: str
    middle: str = ""
    after: str = ""


class Row(NamedTuple):
    """A row: a line of each side; None where the other side has more."""

    old: Side | None
    new: Side | None
    changed: bool


Hunk = Sequence[Row]


def hunks(outcome: FileOutcome) -> Sequence[Hunk]:
    """Return the changes of a file, each with the lines around it."""
    matcher = Matcher(outcome)
    return [[row for change in group for row in _rows(matcher, *change)] for group in matcher.get_grouped_opcodes()]


def _rows(matcher: Matcher, what: str, first: int, last: int, new_first: int, new_last: int) -> Iterator[Row]:
    old, new = enumerate(matcher.old[first:last], first + 1), enumerate(matcher.new[new_first:new_last], new_first + 1)
    for before, after in zip_longest(old, new):
        if what == "equal":
            yield Row(_side(*before), _side(*after), changed=False)
        elif before is None or after is None:
            yield Row(before and _side(*before), after and _side(*after), changed=True)
        else:
            yield Row(*_parted(_side(*before), _side(*after)), changed=True)


def _side(number: int, line: bytes) -> Side:
    return Side(number, line.decode("utf-8", "replace").rstrip("\r\n").expandtabs())


def _parted(old: Side, new: Side) -> tuple[Side, Side]:
    """Part two lines into the words that they begin with, those that differ, and those that they end with."""
    before, after = _WORD.findall(old.before), _WORD.findall(new.before)
    begin = count_equal(before, after)
    end = count_equal(before[begin:][::-1], after[begin:][::-1])
    return _cut(old.number, before, begin, end), _cut(new.number, after, begin, end)


def _cut(number: int, words: list[str], begin: int, end: int) -> Side:
    stop = len(words) - end
    return Side(number, *map("".join, (words[:begin], words[begin:stop], words[stop:])))
