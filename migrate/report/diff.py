"""The changes as unified diffs, in the bytes of the files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import AnyStr

from migrate.outcome import FileOutcome
from migrate.report.run import Run

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_FAR = 100  # lines, old and new together, that one change may have before the search for its end is given up
_SIGNS = {"replace": (b"-", b"+"), "delete": (b"-", b"+"), "insert": (b"-", b"+"), "equal": (b" ", b"")}


def diff(run: Run, outcome: FileOutcome) -> Iterator[bytes]:
    """Return the lines of one file's diff, as `patch` and `git apply` take them."""
    matcher = Matcher(outcome)
    old, new = matcher.old, matcher.new
    name = run.name(outcome.path).lstrip("/")
    yield b"--- " + _quoted("a", name) + b"\n"
    yield b"+++ " + _quoted("b", name) + b"\n"
    for hunk in matcher.get_grouped_opcodes():
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = hunk[0], hunk[-1]
        yield b"@@ -%b +%b @@\n" % (_range(old_start, old_end), _range(new_start, new_end))
        for tag, first, last, new_first, new_last in hunk:
            removed, added = _SIGNS[tag]
            yield from (removed + _ended(line) for line in old[first:last])
            yield from (added + _ended(line) for line in new[new_first:new_last] if added)


class Matcher(SequenceMatcher[bytes]):
    """Finds changes of a file's lines that are small and far apart, in time that grows with it, not with its square."""

    def __init__(self, outcome: FileOutcome) -> None:
        self.old, self.new = (_LINE.findall(text) for text in (outcome.old, outcome.new))
        super().__init__(None, self.old, self.new, autojunk=False)

    def get_matching_blocks(self) -> list[Match]:
        """Return the equal parts: from one change to the nearest place where two lines are equal again."""
        old, new = self.old, self.new
        blocks: list[Match] = []
        i = j = 0
        while i < len(old) or j < len(new):
            size = count_equal(old, new, i, j)
            blocks.append(Match(i, j, size))
            i, j = i + size, j + size
            step = _resumption(old, new, i, j)
            if step is None:
                rest = SequenceMatcher(None, old[i:], new[j:], autojunk=False).get_matching_blocks()
                return [*blocks, *(Match(i + block.a, j + block.b, block.size) for block in rest)]
            inner = SequenceMatcher(None, old[i : i + step[0]], new[j : j + step[1]], autojunk=False)
            blocks += (Match(i + block.a, j + block.b, block.size) for block in inner.get_matching_blocks())
            i, j = i + step[0], j + step[1]
        return [*(block for block in blocks if block.size), Match(len(old), len(new), 0)]


def count_equal(old: Sequence[AnyStr], new: Sequence[AnyStr], i: int = 0, j: int = 0) -> int:
    """Return how many lines, or words, are equal from here on."""
    size = 0
    while i + size < len(old) and j + size < len(new) and old[i + size] == new[j + size]:
        size += 1
    return size


def _resumption(old: Sequence[bytes], new: Sequence[bytes], i: int, j: int) -> tuple[int, int] | None:
    """How many old and new lines the change that begins here has, None if too many."""
    for both in range(_FAR):
        for skipped in range(both + 1):
            a, b = i + skipped, j + both - skipped
            if a <= len(old) and b <= len(new) and old[a : a + 2] == new[b : b + 2]:
                return skipped, both - skipped
    return None


def _range(start: int, end: int) -> bytes:
    return b"%d" % end if end - start == 1 else b"%d,%d" % (start + (end > start), end - start)


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _quoted(side: str, name: str) -> bytes:
    """A file's name; one that would end the line is quoted as git does."""
    path = f"{side}/{name}"
    return f'"{path.encode("unicode_escape").decode()}"'.encode() if "\n" in path else os.fsencode(path)
