"""Every pointer of every function in turn NULL, stale, or of another struct: no crash, documented codes, reasons."""

from __future__ import annotations

import re

import pytest

from comch_next import api
from comch_next.errors import ErrorCode, code_name
from tests.compat import provocations
from tests.error_rows import reasons
from tests.faces import bad_pointers
from tests.faces.world import World, check, lib, made
from tests.processes import ROOT, SOON_S, python

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
    ("doca_comm_channel_ep_get_event_channel", "recv_event_channel"): SUCCESS,
    ("doca_comm_channel_ep_get_event_channel", "send_event_channel"): SUCCESS,
    ("doca_mmap_create_from_export", "user_data"): INVALID_VALUE,  # the descriptor is none
    ("doca_mmap_set_dmabuf_memrange", "addr"): int(ErrorCode.NOT_SUPPORTED),
    ("doca_mmap_set_free_cb", "opaque"): SUCCESS,
}


# Of DOCA 1.4.
ELSEWHERE_OF_14: dict[tuple[str, str], int] = {
    ("doca_comm_channel_ep_destroy", "ep"): NOT_CONNECTED,
    ("doca_comm_channel_ep_disconnect", "peer_addr"): NOT_CONNECTED,
    ("doca_comm_channel_ep_event_channel_get", "local_ep"): -1,  # no descriptor
    ("doca_comm_channel_ep_sendto", "peer_addr"): NOT_CONNECTED,
    ("doca_comm_channel_peer_addr_info_get", "peer_addr"): NOT_CONNECTED,
}
# What may be NULL where there is no result code.
IGNORED = {
    ("doca_argp_param_set_callback", "callback"),  # doca_argp_register_param refuses it
    ("doca_comch_consumer_task_post_recv_set_buf", "buf"),
    ("doca_comch_producer_task_send_set_buf", "buf"),
    ("doca_task_free", "task"),
}


def run(program: str) -> dict[Case, tuple[int, int]]:
    """What each call returned, and how often it was logged, from a process: a crash would name the last call."""
    ended = python("-m", f"tests.faces.{program}", deadline_s=4 * SOON_S).finish()
    assert ended.returncode == 0, [*ended.stdout.splitlines()[-1:], ended.stderr]
    assert ended.stderr == ""
    rows = (line.split() for line in ended.stdout.splitlines())
    return {(function, param, kind): (int(answer), int(lines)) for function, param, kind, answer, lines in rows}


@pytest.fixture(scope="module")
def found() -> dict[Case, tuple[int, int]]:
    return run("bad_pointers")


@pytest.fixture(scope="module")
def answers(found: dict[Case, tuple[int, int]]) -> dict[Case, int]:
    return {case: answer for case, (answer, _) in found.items()}


def _is_cast(row: api.Function) -> bool:
    return row.name.endswith(("_as_ctx", "_as_task"))


def _expected(row: api.Function, param: api.Param, kind: str) -> int | None:
    if _is_cast(row):
        return 0 if kind == "null" else None  # which no call takes afterwards
    if row.returns != "doca_error_t":
        return 0
    if (row.name, param.name, kind != "null") == ("doca_dpa_set_app", "app", True):
        return BAD_STATE  # any pointer that DPACC has made, and the DPA has been started
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


def test_each_refusal_is_logged_once(found: dict[Case, tuple[int, int]]) -> None:
    """Also where the function has no result code."""
    wrong = {}
    for row, param, kind in bad_pointers.cases():
        answer, lines = found[row.name, param.name, kind]
        is_ignored = _is_cast(row) or (kind == "null" and (row.name, param.name) in IGNORED)
        if lines != (answer != SUCCESS if row.returns == "doca_error_t" else not is_ignored):
            wrong[row.name, param.name, kind] = answer, lines
    assert not wrong


def test_a_bad_pointer_of_14_is_refused_and_logged_once() -> None:
    found = run("bad_pointers_of_14")
    assert len(found) > 40
    wrong = {
        (function, param, kind): answer
        for (function, param, kind), answer in found.items()
        if answer != (ELSEWHERE_OF_14.get((function, param), INVALID_VALUE), 1)
    }
    assert not wrong


def test_what_only_c_can_spell_is_among_it() -> None:
    refused = {
        row.name
        for row, param, kind in bad_pointers.cases()
        if kind == "null" and _expected(row, param, kind) == INVALID_VALUE
    }
    rows = {f"doca_comm_channel_{name}" for name, _ in provocations.C_ONLY}
    rows |= {function for (function, _), test in reasons.C_ONLY.items() if test == reasons.BY_C_CALLS}
    assert rows - refused == set()


def test_a_context_without_an_engine_is_not_connected() -> None:
    world = World("without an engine")
    client = made(lib.doca_comch_client_create, world.host, b"nobody")
    ctx = lib.doca_comch_client_as_ctx(client)
    answers = lib.doca_ctx_start(ctx), lib.doca_ctx_stop(ctx)
    check(lib.doca_comch_client_destroy(client))
    world.close()
    assert answers == (NOT_CONNECTED, NOT_CONNECTED)


def test_the_tables_say_so_where_another_code_is_the_answer() -> None:
    for (function, _), code in ELSEWHERE.items():
        reasons = {error.code: error.when for error in api.function(function).errors}
        assert "NULL" in reasons[code_name(code)] or "not connected" in reasons[code_name(code)]


def test_what_the_page_calls_refused_is() -> None:
    """docs/status.md says of each function whether the C library has it."""
    page = (ROOT / "docs" / "status.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)` .*\| libdoca_\w+, refused: `DOCA_ERROR_NOT_SUPPORTED` \|$", page, re.MULTILINE)
    assert not [name for name in named if name.startswith("doca_comch_")]
    arguments = bad_pointers.Arguments()
    answers = {}
    for name in named:
        row = api.function(name)
        if not any(bad_pointers.tag_of(param) not in (*arguments.living, "") for param in row.params):
            answers[name] = getattr(lib, name)(*[arguments.good(row, param) for param in row.params])
    arguments.close()
    assert len(answers) == 17
    assert {name: answer for name, answer in answers.items() if answer != int(ErrorCode.NOT_SUPPORTED)} == {}
