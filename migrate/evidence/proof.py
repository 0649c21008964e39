"""What runs prove about a finding, as the decision asks for it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from migrate.facts.libraries import Cause
from migrate.facts.program import Facts, Reference
from migrate.python.scopes import Variable
from migrate.python.values import Token


class Proof(NamedTuple):
    """Whether runs settle a finding, with what they showed, or why they do not count; code: of what they settle."""

    counts: bool = False
    text: str = ""
    code: str = ""


class Proofs(Protocol):
    """What is asked of recorded runs."""

    def of(self, path: Path, node: ast.AST, code: str, origin: Hashable = None) -> Proof:
        """Return what runs show of a finding: of a handle's origin, or of the place alone."""

    def behind(self, reference: Reference) -> Proof:
        """Return what a reference that changes has only runs to show for."""


class _Nothing:
    """Knows of no run."""

    def of(self, path: Path, node: ast.AST, code: str, origin: Hashable = None) -> Proof:
        return Proof()

    def behind(self, reference: Reference) -> Proof:
        return Proof()


NO_PROOFS: Proofs = _Nothing()


class Evidence:
    """Evidence of no run."""

    def applied(self, make: Callable[[Mapping[Variable, Sequence[Token]]], Facts]) -> tuple[Facts, Proofs]:
        """Return the facts of a project, given what variables hold that are unknown, and what runs prove."""
        return make({}), NO_PROOFS

    def explained(self, causes: Mapping[Path, Cause]) -> Mapping[Path, Cause]:
        """Return why files that call C stay as they are, with what runs show of that."""
        return causes
