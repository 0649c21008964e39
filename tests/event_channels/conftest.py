"""The endpoints of the tests of the old faces, on both forms of the pull port."""

from tests.compat.conftest import client, ended, form, pair, service

__all__ = ["client", "ended", "form", "pair", "service"]
