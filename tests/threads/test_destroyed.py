"""A thread that waits for another one's progress of an engine notices that this one has destroyed it."""

from __future__ import annotations

import sys
import threading
import time

import pytest

import comch_next as comch
from comch_next.driver.emulated import _engine
from tests.control_path.pair import DPU, HOST, REP
from tests.processes import SOON_S


def test_progress_that_waited_while_the_engine_was_destroyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_engine, "_TICK_S", 0.2)  # it looks again when the engine is no more
    engine, errors = comch.ProgressEngine(), []

    def progress() -> None:
        try:
            engine.progress()
        except comch.DocaError as error:
            errors.append(error)

    waiting = threading.Thread(target=progress)

    def wait_for_it(*_: object) -> None:
        waiting.start()
        deadline = time.monotonic() + SOON_S
        while sys._current_frames()[waiting.ident or 0].f_code.co_name != "_wait_for_other_thread":
            assert time.monotonic() < deadline
            time.sleep(0.001)

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
    waiting.join(SOON_S)
    assert [type(error) for error in errors] == [comch.InvalidValue]  # BadState of one that has waited in vain
