"""Messages of up to 32 bytes, from the CPU to a kernel and back (guide: Comch, MsgQ)."""

from __future__ import annotations

import json
import os
import threading
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

import comch_next as comch
from comch_next.dpa.dev import (
    CompletionType,
    doca_dpa_dev_comch_consumer_ack,
    doca_dpa_dev_comch_consumer_completion_ack,
    doca_dpa_dev_comch_consumer_get_completion,
    doca_dpa_dev_comch_consumer_get_completion_producer_id,
    doca_dpa_dev_comch_producer_is_consumer_empty,
    doca_dpa_dev_comch_producer_post_send_imm_only,
    doca_dpa_dev_completion_ack,
    doca_dpa_dev_completion_request_notification,
    doca_dpa_dev_get_completion,
    doca_dpa_dev_get_completion_type,
    doca_dpa_dev_get_completion_user_data,
    doca_dpa_dev_thread_finish,
    doca_dpa_dev_thread_get_local_storage,
)
from comch_next.driver.emulated._kernel import calls
from comm_channel_compat import _account
from tests.dpa.world import DEPTH, Queues, echo, queues, received, sleep
from tests.inside import inside


def test_each_comes_back_in_order() -> None:
    sent = [b"message %d" % number for number in range(200)]
    with queues(echo) as lane:
        for imm in sent:
            lane.send(imm)
        lane.until(lambda: len(lane.came) == len(sent))
        assert lane.came == [imm.upper() for imm in sent]
        assert lane.dpa.error is None


@pytest.mark.parametrize("size", [1, 31, 32])
def test_any_length_up_to_32_bytes(size: int) -> None:
    with queues(echo) as lane:
        lane.send(b"x" * size)
        lane.until(lambda: lane.came)
        assert lane.came == [b"X" * size]


def test_the_cpu_is_refused_33_bytes_and_buffers() -> None:
    with queues(echo) as lane:
        with pytest.raises(comch.InvalidValue, match="33 bytes of immediate data are above the 32"):
            lane.producer.task_send_alloc_init(None, b"x" * 33, lane.dpa_consumer.id)
        permissions = comch.AccessFlag.PCI_READ_WRITE
        with comch.Mmap(lane.device, 64, permissions) as mmap, comch.BufInventory(1) as inventory:
            buf = inventory.buf_get_by_addr(mmap, mmap.addr, 64)
            with pytest.raises(comch.InvalidValue, match="immediate data, and no buffers"):
                lane.producer.task_send_alloc_init(buf, b"", lane.dpa_consumer.id)
            with pytest.raises(comch.InvalidValue, match="immediate data, and no buffers"):
                lane.consumer.task_post_recv_alloc_init(buf)
            buf.dec_refcount()


def test_a_kernel_that_has_posted_nothing_is_a_reason_to_wait() -> None:
    def deaf(arg: SimpleNamespace) -> None:
        sleep(arg)

    with queues(deaf) as lane:
        task = lane.producer.task_send_alloc_init(None, b"anybody?", lane.dpa_consumer.id)
        with pytest.raises(comch.Again):
            task.submit()
        task.free()


def test_a_kernel_sees_who_sent() -> None:
    def note(arg: SimpleNamespace) -> None:
        if not arg.posted:
            arg.posted = True
            doca_dpa_dev_comch_consumer_ack(arg.consumer, DEPTH)
        while True:
            found, element = doca_dpa_dev_comch_consumer_get_completion(arg.completion)
            if not found:
                break
            arg.notes.append(doca_dpa_dev_comch_consumer_get_completion_producer_id(element))
            doca_dpa_dev_comch_consumer_completion_ack(arg.completion, 1)
        sleep(arg)

    with queues(note) as lane:
        lane.send(b"hello")
        lane.until(lambda: lane.arg.notes)
        assert lane.arg.notes == [lane.producer.id]


def test_sends_complete_with_the_user_data_of_their_producer() -> None:
    def once(arg: SimpleNamespace) -> None:
        arg.notes.append(doca_dpa_dev_comch_producer_is_consumer_empty(arg.producer, arg.cpu))
        doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, b"unasked", 7, 0)
        doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, b"asked for", 5, 1)
        found, element = doca_dpa_dev_get_completion(arg.sent)
        arg.notes += [found, doca_dpa_dev_get_completion_user_data(element), doca_dpa_dev_get_completion(arg.sent)]
        arg.notes.append(doca_dpa_dev_get_completion_type(element))
        doca_dpa_dev_completion_ack(arg.sent, 1)
        doca_dpa_dev_completion_request_notification(arg.sent)

    with queues(once) as lane:
        lane.until(lambda: len(lane.came) == 2)
        lane.until(lambda: len(lane.arg.notes) == 5)
        assert (lane.came, lane.arg.notes) == ([b"unasked", b"asked"], [0, 1, "back", (0, 0), CompletionType.SEND])


def test_local_storage_is_the_threads() -> None:
    def look(arg: SimpleNamespace) -> None:
        arg.notes.append(doca_dpa_dev_thread_get_local_storage())

    lane = Queues(look)
    lane.thread.stop()
    lane.thread.set_local_storage({"turns": 3})
    lane.thread.start()
    lane.thread.run()
    lane.until(lambda: lane.arg.notes)
    assert lane.arg.notes == [{"turns": 3}]
    lane.close()


def test_the_host_sleeps_until_a_kernel_has_answered() -> None:
    with queues(echo) as lane:
        for number in range(20):
            lane.send(b"%d" % number)
            while len(lane.came) <= number:
                lane.engine.wait(5.0)
                lane.engine.progress()
        assert len(lane.came) == 20


def test_a_thread_does_not_wake_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every system call of a kernel's thread lets go of the interpreter's lock, which it then has to wait for."""
    write, writers = os.eventfd_write, []

    def noted(fd: int, value: int) -> None:
        writers.append(threading.current_thread())
        write(fd, value)

    monkeypatch.setattr(os, "eventfd_write", noted)
    with queues(echo) as lane:
        for number in range(5):
            lane.send(b"%d" % number)
        lane.until(lambda: len(lane.came) == 5)
    assert set(writers) == {threading.main_thread()}


def test_messages_wait_for_a_kernel_that_looks_later() -> None:
    """Who asks to be notified when a message is there already is activated at once."""

    def slow(arg: SimpleNamespace) -> None:
        if not arg.posted:
            arg.posted = True
            doca_dpa_dev_comch_consumer_ack(arg.consumer, DEPTH)
            sleep(arg)
        arg.notes += received(arg)
        sleep(arg)

    lane = Queues(slow)
    lane.thread.run()
    for number in range(DEPTH):
        lane.send(b"%d" % number)
    lane.until(lambda: len(lane.arg.notes) == DEPTH)
    assert lane.arg.notes == [b"0", b"1", b"2", b"3"]
    lane.close()


def test_a_trace_has_the_hosts_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    path = tmp_path / "trace"
    monkeypatch.setenv("COMCH_TRACE", str(path))
    with queues(echo) as lane:
        lane.send(b"traced")
        lane.until(lambda: lane.came)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    done = [line for line in lines if line["what"] == "receive" or line.get("result") == "DOCA_SUCCESS"]
    told = [(line["what"], line["msgq"], line["imm_length"]) for line in done if line["what"] in ("send", "receive")]
    assert told == [("send", 1, 6), ("receive", 2, 6)]


def test_an_account_of_old_calls_leaves_them_out(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    """It counts what connections carry; a program may use both."""
    account = _account.Account()
    monkeypatch.setattr(_account, "the_account", lambda: account)
    monkeypatch.setenv("COMCH_TRACE_SINK", "comm_channel_compat._account:the_account")
    with queues(echo) as lane:
        lane.send(b"counted by none")
        lane.until(lambda: lane.came)
        assert lane.dpa.error is None
    assert account.facts()["peers"] == []


def test_a_completion_context_starts_empty() -> None:
    def kernel(arg: SimpleNamespace) -> None:
        if arg.posted:
            arg.notes.append(doca_dpa_dev_get_completion(arg.sent))
        arg.posted = True
        doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, b"1", 1, 1)
        doca_dpa_dev_thread_finish()

    with queues(kernel) as lane:
        lane.until(lambda: lane.came)
        lane.thread.stop()
        lane.dpa_producer.close()
        lane.sent.stop()
        lane.sent.start()
        lane.dpa_producer = lane.back.producer_create()
        lane.dpa_producer.set_datapath_on_dpa(lane.dpa)
        lane.dpa_producer.dpa_completion_attach(lane.sent)
        lane.dpa_producer.set_dev_max_num_send(DEPTH)
        lane.dpa_producer.start()
        lane.arg.producer = lane.dpa_producer.get_dpa_handle()
        lane.thread.start()
        lane.thread.run()
        lane.until(lambda: lane.dpa.error or len(lane.came) == 2)
        assert lane.arg.notes == [(0, 0)]


def test_after_the_highest_number_of_an_element_comes_the_lowest() -> None:
    with queues(echo) as lane:
        inside(lane.completion)._numbers = count((1 << 32) - 2)
        for _ in range(4):
            lane.send(b"x")
        lane.until(lambda: len(lane.came) == 4 or lane.dpa.error is not None)
        assert lane.dpa.error is None


def test_a_metered_progress_that_finds_nothing_lets_the_kernel_run(monkeypatch: pytest.MonkeyPatch) -> None:
    let: list[bool] = []
    with queues(echo) as lane:
        lane.engine.max_events = 1
        monkeypatch.setattr(calls, "let_others_run", lambda: let.append(True))
        while lane.engine.progress():
            assert not let
        assert let == [True]
