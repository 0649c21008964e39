"""The calls that programs make in loops: each is C from the program to the object that does the work."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comch_next.capi.handles import HANDLES
from tests.control_path.pair import until
from tests.faces.world import World, check, ffi, lib, made
from tests.frames import fewest
from tests.processes import python


@pytest.fixture
def world() -> Iterator[World]:
    living = World("hot")
    yield living
    living.close()


def alloc(world: World) -> Any:
    connection = world.handles["doca_comch_connection"]
    task = made(lib.doca_comch_client_task_send_alloc_init, world.handles["doca_comch_client"], connection, b"hello", 5)
    return lib.doca_comch_task_send_as_task(task)


def test_a_task_from_its_allocation_to_its_end_runs_no_fewest(world: World) -> None:
    def allocate_and_free() -> None:
        lib.doca_task_free(alloc(world))

    def submit() -> None:
        task = alloc(world)
        check(lib.doca_task_submit(task))
        while lib.doca_pe_progress(world.handles["doca_pe"]):
            pass  # both ends are the engine's: it calls back for the message and the completion
        lib.doca_task_free(task)

    assert fewest(allocate_and_free) == []
    assert fewest(submit) == []


def test_a_task_that_has_been_freed_leaves_no_handle(world: World) -> None:
    before = {tag: set(HANDLES.of_tag(tag)) for tag in ("doca_task", "doca_comch_task_send")}
    owner = HANDLES.find("doca_comch_client", int(ffi.cast("uintptr_t", world.handles["doca_comch_client"])))
    owned = set(owner.owned or ())
    task = alloc(world)
    assert len(owner.owned or ()) == len(owned) + 1
    lib.doca_task_free(task)
    assert {tag: set(HANDLES.of_tag(tag)) for tag in before} == before
    assert owner.owned == owned


def test_a_task_that_is_refused_leaves_no_handle(world: World) -> None:
    before = set(HANDLES.of_tag("doca_task"))
    out = ffi.new("struct doca_comch_task_send **")
    most = made(lib.doca_comch_client_get_max_msg_size, world.handles["doca_comch_client"])
    for length in (most + 1, 1 << 20, (1 << 32) - 1):
        arguments = (world.handles["doca_comch_client"], world.handles["doca_comch_connection"], b"x", length, out)
        assert lib.doca_comch_client_task_send_alloc_init(*arguments) == lib.DOCA_ERROR_INVALID_VALUE
    assert set(HANDLES.of_tag("doca_task")) == before
    assert out[0] == ffi.NULL


def test_a_message_of_generation_1_runs_no_fewest(world: World) -> None:
    client, peer = (world.handles[f"doca_comm_channel_{kind}_t"] for kind in ("ep", "addr"))
    buffer, length, sender = ffi.new("char[64]"), ffi.new("size_t *"), ffi.new("struct doca_comm_channel_addr_t **")

    def receive() -> int:
        length[0] = 64
        return int(lib.doca_comm_channel_ep_recvfrom(world.service, buffer, length, 0, sender))

    def pass_one() -> None:
        check(lib.doca_comm_channel_ep_sendto(client, b"hello", 5, 0, peer))
        check(receive())

    until(lambda: receive() and not lib.doca_comm_channel_peer_addr_update_info(peer))
    pass_one()
    assert ffi.string(buffer, length[0]) == b"hello"
    assert sender[0] != ffi.NULL
    assert fewest(pass_one) == []
    assert fewest(receive) == []


TRACED = """
from tests.faces.world import World, check, ffi, lib, made
world = World("traced")
client, connection = world.handles["doca_comch_client"], world.handles["doca_comch_connection"]
task = made(lib.doca_comch_client_task_send_alloc_init, client, connection, b"hello", 5)
check(lib.doca_task_submit(lib.doca_comch_task_send_as_task(task)))
world.progress_until(lambda: lib.doca_task_get_status(lib.doca_comch_task_send_as_task(task)) == 0)
while lib.doca_pe_progress(world.handles["doca_pe"]):
    pass
lib.doca_task_free(lib.doca_comch_task_send_as_task(task))
world.close()
"""


def test_a_traced_driver_sees_every_call(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    ended = python("-c", TRACED, env={"COMCH_TRACE": str(trace)}).finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    found = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines() if line.strip()]
    events = [(event["what"], event["result"]) for event in found if event["what"] in ("send", "complete")]
    assert events == [("send", "DOCA_SUCCESS"), ("complete", "DOCA_SUCCESS")]
    assert [event["length"] for event in found if event["what"] == "receive"] == [5]
