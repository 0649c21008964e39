"""A program that closes a descriptor which the library gave it gets the library's own error, and hurts only itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

import comch_next as comch
from comch_next import OperatingSystem, ProgressEngine
from tests.processes import SOON_S
from tests.pull.support import FORMS, Stage

ENGINE: dict[str, Callable[[ProgressEngine], object]] = {
    "clear": ProgressEngine.clear_notification,
    "request": ProgressEngine.request_notification,
    "wait": lambda engine: engine.wait(0.001),
}
PORT: dict[str, tuple[str, Callable[[comch.PullPort], object]]] = {
    "arm_recv": ("recv_fd", comch.PullPort.arm_recv),
    "arm_send": ("send_fd", comch.PullPort.arm_send),
    "arm_service": ("service_fd", comch.PullPort.arm_service),
}


@pytest.fixture
def engine() -> Iterator[ProgressEngine]:
    made = ProgressEngine()
    yield made
    made.destroy()


@pytest.mark.parametrize("call", ENGINE)
def test_the_handle_of_an_engine(engine: ProgressEngine, call: str) -> None:
    os.close(engine.notification_handle)
    with pytest.raises(OperatingSystem, match="notification"):
        ENGINE[call](engine)
    assert not engine.progress()


def test_an_engine_whose_handle_is_gone_still_serves() -> None:
    with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
        there, here = comch.Server(dpu, "b1:00.0", "svc"), comch.Client(host, "svc")
        there.listen()
        here.connect(timeout=0)
        os.close(here.engine.notification_handle)
        os.open("/dev/null", os.O_RDONLY)  # in its place, or closing it would close something else
        while here.state is comch.State.STARTING:
            with suppress(comch.Again):
                there.receive(timeout=0)
            here.engine.progress()
        here.connection.send(b"hello")
        assert there.receive(timeout=SOON_S).data == b"hello"
        here.close()
        there.close()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", PORT)
def test_the_descriptors_of_a_port(call: str, form: str) -> None:
    stage = Stage()
    port = stage.server(form)
    port.context.start()
    fd, arm = PORT[call]
    os.close(getattr(port, fd))
    with pytest.raises(OperatingSystem, match=r"arm_|port"):
        arm(port)
    assert port.receive() is None
    stage.close()
