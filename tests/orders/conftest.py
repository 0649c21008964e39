"""Devices and connected pairs for the tests of orders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.orders.support import Pair, World


@pytest.fixture
def world(runtime_dir: Path) -> Iterator[World]:
    """Open devices; what a test keeps with them is closed when it ends."""
    made = World()
    yield made
    made.close()


@pytest.fixture
def pair(world: World) -> Pair:
    return Pair(world)


@pytest.fixture
def one_sided(world: World) -> Pair:
    """A pair whose programs both see endings as the first API showed them."""
    return Pair(world, one_sided=True)
