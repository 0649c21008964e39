"""Rings where the system has larger pages than the 4 KiB with which shared memory begins, as on many arm64 machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.preloaded import preloadable
from tests.processes import python

SOURCE = Path(__file__).with_name("large_pages.c")

SENT = 100  # of 4080 bytes: more than is there from the beginning, which is 256 KiB

PROGRAM = f"""
from tests.control_path.pair import pair, until
there, here = pair(tasks={SENT})
for _ in range({SENT}):
    here.send(bytes(4080), here.connection)
until(lambda: len(there.messages) == {SENT}, here.engine, there.engine)
"""


@pytest.fixture(scope="module")
def large_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return preloadable(SOURCE, tmp_path_factory.mktemp("pages"))


def test_a_ring_grows(large_pages: Path) -> None:
    ended = python("-c", PROGRAM, env={"LD_PRELOAD": str(large_pages)}, fresh=True).finish()
    assert ended.returncode == 0, ended.stderr
