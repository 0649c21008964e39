"""Rewrites Python programs of the old DOCA channel APIs: ``rewrite`` is pure, the command line does the rest."""

from migrate._rewriter import rewrite
from migrate.outcome import Edit, Level, Outcome, Refusal

__all__ = ["Edit", "Level", "Outcome", "Refusal", "rewrite"]
