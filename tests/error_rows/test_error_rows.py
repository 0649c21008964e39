"""Every failure that the tables document for the functions built here happens when it should.

A row is provoked through public calls with real arguments or resource limits; or it is listed, with the
reason, among those that only hardware can cause, that only C can spell, or that the headers have by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from comch_next import DocaError, ErrorCode, InvalidValue
from comch_next.api import Function, Generation, functions
from tests.error_rows.cases import CASES
from tests.error_rows.exhaustion import PREAMBLE, PROGRAMS
from tests.error_rows.reasons import C_ONLY, HARDWARE_ONLY, HEADER_SLIPS, NOT_BUILT, SAME_AS
from tests.error_rows.world import Answer, Key, World
from tests.processes import StartPython
from tools.proofs import Proofs

HEADERS = (
    *("doca_pe.h", "doca_ctx.h", "doca_dev.h", "doca_mmap.h", "doca_buf.h", "doca_buf_inventory.h"),
    *("doca_comch.h", "doca_comch_consumer.h", "doca_comch_producer.h", "doca_comch_msgq.h"),
)
FILE = "tests/error_rows/test_error_rows.py"


def rows() -> Iterator[Key]:
    """Every (function, code) of the headers at hand, older spellings under their newer name."""
    for generation in ("core", "comch"):
        for function in functions(generation):
            if function.header in HEADERS and function.name not in NOT_BUILT:
                for error in function.errors:
                    yield SAME_AS.get(function.name, function.name), error.code.removeprefix("DOCA_ERROR_")


ROWS = sorted(set(rows()))


def exhausting(row: Key) -> str | None:
    """The program that provokes a row by running out of something."""
    return PROGRAMS.get(" ".join(row)) or (PROGRAMS.get(row[0]) if row[1] == "NO_MEMORY" else None)


def in_this_process() -> list[Key]:
    return [row for row in ROWS if row in CASES]


def ways(row: Key) -> int:
    return sum(
        (
            row in CASES,
            exhausting(row) is not None,
            row in HARDWARE_ONLY,
            row in HEADER_SLIPS,
            row in C_ONLY,
        )
    )


def reason(function: Function, row: Key) -> str | None:
    """Why no test provokes the failure of a function."""
    if function.name in NOT_BUILT:
        return f"not built: {NOT_BUILT[function.name]}"
    tables = {"hardware only": HARDWARE_ONLY, "header slip": HEADER_SLIPS, "C only": C_ONLY}
    return next((f"{kind}: {table[row]}" for kind, table in tables.items() if row in table), None)


def proofs(generation: Generation) -> Proofs:
    """How each row is proved, for the table in the docs."""
    tests, reasons = {}, {}
    for function in functions(generation):
        for error in function.errors:
            code = error.code.removeprefix("DOCA_ERROR_")
            row = SAME_AS.get(function.name, function.name), code
            if row in CASES:
                tests[function.name, code] = f"{FILE}::test_row[{'-'.join(row)}]"
            elif exhausting(row):
                tests[function.name, code] = f"{FILE}::test_row_of_an_exhausted_process[{'-'.join(row)}]"
            elif told := reason(function, row):
                reasons[function.name, code] = told
    return Proofs(tests, reasons)


def test_every_row_is_provoked_or_has_its_reason() -> None:
    assert [row for row in ROWS if ways(row) != 1] == []


def test_nothing_is_listed_that_no_table_has() -> None:
    listed = {*CASES, *HARDWARE_ONLY, *HEADER_SLIPS, *C_ONLY}
    assert listed - set(ROWS) == set()
    named = {function.name for generation in ("core", "comch") for function in functions(generation)}
    assert set(NOT_BUILT) | set(SAME_AS) <= named
    assert {name.split()[0] for name in PROGRAMS} <= named


def test_every_reason_is_told() -> None:
    for table in (HARDWARE_ONLY, HEADER_SLIPS, C_ONLY):
        assert all(table.values())
    assert all(NOT_BUILT.values())


def test_every_header_of_comch_is_at_hand() -> None:
    assert {function.header for function in functions("comch")} <= set(HEADERS)


@pytest.mark.parametrize("row", in_this_process(), ids=lambda row: f"{row[0]}-{row[1]}")
def test_row(world: World, row: Key) -> None:
    case = CASES[row]
    if isinstance(case, Answer):
        assert case.call(world) == case.value
        return
    with pytest.raises(DocaError) as caught:
        case(world)
    assert caught.value.code is ErrorCode[row[1]]
    assert len(str(caught.value)) > 20, "an error says what was attempted"


@pytest.mark.parametrize("row", [row for row in ROWS if exhausting(row)], ids=lambda row: f"{row[0]}-{row[1]}")
def test_row_of_an_exhausted_process(start_python: StartPython, row: Key) -> None:
    program = exhausting(row)
    assert program is not None
    done = start_python("-c", PREAMBLE + program).finish()
    assert (done.returncode, done.stdout) == (0, row[1] + "\n"), done.stderr


@pytest.mark.parametrize("noun", ["send_tasks", "post_recv_tasks", "producer_send_tasks"])
def test_try_submit_refuses_what_is_no_task_of_its_kind(world: World, noun: str) -> None:
    """The row of doca_task_try_submit, for every kind of task."""
    tasks = getattr(world.lib, noun)
    made = {
        "send_tasks": world.here.task(),
        "post_recv_tasks": world.run(world.inbox).task_post_recv_alloc_init(),
        "producer_send_tasks": world.run(world.outbox).task_send_alloc_init(None, b"x", 1),
    }
    others = [task._handle for kind, task in made.items() if kind != noun]
    for wrong in (None, object(), *others):
        with pytest.raises(InvalidValue, match="task_try_submit takes a"):
            tasks.try_submit(wrong)
    for task in made.values():
        task.free()


@pytest.mark.parametrize("kind", ["post_recv", "producer_send"])
def test_try_submit_refuses_a_task_whose_buffer_has_gone(world: World, kind: str) -> None:
    """The same row: a field of the task is wrong."""
    end: Any = world.inbox if kind == "post_recv" else world.outbox
    context = world.run(end)
    buf = end.inventory.buf_get_by_addr(end.mmap, end.mmap.addr, 64)
    task = context.task_post_recv_alloc_init(buf) if kind == "post_recv" else context.task_send_alloc_init(buf, b"", 1)
    buf.dec_refcount()
    with pytest.raises(InvalidValue, match="gone back to its inventory"):
        task.try_submit()
    task.free()


def test_getters_that_the_headers_wrong_work_in_every_state(world: World) -> None:
    """The rows that are header slips: no getter refuses an active context."""
    for side in (world.there, world.here, world.idle_server, world.idle_client):
        assert side.context.max_msg_size == 4080
        assert side.context.device is not None
    assert world.lib.contexts.get_device(world.here.context._handle) is not None
    assert world.there.context.device_rep.devinfo_rep.pci_addr_str == "0000:b1:00.0"
