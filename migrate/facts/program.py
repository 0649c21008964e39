"""Everything that a rule or the decision may ask about a program, behind one face."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from migrate.old_api.calls import Call


@dataclass(frozen=True)
class Reference:
    """One place that names the old API; `call` when it is (the function of) a call. `code`: why it cannot change.

    origins: of the handles that it is called with, or makes, where it is used as a value.
    """

    path: Path
    node: ast.AST
    name: str
    call: Call | None = None
    code: str = ""
    origins: frozenset[Hashable] = frozenset()


@dataclass(frozen=True)
class Obstacle:
    """A place where a handle goes or comes from that keeps it old, with the code of why."""

    path: Path
    node: ast.AST
    code: str


class Facts(Protocol):
    """The face of the facts. Nodes belong to the files' trees; all answers are about the whole project."""

    references: Sequence[Reference]

    def handles(self, node: ast.expr) -> frozenset[Hashable]:
        """The origins (creating calls) of the handles that an expression can be."""

    def kinds(self, node: ast.expr) -> frozenset[str]:
        """endpoint, peer, device, representor, devinfo, repinfo, backend; with [] for lists of them."""

    def obstacles(self, origin: Hashable) -> Sequence[Obstacle]:
        """What keeps the handles of an origin old."""

    def may_be_none(self, node: ast.expr) -> bool:
        """Whether a handle expression may be None where it stands."""

    def may_be_closed(self, node: ast.expr) -> bool:
        """Whether the endpoint or device may have been destroyed or closed before this place."""

    def calls_on(self, origin: Hashable) -> frozenset[str]:
        """The C names of every old call that handles of this origin can reach (role: listen, connect)."""

    def code_is_observed(self, call: Call) -> frozenset[str]:
        """How a call's result code or exception is looked at beyond success and failure.

        A set of: names of codes it is compared with ("AGAIN", "NOT_CONNECTED", ...), "value" (printed as a number,
        returned to the shell, arithmetic), "repr" (where a member of ErrorCode shows by name), "text" (an
        exception's str).
        """

    def constant(self, node: ast.expr) -> object | None:
        """The value of an expression that is the same whenever it is evaluated, else None."""

    def is_bytes(self, node: ast.expr) -> bool:
        """Whether an expression is certainly bytes, bytearray or a memoryview of single bytes."""

    def is_simple(self, node: ast.expr) -> bool:
        """Whether evaluating it has no effect and may be done earlier or later within its statement."""

    def is_builtin(self, name: ast.Name) -> bool:
        """Whether a name is Python's own there (len, getattr), not the program's."""

    def has_builtin(self, node: ast.AST, name: str) -> bool:
        """Whether a name that is written where a node stands is Python's own, not the program's."""

    def parent(self, node: ast.AST) -> ast.AST:
        """The node above."""

    def is_statement(self, node: ast.expr) -> bool:
        """Whether an expression is a whole expression statement: nobody takes its value."""

    def is_awaited_or_generator_scope(self, node: ast.expr) -> bool:
        """Whether a lambda around the expression would change what it means (await, yield, :=, class scope)."""

    def fresh(self, node: ast.AST, *wanted: str) -> str:
        """The first of some names that neither the scope of a node nor any scope around or in it uses."""
