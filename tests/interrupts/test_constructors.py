"""An interrupt at every place of a constructor that joins an engine: nobody has the context, so none is left there."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import comch_next as comch
from tests.control_path.pair import Side, client, connect, leave, server
from tests.descriptors import collected_fds, open_fds
from tests.interrupts.strike import each_place

DPU, HOST = "03:00.0", "b1:00.0"
Make = Callable[[comch.ProgressEngine], object]


@pytest.fixture
def pair(runtime_dir: Path) -> Iterator[Side]:
    there, here = server(), client()
    connect(there, here)
    yield here
    leave(here, there)


@pytest.fixture
def frozen() -> Iterator[None]:
    """What is there stays, and the collector need not look at it."""
    gc.collect()
    gc.freeze()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    gc.unfreeze()


def engine_with_a_helper() -> comch.ProgressEngine:
    """Make an engine that keeps the threaded port's view of the driver."""
    engine = comch.ProgressEngine()
    device = comch.open_device(HOST)
    another = comch.Client(device, "another", engine=engine)
    comch.PullPort(another, threaded=True)
    another.close()
    device.close()
    return engine


def interrupt_everywhere(make: Make, make_engine: Callable[[], comch.ProgressEngine] = comch.ProgressEngine) -> None:
    """Destroy the engine after each interrupt: no context is connected to it, and no descriptor is left."""
    before = collected_fds()
    for strike in each_place(20):
        engine = make_engine()
        strike.hit(lambda: make(engine))  # noqa: B023
        engine.destroy()
        assert open_fds() == before, strike.place


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("kind", ["server", "client"])
def test_a_server_or_client(kind: str) -> None:
    device = comch.open_device(DPU if kind == "server" else HOST)
    rep = device.open_representor(HOST) if kind == "server" else None

    def make(engine: comch.ProgressEngine) -> object:
        return (
            comch.Client(device, "a", engine=engine) if rep is None else comch.Server(device, rep, "a", engine=engine)
        )

    interrupt_everywhere(make)


@pytest.mark.usefixtures("frozen")
def test_a_consumer(pair: Side) -> None:
    with comch.Mmap(pair.context.device, 4096, comch.AccessFlag.PCI_READ_WRITE) as mmap:
        mmap.start()
        interrupt_everywhere(lambda engine: comch.Consumer(pair.connection, mmap, engine=engine))


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("make_engine", [comch.ProgressEngine, engine_with_a_helper])
def test_a_producer(pair: Side, make_engine: Callable[[], comch.ProgressEngine]) -> None:
    interrupt_everywhere(lambda engine: comch.Producer(pair.connection, engine=engine), make_engine)


@pytest.mark.usefixtures("frozen", "runtime_dir")
@pytest.mark.parametrize("threaded", [False, True])
def test_a_pull_port(threaded: bool) -> None:
    context = comch.Client(comch.open_device(HOST), "svc")
    for strike in each_place(20):
        strike.hit(lambda: comch.PullPort(context, threaded=threaded))
        if strike.place:
            comch.PullPort(context, threaded=threaded).close()
    context.close()
