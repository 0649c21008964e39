"""What a callback of the program's raises comes out of the call that ran it, and ends no connection."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

import comch_next as comch
from comch_next import State
from tests.control_path.pair import HOST
from tests.processes import SOON_S
from tests.pull.support import FORMS, Stage, until
from tests.threads.test_two_threads import Worker


@pytest.mark.parametrize("kind", [comch.ConnectionAborted, RuntimeError])
@pytest.mark.parametrize("at", [State.STARTING, State.RUNNING], ids=lambda state: state.name)
@pytest.mark.parametrize("one_sided", [False, True], ids=["two-sided", "one-sided"])
@pytest.mark.parametrize("form", FORMS)
def test_out_of_connect(
    stage: Stage, form: str, one_sided: bool, at: State, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    server = stage.server("driver")
    server.context.start()
    client = comch.Client(stage.host, "svc", one_sided=one_sided)
    stage.contexts.append(client)
    told: list[State] = []

    @client.set_state_changed_cb
    def changed(_: object, __: State, new: State) -> None:
        told.append(new)
        if new is at:
            raise kind("of the program's")

    receiving = Worker(lambda: stage.contexts.append(server.context.receive(timeout=SOON_S)))
    with pytest.raises(kind, match="of the program's"):
        client.connect(wait_for_server=True)
    until(lambda: client.engine.progress() or client.state is State.RUNNING)
    client.connection.send(b"x")
    receiving.result()
    stage.contexts.pop().reply(b"y")
    assert client.receive(timeout=SOON_S) == (b"y", client.connection)
    client.disconnect(client.connection)
    assert told == [State.STARTING, State.RUNNING, State.STOPPING, State.IDLE]


def test_out_of_connect_though_the_helper_thread_ran_it(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may bring RUNNING between the last progress of `connect` and its look at the state."""
    monkeypatch.setenv("COMCH_PULL", "threaded")
    server = stage.server("driver")
    server.context.start()
    client: Any = stage.client("driver").context
    progress, told = comch.ProgressEngine.progress, []

    def changed(_: object, __: State, new: State) -> None:
        told.append(new)
        if new is State.RUNNING:
            raise RuntimeError("of the program's")

    client.set_state_changed_cb(changed)

    def late(engine: comch.ProgressEngine) -> bool:
        if engine is not client.engine:
            return progress(engine)
        until(lambda: State.RUNNING in told)
        return False

    monkeypatch.setattr(comch.ProgressEngine, "progress", late)
    receiving = Worker(lambda: stage.contexts.append(server.context.receive(timeout=SOON_S)))
    with pytest.raises(RuntimeError, match="of the program's"):
        client.connect(wait_for_server=True)
    monkeypatch.undo()
    client.connection.send(b"x")
    receiving.result()
    assert stage.contexts.pop().data == b"x"


@pytest.mark.parametrize("one_sided", [False, True], ids=["two-sided", "one-sided"])
@pytest.mark.parametrize("form", FORMS)
def test_out_of_close(stage: Stage, form: str, one_sided: bool) -> None:
    _, client = stage.meet(stage.server("driver"), stage.client(form, one_sided=one_sided))

    def changed(_: object, __: State, new: State) -> None:
        if new is State.IDLE:
            raise RuntimeError("of the program's")

    client.context.set_state_changed_cb(changed)
    with pytest.raises(RuntimeError, match="of the program's"):
        client.context.close()
    client.context.close()


@pytest.mark.parametrize("one_sided", [False, True], ids=["two-sided", "one-sided"])
@pytest.mark.parametrize("error", [comch.Shutdown, comch.ConnectionReset])
@pytest.mark.parametrize("about", ["nothing", "another connection"])
def test_out_of_receive(stage: Stage, about: str, error: Any, one_sided: bool) -> None:
    """Its engine has another context, whose callback used a connection that had ended."""
    with comch.ProgressEngine() as engine:
        server, client = stage.meet(
            stage.server("driver", engine=engine, one_sided=one_sided), stage.client("driver", engine=engine)
        )
        other = comch.Client(comch.open_device(HOST), "nobody", engine=engine)
        stage.contexts.append(other)

        def changed(_: object, __: State, new: State) -> None:
            if new is State.IDLE:
                raise error("of the program's", connection=None if about == "nothing" else connection)

        other.set_state_changed_cb(changed)
        for end in (server, client):
            connection: Any = None
            other.task_send_set_conf(print, print, 1)
            other.event_msg_recv_register(print)
            other.start()
            connection = other.connection
            raised: list[str] = []

            def receive() -> list[str]:
                with suppress(comch.Again):
                    try:
                        end.context.receive(timeout=0)  # noqa: B023
                    except error as own:
                        raised.append(str(own))  # noqa: B023
                return raised  # noqa: B023

            until(receive)
            assert raised == ["of the program's"]
            with pytest.raises(comch.Again):
                end.context.receive(timeout=0)
            if error is comch.Shutdown:
                other.start()
                with pytest.raises(error, match="of the program's"):
                    next(iter(end.context))
        assert client.send(b"x")
        assert server.receive() == b"x"
        for end in (server, client):
            end.context.close()
        other.close()


def test_a_server_that_has_left_is_reported_without_end(stage: Stage) -> None:
    """Each report has the frames of its own call, and holds nothing of those before."""
    server, client = stage.pair("driver", "driver")
    server.context.close()
    depths: list[int] = []
    for _ in range(3):
        with pytest.raises(comch.Shutdown) as raised:
            client.context.receive(timeout=SOON_S)
        assert raised.value.connection is client.connection
        depths.append(len(raised.traceback))
    assert depths[1] == depths[2] <= depths[0]
