"""What the accounts of runs show of a project's lines."""

from __future__ import annotations

import ast
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from migrate.evidence.accounts import Account, Call, Lookup
from migrate.python.source import Located


def own_lines(path: Path, node: Located) -> range:
    """Return the lines of a node of a file that is as it ran."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


class Runs:
    """The accounts that count for a project's files, which are byte for byte those that ran.

    lines: where a node of a file was in the text that ran.
    """

    def __init__(
        self,
        accounts: Sequence[Account],
        files: Mapping[Path, bytes],
        lines: Callable[[Path, Located], range] = own_lines,
    ) -> None:
        self._accounts, self.lines = accounts, lines
        self._digests = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
        self._paths: defaultdict[str, list[Path]] = defaultdict(list)
        for path, digest in self._digests.items():
            self._paths[digest].append(path)
        self._calls: defaultdict[tuple[str, int], list[Call]] = defaultdict(list)
        self._lookups: defaultdict[tuple[str, int], list[Lookup]] = defaultdict(list)
        for account in accounts:
            for call in account.calls:
                self._calls[call.site.digest, call.site.line].append(call)
            for lookup in account.lookups:
                self._lookups[lookup.digest, lookup.line].append(lookup)

    def names(self, path: Path) -> str:
        """Return the names of the accounts that count for a file."""
        digest = self._digests.get(path, "")
        return ", ".join(account.name for account in self._accounts if digest in account.paths)

    def doubt(self, path: Path) -> str:
        """Return why no account counts for a file, "" if one does."""
        if self.names(path):
            return ""
        stale = [account.name for account in self._accounts if str(path) in account.paths.values()]
        where = ", ".join(stale or [account.name for account in self._accounts])
        return f"the file has changed since the run of {where}" if stale else f"there is no run of this file in {where}"

    def calls(self, path: Path, node: Located, is_meant: Callable[[str], bool] = lambda symbol: True) -> list[Call]:
        """Return what was called from the lines of a node, of the functions that are meant."""
        digest = self._digests.get(path, "")
        found = (call for line in self.lines(path, node) for call in self._calls.get((digest, line), ()))
        return [call for call in found if is_meant(call.site.symbol)]

    def lookups(self, path: Path, node: Located) -> list[Lookup]:
        """Return the names that were read from old modules on the lines of a node."""
        digest = self._digests.get(path, "")
        return [lookup for line in self.lines(path, node) for lookup in self._lookups.get((digest, line), ())]

    def file(self, digest: str) -> str:
        """Return the name of a file that ran."""
        paths = (account.paths[digest] for account in self._accounts if digest in account.paths)
        return Path(next(paths, "a program")).name

    def files(self, digest: str) -> Sequence[Path]:
        """Return the files of the project with some bytes."""
        return self._paths.get(digest, ())

    def all_calls(self) -> Iterable[Call]:
        """Iterate over everything that was called in any run."""
        return (call for account in self._accounts for call in account.calls)


def around(node: ast.AST, above: Iterable[ast.AST]) -> ast.Call | None:
    """Return the innermost call that a node is, or is a part of."""
    return next((place for place in (node, *above) if isinstance(place, ast.Call)), None)
