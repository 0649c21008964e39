"""What a helper thread relies on: an armed notification handle hears of what the program does afterwards."""

from __future__ import annotations

from typing import Any

import pytest

import comch_next as comch
from comch_next import State, TimeOut
from tests.processes import SOON_S
from tests.pull.support import Stage, ready, until


def test_work_begun_after_arming_rings(stage: Stage) -> None:
    client = comch.Client(stage.host, "svc")
    stage.contexts.append(client)
    done: list[comch.SendTask] = []
    client.task_send_set_conf(done.append, done.append, 2)
    client.event_msg_recv_register(lambda connection, data: None)
    server = stage.server("driver", recv_queue_size=1)
    server.context.start()
    client.start()
    until(server.accept)
    until(lambda: client.engine.progress() or client.state is State.RUNNING)
    until(lambda: not client.engine.progress())
    tasks = [client.task_send_alloc_init(client.connection, b"x") for _ in range(2)]
    engine = client.engine
    engine.request_notification()
    tasks[0].submit()
    assert ready(engine.notification_handle, SOON_S)  # it is in the receiver's queue already
    engine.clear_notification()
    assert engine.progress()
    engine.request_notification()
    tasks[1].submit()
    assert not ready(engine.notification_handle)  # this one waits for room
    until(server.receive)
    assert ready(engine.notification_handle, SOON_S)
    engine.clear_notification()
    until(lambda: engine.progress() or len(done) == 2)
    assert done == tasks
    for task in tasks:
        task.free()
    engine.request_notification()
    client.stop()
    assert ready(engine.notification_handle, SOON_S)


@pytest.mark.parametrize("asked_before", [True, False])
def test_a_send_given_up_before_the_welcome(stage: Stage, asked_before: bool) -> None:
    """It waited for the welcome; who receives still does."""
    server: Any = stage.server("driver", one_sided=True).context
    server.listen()
    client: Any = stage.client("driver", one_sided=True).context
    client.connect(timeout=0)
    if asked_before:
        assert not ready(client.recv_fd)
    with pytest.raises(TimeOut):
        client.connection.send(b"too early", timeout=0.01)
    client.arm_recv()
    assert not ready(client.recv_fd)
    until(lambda: comch.outcome(server.receive, timeout=0) and server.port.connections)
    assert ready(client.recv_fd, SOON_S)
