"""Both forms of the pull port, and the end of endpoints, for the faults that every program can meet."""

from tests.compat.conftest import ended, form

__all__ = ["ended", "form"]
