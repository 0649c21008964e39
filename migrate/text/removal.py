"""The text of a file from which declarations go, with the names that nothing needs then; the edits are done, too."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property

from migrate.python.scopes import Names, Variable
from migrate.python.source import Source
from migrate.text._emptied import with_pass
from migrate.text._namer import Namer
from migrate.text._uses import is_covered
from migrate.text.code import Edits, Template, verbatim
from migrate.text.import_lines import at_top, import_line, joined
from migrate.text.pieces import Change
from migrate.text.render import Renderer, Trouble


class Removal:
    """Plans the changes of one file.

    gone: statements that go; decorators whose edit has no text go as well. spare: what binds names (aliases, targets of
    assignments, classes) that go when nothing reads them. stars: star imports that do when nothing reads their names.
    module: the name of a module that `{module}` stands for, imported where a template asks for it.
    """

    def __init__(
        self,
        source: Source,
        names: Names,
        edits: Edits,
        gone: Set[ast.stmt],
        spare: Iterable[ast.alias | ast.Name | ast.ClassDef],
        stars: Mapping[ast.alias, Set[str]],
        module: str,
        width: int | None,
    ) -> None:
        self.source, self.names, self._module, self._width = source, names, module, width
        self._edits = Edits(edits.expressions, {**edits.statements, **dict.fromkeys(gone, Template(""))})
        self.troubles: list[Trouble] = []
        self._dropped: set[ast.alias] = set()
        self._spare = list(spare)
        while self._drop():
            pass
        self._dropped |= {alias for alias, brought in stars.items() if self._reads_none(brought)}

    def _drop(self) -> bool:
        """Take away what binds names that nothing reads; whether there was any."""
        unread = [binding for binding in self._spare if self._is_unread(self.names.of[binding])]
        self._spare = [binding for binding in self._spare if binding not in unread]
        for binding in unread:
            if isinstance(binding, ast.alias):
                self._dropped.add(binding)
            else:
                statements = {**self._edits.statements, self.names.statement(binding): Template("")}
                self._edits = Edits(self._edits.expressions, statements)
        return any(not isinstance(binding, ast.alias) for binding in unread)

    def _is_unread(self, variable: Variable) -> bool:
        if variable.deletions or len(variable.bindings) != 1:
            return False
        return all(is_covered(load, self.names, self._edits) for load in variable.loads)

    def _reads_none(self, brought: Set[str]) -> bool:
        """Whether nothing reads names of a star import any more."""
        bound = (it for it in {*self.names.of.values()} if not it.bindings or it.scope is self.names.module)
        loads = (load for variable in bound if variable.name in brought for load in variable.loads)
        return all(is_covered(load, self.names, self._edits) for load in loads)

    def changes(self) -> list[Change]:
        """Return every change, in order; fills `troubles`."""
        added: list[Change] = []
        statements = {**self._edits.statements, **dict(self._imports(added))}
        statements = with_pass(statements, self.source, self.names)
        expressions = {node: self._filled(template) for node, template in self._edits.expressions.items()}
        for node in [node for node, template in expressions.items() if not template.text]:
            del expressions[node]
            added.append(self._without(node))
        renderer = Renderer(self.source, self.names, Edits(expressions, statements), self._comch, self._width)
        found = [*renderer.changes(), *added]
        renderer.check_strings()
        self.troubles += renderer.troubles
        return sorted(found, key=lambda change: (change.start, change.end))

    def _without(self, decorator: ast.expr) -> Change:
        """Return the change that takes a decorator away with its lines."""
        last = decorator.end_lineno or decorator.lineno
        end = self.source.line_start(last) + len(self.source.lines[last - 1])
        return Change(self.source.line_start(decorator.lineno), end, "")

    def _filled(self, template: Template) -> Template:
        return template._replace(text=template.text.replace("{module}", self._module))

    def _comch(self, node: ast.AST) -> str:
        return self._name

    @cached_property
    def _name(self) -> str:
        """The name of the new module in this file."""
        namer = Namer(self.names)
        namer.use(self.source.tree, self.names.module)
        namer.choose()
        return namer.name(self.source.tree)

    # ------------------------------------------------------------------ imports

    def _imports(self, added: list[Change]) -> Iterator[tuple[ast.stmt, Template]]:
        """Yield the import statements that lose names, the first of the module with the new imports."""
        lines = list(self._lines())
        losing: dict[ast.Import | ast.ImportFrom, None] = {}
        for alias in sorted(self._dropped, key=lambda alias: (alias.lineno, alias.col_offset)):
            statement = self.names.statement(alias)
            assert isinstance(statement, ast.Import | ast.ImportFrom)
            losing[statement] = None
        home = next((statement for statement in losing if statement in self.source.tree.body), None)
        for statement in losing:
            remaining = [alias for alias in statement.names if alias not in self._dropped]
            new = lines if statement is home else []
            yield statement, verbatim(joined(self.source, statement, new, remaining) if new or remaining else "")
        if lines and home is None:
            added += [at_top(self.source, line) for line in lines]

    def _lines(self) -> Iterator[str]:
        texts = [template.text for template in self._edits.expressions.values()]
        if any("{comch}" in text for text in texts) and not Namer(self.names).existing(self.names.module):
            yield import_line(self._name)
        if any("{module}" in text for text in texts):
            yield f"import {self._module}"
