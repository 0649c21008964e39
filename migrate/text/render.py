"""Turns edits into text: each edited place is filled with its template, every other byte stays as it is.

A place on one line is filled as text; a call over several lines is taken apart by libcst, so that its arguments keep
their lines and comments. Comments that the new form has no place for go above the logical line.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from migrate.python.scopes import Names
from migrate.python.source import Source
from migrate.text._fold import Folder
from migrate.text.code import Edits, Template
from migrate.text.lines import Lines
from migrate.text.pieces import Change, is_whole, is_word, moved, open_bracket, realigned, remarks, reread, splice

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.JoinedStr, *_DISPLAYS)
_COMPARED = ("==", "!=", "<=", ">=")
_HOLDERS = (ast.Call, ast.keyword, ast.Assign, ast.AnnAssign, ast.Return, ast.List, ast.Tuple, ast.Dict, ast.Set)
_WRAPPED = (ast.NamedExpr, ast.Yield, ast.YieldFrom)  # these need brackets of their own nearly everywhere
_IN_STRING = frozenset("\"'\\\n\r#")  # what an f-string's expression may not gain before Python 3.12


class Trouble(NamedTuple):
    """An edit that its place has no room for."""

    node: ast.AST
    code: str


class _Edit(NamedTuple):
    start: int
    end: int
    node: ast.expr | ast.stmt
    template: Template


class Renderer:
    """Renders the edits of one file; `comch` is asked for the new module's name at an edited node."""

    def __init__(
        self,
        source: Source,
        names: Names,
        edits: Edits,
        comch: Callable[[ast.AST], str],
        width: int | None = None,
    ) -> None:
        self.source = source
        self.names = names
        self.comch = comch
        self.lines = Lines(source, names)
        self.folder = Folder(source, width)
        self.troubles: list[Trouble] = []
        placed = [_Edit(*source.span(node), node, template) for node, template in edits.statements.items()]
        for node, template in edits.expressions.items():
            if self._is_placed(node):
                placed.append(_Edit(*source.span(node), node, template))
        self._edits = sorted(placed, key=lambda edit: (edit.start, -edit.end, isinstance(edit.node, ast.expr)))
        self._starts = [edit.start for edit in self._edits]
        self._by_node = {edit.node: edit for edit in self._edits}
        self._texts: dict[ast.expr | ast.stmt, str] = {}

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return the new text of an edited node, "" for one that is not edited."""
        return self._text(self._by_node[node]) if node in self._by_node else ""

    def changes(self) -> list[Change]:
        """Return every change, none inside another; fills `troubles`."""
        by_line: dict[int, list[tuple[Change, _Edit]]] = {}
        for edit in self._outermost(0, len(self.source.text)):
            change = Change(edit.start, edit.end, self._text(edit))
            by_line.setdefault(self.lines.first(edit.node), []).append((change, edit))
        return [change for line, found in by_line.items() for change in self._on_line(line, found)]

    def _on_line(self, line: int, found: list[tuple[Change, _Edit]]) -> Iterator[Change]:
        """Return the changes of one logical line as one, folded where it has become too long."""
        start = self.source.line_start(line)
        last = self.source.text.find("\n", found[-1][0].end)
        end = last if last >= 0 else len(self.source.text)
        end -= self.source.text[max(end - 1, start) : end] == "\r"
        if len(found) == 1 and not found[0][0].text.strip() and self.source.is_alone(found[0][1].node):  # type: ignore[arg-type]
            yield self._deletion(found[0][0], line)
            return
        changes = [change for change, _ in found]
        lost = [comment for change in changes for comment in self._lost(change)]
        new = splice(self.source.text, changes, start, end)
        folded = self.folder.fold(new, self.source.text[start:end])
        if lost:
            first = changes[0].text  # which begins with how much deeper it is now
            prefix = self.source.indentation(line) + first[: len(first) - len(first.lstrip(" \t"))]
            above = "".join(prefix + comment + self.source.line_end(line) for comment in lost)
            yield Change(start, start, above)
        if folded == new:
            yield from changes
        else:
            yield Change(start, end, folded)

    def _deletion(self, change: Change, line: int) -> Change:
        """Return the change that takes a statement's lines away, but for their comments; its text indents these."""
        first, last = self.source.line_start(line), self.source.text.find("\n", change.end) + 1
        last = last or len(self.source.text)
        indent, newline = self.source.indentation(line) + change.text, self.source.line_end(line)
        kept = remarks(self.source.text[change.start : last].strip())
        return Change(first, last, "".join(indent + comment + newline for comment in kept))

    def _lost(self, change: Change) -> list[str]:
        old = self.source.text[change.start : change.end]
        return list((Counter(remarks(old)) - Counter(remarks(change.text))).elements()) if "#" in old else []

    # ------------------------------------------------------------------ one edit

    def _outermost(self, start: int, end: int) -> Iterator[_Edit]:
        """Iterate over the edits in a piece of the old text, without those inside of others."""
        index = bisect_left(self._starts, start)
        while index < len(self._edits) and self._edits[index].start < end:
            edit = self._edits[index]
            if edit.start >= start and edit.end <= end:
                yield edit
                start = edit.end
            index += 1

    def _piece(self, start: int, end: int) -> str:
        """Return a piece of the old text with its edits done."""
        changes = [Change(edit.start, edit.end, self._text(edit)) for edit in self._outermost(start, end)]
        return splice(self.source.text, changes, start, end)

    def _text(self, edit: _Edit) -> str:
        if edit.node not in self._texts:
            self._texts[edit.node] = self._rendered(edit)
        return self._texts[edit.node]

    def _rendered(self, edit: _Edit) -> str:
        old, text = self.source.text[edit.start : edit.end], None
        if isinstance(edit.node, ast.Call) and "\n" in old and self._is_spread(edit):
            text = self._laid_out(edit.node, edit)
        text = self._fill(edit) if text is None else text
        kept = self._with_parts(edit)
        if "".join(kept.split()) == "".join(text.split()):
            return kept  # but for spaces, nothing changes
        text = f"({text})" if text.startswith("lambda") and self._binds_tighter(edit) else text
        before, after = self.source.text[edit.start - 1 : edit.start], self.source.text[edit.end : edit.end + 1]
        text = f" {text}" if is_word(before) and is_word(text[:1]) else text
        return f"{text} " if is_word(after) and is_word(text[-1:]) else text

    def _with_parts(self, edit: _Edit) -> str:
        """Return the old text with the edits of what its template takes over."""
        spans = (self.source.span(part) for part in edit.template.parts.values())
        return splice(self.source.text, [Change(*span, self._piece(*span)) for span in spans], edit.start, edit.end)

    def _binds_tighter(self, edit: _Edit) -> bool:
        """Whether a lambda would take in what stands around it, or is not allowed there."""
        above = self.names.parents[edit.node]
        return not isinstance(above, _HOLDERS) or edit.node is getattr(above, "func", None)

    def _is_spread(self, edit: _Edit) -> bool:
        """Whether a call has line ends outside of what the template keeps."""
        spans = sorted(self.source.span(part) for part in edit.template.parts.values())
        position, outside = edit.start, ""
        for start, end in spans:
            outside += self.source.text[position:start]
            position = end
        return "\n" in outside + self.source.text[position : edit.end]

    def _fill(self, edit: _Edit, mark: str = "") -> str:
        """Return a template's text with its parts, or with a name for each of them that begins with a mark."""
        text, parts = edit.template.text, edit.template.parts

        def part(match: re.Match[str]) -> str:
            name = match.group(1)
            if name == "comch":
                return self.comch(edit.node)
            if name == "brace":
                return "{"
            return f"{mark}{name}__" if mark else self._part(parts[name], text, match)

        return _PLACEHOLDER.sub(part, text)

    def _laid_out(self, call: ast.Call, edit: _Edit) -> str | None:
        """Return the new text with the lines and comments of the old call's arguments."""
        from migrate.text._layout import lay_out  # here: it brings libcst, which most files never need

        values = [argument.value if isinstance(argument, ast.Starred) else argument for argument in call.args]
        values = sorted([*values, *(keyword.value for keyword in call.keywords)], key=self.source.span)
        names = [Change(*self.source.span(value), f"argument_{at}") for at, value in enumerate(values)]
        old = splice(self.source.text, names, edit.start, edit.end)
        places = tuple((name, values.index(part)) for name, part in edit.template.parts.items() if part in values)
        text, parts = edit.template.text, edit.template.parts
        laid_out = lay_out(old, self._fill(edit, self._mark), places, self.source.line_end(1))
        if laid_out is None:
            return None
        head, newline, rest = laid_out.partition("\n")
        matches = {match.group(1): match for match in _PLACEHOLDER.finditer(text)}
        old_column, new_column = self._columns(head, edit, self.source.span(values[0])[0])

        def part(match: re.Match[str]) -> str:
            piece = self._part(parts[match.group(1)], text, matches[match.group(1)])
            return realigned(piece, old_column, new_column)

        lines = [head, *(moved(line, old_column, new_column) for line in rest.split("\n"))] if newline else [head]
        return re.sub(rf"{self._mark}(\w+?)__", part, "\n".join(lines))

    @cached_property
    def _mark(self) -> str:
        """What the names of parts begin with, and nothing in the file has."""
        mark = "__part_"
        while mark in self.source.text:
            mark = f"_{mark}"
        return mark

    def _columns(self, head: str, edit: _Edit, first: int) -> tuple[int, int]:
        """Return where the first argument stood and where it stands now; the same where neither is sure."""
        line, opened = self.source.line_start(edit.node.lineno), open_bracket(head)
        old = first - line
        if self.source.text.count("\n", line, first) or opened < 0:
            return old, old
        parts = edit.template.parts
        named = re.finditer(rf"{self._mark}(\w+?)__", head[:opened])
        grown = sum(len(self._piece(*self.source.span(parts[match[1]]))) - len(match[0]) for match in named)
        return old, edit.start - line + opened + grown + 1

    def _part(self, node: ast.expr, text: str, match: re.Match[str]) -> str:
        """Return one part's new text, in brackets where the template asks for a single value."""
        piece = self._piece(*self.source.span(node))
        before, after = text[: match.start()].rstrip(" "), text[match.end() :].lstrip(" ")
        free = (
            before[-1:] in ("", "(", ",", "=", "[", ":")
            and before[-2:] not in _COMPARED
            and after[:1] in ("", ")", ",", "]")
        )
        free = free or before.endswith("return")
        node = reread(node, piece)
        is_number = isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex)
        bare = isinstance(node, _PRIMARY) or (isinstance(node, ast.Constant) and not is_number)
        wrap = isinstance(node, _WRAPPED) or not (free or bare)
        inside = before.count("(") + before.count("[") > before.count(")") + before.count("]")
        return f"({piece})" if wrap or ("\n" in piece and not inside and not is_whole(piece)) else piece

    # ------------------------------------------------------------------ f-strings

    def _is_placed(self, node: ast.expr) -> bool:
        """Whether a node's place is known and has room: before 3.12 neither is sure in f-strings."""
        inside = False
        for above in self.names.above(node):
            inside = inside or isinstance(above, ast.JoinedStr)
            if inside or isinstance(above, ast.stmt):
                break
        if inside and not self._stands_as_written(node):
            self.troubles.append(Trouble(node, "CCM048"))
            return False
        return True

    def _stands_as_written(self, node: ast.expr) -> bool:
        old = self.source.slice(node)
        try:
            same = ast.dump(ast.parse(f"({old})", mode="eval").body) == ast.dump(node)
        except SyntaxError:
            return False
        return same and self.source.text[self.source.span(node)[1] :].lstrip(" ")[:1] != "="

    def check_strings(self) -> None:
        """Note as trouble what would bring quotes, comments or line ends into the expressions of f-strings."""
        for edit in self._edits:
            inside = any(isinstance(above, ast.JoinedStr) for above in self.names.above(edit.node))
            if inside and set(self._text(edit)) & _IN_STRING - set(self.source.slice(edit.node)):
                self.troubles.append(Trouble(edit.node, "CCM048"))
