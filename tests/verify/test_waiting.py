"""A task pool or a service that is not there for a moment is waiting; one that the program gives up on is a result."""

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
        {"what": "failed", "t": t, "result": result, "thread": "MainThread", "at": at, "by": at}
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


ABORTED = "DOCA_ERROR_CONNECTION_ABORTED"


def started(*ends: str, service: str = "svc") -> list[dict[str, Any]]:
    facts = {"what": "state", "old": "STARTING", "pid": 7, "service": service, "side": "client", "at": TRY}
    return [{**facts, "t": t, "new": new} for t, new in enumerate(ends, start=1)]


def test_a_program_that_connects_again() -> None:
    """A service that is about to listen, or about to listen again."""
    assert results(shown(started("IDLE", "IDLE", "RUNNING"), (OTHER, TRY), (ABORTED, TRY), (OTHER, TRY))) == [OTHER]


@pytest.mark.parametrize(
    "trace",
    [
        started("IDLE"),
        started("RUNNING", "IDLE"),
        started("IDLE", "RUNNING", "IDLE"),
        started("IDLE") + started("RUNNING", service="other"),
    ],
)
def test_a_program_that_gives_up_connecting(trace: list[dict[str, Any]]) -> None:
    assert results(shown(trace, (ABORTED, TRY))) == [ABORTED]


def test_a_connection_that_is_lost_elsewhere_is_a_result() -> None:
    assert results(shown(started("IDLE", "RUNNING"), (ABORTED, ELSEWHERE))) == [ABORTED]
