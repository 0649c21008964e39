"""What a handler of a signal raises while a script is in the library reaches the script, not the library's log."""

from __future__ import annotations

import gc
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import comch_next
import comm_channel_compat
from comch_next.capi.handles import HANDLES, Handle
from tests.faces.test_hot_calls import Generation1
from tests.faces.world import World, check, ffi, lib, made
from tests.interrupts.strike import each_place
from tests.processes import SOON_S, StartPython

_ROUNDS = 30
_LIBRARY = tuple(str(Path(package.__path__[0])) for package in (comch_next, comm_channel_compat))


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    living = World("signals")
    yield living
    living.close()


def receive(world: World) -> int:
    buffer, length, sender = ffi.new("char[64]"), ffi.new("size_t *", 64), ffi.new("struct doca_comm_channel_addr_t **")
    return int(lib.doca_comm_channel_ep_recvfrom(world.handles["doca_comm_channel_ep_t"], buffer, length, 0, sender))


def update(world: World) -> int:
    return int(lib.doca_comm_channel_peer_addr_update_info(world.handles["doca_comm_channel_addr_t"]))


def progress(world: World) -> int:
    return int(lib.doca_pe_progress(world.handles["doca_pe"]))


def capability(world: World) -> int:
    return int(lib.doca_comch_cap_get_max_clients(world.handles["doca_devinfo"], ffi.new("uint32_t *")))


def own_handler(number: int, frame: FrameType | None) -> None:
    raise TimeoutError("of the program's")  # an OSError, as what the system refuses


HANDLERS = {"its own": (own_handler, TimeoutError), "python's": (signal.default_int_handler, KeyboardInterrupt)}


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("call", [receive, update, progress, capability])
def test_the_script_gets_what_a_handler_raises(
    handler: str, call: Callable[[World], int], world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    function, kind = HANDLERS[handler]
    call(world)  # has cffi look its function up: before 3.11 what a handler raises there may leave cffi's lock taken
    before = signal.signal(signal.SIGPROF, function)  # SIGALRM is the test's own deadline
    codes: set[int] = set()
    raised: list[BaseException] = []

    def again_and_again() -> None:  # a function: in 3.13 a loop's jump back may lie outside of the `try` around it
        until = time.monotonic() + 30  # the timer is one of processor time
        signal.setitimer(signal.ITIMER_PROF, 0.002)
        while time.monotonic() < until:
            codes.add(call(world))

    gc.collect()
    gc.disable()  # what a handler raises in a finalizer of other tests' garbage is lost
    try:
        for _ in range(_ROUNDS):
            try:
                again_and_again()
            except kind as error:
                raised.append(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        gc.enable()
    assert len(raised) == _ROUNDS
    assert int(lib.DOCA_ERROR_UNEXPECTED) not in codes
    assert capfd.readouterr().err == ""
    frames = {frame.filename for error in raised for frame in traceback.extract_tb(error.__traceback__)}
    assert {name for name in frames if name.startswith(_LIBRARY)} == set()


def test_a_message_that_has_been_taken_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is new of its sender is noted in Python, where a handler may come."""
    world = World("taken")
    handlers, of = [KeyboardInterrupt], HANDLES.of

    def interrupted(*args: Any) -> Handle:
        if handlers:
            raise handlers.pop()
        return of(*args)

    ends = Generation1(world, 64)
    monkeypatch.setattr(HANDLES, "of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ends.pass_one()
    assert ffi.string(ends.buffer, ends.length[0]) == b"hello"
    assert ends.sender[0] != ffi.NULL
    world.close()


def open_device(world: World, out: Any) -> int:
    return int(lib.doca_dev_open(world.list[0][1], out))


def create(world: World, out: Any) -> int:
    return int(lib.doca_comch_client_create(world.host, b"interrupted", out))


def create_endpoint(world: World, out: Any) -> int:
    return int(lib.doca_comm_channel_ep_create(out))


MAKERS: dict[Callable[[World, Any], int], tuple[str, Callable[[Any], int]]] = {
    open_device: ("struct doca_dev **", lib.doca_dev_close),
    create: ("struct doca_comch_client **", lib.doca_comch_client_destroy),
    create_endpoint: ("struct doca_comm_channel_ep_t **", lib.doca_comm_channel_ep_destroy),
}


@pytest.mark.parametrize("make", MAKERS)
def test_what_an_interrupted_call_makes_is_the_scripts(
    make: Callable[[World, Any], int], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would live until the process ends, and nothing below it could be given back."""
    kind, end = MAKERS[make]
    of, out = HANDLES.of, ffi.new(kind)

    def struck(*args: Any) -> Handle:
        signal.raise_signal(signal.SIGUSR1)
        return of(*args)

    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    monkeypatch.setattr(HANDLES, "of", struck)
    try:
        with pytest.raises(KeyboardInterrupt):
            make(world, out)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert out[0] != ffi.NULL
    monkeypatch.undo()
    assert end(out[0]) == 0


def post_recv(world: World, out: Any) -> int:
    return int(lib.doca_comch_consumer_task_post_recv_alloc_init(world.handles["doca_comch_consumer"], ffi.NULL, out))


def send(world: World, out: Any) -> int:
    producer, number = world.handles["doca_comch_producer"], world.remote[0]
    return int(lib.doca_comch_producer_task_send_alloc_init(producer, ffi.NULL, b"now", 3, number, out))


def allocate(world: World, out: Any) -> int:
    return int(lib.doca_dpa_mem_alloc(world.handles["doca_dpa"], 64, out))


def free_task(_: World, task: Any) -> None:
    lib.doca_task_free(ffi.cast("struct doca_task *", task))


def free_memory(world: World, address: int) -> None:
    check(lib.doca_dpa_mem_free(world.handles["doca_dpa"], address))


def target(world: World, tag: str) -> Any:
    return HANDLES.find(tag, int(ffi.cast("uintptr_t", world.handles[tag]))).target


ALLOCATIONS: dict[Callable[[World, Any], int], tuple[str, Callable[[World, Any], None], Callable[[World], int]]] = {
    post_recv: (
        "struct doca_comch_consumer_task_post_recv **",
        free_task,
        lambda world: int(target(world, "doca_comch_consumer").tasks_out),
    ),
    send: (
        "struct doca_comch_producer_task_send **",
        free_task,
        lambda world: int(target(world, "doca_comch_producer").tasks_out),
    ),
    allocate: ("doca_dpa_dev_uintptr_t *", free_memory, lambda world: len(target(world, "doca_dpa").memory)),
}


@pytest.mark.parametrize("alloc", ALLOCATIONS)
def test_an_interrupt_at_every_place_of_an_allocation(alloc: Callable[[World, Any], int], world: World) -> None:
    """Either it has been made, and the program has it, or nothing is out of its pool."""
    kind, free, number = ALLOCATIONS[alloc]
    before, handler = number(world), signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for strike in each_place(3):
            out = ffi.new(kind)
            strike.hit(partial(alloc, world, out))
            if out[0]:
                free(world, out[0])
            gc.collect()
            assert number(world) == before, strike.place
    finally:
        signal.signal(signal.SIGINT, handler)


def test_an_interrupt_at_every_place_of_giving_a_buffer_back(world: World) -> None:
    """Either its handle has gone with it, or it can be given back."""
    handles = world.handles
    inventory, mmap = handles["doca_buf_inventory"], handles["doca_mmap"]
    before, handler = len(HANDLES.of_tag("doca_buf")), signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for strike in each_place(3):
            buf = made(lib.doca_buf_inventory_buf_get_by_addr, inventory, mmap, world.memory, 64)
            strike.hit(partial(lib.doca_buf_dec_refcount, buf, ffi.NULL))
            lib.doca_buf_dec_refcount(buf, ffi.NULL)
            assert len(HANDLES.of_tag("doca_buf")) == before, strike.place
    finally:
        signal.signal(signal.SIGINT, handler)


FIRST_CALL = """
import ctypes, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if "._face" in name:
            signal.raise_signal(signal.SIGINT)

library, number = ctypes.CDLL("libdoca_comm_channel.so.2"), ctypes.c_uint32()
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
sys.meta_path.insert(0, Interrupting())
try:
    library.doca_comm_channel_get_max_service_name_len(ctypes.byref(number))
except KeyboardInterrupt:
    print("interrupted")
print(library.doca_comm_channel_get_max_service_name_len(ctypes.byref(number)), number.value)
"""


def test_a_first_call_that_is_interrupted(start_python: StartPython, tmp_path: Path) -> None:
    """It imports the library, which has to be whole for the calls after it."""
    program = tmp_path / "program.py"
    program.write_text(FIRST_CALL)
    finished = start_python("-m", "comm_channel_compat", "run", str(program), deadline_s=2 * SOON_S).finish()
    assert (finished.stdout, finished.stderr) == ("interrupted\n0 128\n", "")
