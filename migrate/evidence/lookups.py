"""Names of the old API that getattr computes, as tables of those that are written in the program or that runs read.

`getattr(cc, prefix + verb)` becomes `{"doca_dev_open": cc.doca_dev_open, ...}[prefix + verb]`, which the rules rewrite
as they rewrite every table of functions; so does `getattr(lib, prefix + verb)`, or `lib[...]`, of cffi and ctypes. A
name that no run read raises KeyError. `getattr(cc, "devices")` becomes `cc.devices`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from migrate.evidence.runs import Runs
from migrate.facts.program import Facts
from migrate.facts.tokens import are_modules, handles_among, is_handle
from migrate.old_api.accounts import accounted
from migrate.old_api.generations import VOCABULARY
from migrate.python.source import Source
from migrate.python.values import Plain
from migrate.text.pieces import Change, comments

_LINE_END = re.compile(r"\r?\n")


LookUp = ast.Call | ast.Subscript  # getattr(owner, name), owner[name]
_Node = TypeVar("_Node", bound=LookUp)


class Table(NamedTuple):
    """What takes the place of a look-up, and the changes of the text. of_c: in a library of C.

    shown: what runs showed, "" where all names are seen.
    """

    path: Path
    node: LookUp
    shown: str
    changes: tuple[Change, Change]
    of_c: bool


class Lookups:
    """Makes the tables of a project. doubts: why others stay."""

    def __init__(
        self,
        facts: Facts,
        sources: Mapping[Path, Source],
        runs: Runs | None = None,
        *,
        of_c: Collection[LookUp] = frozenset(),
        changed: Collection[ast.AST] = frozenset(),
    ) -> None:
        """of_c: the look-ups in libraries of C whose names cannot be seen. changed: those that change by themselves."""
        self._facts, self._sources, self._of_c, self._changed = facts, sources, of_c, changed
        self._runs = runs or Runs((), {})
        self.doubts: dict[tuple[Path, ast.expr], str] = {}

    def tables(self) -> Iterator[Table]:
        """Yield a table for every look-up whose names are seen, or that runs explain."""
        for path, names in self._facts.names.items():
            for node in list(names.parents):
                name = node.func if isinstance(node, ast.Call) else None
                if isinstance(node, LookUp) and node in self._of_c:
                    yield from self._table(path, node, self._of_library)
                elif node in self._changed:
                    pass
                elif isinstance(node, ast.Call) and isinstance(name, ast.Name) and self._is_getattr(name):
                    yield from self._of_object(path, node)

    def _is_getattr(self, name: ast.Name) -> bool:
        return name.id == "getattr" and self._facts.is_builtin(name)

    def _of_object(self, path: Path, node: ast.Call) -> Iterator[Table]:
        values = self._facts.values.of(node.args[0]) if node.args else frozenset()
        if {handle.kind for handle in handles_among(values)}:
            yield from self._table(path, node, self._of_handle)
        elif values and are_modules(values):
            yield from self._table(path, node, self._of_module)

    def _table(self, path: Path, node: _Node, read: Callable[[Path, _Node], set[str]]) -> Iterator[Table]:
        if (seen := self._seen(node)) and not self._form(path, node):
            yield Table(path, node, "", self._changes(path, node, seen), False)
            return
        doubt = self._runs.doubt(path) or self._form(path, node)
        names = set() if doubt else self._fitting(node, read(path, node))
        accounts = self._runs.names(path)
        if not doubt and not names:
            doubt = f"{accounts}: line {node.lineno} did not run, or read a name that is not old"
        if doubt:
            self.doubts[path, node] = doubt
            return
        shown = f"{accounts}: {len(names)} name{'s were' if len(names) > 1 else ' was'} read here"
        yield Table(path, node, shown, self._changes(path, node, sorted(names)), node in self._of_c)

    def _seen(self, node: LookUp) -> list[str]:
        """Return all names of a look-up, if they are seen, and what it is looked up on has them."""
        owner, *texts = _parts(node)
        if not texts or not isinstance(node, ast.Call):
            return []
        values = self._facts.values.of(owner)
        there = values - {Plain.NONE}  # None has no such name, be it looked up or written
        methods, kinds = self._facts.vocabulary.methods, {handle.kind for handle in handles_among(values)}
        names = sorted(self._facts.texts(texts[0]))
        if are_modules(values) and there == values:
            return names if all(name in self._facts.vocabulary.exports for name in names) else []
        is_only = all(map(is_handle, there)) and all((kind, name) in methods for kind in kinds for name in names)
        return names if is_only else []

    def _fitting(self, node: LookUp, names: set[str]) -> set[str]:
        """Return those of the names that have the parts which can be seen: others were read beside it on its lines."""
        form = re.compile(self._pattern(_parts(node)[1]), re.DOTALL)
        return {name for name in names if form.fullmatch(name)}

    def _pattern(self, node: ast.expr) -> str:
        text = self._facts.constant(node)
        if isinstance(text, str):
            return re.escape(text)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._pattern(node.left) + self._pattern(node.right)
        return "".join(map(self._pattern, node.values)) if isinstance(node, ast.JoinedStr) else ".*"

    def _form(self, path: Path, node: LookUp) -> str:
        """Return why a look-up has no room for a table."""
        parts, keywords = _parts(node), node.keywords if isinstance(node, ast.Call) else []
        if len(parts) != 2 or keywords or any(isinstance(part, ast.Starred) for part in parts):
            return "a getattr with a default hides names that did not run"
        if not self._facts.is_simple(parts[0]):
            return "what it is looked up on would be evaluated several times"
        if any(isinstance(above, ast.JoinedStr) for above in self._facts.names[path].above(node)):
            return "a table has no room in an f-string"
        text = self._sources[path]
        return "it contains a comment" if comments(text.text[slice(*text.span(node))]) else ""

    def _of_module(self, path: Path, node: ast.Call) -> set[str]:
        """Return the names that runs read on the lines of a getattr, but for those that are written there."""
        return self._of_names(path, node, self._facts.vocabulary.exports)

    def _of_library(self, path: Path, node: LookUp) -> set[str]:
        """Return the functions that runs read on the lines of a look-up in a library of C."""
        return self._of_names(path, node, VOCABULARY.flat.keys())

    def _of_names(self, path: Path, node: LookUp, known: Collection[str]) -> set[str]:
        found = self._runs.lookups(path, node)
        if not all(lookup.exists and lookup.name in known for lookup in found):
            return set()
        return self._read(path, node, {lookup.name: lookup.times for lookup in found})

    def _of_handle(self, path: Path, node: ast.Call) -> set[str]:
        """Return the methods that runs called on the lines of a getattr, which is called where it stands."""
        kinds = {handle.kind for handle in handles_among(self._facts.values.of(node.args[0]))}
        above = self._facts.parent(node)
        if not isinstance(above, ast.Call) or above.func is not node or len(kinds) > 1:
            return set()
        methods = {accounted(function.name): name for (kind, name), function in self._facts.vocabulary.methods.items()
                   if kind in kinds}  # fmt: skip
        classes = {name for name, kind in self._facts.vocabulary.classes.items() if kind in kinds}
        called = {
            methods[call.site.symbol]: call.count
            for call in self._runs.calls(path, above, methods.__contains__)
            if any(given.argument == 0 and given.kind in classes for given in call.given)
        }
        return self._read(path, above, called)

    def _read(self, path: Path, node: LookUp, counts: Mapping[str, int]) -> set[str]:
        """Return those of the names that were read on some lines which are not written there.

        None where one of these was read more often than all others: it was computed, too.
        """
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        parts = (part for part in ast.walk(self._facts.names[path].tree) if isinstance(part, ast.Attribute))
        written = {part.attr for part in parts if part.end_lineno in lines}
        others = sum(count for name, count in counts.items() if name not in written)
        is_clear = all(count <= others for name, count in counts.items() if name in written)
        return counts.keys() - written if is_clear else set()

    def _changes(self, path: Path, node: LookUp, names: list[str]) -> tuple[Change, Change]:
        """Return the changes around the expression of the name; lines stay lines, and the table is on one of them.

        A name that is written there becomes an attribute.
        """
        source = self._sources[path]
        looked_on, name = _parts(node)
        (start, end), (first, last) = source.span(node), source.span(name)
        owner = source.text[slice(*source.span(looked_on))]
        before, after = source.text[start:first], source.text[last:end]
        if isinstance(name, ast.Constant):
            opened, closed = "()" if "\n" in before + after else ("", "")
            attribute = f"{opened}{_line_ends(before)}{owner}.{names[0]}"
            return Change(start, last, attribute), Change(last, end, f"{_line_ends(after)}{closed}")
        table = ", ".join(f'"{name}": {owner}.{name}' for name in names)
        return Change(start, first, f"{{{table}}}[{_line_ends(before)}"), Change(last, end, f"{_line_ends(after)}]")


def _parts(node: LookUp) -> list[ast.expr]:
    """Return what a look-up is given: the owner, and the name."""
    return node.args if isinstance(node, ast.Call) else [node.value, node.slice]


def _line_ends(text: str) -> str:
    """Return the ends of lines in a text, and how far its last line is indented."""
    ends = "".join(_LINE_END.findall(text))
    last = text[text.rfind("\n") + 1 :]
    return ends + last[: len(last) - len(last.lstrip())] * bool(ends)
