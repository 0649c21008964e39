"""Every failure that the tables document for the functions built here is in one class, and is proved where it can be.

A row is provoked through public calls with real arguments, resource limits or emulated faults; or Python returns a
value for it; or it is listed, with the reason, among those that only hardware can cause, that only C can spell, or
that the headers have by mistake.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Container, Mapping
from types import ModuleType

import pytest

import comch_next as comch
from comch_next import DocaError, ErrorCode, InvalidValue, from_code
from comch_next.api import Generation, functions
from tests.control_path import pair
from tests.error_rows import cases, cases_fast_path, cases_memory
from tests.error_rows import world as world_module
from tests.error_rows.cases import CASES
from tests.error_rows.exhaustion import PREAMBLE, PROGRAMS
from tests.error_rows.public import private_names, watched
from tests.error_rows.reasons import C_ONLY, HARDWARE_ONLY, HEADER_SLIPS, NOT_BUILT, SAME_AS
from tests.error_rows.world import Answer, Key, Raises, World
from tests.fast_path import lane
from tests.processes import StartPython
from tools.proofs import Proofs, combined

HEADERS = (
    *("doca_pe.h", "doca_ctx.h", "doca_dev.h", "doca_mmap.h", "doca_buf.h", "doca_buf_inventory.h"),
    *("doca_comch.h", "doca_comch_consumer.h", "doca_comch_producer.h", "doca_comch_msgq.h"),
)
FILE = "tests/error_rows/test_error_rows.py"
RAISES = {row: case for row, case in CASES.items() if isinstance(case, Raises)}
ANSWERS = {row: case for row, case in CASES.items() if isinstance(case, Answer)}
GROUPS = (RAISES, ANSWERS, PROGRAMS, C_ONLY, HARDWARE_ONLY, HEADER_SLIPS)


def rows(generation: Generation) -> list[Key]:
    """Every (function, code) of the headers at hand."""
    return [
        (function.name, error.code.removeprefix("DOCA_ERROR_"))
        for function in functions(generation)
        if function.header in HEADERS
        for error in function.errors
    ]


def proved_as(row: Key) -> Key:
    """The row of the newer name, for an older spelling."""
    return SAME_AS.get(row[0], row[0]), row[1]


EVERY = [row for generation in ("core", "comch") for row in rows(generation)]
ROWS = sorted({proved_as(row) for row in EVERY if row[0] not in NOT_BUILT})


def name(row: Key) -> str:
    return "-".join(row)


def proofs(generation: Generation) -> Proofs:
    """How each row is proved, for the table in the docs."""
    every = rows(generation)
    built = [row for row in every if row[0] not in NOT_BUILT]

    def tested(test: str, table: Container[Key]) -> dict[Key, str]:
        return {row: f"{FILE}::{test}[{name(proved_as(row))}]" for row in built if proved_as(row) in table}

    def listed(table: Mapping[Key, str]) -> dict[Key, str]:
        return {row: table[proved_as(row)] for row in built if proved_as(row) in table}

    return combined(
        ("proved", tested("test_row", RAISES)),
        ("proved", tested("test_row_of_an_exhausted_process", PROGRAMS)),
        ("returns", tested("test_row_that_returns", ANSWERS)),
        ("C only", listed(C_ONLY)),
        ("hardware only", listed(HARDWARE_ONLY)),
        ("error in the header", listed(HEADER_SLIPS)),
        ("not built", {row: NOT_BUILT[row[0]] for row in every if row[0] in NOT_BUILT}),
    )


def test_every_row_is_in_one_class() -> None:
    assert [row for row in ROWS if sum(row in group for group in GROUPS) != 1] == []


def test_nothing_is_listed_that_no_table_has() -> None:
    assert {row for group in GROUPS for row in group} - set(ROWS) == set()
    named = {function.name for generation in ("core", "comch") for function in functions(generation)}
    assert set(NOT_BUILT) | set(SAME_AS) <= named


def test_every_reason_is_told() -> None:
    for table in (HARDWARE_ONLY, HEADER_SLIPS, C_ONLY):
        assert all(table.values())
    assert all(NOT_BUILT.values())


def test_every_header_of_comch_is_at_hand() -> None:
    assert {function.header for function in functions("comch")} <= set(HEADERS)


@pytest.mark.parametrize("row", sorted(RAISES), ids=name)
def test_row(world: World, row: Key) -> None:
    private: list[str] = []
    with pytest.raises(DocaError) as caught, watched(private):
        RAISES[row].call(world)
    assert caught.value.code is ErrorCode[row[1]]
    assert type(caught.value) is type(from_code(ErrorCode[row[1]], ""))
    assert re.search(RAISES[row].condition, str(caught.value)), "another condition than that of the row"
    assert private == [], "a proof makes public calls only"


@pytest.mark.parametrize("row", sorted(ANSWERS), ids=name)
def test_row_that_returns(world: World, row: Key) -> None:
    private: list[str] = []
    with watched(private):
        assert ANSWERS[row].call(world) == ANSWERS[row].value
    assert private == [], "a proof makes public calls only"


@pytest.mark.parametrize("row", sorted(PROGRAMS), ids=name)
def test_row_of_an_exhausted_process(start_python: StartPython, row: Key) -> None:
    program = PROGRAMS[row]
    done = start_python("-c", PREAMBLE + program.source, fresh=True).finish()
    assert done.returncode == 0, done.stderr
    class_name = type(from_code(ErrorCode[row[1]], "")).__name__
    assert done.stdout.startswith(f"{class_name} {row[1]} ")
    assert re.search(program.condition, done.stdout), "another condition than that of the row"


@pytest.mark.parametrize("module", [cases, cases_fast_path, cases_memory, world_module, pair, lane])
def test_the_proofs_name_nothing_private(module: ModuleType) -> None:
    assert private_names(inspect.getsource(module)) == []


@pytest.mark.parametrize("row", sorted(PROGRAMS), ids=name)
def test_the_programs_name_nothing_private(row: Key) -> None:
    assert private_names(PREAMBLE + PROGRAMS[row].source) == []


def test_the_instrument_finds_what_is_private(world: World) -> None:
    private: list[str] = []
    connection = world.here.connection
    with watched(private), pytest.raises(DocaError):
        connection._connections.update_info(None)  # type: ignore[arg-type]  # as NULL
    assert private == ["comch_next/driver/emulated/_guard.py: guarded"]
    source = "from comch_next.driver import load\nimport comch_next._fast\nworld.here._handle\nself._made\n"
    assert private_names(source) == ["._handle", "comch_next._fast", "comch_next.driver.load"]


@pytest.mark.parametrize("kind", ["post_recv", "producer_send"])
def test_try_submit_refuses_a_task_whose_buffer_has_gone(world: World, kind: str) -> None:
    """Both kinds of tasks that have one."""
    if kind == "post_recv":
        context = world.run(world.inbox)
        buf = world.inbox.inventory.buf_get_by_addr(world.inbox.mmap, world.inbox.mmap.addr, 64)
        task = context.task_post_recv_alloc_init(buf)
    else:
        context = world.run(world.outbox)
        buf = world.outbox.inventory.buf_get_by_addr(world.outbox.mmap, world.outbox.mmap.addr, 64)
        task = context.task_send_alloc_init(buf, b"", 1)
    buf.dec_refcount()
    with pytest.raises(DocaError, match="gone back to its inventory"):
        task.try_submit()
    task.free()


@pytest.mark.parametrize("call", ["start", "stop"])
def test_a_destroyed_context_is_a_stale_handle(world: World, call: str) -> None:
    client = comch.Client(world.host, "gone")
    client.close()
    with pytest.raises(InvalidValue, match="has been destroyed; make another"):
        getattr(client, call)()


def test_getters_that_the_headers_wrong_work_in_every_state(world: World) -> None:
    """The rows that are errors in the header: no getter refuses an active context."""
    for side in (world.there, world.here, world.idle_server, world.idle_client):
        assert side.context.max_msg_size == 4080
        assert side.context.device is not None
    assert world.there.context.device_rep.devinfo_rep.pci_addr_str == "0000:b1:00.0"
