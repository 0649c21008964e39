"""The objects of generation 2: what they raise and return, and the names that warnings give."""

from __future__ import annotations

import pytest

from comch_next import State
from tests.cc.world import World, cc, ignore
from tests.processes import ROOT, StartPython


def test_start_and_stop_return_the_state(world: World) -> None:
    world.running(world.server)
    client = world.client.as_ctx()
    assert client.start() is State.STARTING  # where C reports IN_PROGRESS
    world.until(lambda: client.get_state() is State.RUNNING)
    assert client.stop() in (State.STOPPING, State.IDLE)
    with pytest.raises(cc.BadState):
        world.server.as_ctx().start()


def test_every_failure_raises_with_the_reason(world: World) -> None:
    server = world.server
    with pytest.raises(cc.InvalidValue, match="log_num_tasks is 32; legal are whole numbers from 0 to 31"):
        server.send_task_set_conf(ignore, ignore, 32)
    with pytest.raises(cc.InvalidValue, match="task_error_cb is None; legal is a function"):
        server.task_send_set_conf(ignore, None, 1)
    with pytest.raises(cc.InvalidValue, match="peer is None; legal is a Connection"):
        server.task_send_alloc_init(None, b"x")
    with pytest.raises(cc.InvalidValue, match="size is '64'"):
        server.set_max_msg_size("64")
    with pytest.raises(cc.NotSupported, match="cannot be a client"):
        cc.cap_client_is_supported(world.dpu.as_devinfo())
    assert cc.cap_server_is_supported(world.dpu.as_devinfo()) is None
    pe = cc.ProgressEngine()
    pe.destroy()
    with pytest.raises(cc.InvalidValue, match="has been destroyed"):
        pe.progress()


def test_no_properties_and_nothing_modern(world: World) -> None:
    for name in ("max_msg_size", "connection", "disconnect", "connect", "listen", "receive", "state", "engine"):
        assert not hasattr(world.client, name)


def test_lengths_may_be_left_out(world: World) -> None:
    world.connection  # noqa: B018  # both sides are RUNNING
    for message, length in ((b"all of it", {}), (b"some of it", {"len": 4})):
        world.client.send_task_alloc_init(world.connection, message, **length).as_task().submit()
    world.until(lambda: len(world.messages) == 2)
    assert world.messages == [b"all of it", b"some"]


WARNED = """
import comm_channel_compat.cc as cc
dev = cc.open_device("b1:00.0")
client = cc.Client(dev, "svc")
client.set_max_msg_size(64)
client.as_ctx().get_state()
client.send_task_set_conf(print, print, 1)
info = dev.as_devinfo()
cc.cap_get_max_clients(info)
cc.cap_is_producer_supported(info)
cc.consumer_cap_get_max_log_num_tasks(info)
client.destroy()
"""


def test_warnings_name_the_c_function_of_channel_calls(start_python: StartPython) -> None:
    done = start_python("-c", WARNED, env={"COMCH_COMPAT_WARN": "1"}, cwd=ROOT).finish()
    assert done.returncode == 0, done.stderr
    named = [line.split(": ")[2].split()[0] for line in done.stderr.splitlines() if "LegacyCallWarning" in line]
    assert named == [
        *("doca_cc_client_create", "doca_cc_client_set_max_msg_size", "doca_cc_client_as_ctx"),
        *("doca_cc_client_send_task_set_conf", "doca_cc_cap_get_max_clients", "doca_cc_cap_is_producer_supported"),
        *("doca_cc_consumer_cap_get_max_log_num_tasks", "doca_cc_client_destroy"),
    ]
