"""A check that only leaves, as a handler of the exception that takes the code's place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from migrate.python.values import External, Token
from migrate.rules.idioms._site import Site
from migrate.text.code import Template

# What shows the exception that is being handled; the first by a keyword, too.
_EXC_INFO = "exc_info"
_CURIOUS = frozenset({_EXC_INFO, "exception", "print_exc", "format_exc", "print_exception", "format_exception"})
_CURIOUS |= {"trace", "post_mortem"}
_STRANGE = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda, ast.GeneratorExp)


@dataclass(frozen=True)
class Leaving:
    """The last check of a run."""

    site: Site
    check: ast.If
    code: str

    @property
    def is_plain(self) -> bool:
        """Whether the check does nothing but leave, and means in a handler what it means outside."""
        body = self.check.body
        graph = self.site.aftermath.graph(self.check)
        parts = [node for statement in body for node in ast.walk(statement)]
        if not graph.always_leaves(body[-1]) or not all(map(self.site.is_one_line, body)):
            return False
        if any(isinstance(node, _STRANGE) for node in parts) or self._is_handling(body):
            return False
        calls = [node for node in parts if isinstance(node, ast.Call)]
        return all(map(self._is_said, body)) and all(map(self._is_foreign, calls))

    def _is_said(self, statement: ast.stmt) -> bool:
        return self._said(statement, "") is not None

    def _said(self, statement: ast.stmt, name: str) -> tuple[str, list[ast.expr]] | None:
        """Return the text of a statement of the check, and its parts."""
        match statement:
            case ast.Return(value=None):
                return "return", []
            case ast.Return(value=ast.expr() as value):
                return f"return {{{name}}}", [value]
            case ast.Raise(exc=ast.expr() as error, cause=None):
                return f"raise {{{name}}} from None", [error]
            case ast.Expr(value=value):
                return f"{{{name}}}", [value]
            case ast.Continue():
                return "continue", []
            case ast.Break():
                return "break", []
        return None

    def _is_foreign(self, call: ast.Call) -> bool:
        """Whether a call is one of Python or the old API, which does not look at what is being handled."""
        values = self.site.facts.values.of(call.func)
        names = {value.name.rpartition(".")[2] for value in values if isinstance(value, External)}
        is_known = bool(values) and all(isinstance(value, External | Token) for value in values)
        return is_known and not names & _CURIOUS and not any(map(_asks, call.keywords))

    def _is_handling(self, body: list[ast.stmt]) -> bool:
        """Whether what is raised may be raised while another exception is handled, which it would show."""
        if not any(isinstance(statement, ast.Raise) for statement in body):
            return False
        todo: list[ast.AST] = [self.check]
        seen = set[ast.AST]()
        while todo:
            place = todo.pop()
            function = self.site.aftermath.function(place)
            if any(_handles(above, node) for node, above in pairwise([place, *self.site.facts.above(place)])):
                return True
            if function not in seen and not isinstance(function, ast.Module):
                seen.add(function)
                if not self.site.aftermath.is_seen(function):
                    return True
                todo += self.site.aftermath.sites(function)
        return False

    # ------------------------------------------------------------------ text

    @cached_property
    def _loads(self) -> list[ast.Name]:
        nodes = (node for statement in self.check.body for node in ast.walk(statement))
        return [node for node in nodes if isinstance(node, ast.Name) and node.id == self.code]

    @cached_property
    def _error(self) -> str:
        return self.site.facts.fresh(self.check, "error", "failure", "doca_error")

    def codes(self) -> dict[ast.expr, Template]:
        """Return the edits of the code where the check reads it."""
        return dict.fromkeys(self._loads, Template(f"{self._error}.code"))

    @property
    def newline(self) -> str:
        """The end of a line, and the indentation of the check."""
        line = self.check.lineno
        return self.site.source.line_end(line) + self.site.source.indentation(line)

    @property
    def unit(self) -> str:
        """How much deeper than the check its body is."""
        source, line = self.site.source, self.check.body[0].lineno
        return source.indentation(line)[len(source.indentation(self.check.lineno)) :]

    def handler(self) -> Template:
        """Return the handler."""
        parts: dict[str, ast.expr] = {}
        lines = ["except {comch}.DocaError" + (f" as {self._error}:" if self._loads else ":")]
        for number, (text, values) in enumerate(self._lines()):
            lines.append(self.unit + text)
            parts |= {f"part_{number}": value for value in values}
        return Template(self.newline.join(lines), parts)

    def _lines(self) -> Iterator[tuple[str, list[ast.expr]]]:
        for number, statement in enumerate(self.check.body):
            said = self._said(statement, f"part_{number}")
            assert said is not None
            yield said


def _asks(keyword: ast.keyword) -> bool:
    """Whether a keyword may ask for what is being handled: `exc_info=True`, or any of `**options`."""
    is_none = isinstance(keyword.value, ast.Constant) and not keyword.value.value
    return keyword.arg is None or (keyword.arg == _EXC_INFO and not is_none)


def _handles(above: ast.AST, node: ast.AST) -> bool:
    """Whether a node may be run for an exception, as part of what is right above it."""
    return isinstance(above, ast.ExceptHandler) or node in getattr(above, "finalbody", ())
