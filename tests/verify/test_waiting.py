"""A task pool that is empty for a moment is waiting; one that the program gives up on is a result."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.verify.account import RESULTS, Account
from migrate.verify.comparison import differences
from tests.verify.accounts import remains

POOL, OTHER = "DOCA_ERROR_NO_MEMORY", "DOCA_ERROR_NOT_CONNECTED"
TRY, ELSEWHERE = "/program/a.py:5", "/program/a.py:9"


def tried(*results: str, what: str = "send", at: str = TRY, connection: int = 1) -> list[dict[str, Any]]:
    facts = {"what": what, "pid": 7, "service": "svc", "side": "client", "connection": connection, "at": at}
    return [{**facts, "t": t, "result": result, "length": 1} for t, result in enumerate(results, start=1)]


def shown(trace: list[dict[str, Any]], *failed: tuple[str, str]) -> Account:
    """The account of a program in whose eyes calls failed: result and place."""
    watched = tuple(
        {"what": "failed", "t": t, "result": result, "thread": "MainThread", "at": at}
        for t, (result, at) in enumerate(failed, start=1)
    )
    return Account.of(remains(trace=tuple(trace), watched=watched))


def results(account: Account) -> list[str]:
    return [event.text for event in account.topics.get(RESULTS, ())]


OK = "DOCA_SUCCESS"


@pytest.mark.parametrize("what", ["send", "post"])
@pytest.mark.parametrize("tries", [(POOL, OK), (POOL, POOL, OK), (OK, POOL, OK), (POOL, "DOCA_ERROR_AGAIN", OK)])
def test_a_program_that_tries_again_and_goes_on(what: str, tries: tuple[str, ...]) -> None:
    trace = tried(*tries, what=what)
    assert results(shown(trace, (POOL, TRY))) == []
    assert differences(shown(trace), shown(trace, (POOL, TRY))) == []


@pytest.mark.parametrize(
    "trace",
    [
        [],  # nothing that a task was for
        tried(POOL),
        tried(OK, POOL),
        tried(POOL, OTHER, OK),
        tried(POOL, OK, POOL),  # given up at last
        tried(POOL) + tried(OK, connection=2),
        tried(POOL, at=ELSEWHERE) + tried(OK),
        tried(POOL) + tried(OK, what="post"),
    ],
)
def test_a_program_that_gives_up(trace: list[dict[str, Any]]) -> None:
    assert results(shown(trace, (POOL, TRY))) == [POOL]


def test_what_stands_on_both_sides_of_a_wait_counts_once() -> None:
    account = shown(tried(POOL, OK), (OTHER, ELSEWHERE), (POOL, TRY), (OTHER, ELSEWHERE), (POOL, ELSEWHERE))
    assert results(account) == [OTHER, POOL]
