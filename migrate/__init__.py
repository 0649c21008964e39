"""Rewrites Python programs of the old DOCA channel APIs: ``rewrite`` is pure, the command line does the rest."""

from migrate._outcome import Edit, Outcome, Refusal
from migrate._rewriter import rewrite

__all__ = ["Edit", "Outcome", "Refusal", "rewrite"]
