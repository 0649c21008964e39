"""Every pointer of every function in turn NULL, stale, or of another struct: no crash, and the documented code."""

from __future__ import annotations

import pytest

from comch_next import api
from comch_next.errors import ErrorCode, code_name
from tests.faces import bad_pointers
from tests.processes import SOON_S, python

Case = tuple[str, str, str]  # function, parameter, what the pointer was

SUCCESS, NOT_CONNECTED = int(ErrorCode.SUCCESS), int(ErrorCode.NOT_CONNECTED)
INVALID_VALUE, BAD_STATE = int(ErrorCode.INVALID_VALUE), int(ErrorCode.BAD_STATE)

# Where the tables or the guide have another answer than INVALID_VALUE.
ELSEWHERE: dict[tuple[str, str], int] = {
    ("doca_comm_channel_ep_destroy", "local_ep"): NOT_CONNECTED,
    ("doca_comm_channel_ep_disconnect", "peer_addr"): NOT_CONNECTED,
    ("doca_comm_channel_ep_sendto", "peer_addr"): NOT_CONNECTED,
}
# What may be NULL.
NULLABLE: dict[tuple[str, str], int] = {
    ("doca_argp_init", "program_config"): BAD_STATE,  # the parser has been initialised
    ("doca_buf_dec_refcount", "refcount"): SUCCESS,
    ("doca_buf_refcount_rm", "refcount"): SUCCESS,  # its older spelling
    ("doca_comch_consumer_task_post_recv_alloc_init", "buf"): SUCCESS,
    ("doca_comch_producer_task_send_alloc_init", "buf"): SUCCESS,
    ("doca_comch_producer_task_send_alloc_init", "imm_data"): SUCCESS,
    ("doca_comm_channel_ep_get_event_channel", "recv_event_channel"): SUCCESS,
    ("doca_comm_channel_ep_get_event_channel", "send_event_channel"): SUCCESS,
    ("doca_mmap_create_from_export", "user_data"): INVALID_VALUE,  # the descriptor is none
    ("doca_mmap_set_dmabuf_memrange", "addr"): int(ErrorCode.NOT_SUPPORTED),
    ("doca_mmap_set_free_cb", "opaque"): SUCCESS,
}


@pytest.fixture(scope="module")
def answers() -> dict[Case, int]:
    """What each call returned, from a process of its own: a crash would name the last call."""
    ended = python("-m", "tests.faces.bad_pointers", deadline_s=4 * SOON_S).finish()
    assert ended.returncode == 0, [*ended.stdout.splitlines()[-1:], ended.stderr]
    assert ended.stderr == ""
    rows = (line.split() for line in ended.stdout.splitlines())
    return {(function, param, kind): int(answer) for function, param, kind, answer in rows}


def _expected(row: api.Function, param: api.Param, kind: str) -> int | None:
    if row.name.endswith(("_as_ctx", "_as_task")):
        return 0 if kind == "null" else None  # a cast, which no call takes afterwards
    if row.returns != "doca_error_t":
        return 0
    if kind == "null" and (row.name, param.name) in NULLABLE:
        return NULLABLE[row.name, param.name]
    return ELSEWHERE.get((row.name, param.name), INVALID_VALUE)


@pytest.mark.parametrize("kind", bad_pointers.KINDS)
def test_a_bad_pointer_is_refused(kind: str, answers: dict[Case, int]) -> None:
    cases = [(row, param) for row, param, bad in bad_pointers.cases() if bad == kind]
    assert len(cases) > 250
    wrong = {}
    for row, param in cases:
        answer, expected = answers[row.name, param.name, kind], _expected(row, param, kind)
        if expected not in (None, answer):
            wrong[row.name, param.name] = answer, expected
    assert not wrong


def test_the_tables_say_so_where_another_code_is_the_answer() -> None:
    for (function, _), code in ELSEWHERE.items():
        reasons = {error.code: error.when for error in api.function(function).errors}
        assert "NULL" in reasons[code_name(code)] or "not connected" in reasons[code_name(code)]
