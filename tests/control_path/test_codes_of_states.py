"""Codes and refusals for programs that branch on them: try_start, try_stop, require."""

from __future__ import annotations

import pytest

import comch_next as comch
from comch_next import Client, Context, ErrorCode, InUse, InvalidValue, NotSupported, Server, State


def ignore(*_: object) -> None:
    pass


def test_start_and_stop_as_c_has_them() -> None:
    with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
        engine = comch.ProgressEngine()
        server, client = Server(dpu, "b1:00.0", "svc", engine=engine), Client(host, "svc", engine=engine)
        assert client.try_start() is ErrorCode.BAD_CONFIG
        for context in (server, client):
            context.task_send_set_conf(ignore, ignore, 1)
            context.event_msg_recv_register(ignore)
        server.event_connection_status_changed_register(ignore, ignore)
        assert (server.try_start(), server.state) == (ErrorCode.SUCCESS, State.RUNNING)
        assert server.try_start() is ErrorCode.BAD_STATE
        assert (client.try_start(), client.state) == (ErrorCode.IN_PROGRESS, State.STARTING)
        while client.state is State.STARTING:
            engine.progress()
        task = client.task_send_alloc_init(client.connection, b"kept")
        assert (client.try_stop(), client.state) == (ErrorCode.IN_PROGRESS, State.STOPPING)
        with pytest.raises(InUse, match="STOPPING; free the 1 task that the program holds and progress until IDLE"):
            client.destroy()
        task.free()
        with pytest.raises(InUse, match="while STOPPING; progress until IDLE"):
            client.destroy()
        client.close()
        server.close()
        engine.destroy()


@pytest.mark.parametrize("call", [Context.try_start, Context.try_stop])
def test_nothing_but_a_context(call: object) -> None:
    assert call(None) is ErrorCode.INVALID_VALUE  # type: ignore[operator]


def test_what_a_device_is_required_for() -> None:
    with comch.open_device("03:00.0") as dpu:
        for noun in ("server", "producer", "consumer"):
            dpu.devinfo.require(noun)
        with pytest.raises(NotSupported, match="cannot be a client"):
            dpu.devinfo.require("client")
        with pytest.raises(InvalidValue, match="server or client"):
            dpu.devinfo.require("engine")  # type: ignore[arg-type]
