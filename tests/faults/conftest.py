"""Both forms of the pull port, for the faults that every program can meet."""

from tests.compat.conftest import form

__all__ = ["form"]
