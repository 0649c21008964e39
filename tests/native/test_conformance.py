"""The conformance suite on the native driver over the C libraries of this project, in one process and across two."""

from __future__ import annotations

from functools import partial

import pytest

from comch_next import NotSupported
from comch_next.testing import CHECKS, Check, Maker, Skipped, across_processes, in_one_process
from tests.native.faces import ENV
from tests.processes import SOON_S

# The native driver sees no import: it lies on the other side of the bus.
LOOKS_INTO_AN_IMPORT = "check_export_and_import"
NEEDS_KERNELS = "check_msgq_"  # in Python


pytestmark = pytest.mark.usefixtures("forked")


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("maker", [in_one_process, across_processes], ids=lambda maker: maker.__name__)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_check(check: Check, maker: Maker) -> None:
    make = partial(maker, "native", timeout=SOON_S)
    if check.__name__ == LOOKS_INTO_AN_IMPORT:
        with pytest.raises(NotSupported, match="memory of this map cannot be seen from here"):
            check(make)
    elif check.__name__.startswith(NEEDS_KERNELS):
        with pytest.raises(Skipped, match="kernels for a card are compiled by DPACC"):
            check(make)
    else:
        check(make)


def test_what_looks_into_an_import_is_in_the_suite() -> None:
    assert LOOKS_INTO_AN_IMPORT in {check.__name__ for check in CHECKS}
