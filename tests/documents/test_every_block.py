"""Every program and session of the documentation is one that a test runs; other blocks are of known kinds."""

from __future__ import annotations

import pytest

from tests.documents.support import PAGES, blocks
from tests.documents.test_programs import PROGRAMS
from tests.documents.test_sessions import SESSIONS

RUN = {*PROGRAMS, *SESSIONS}
NOT_RUN = {
    "sh",  # installs
    "yaml",  # docs/ci.md, see tests/commands/test_ci.py
}


@pytest.mark.parametrize("page", PAGES)
def test_every_program_and_session_is_run(page: str) -> None:
    unrun = {(page, block.title) for block in blocks(page) if block.language not in NOT_RUN} - RUN
    assert unrun == set()


def test_nothing_is_run_twice_under_one_name() -> None:
    named = [(page, block.title) for page in PAGES for block in blocks(page) if block.title]
    assert sorted(named) == sorted(set(named))
    assert set(named) == RUN
