"""A thread that waits for another one's progress of an engine notices that this one has destroyed it."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

import comch_next as comch
from comch_next.driver.emulated import _engine
from tests.control_path.pair import DPU, HOST, REP
from tests.processes import SOON_S


def test_progress_that_waited_while_the_engine_was_destroyed(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, errors = comch.ProgressEngine(), []
    asleep, destroyed = threading.Event(), threading.Event()

    def sleep(_: float) -> None:
        asleep.set()
        destroyed.wait(SOON_S)

    monkeypatch.setattr(_engine, "time", SimpleNamespace(sleep=sleep))

    def progress() -> None:
        try:
            engine.progress()
        except comch.DocaError as error:
            errors.append(error)

    waiting = threading.Thread(target=progress)

    def wait_for_it(*_: object) -> None:
        waiting.start()
        assert asleep.wait(SOON_S)

    with comch.open_device(DPU) as dpu, dpu.open_representor(REP) as rep, comch.open_device(HOST) as host:
        server = comch.Server(dpu, rep, "svc", engine=engine)
        server.task_send_set_conf(comch.SendTask.free, comch.SendTask.free, 1)
        server.event_msg_recv_register(lambda connection, data: None)
        server.event_connection_status_changed_register(wait_for_it, lambda connection, ok: None)
        server.start()
        client = comch.Client(host, "svc")
        client.task_send_set_conf(comch.SendTask.free, comch.SendTask.free, 1)
        client.event_msg_recv_register(lambda connection, data: None)
        client.start()
        while client.state is not comch.State.RUNNING:
            client.engine.progress()
            engine.progress()
        client.close()
        server.close()
        engine.destroy()
        destroyed.set()
    waiting.join(SOON_S)
    assert [type(error) for error in errors] == [comch.InvalidValue]  # BadState of one that has waited in vain
