"""Rewrites Python programs of the old DOCA channel APIs: ``rewrite_project`` is pure, ``cli`` reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from migrate.outcome import FileOutcome, Finding, Level, Options

if TYPE_CHECKING:
    from migrate.rewriting import rewrite, rewrite_project

    __version__: str

__all__ = ["FileOutcome", "Finding", "Level", "Options", "rewrite", "rewrite_project"]


def __getattr__(name: str) -> Any:
    """Import the rewriter at its first use: a command that finds nothing to do does not need it."""
    if name == "__version__":
        from migrate._version import release

        return release()
    if name not in ("rewrite", "rewrite_project"):
        raise AttributeError(f"module 'migrate' has no attribute {name!r}")
    from migrate import rewriting

    return getattr(rewriting, name)
