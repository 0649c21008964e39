"""What tests of several folders share: the process that runs their programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.migrate.runner import Runner


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """Run programs; see Runner."""
    runner = Runner()
    yield runner
    runner.close()
