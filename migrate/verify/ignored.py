"""What is not compared because of --ignore: parts of messages, of the output and of files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from migrate._options import UsageError


@dataclass(frozen=True)
class Ignored:
    """Regular expressions; what matches is left out. `^` and `$` are the ends of a line."""

    patterns: tuple[re.Pattern[str], ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Ignored:
        """Compile what the command line has; UsageError if one is not a regular expression."""
        patterns = []
        for text in texts:
            try:
                patterns.append(re.compile(text, re.MULTILINE))
            except re.error as error:
                raise UsageError(f"--ignore {text!r} is not a regular expression: {error}") from None
        return cls(tuple(patterns))

    def left(self, text: str) -> str:
        """Return a text without what matches."""
        for pattern in self.patterns:
            text = pattern.sub("", text)
        return text

    def left_of(self, data: bytes) -> bytes:
        """Return bytes, which may be no text, without what matches."""
        return self.left(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
