"""An interrupt that comes as an object is collected: the object gives everything back, and the interrupt is raised.

Everything from the signal to the collection is one call in C, so the signal's handler comes at the first place where
the interpreter runs Python code: in what the collector calls, or else behind it.
"""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from comch_next.driver.protocol import Finalized, WeakSet, shielded
from comm_channel_compat._known import _known, known, remember
from tests.control_path.pair import client, connect, server
from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import Lane
from tests.interrupts.strike import each_place
from tests.processes import StartPython

DPU, HOST = "03:00.0", "b1:00.0"
RAISE = ctypes.CDLL(None)["raise"]  # Python's looks for signals before it returns
CHILD = Path(__file__).with_name("forked_under_signal.py")


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    gc.collect()
    gc.freeze()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    gc.unfreeze()


def drop_interrupted(held: list[Any]) -> None:
    """Have a signal arrive, empty the list and collect, without a place for its handler in between."""
    calls: list[Any] = [
        partial(RAISE, signal.SIGINT),
        partial(held.clear),
        partial(gc.collect),
    ]
    with pytest.raises(KeyboardInterrupt):
        call_all(calls)


def call_all(calls: list[Any]) -> None:
    deque(map(partial.__call__, calls), maxlen=0)
    for _ in range(2):  # Python 3.14 does not look for signals behind every call
        pass


def test_buffers() -> None:
    with comch.open_device(DPU) as device, comch.Mmap(device, 4096, comch.AccessFlag.PCI_READ_WRITE) as mmap:
        with comch.BufInventory(8) as inventory:
            first, second = (inventory.buf_get_by_addr(mmap, mmap.addr, 64) for _ in range(2))
            first.chain_list(second)
            held = [first, second, inventory.buf_get_by_addr(mmap, mmap.addr, 64)]
            del first, second
            drop_interrupted(held)
            assert inventory.num_free_elements == 8


def make_server() -> object:
    made = comch.Server(device := comch.open_device(DPU), device.open_representor(HOST), "svc")
    made.listen()
    return made


def make_pair() -> object:
    sides = server(), client()
    connect(*sides)
    return sides


def make_fast_path() -> object:
    lane = Lane()
    lane.run()
    lane.inbox.post()
    return lane


def make_exported_map() -> object:
    device = comch.open_device(DPU)
    mmap = comch.Mmap(device, bytearray(4096), comch.AccessFlag.PCI_READ_WRITE)
    mmap.start()
    mmap.export_pci(device)
    return mmap


MADE = [make_server, make_pair, make_fast_path, make_exported_map]


@pytest.mark.parametrize("make", MADE)
def test_what_has_descriptors(make: Callable[[], object], runtime_dir: Path) -> None:
    before = collected_fds()
    drop_interrupted([make()])
    assert open_fds() == before
    with comch.open_device(DPU) as device, device.open_representor(HOST) as rep, comch.Server(device, rep, "svc"):
        """The name is free."""


def test_a_set_of_the_dead_is_empty() -> None:
    class Member:
        """Something that can die."""

    members: WeakSet[Member] = WeakSet()
    held = [Member(), Member()]
    for member in (*held, held[0]):
        members.add(member)
    del member
    assert members.size == 2
    assert held[0] in members
    drop_interrupted(held)
    assert members.size == 0
    assert list(members) == []


def test_list_loses_no_error_of_a_handler() -> None:
    """CPython asks for a length first, and goes on without one after a TypeError."""

    def refuse(*_: object) -> None:
        raise TypeError("by a handler")

    signal.signal(signal.SIGINT, refuse)
    held = [Lane, Old]
    members: WeakSet[type] = WeakSet()
    for member in held:
        members.add(member)
    for strike in each_place(1):
        try:
            strike.run(lambda _: list(members), None)  # type: ignore[arg-type]
        except TypeError:
            continue
        assert not strike.place, f"the error at {strike.place} was lost"


class Old:
    """A handle of an old generation."""

    __module__ = known.__module__

    def __init__(self, modern: object) -> None:
        self.modern = modern


def test_what_an_old_object_stands_for() -> None:
    modern = object()
    held = [Old(modern)]
    remember(held[0], modern)
    drop_interrupted(held)
    assert isinstance(known(Old, modern, Old), Old)


def test_the_table_of_old_objects_forgets_the_dead() -> None:
    kept = [Old(object()) for _ in range(10)]
    for old in kept:
        remember(old, old.modern)
    for modern in [object() for _ in range(10_000)]:
        remember(Old(modern), modern)
    assert len(_known) < 1000
    assert all((Old, id(old.modern)) in _known for old in kept)


def test_what_a_finalizer_raises_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)  # in C

    class Failing(Finalized):
        def finalize(self) -> None:
            raise ValueError("its own")

    for number in range(1 << 13):  # more than the interpreter remembers, so that it looks up what the interrupt has
        assert not hasattr(KeyboardInterrupt, f"attribute {number}")
    drop_interrupted([Failing()])
    assert [str(args.exc_value) for args in reported] == ["its own"]


def test_a_call_that_is_shielded_ends_first() -> None:
    done: list[str] = []

    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append("all")

    with pytest.raises(KeyboardInterrupt):
        shielded(work)()
    assert done == ["all"]


def test_a_forked_child_disinherits_all_the_same(start_python: StartPython) -> None:
    finished = start_python(str(CHILD), fresh=True).finish()  # which reports the interrupt: it comes as it forks
    assert (finished.returncode, finished.stdout) == (0, "BadState\nnothing is open\n")


def test_what_is_on_a_dpa() -> None:
    with comch.open_device(DPU) as device, Dpa(device) as dpa:
        thread = DpaThread(dpa)
        thread.set_func_arg(print)
        thread.start()
        thread.stop()
        thread.destroy()
        threads = [thread]
        del thread
        drop_interrupted(threads)
        completion = DpaCompletion(dpa, 4)
        completion.start()
        completion.get_dpa_handle()
        completion.stop()
        completion.destroy()
        completions = [completion]
        del completion
        drop_interrupted(completions)
