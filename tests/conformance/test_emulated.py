"""The conformance suite on the emulated driver: every check, in one process and across two."""

from __future__ import annotations

from functools import partial

import pytest

from comch_next.testing import CHECKS, Check, Maker, across_processes, in_one_process
from tests.processes import SOON_S

pytestmark = pytest.mark.usefixtures("forked")


@pytest.mark.parametrize("maker", [in_one_process, across_processes], ids=lambda maker: maker.__name__)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_check(check: Check, maker: Maker) -> None:
    check(partial(maker, timeout=SOON_S))
