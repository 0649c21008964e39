"""What the pragmas of a project's files leave alone, and which of them leave out nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from migrate.python.scopes import Names
from migrate.python.source import Source
from migrate.text.comments import Comments, Pragma
from migrate.text.lines import Lines

SKIPPED = "CCM090"  # left alone on request


class Pragmas:
    """Answers for nodes of any file; `comments` and `lines` are those of each file."""

    def __init__(self, sources: Mapping[Path, Source], names: Mapping[Path, Names]) -> None:
        self.comments = {path: Comments(source) for path, source in sources.items()}
        self.lines = {path: Lines(source, names[path]) for path, source in sources.items()}
        self._used: set[tuple[Path, Pragma, str]] = set()

    def refusal(self, path: Path, node: ast.AST, code: str) -> str:
        """Return the code under which a pragma keeps a place with an answer's code old, "" if none does."""
        for pragma in self._at(path, node):
            if not pragma.codes or code in pragma.codes:
                self._used.add((path, pragma, code if pragma.codes else ""))
                return code if pragma.codes else SKIPPED
        return ""

    def _at(self, path: Path, node: ast.AST) -> list[Pragma]:
        pragmas = self.comments[path].pragmas
        return pragmas.get(self.lines[path].first(node), []) if pragmas else []

    def unused(self, path: Path) -> Iterator[tuple[Pragma, str]]:
        """Iterate over the pragmas of a file that leave out nothing, by the code that never came up."""
        for pragmas in self.comments[path].pragmas.values():
            for pragma in pragmas:
                for code in sorted(pragma.codes) or [""]:
                    if (path, pragma, code) not in self._used:
                        yield pragma, code
