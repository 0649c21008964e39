"""A context has one port at a time, and closing it twice closes nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

import comch_next as comch
from comch_next import BadState, PullPort
from tests.pull.support import DPU, HOST, NAME, Stage


@pytest.mark.parametrize("first", [False, True], ids=["driver", "threaded"])
@pytest.mark.parametrize("second", [False, True], ids=["then driver", "then threaded"])
def test_a_second_port_is_refused(first: bool, second: bool) -> None:
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        PullPort(client, threaded=first)
        with pytest.raises(BadState, match="already"):
            PullPort(client, threaded=second)
        client.close()


@pytest.mark.parametrize("threaded", [False, True], ids=["driver", "threaded"])
def test_closing_twice_closes_nothing_else(threaded: bool) -> None:
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        port = PullPort(client, threaded=threaded)
        port.close()
        others = [os.open("/dev/null", os.O_RDONLY) for _ in range(8)]
        port.close()
        for fd in others:
            os.close(fd)
        PullPort(client, threaded=threaded)
        client.close()


@pytest.mark.parametrize("value", ["foo", "Threaded"])
def test_an_unknown_form_is_refused(stage: Stage, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("COMCH_PULL", value)
    with pytest.raises(comch.InvalidValue, match=f"COMCH_PULL is '{value}'; legal are driver, threaded and empty"):
        stage.server("driver")


def test_a_closed_port_that_is_opened_again_leaves_room_for_another() -> None:
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        port = PullPort(client)
        port.close()
        with pytest.raises(BadState, match="has been closed"):
            port.reopen()
        PullPort(client)
        client.close()


@pytest.mark.usefixtures("runtime_dir")
@pytest.mark.parametrize("threaded", [False, True])
def test_a_closed_port_leaves_the_program_its_own_callbacks_only(threaded: bool) -> None:
    with comch.open_device(DPU) as device:
        server, states = comch.Server(device, HOST, NAME), list[comch.State]()
        server.set_state_changed_cb(lambda context, old, new: states.append(new))
        PullPort(server, threaded=threaded).close()
        with pytest.raises(comch.BadConfig):
            server.start()
        server.task_send_set_conf(print, print, 4)
        server.event_msg_recv_register(print)
        server.event_connection_status_changed_register(print, print)
        assert server.start() is comch.State.RUNNING
        assert states[-1] is comch.State.RUNNING
        server.close()


@pytest.mark.parametrize("threaded", [False, True], ids=["driver", "threaded"])
@pytest.mark.parametrize("call", [comch.Client.start, comch.Client.stop, comch.Client.connect, PullPort])
def test_a_destroyed_context_is_not_made_anew(call: Callable[[comch.Client], object], threaded: bool) -> None:
    """Its port has been closed, so that the library would have to make another context for the next life."""
    with comch.open_device("b1:00.0") as device, comch.ProgressEngine() as engine:
        client = comch.Client(device, "svc", engine=engine)
        PullPort(client, threaded=threaded).close()
        client.destroy()
        for _ in range(2):
            with pytest.raises(comch.InvalidValue, match="has been destroyed; make another"):
                call(client)
        client.close()
