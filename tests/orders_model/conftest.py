"""The old faces' endpoints, for what the models of them do not walk."""

from tests.compat.conftest import ended, pair

__all__ = ["ended", "pair"]
