"""The changes of the files of one program that calls doca_cc in C, or NotUnderstood for the first cause."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from migrate.bindings import declarations
from migrate.bindings.knowledge import Bindings
from migrate.bindings.refusal import NotUnderstood
from migrate.bindings.tokens import Library, keys
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest, last_name
from migrate.old_api.generations import VOCABULARY
from migrate.python.modules import Project
from migrate.python.source import Source
from migrate.python.values import Bound, Class, Function, Values
from migrate.successors import words
from migrate.successors.arguments import Arguments
from migrate.successors.cells import Cells
from migrate.successors.composed import SHAPING, UNSEEN, Composed
from migrate.successors.declarations import Declarations
from migrate.successors.names import MESSAGE, NEW, OF_2_5, SUCCESSOR
from migrate.successors.references import LOST, Given, References, Told
from migrate.successors.types import Types
from migrate.text.pieces import Change

TWICE = "CCM123"
PYTHON = frozenset({"doca_cc", "doca_comm_channel", "comm_channel_compat"})
_WIDE = re.compile(r"\bc_(?:size_t|ulong|uint64)\b")
_PREFIX = r"(?<!\w)"


class Program:
    """Files that imports connect."""

    def __init__(self, sources: Mapping[Path, Source]) -> None:
        self.sources = dict(sources)
        project = Project(
            {path: source.tree for path, source in sources.items()},
            {path: source.names for path, source in sources.items()},
        )
        self._project = project
        self.forest = Forest({path: project.names(path) for path in sorted(sources)})
        self._values = Values(project, Bindings(VOCABULARY, declarations.Declarations(project.trees.values())))
        self._composed = Composed(self.sources, self.forest)
        self._named: set[str] = set()  # whole names of doca_cc
        self._code = {path: words.without_comments(source.text) for path, source in sources.items()}

    def changes(self) -> dict[Path, list[Change]]:
        """Return the changes of each file; NotUnderstood if one of them cannot change."""
        self._check_names()
        self._check_library()
        found: dict[Path, dict[tuple[int, int], Change]] = {path: {} for path in self.sources}
        for path, change in self._all():
            found[path].setdefault((change.start, change.end), change)
        return {path: _apart(changes.values()) for path, changes in found.items()}

    def _all(self) -> Iterator[tuple[Path, Change]]:
        """Yield all changes: whole names first, which others may not cut."""
        for path, source in self.sources.items():
            yield from ((path, change) for change in words.changes(source.text))
        yield from self._parts()
        yield from self._of_calls()
        yield from self._declared()

    # ------------------------------------------------------------------ names

    def _check_names(self) -> None:
        """Refuse a program that knows two names of one thing, or both libraries, or the Python module."""
        known: dict[str, str] = {}
        for path, code in self._code.items():
            for old, offset in words.named(code).items():
                self._named.add(old)
                if known.setdefault(NEW[old], old) != old:
                    raise NotUnderstood(self._node(path, offset), TWICE)
            if words.is_modern(code):
                raise NotUnderstood(self.sources[path].tree.body[0], TWICE)
            for statement in self.forest.names[path].imports:
                if any(name in PYTHON and self._project.resolve(path, name) is None for name in _modules(statement)):
                    raise NotUnderstood(statement, TWICE)

    def _check_library(self) -> None:
        """Refuse a program whose library, or whose declarations, are named or made elsewhere."""
        for _, call in self.forest.calls(["cdef"]):
            if call.args and not self._composed.is_seen(call.args[0]):
                raise NotUnderstood(call, UNSEEN)
        for _, call in self.forest.calls(["getattr"]):
            of_library = (
                any(isinstance(key, Library) for key in keys(self._values.of(call.args[0]))) if call.args else False
            )
            if of_library and not self._composed.is_seen(call.args[1]):
                raise NotUnderstood(call, UNSEEN)
        if not any(map(words.names_library, self._code.values())) and not self._composed.names_library():
            raise NotUnderstood(self._first(), UNSEEN)

    def _first(self) -> ast.AST:
        """Return the first place that names something of doca_cc."""
        found = ((path, min(named.values())) for path, code in self._code.items() if (named := words.named(code)))
        path, offset = next(found, (next(iter(self.sources)), 0))
        return self._node(path, offset)

    def path(self, node: ast.AST) -> Path:
        """Return the file that holds a node."""
        return self.forest.path(node)

    def _node(self, path: Path, offset: int) -> ast.AST:
        """Return the smallest expression or statement around a place in the text."""
        source = self.sources[path]
        found = (node for node in ast.walk(source.tree) if isinstance(node, ast.expr | ast.stmt))
        around = [(end - start, at, node) for at, node in enumerate(found)
                  for start, end in [source.span(node)] if start <= offset < end]  # fmt: skip
        return min(around)[2] if around else source.tree.body[0]

    def _parts(self) -> Iterator[tuple[Path, Change]]:
        """Yield the changes of texts that are parts of names."""
        for node, change in self._composed.read():
            path = self.forest.path(node)
            start, end = self.sources[path].span(node)
            text = self.sources[path].text[start:end]
            at = start + text.index(str(getattr(node, "value", "")))
            yield path, Change(at, at + len(str(getattr(node, "value", ""))), change.text)
        if not self._composed.parts:
            return
        words = {part for part in self._composed.parts if "_" not in part}  # which programs have for other things, too
        self._check_words(words)
        pattern = re.compile(
            rf"(?:{_PREFIX}|(?<=%s)|(?<=\)s))(?:{'|'.join(sorted(self._composed.parts, key=len, reverse=True))})(?!\w)"
        )
        for path, node in self._texts():
            start, end = self.sources[path].span(node)
            for match in pattern.finditer(self.sources[path].text, start, end):
                if match.group() not in words or match.group() == getattr(node, "value", ""):
                    yield path, Change(*match.span(), self._composed.parts[match.group()])

    def _check_words(self, words: Collection[str]) -> None:
        """Refuse a program that has a part of names in other texts, too, or gives it to functions of others."""
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)")
        for _, node in self.forest.nodes(ast.Constant) if words else ():
            if not isinstance(node.value, str) or isinstance(self.forest.parents[node], ast.Expr):
                continue  # a docstring, which stays
            if pattern.search(node.value) and (node.value not in words or not self._is_alone(node)):
                raise NotUnderstood(node, UNSEEN)

    def _is_alone(self, node: ast.Constant) -> bool:
        """Whether a text goes to no function but the program's own, or to one that puts texts together.

        What it is listed with has to be words as well.
        """
        for above in self.forest.above(node):
            if isinstance(above, ast.stmt):
                break
            if isinstance(above, ast.List | ast.Tuple | ast.Set):
                texts = (item.value for item in above.elts if isinstance(item, ast.Constant))
                if not all(re.fullmatch(r"\w+", str(text)) for text in texts):
                    return False
            if isinstance(above, ast.Call) and last_name(above.func) == "getattr":
                return self.forest.parents[node] is not above  # else it is a name by itself
            if isinstance(above, ast.Call) and last_name(above.func) not in SHAPING:
                return any(isinstance(value, Function | Class | Bound) for value in self._values.of(above.func))
        return True

    def _texts(self) -> Iterator[tuple[Path, ast.expr]]:
        """Yield every text of the program, one with computed parts as a whole."""
        yield from self.forest.nodes(ast.JoinedStr)
        for path, node in self.forest.nodes(ast.Constant):
            if isinstance(node.value, str) and not isinstance(self.forest.parents[node], ast.JoinedStr):
                yield path, node

    # ------------------------------------------------------------------ calls and declarations

    def _of_calls(self) -> Iterator[tuple[Path, Change]]:
        expressions = Expressions(self.forest, self._values, frozenset(), VOCABULARY)
        arguments = Arguments(self.sources, self.forest, self._values, expressions)
        types = Types(self.sources, self.forest, self._values)
        cells = Cells(self.sources, self.forest, self._values, types)
        wide = self._wide(types)
        wanted = {name for name, successor in SUCCESSOR.items() if successor.is_changed or name in wide}
        for use in self._uses(wanted):
            if isinstance(use, Told):
                yield from types.changes(use)
                continue
            yield from arguments.changes(use)
            if any(successor.shows_log or successor.old in wide for successor in use.successors):
                yield from cells.changes(use)
        for name in sorted(SUCCESSOR.keys() - wanted):
            yield from self._told_besides(name, types)
        yield from types.imports()

    def _uses(self, wanted: Collection[str]) -> Iterator[Given | Told]:
        return References(self.forest, self._values, self._composed).uses(wanted)

    def _told_besides(self, name: str, types: Types) -> Iterator[tuple[Path, Change]]:
        """Yield the changes of types that C takes as it took the old ones, so that some may stay."""
        if SUCCESSOR[name].retyped:
            with suppress(NotUnderstood):
                for use in self._uses({name}):
                    if isinstance(use, Told):
                        yield from [*types.changes(use)]

    def _wide(self, types: Types) -> set[str]:
        """Return the functions whose numbers are eight bytes wide in the program, as they were in DOCA 2.5."""
        wide: set[str] = set()
        for path, node in self._texts():
            start, end = self.sources[path].span(node)
            declared = Declarations(self.sources[path].text[start:end], start)
            wide |= {
                successor.old for successor, opened in declared.functions()
                if successor.cells and declared.is_wide(successor, opened)
            }  # fmt: skip
        if any(map(_WIDE.search, self._code.values())):  # of ctypes
            is_2_5 = not OF_2_5.isdisjoint(self._named | self._composed.known)
            known = SUCCESSOR.keys() if is_2_5 else self._named
            wide |= {name for name, successor in SUCCESSOR.items() if successor.cells and name in known}
            if is_2_5 or types.has_wide_callback():
                wide |= {name for name, successor in SUCCESSOR.items() if successor.callback(MESSAGE) is not None}
        return wide

    def _declared(self) -> Iterator[tuple[Path, Change]]:
        for path, node in self._texts():
            start, end = self.sources[path].span(node)
            declared = Declarations(self.sources[path].text[start:end], start)
            if declared.calls() or declared.is_unlike():
                raise NotUnderstood(node, LOST)
            yield from ((path, change) for change in declared.changes())


def _modules(statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(statement, ast.Import):
        yield from (alias.name.partition(".")[0] for alias in statement.names)
    elif not statement.level:
        yield (statement.module or "").partition(".")[0]


def _apart(changes: Iterable[Change]) -> list[Change]:
    """Return changes in the order of the text, without those inside of others."""
    kept: list[Change] = []
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        if kept and change.start < kept[-1].end:
            continue
        kept.append(change)
    return kept
