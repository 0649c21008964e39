"""Turns edits into text: libcst takes each changed expression apart and puts it together with its layout kept."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from migrate._edits import FOLD, FOLD_END, Edits, Template
from migrate._scopes import Names
from migrate._source import Source

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
WIDTH = 100  # longer lines are broken at their marks
_PRIMARY = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.BaseString)
_PLACEHOLDER = re.compile(r"\{(\w+)\}(\.|\[)?")


class Unrenderable(Exception):
    """An edit that this place has no room for: a code, and the node."""

    def __init__(self, code: str, node: ast.AST) -> None:
        super().__init__(code)
        self.code = code
        self.node = node


class _Replace(cst.CSTTransformer):
    """Replaces the expressions that have edits, found by their place."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, renderer: Renderer, start: int, text: str) -> None:
        super().__init__()
        self.renderer = renderer
        self._start = start - 1  # for the parenthesis put before the text
        self._lines = [0]
        for line in _LINE.findall(text):
            self._lines.append(self._lines[-1] + len(line))

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        node: cst.CSTNode = super().on_leave(original_node, updated_node)  # type: ignore[assignment]
        if not isinstance(original_node, cst.BaseExpression):
            return node
        place = self.get_metadata(PositionProvider, original_node)
        span = tuple(self._start + self._lines[at.line - 1] + at.column for at in (place.start, place.end))
        edited = self.renderer.by_span.get(span)  # type: ignore[arg-type]
        if edited is None:
            return node
        new = self.renderer.expression(edited)
        outer = getattr(original_node, "lpar", ())
        return new.with_changes(lpar=outer, rpar=original_node.rpar) if outer and not new.lpar else new


class Renderer:
    """Renders the edits of one file."""

    def __init__(self, source: Source, names: Names, edits: Edits, comch: str) -> None:
        self.source = source
        self.names = names
        self.edits = edits
        self.comch = comch
        self.by_span = {source.span(node): node for node in edits.expressions}

    # ------------------------------------------------------------------ expressions

    def expression(self, node: ast.expr) -> cst.BaseExpression:
        """The new form of an expression."""
        if node in self.edits.expressions:
            return self._parse(self.fill(self.edits.expressions[node]))
        start, end = self.source.span(node)
        text = f"({self.source.text[start:end]})"
        wrapper = MetadataWrapper(cst.parse_module(text))
        module = wrapper.visit(_Replace(self, start, text))
        line = module.body[0]
        statement = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
        if not isinstance(statement, cst.Expr):
            raise Unrenderable("CCM046", node)
        value = statement.value
        single = len(value.lpar) == 1 and isinstance(value, cst.Tuple | cst.GeneratorExp)
        return value if single else _unwrap(value)

    def _parse(self, text: str) -> cst.BaseExpression:
        return _unwrap(cst.parse_expression(f"({text})"))

    def fill(self, template: Template) -> str:
        """The text of a template, its parts rendered."""

        def part(match: re.Match[str]) -> str:
            name, follows = match.group(1), match.group(2) or ""
            if name == "comch":
                return self.comch + follows
            value = self.expression(template.parts[name])
            bare = isinstance(value, _PRIMARY) or bool(value.lpar)
            wrap = not bare and (bool(follows) or isinstance(value, cst.NamedExpr | cst.Yield))
            code = cst.Module([]).code_for_node(value)
            return (f"({code})" if wrap else code) + follows

        return _PLACEHOLDER.sub(part, template.text)

    # ------------------------------------------------------------------ places

    def changes(self) -> Iterator[tuple[int, int, str]]:
        """Every change as (start, end, new text), none inside another."""
        covered = [self.source.span(node) for node in self.edits.statements]
        for node in self.edits.expressions:
            start, end = self.source.span(node)
            inside = any(self._encloses(each, node) for each in self.edits.expressions)
            if not inside and not any(a <= start and end <= b for a, b in covered):
                yield self._change_expression(node)
                yield from self._rescue_comments(node)
        for statement, lines in self.edits.statements.items():
            if not any(each is not statement and self._encloses(each, statement) for each in self.edits.statements):
                yield self._change_statement(statement, lines)
        for statement, lines in self.edits.before.items():
            yield self._insert(statement, lines)

    def _encloses(self, outer: ast.AST, node: ast.AST) -> bool:
        return any(each is outer for each in self.names.above(node))

    def _change_expression(self, node: ast.expr) -> tuple[int, int, str]:
        start, end = self.source.span(node)
        text = cst.Module([], default_newline=self.source.line_end(node.lineno)).code_for_node(self.expression(node))
        if any(isinstance(each, ast.JoinedStr) for each in self.names.above(node)):
            self._check_in_string(node, text)
        return start, end, text

    def _rescue_comments(self, node: ast.expr) -> Iterator[tuple[int, int, str]]:
        """Comments between dropped arguments go above the statement."""
        start, end = self.source.span(node)
        statement = self.names.statement(node)
        lost = self._lost(statement, start, end, [self._change_expression(node)[2]])
        if lost:
            first, _ = self._line_start(statement)
            yield first, first, "".join(each + self.source.line_end(statement.lineno) for each in lost)

    def _check_in_string(self, node: ast.expr, text: str) -> None:
        """Before Python 3.12 positions in f-strings can be wrong, and quotes and line ends must not stand there."""
        try:
            same = ast.dump(ast.parse(f"({self.source.slice(node)})", mode="eval").body) == ast.dump(node)
        except SyntaxError:
            same = False
        if not same or set(text) & set("\"'\\\n\r"):
            raise Unrenderable("CCM048", node)

    def _line(self, statement: ast.stmt) -> tuple[int, int]:
        """The span from the first character of a statement's line to its end; it must have its lines to itself."""
        if not self.source.is_alone(statement):
            raise Unrenderable("CCM042", statement)
        return self.source.line_start(statement.lineno), self.source.span(statement)[1]

    def _inline(self, statement: ast.stmt, line: Template) -> str:
        """One simple statement in the place of another, among the others of its line."""
        text = self.fill(line).replace(FOLD, "").replace(FOLD_END, "")
        if text.endswith(":") or text.startswith(" "):
            raise Unrenderable("CCM042", statement)
        return text

    def _block(self, statement: ast.stmt, lines: list[Template]) -> list[str]:
        indent = self.source.indentation(statement.lineno)
        step = "\t" if "\t" in indent else "    "
        texts = [self.fill(each) for each in lines]
        return [
            self._fold(indent + (step + text[4:] if text.startswith("    ") else text), indent, step) for text in texts
        ]

    def _fold(self, line: str, indent: str, step: str) -> str:
        """Break a line at its marks, when it is too long for one."""
        plain = line.replace(FOLD, "").replace(FOLD_END, "")
        if len(plain) <= WIDTH or FOLD not in line:
            return plain
        newline = self.source.line_end(1)
        folded = line.replace(" " + FOLD, FOLD).replace(FOLD, newline + indent + step)
        return folded.replace(FOLD_END, "," + newline + indent)

    def _change_statement(self, statement: ast.stmt, lines: list[Template]) -> tuple[int, int, str]:
        if len(lines) == 1 and not self.source.is_alone(statement):
            start, end = self.source.span(statement)
            return start, end, self._inline(statement, lines[0])
        first, end = self._line(statement)
        newline = self.source.line_end(statement.lineno)
        new = self._block(statement, lines)
        if not lines and self._empties(statement):
            new = self._block(statement, [Template("pass")])
        last_line = statement.end_lineno or statement.lineno
        stop = self.source.line_start(last_line) + len(self.source.lines[last_line - 1])
        trailing = self.source.text[end:stop].strip()
        if new:
            return first, end, newline.join([*self._lost(statement, first, end, new), *new])
        kept = [self.source.indentation(statement.lineno) + trailing] if trailing else []
        kept = [*([] if isinstance(statement, ast.If) else self._lost(statement, first, end, [])), *kept]
        return first, stop, "".join(each + newline for each in kept)

    def _empties(self, statement: ast.stmt) -> bool:
        """Whether a block would be empty without its deleted statements; only its first one becomes `pass`."""
        parent = self.names.parents[statement]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, [])
            if isinstance(block, list) and statement in block:
                gone = all(
                    self.edits.statements.get(each, [None]) == [] and each not in self.edits.before for each in block
                )
                return gone and block[0] is statement and not isinstance(parent, ast.Module)
        return False

    def _insert(self, statement: ast.stmt, lines: list[Template]) -> tuple[int, int, str]:
        first, _ = self._line_start(statement)
        newline = self.source.line_end(statement.lineno)
        return first, first, "".join(line + newline for line in self._block(statement, lines))

    def _line_start(self, statement: ast.stmt) -> tuple[int, int]:
        if not self.source.is_first(statement):
            raise Unrenderable("CCM042", statement)
        return self.source.line_start(statement.lineno), self.source.span(statement)[1]

    def _lost(self, statement: ast.stmt, first: int, end: int, new: list[str]) -> list[str]:
        """Comments inside of a statement that its new form has no place for: lines of their own above it."""
        kept = "\n".join(new)
        indent = self.source.indentation(statement.lineno)
        return [indent + each for each in comments(self.source.text[first:end]) if each not in kept]


def comments(text: str) -> list[str]:
    """The comments in a piece of Python."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text.strip()}\n)").readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    return [each.string for each in tokens if each.type == tokenize.COMMENT]


def _unwrap(node: cst.BaseExpression) -> cst.BaseExpression:
    """Take away the one pair of parentheses that was put around a text."""
    return node.with_changes(lpar=node.lpar[1:], rpar=node.rpar[:-1]) if node.lpar else node
