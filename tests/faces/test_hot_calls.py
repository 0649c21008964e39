"""The calls that programs make in loops: each is C from the program to the object that does the work."""

from __future__ import annotations

import json
import tracemalloc
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
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """As in a program that has not loaded generation 2's library, which another test of this process may have."""
    monkeypatch.setattr("comch_next.capi._common.is_loaded", lambda _: False)
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


class Generation1:
    """Passes messages from the world's client to its service."""

    def __init__(self, world: World, size: int) -> None:
        self.service, self.size = world.service, size
        self.client, self.peer = (world.handles[f"doca_comm_channel_{kind}_t"] for kind in ("ep", "addr"))
        self.buffer, self.length = ffi.new("char[]", size), ffi.new("size_t *")
        self.sender = ffi.new("struct doca_comm_channel_addr_t **")
        until(lambda: self.receive() and not lib.doca_comm_channel_peer_addr_update_info(self.peer))

    def receive(self) -> int:
        self.length[0] = self.size
        return int(lib.doca_comm_channel_ep_recvfrom(self.service, self.buffer, self.length, 0, self.sender))

    def pass_one(self, message: bytes = b"hello") -> None:
        check(lib.doca_comm_channel_ep_sendto(self.client, message, len(message), 0, self.peer))
        check(self.receive())


def test_a_message_of_generation_1_runs_no_fewest(world: World) -> None:
    ends = Generation1(world, 64)
    ends.pass_one()
    assert ffi.string(ends.buffer, ends.length[0]) == b"hello"
    assert ends.sender[0] != ffi.NULL
    assert fewest(ends.pass_one) == []
    assert fewest(ends.receive) == []


def test_a_message_of_generation_1_goes_from_buffer_to_buffer(world: World) -> None:
    ends, message = Generation1(world, 4080), bytes(4080)

    def allocated() -> int:
        """Bytes of Python's that one message needs for a while."""
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        ends.pass_one(message)
        return tracemalloc.get_traced_memory()[1] - before

    tracemalloc.start()
    try:
        fewest_bytes = min(allocated() for _ in range(20))  # of a call that does not look at sockets besides
    finally:
        tracemalloc.stop()
    assert fewest_bytes < len(message)


def test_pointers_in_use_are_stale_at_once_when_they_are_given_back() -> None:
    world = World("stale")
    ends = Generation1(world, 64)
    ends.pass_one()
    world.close()
    assert lib.doca_comm_channel_ep_sendto(ends.client, b"x", 1, 0, ends.peer) == lib.DOCA_ERROR_INVALID_VALUE
    assert ends.receive() == lib.DOCA_ERROR_INVALID_VALUE
    assert lib.doca_pe_progress(world.handles["doca_pe"]) == 0


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


def test_what_is_shown_of_a_map_stays_where_it_is(world: World) -> None:
    """Programs keep the description of an export until they have sent it, and may ask for another one before."""
    mmap, device = world.handles["doca_mmap"], world.host
    described, length, shown = ffi.new("const void **"), ffi.new("size_t *"), []
    for _ in range(3):
        check(lib.doca_mmap_export_pci(mmap, device, described, length))
        shown.append((described[0], bytes(ffi.buffer(described[0], length[0]))))
    assert len(set(shown)) == 1
    assert [bytes(ffi.buffer(where, len(text))) == text for where, text in shown] == [True] * 3


def test_a_client_that_did_not_come_up_leaves_no_handle(world: World) -> None:
    server = HANDLES.find("doca_comch_server", int(ffi.cast("uintptr_t", world.handles["doca_comch_server"]))).target
    connection = server.connections[0]
    server.up(connection, False)
    assert connection not in [handle.target for handle in HANDLES.of_tag("doca_comch_connection").values()]
