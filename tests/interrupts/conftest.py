"""Nobody but the library runs Python code while the collector does."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_callbacks_of_the_collector() -> Iterator[None]:
    """Hypothesis leaves one in the process that has run a test of its kind; an interrupt that comes there is lost."""
    before = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = before
