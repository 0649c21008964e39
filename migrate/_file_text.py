"""One file of a project as it will be written: the edits of what changes, its imports, and comments at causes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property

from migrate import codes
from migrate._decision import Cause, Verdict
from migrate.facts.program import Reference
from migrate.python.scopes import Names
from migrate.python.source import Source
from migrate.text._emptied import with_pass
from migrate.text._unread import unread
from migrate.text.code import Edits, Template
from migrate.text.comments import Comments, with_comment
from migrate.text.imports import Imports, Old
from migrate.text.pieces import Change, splice
from migrate.text.render import Renderer

_WORD = re.compile(r"\w+")
# When one line has several causes, its comment names the one that says most.
_GENERAL = ("CCM034", "CCM033", "CCM030", "CCM003", "CCM002")


@dataclass(frozen=True)
class FileText:
    """verdicts: of the file's references but the imports. old: its imports. exported: what other files take.

    holds_module: whether the old module stays where the project has it as a value. internal: whether only the project
    takes names from the file. lost: the names of its `__all__` that the files lose which it has them from, by a star.
    clashes: what its public names may not be called.
    """

    source: Source
    names: Names
    verdicts: Mapping[Reference, Verdict]
    old: Mapping[ast.alias, Old]
    exported: Mapping[str, bool]
    width: int | None
    holds_module: bool
    internal: bool
    lost: Set[str]
    clashes: Set[str]

    @cached_property
    def by_edit(self) -> dict[ast.AST, Reference]:
        """The reference behind each edited node."""
        return {
            node: reference
            for reference, verdict in self.verdicts.items()
            if verdict.written and verdict.change
            for node in (
                *verdict.change.edits.expressions,
                *verdict.change.edits.statements,
                *verdict.change.edits.comments,
            )
        }

    @cached_property
    def imports(self) -> Imports:
        """The plan of the imports."""
        expressions: dict[ast.expr, Template] = {}
        statements: dict[ast.stmt, Template] = {}
        comments: dict[ast.Constant, Template] = {}
        for verdict in self.verdicts.values():
            if verdict.written and verdict.change:
                expressions |= verdict.change.edits.expressions
                statements |= verdict.change.edits.statements
                comments |= verdict.change.edits.comments
        stays = {reference.node for reference, verdict in self.verdicts.items() if not verdict.written}
        read = {word for node in stays if isinstance(node, ast.Constant) for word in _WORD.findall(str(node.value))}
        exported = {**self.exported, **dict.fromkeys(read, True)}  # text that is read at run time takes names as well
        statements |= dict.fromkeys(unread(self.names, Edits(expressions, statements)), Template(""))
        old = self.old
        if stays and not (expressions or statements):  # nothing moves, so that the file keeps saying what it is
            old = {alias: replace(brought, stays=True) for alias, brought in old.items()}
        if self.holds_module:
            old = {alias: replace(brought, stays=True) if self._is_attribute(alias) else brought
                   for alias, brought in old.items()}  # fmt: skip
        return Imports(
            self.source, self.names, old, Edits(expressions, statements, comments), stays, exported,
            self._modules_taken, internal=self.internal, lost=self.lost, clashes=self.clashes,
        )  # fmt: skip

    def _is_attribute(self, alias: ast.alias) -> bool:
        """Whether an import in the body of a class brings the old module, which others may take from there."""
        variable = self.names.of.get(alias)
        return variable is not None and isinstance(variable.scope.node, ast.ClassDef)

    @property
    def _modules_taken(self) -> dict[ast.AST, str]:
        """The text of the new module at edited nodes that take their names from a value."""
        return {
            node: self.source.slice(reference.module)
            for node, reference in self.by_edit.items()
            if reference.module not in (None, reference.node) and isinstance(reference.module, ast.expr)
        }

    @cached_property
    def renderer(self) -> Renderer:
        """The renderer of all edits, the imports' among them."""
        edits = self.imports.edits
        statements = with_pass({**edits.statements, **self.imports.statements}, self.source, self.names)
        both = Edits(edits.expressions, statements)
        return Renderer(self.source, self.names, both, self.imports.name, self.width)

    def refused(self) -> dict[Reference, str]:
        """Return the references whose edits have no room in their places, with the codes."""
        self.renderer.check_strings()
        troubles = [*self.renderer.troubles, *self.imports.troubles]
        return {self.by_edit[trouble.node]: trouble.code for trouble in troubles if trouble.node in self.by_edit}

    def new(self, comments: Comments, causes: Iterable[Cause]) -> bytes:
        """Return the new bytes, with comments at the causes."""
        wanted: dict[int, list[str]] = {}
        for cause in causes:
            wanted.setdefault(self.renderer.lines.first(cause.node), []).append(cause.code)
        shown = {line: min(found, key=_rank) for line, found in wanted.items()}
        added = [self.imports.added] if self.imports.added else []
        changes = [*self.renderer.changes(), *added, *comments.changes(shown, codes.comment)]
        for comment, template in self.imports.edits.comments.items():
            new = template.text.replace("{comch}", self.imports.name(comment))
            changes = with_comment(changes, Change(*self.source.span(comment), new), str(comment.value))
        return self.source.encode(splice(self.source.text, changes))

    def change_of(self, verdict: Verdict) -> str:
        """Return the new text of a reference that changes, "" for one that goes with the code around it.

        A statement that goes by itself comes to `pass`.
        """
        if not verdict.written or verdict.change is None:
            return ""
        edits = verdict.change.edits
        nodes: list[ast.expr | ast.stmt] = [*edits.expressions, *edits.statements]
        shown = next(iter(nodes), None)
        return (self.renderer.text(shown) or "pass") if shown is not None and self.imports.is_shown(shown) else ""


def _rank(code: str) -> tuple[int, str]:
    return (_GENERAL.index(code) + 1 if code in _GENERAL else 0), code
