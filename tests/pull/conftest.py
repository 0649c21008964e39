"""Every behaviour is asked of both forms of the port: the driver's own, and the one with a helper thread."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pull.support import FORMS, Stage


@pytest.fixture
def stage(runtime_dir: object) -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    """The form under test; its peer is of the driver's form."""
    return str(request.param)
