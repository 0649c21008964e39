"""What blocks, what does not, and the descriptor to poll."""

from __future__ import annotations

import resource
import select
import threading
import time
from typing import Any

import pytest

from comch_next import ConnectionReset, InvalidValue
from tests.blocking.stage import NAME, Stage, cc, code_of
from tests.processes import SOON_S, StartPython

A_WHILE_S = 0.2
CHILD = """
import os
import comch_next as comch
channel = comch.BlockingChannel(comch.InitAttr())
try:
    channel.listen("blocking")
except comch.ConnectionAborted:
    print("refused", flush=True)
if (child := os.fork()) == 0:
    connection = channel.connect("blocking")
    connection.update_info()
    channel.recv_fd
    channel.close()
    print("connected", flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def later(call: Any) -> tuple[threading.Thread, list[Any]]:
    """Run a call in a thread; what it returns is put into the list."""
    came: list[Any] = []
    thread = threading.Thread(target=lambda: came.append(call()))
    thread.start()
    return thread, came


def let_in(service: Any, dialling: threading.Thread) -> None:
    """Have the service look for clients until one is connected."""
    deadline = time.monotonic() + SOON_S
    while dialling.is_alive() and time.monotonic() < deadline:
        cc.doca_comm_channel_ep_recvfrom(service, 9, cc.DOCA_CC_MSG_FLAG_DONTWAIT)
        dialling.join(0.001)


def test_a_connect_returns_when_the_service_receives(stage: Stage) -> None:
    service, client = stage.service(), stage.endpoint()
    dialling, came = later(lambda: cc.doca_comm_channel_ep_connect(client, NAME))
    dialling.join(A_WHILE_S)
    assert not came
    let_in(service, dialling)
    assert code_of(came[0]) == cc.DOCA_SUCCESS


def test_a_send_waits_for_room(stage: Stage) -> None:
    service, client, to_service, _ = stage.connected(maxmsgs=8)
    send, receive = cc.doca_comm_channel_ep_sendto, cc.doca_comm_channel_ep_recvfrom
    stage.until(lambda: send(client, b"x", 1, cc.DOCA_CC_MSG_FLAG_DONTWAIT, to_service), cc.DOCA_ERROR_AGAIN)
    sending, came = later(lambda: send(client, b"the last", 8, 0, to_service))
    sending.join(A_WHILE_S)
    assert not came
    while receive(service, 9, 0)[1] != b"the last":
        pass
    sending.join(SOON_S)
    assert came == [cc.DOCA_SUCCESS]


def test_a_destroy_waits_until_what_was_sent_is_there(stage: Stage) -> None:
    service, client, to_service, _ = stage.connected(maxmsgs=8)
    send, receive = cc.doca_comm_channel_ep_sendto, cc.doca_comm_channel_ep_recvfrom
    sent = [1]

    def one_more() -> int:
        code = int(send(client, b"x", 1, cc.DOCA_CC_MSG_FLAG_DONTWAIT, to_service))
        sent[0] += code == cc.DOCA_SUCCESS
        return code

    stage.until(one_more, cc.DOCA_ERROR_AGAIN)
    destroying, came = later(lambda: cc.doca_comm_channel_ep_destroy(client))
    destroying.join(A_WHILE_S)
    assert not came
    read = [receive(service, 9, 0)[1] for _ in range(sent[0] - 1)]
    destroying.join(SOON_S)
    assert (came, set(read)) == ([cc.DOCA_SUCCESS], {b"x"})


def test_an_endpoint_that_was_made_not_to_block_does_not(stage: Stage) -> None:
    flags = cc.DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK
    service, client, *_ = stage.connected()
    assert cc.doca_comm_channel_ep_destroy(client) == cc.DOCA_SUCCESS
    ready = stage.endpoint(flags=flags)
    dialling, came = later(lambda: cc.doca_comm_channel_ep_connect(ready, NAME))
    let_in(service, dialling)
    rc, peer = came[0]
    assert rc == cc.DOCA_SUCCESS
    assert cc.doca_comm_channel_ep_recvfrom(ready, 9, 0) == (cc.DOCA_ERROR_AGAIN, None, None, None)
    send = cc.doca_comm_channel_ep_sendto
    stage.until(lambda: send(ready, b"x", 1, 0, peer), cc.DOCA_ERROR_AGAIN)
    assert cc.doca_comm_channel_ep_destroy(ready) == cc.DOCA_SUCCESS  # what is in flight is lost


def test_a_service_hears_clients_of_every_function(stage: Stage) -> None:
    service = stage.service()
    stage.monkeypatch.setenv("COMCH_SIDE", "host")
    client = stage.endpoint()
    dialling, came = later(lambda: cc.doca_comm_channel_ep_connect(client, NAME))
    let_in(service, dialling)
    assert code_of(came[0]) == cc.DOCA_SUCCESS


def is_ready(descriptor: int, timeout_s: float = 0) -> bool:
    return bool(select.select([descriptor], [], [], timeout_s)[0])


def test_the_event_channel_is_ready_while_there_is_something(stage: Stage) -> None:
    assert cc.doca_comm_channel_ep_event_channel_get(stage.endpoint()) == -1
    service, client, to_service, to_client = stage.connected()
    channel = cc.doca_comm_channel_ep_event_channel_get(service)
    assert not is_ready(channel)
    for _ in range(2):
        assert cc.doca_comm_channel_ep_sendto(client, b"x", 1, 0, to_service) == cc.DOCA_SUCCESS
    assert is_ready(channel, SOON_S)
    assert cc.doca_comm_channel_ep_recvfrom(service, 9, 0)[0] == cc.DOCA_SUCCESS
    assert is_ready(channel, SOON_S), "another message waits"
    assert cc.doca_comm_channel_ep_recvfrom(service, 9, 0)[0] == cc.DOCA_SUCCESS
    assert not is_ready(channel), "a poll does not promise what would block"
    assert cc.doca_comm_channel_ep_event_channel_get(service) == channel
    assert cc.doca_comm_channel_ep_sendto(service, b"y", 1, 0, to_client) == cc.DOCA_SUCCESS


def test_the_event_channel_is_the_same_when_a_client_connects_again(stage: Stage) -> None:
    """A program has registered it, and may have opened a file since it left."""
    service, client, to_service, _ = stage.connected()
    channel = cc.doca_comm_channel_ep_event_channel_get(client)
    with select.epoll() as poller:
        poller.register(channel, select.EPOLLIN)
        assert cc.doca_comm_channel_ep_disconnect(client, to_service) == cc.DOCA_SUCCESS
        assert cc.doca_comm_channel_ep_event_channel_get(client) == -1
        with open("/dev/null") as other:
            assert other.fileno() != channel
            serving, came = later(lambda: cc.doca_comm_channel_ep_recvfrom(service, 9, 0))
            rc, to_service = cc.doca_comm_channel_ep_connect(client, NAME)
            assert rc == cc.DOCA_SUCCESS
            assert cc.doca_comm_channel_ep_sendto(client, b"x", 1, 0, to_service) == cc.DOCA_SUCCESS
            serving.join(SOON_S)
            assert not poller.poll(0)
            assert cc.doca_comm_channel_ep_sendto(service, b"y", 1, 0, came[0][3]) == cc.DOCA_SUCCESS
            assert poller.poll(SOON_S) == [(channel, select.EPOLLIN)]
            assert cc.doca_comm_channel_ep_event_channel_get(client) == channel


def test_a_child_may_use_a_channel_that_was_not_connected(stage: Stage, start_python: StartPython) -> None:
    """Its descriptor was the parent's; the child makes its own."""
    stage.serve()
    ended = start_python("-c", CHILD).finish()
    assert (ended.returncode, ended.stdout) == (0, "refused\nconnected\n"), ended.stderr


@pytest.mark.parametrize("attributes", [{"flags": 2}, {"msgsize": -1}, {"maxmsgs": 2**32}, {"cookie": "x"}])
def test_attributes_that_are_none_are_refused(stage: Stage, attributes: dict[str, Any]) -> None:
    attr = cc.doca_comm_channel_init_attr(**attributes)
    assert cc.doca_comm_channel_ep_create(attr) == (cc.DOCA_ERROR_INVALID_VALUE, None)


def test_what_is_no_attributes_is_refused(stage: Stage) -> None:
    for attr in (None, {"msgsize": 64}, 4080):
        assert cc.doca_comm_channel_ep_create(attr) == (cc.DOCA_ERROR_INVALID_VALUE, None)


def test_flags_that_there_are_not_are_refused(stage: Stage) -> None:
    service, client, to_service, _ = stage.connected()
    assert cc.doca_comm_channel_ep_sendto(client, b"x", 1, 4, to_service) == cc.DOCA_ERROR_INVALID_VALUE
    assert cc.doca_comm_channel_ep_recvfrom(service, 9, 4) == (cc.DOCA_ERROR_INVALID_VALUE, None, None, None)


def test_a_message_that_does_not_fit_stays(stage: Stage) -> None:
    service, client, to_service, to_client = stage.connected()
    assert cc.doca_comm_channel_ep_sendto(client, b"too long", 8, 0, to_service) == cc.DOCA_SUCCESS
    assert cc.doca_comm_channel_ep_recvfrom(service, 3, 0) == (cc.DOCA_ERROR_INVALID_VALUE, None, 8, None)
    assert cc.doca_comm_channel_ep_recvfrom(service, 8, 0) == (cc.DOCA_SUCCESS, b"too long", 8, to_client)


def test_a_service_goes_on_without_a_client_that_died(stage: Stage) -> None:
    service = stage.service()
    child = stage.start_python("-c", CLIENT)
    rc, msg, _, _ = cc.doca_comm_channel_ep_recvfrom(service, 9, 0)
    assert (rc, msg) == (cc.DOCA_SUCCESS, b"one")
    child.say("\n")
    child.succeed()
    again = stage.start_python("-c", CLIENT)
    rc, msg, _, _ = cc.doca_comm_channel_ep_recvfrom(service, 9, 0)
    assert (rc, msg) == (cc.DOCA_SUCCESS, b"one")
    again.say("\n")
    again.succeed()


CLIENT = """
import os
import comm_channel_compat.blocking as cc
rc, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr())
rc, peer = cc.doca_comm_channel_ep_connect(ep, "blocking")
assert cc.doca_comm_channel_ep_sendto(ep, b"one", 3, 0, peer) == 0
input()
os._exit(0)
"""


DESTROYED_AFTER_A_DEATH = """
import os, signal, sys
from tests.descriptors import open_fds
import comm_channel_compat.blocking as cc
before = open_fds()
rc, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr())
assert cc.doca_comm_channel_ep_connect(ep, "blocking")[0] == 0
os.kill(int(sys.argv[1]), signal.SIGKILL)
assert cc.doca_comm_channel_ep_recvfrom(ep, 100, 0) == (cc.DOCA_ERROR_UNKNOWN, None, None, None)
assert cc.doca_comm_channel_ep_destroy(ep) == cc.DOCA_SUCCESS
print(open_fds() - before)
"""


def test_a_client_of_a_service_that_died_leaves_nothing_behind(stage: Stage) -> None:
    child = stage.serve()
    finished = stage.start_python("-c", DESTROYED_AFTER_A_DEATH, str(child.pid)).finish()
    assert finished == (0, "0\n", "")


def test_a_service_is_destroyed_where_there_are_no_descriptors(stage: Stage) -> None:
    service, *_ = stage.connected()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        assert cc.doca_comm_channel_ep_destroy(service) == cc.DOCA_SUCCESS
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("odd", ["", [], -1, float("nan"), "soon"])
def test_a_receive_refuses_what_is_no_time(stage: Stage, odd: Any) -> None:
    with pytest.raises(InvalidValue, match="receive takes a timeout"):
        stage.service().modern.receive(timeout=odd)


def test_a_receive_passes_over_any_number_of_dead_clients(stage: Stage) -> None:
    service, client, to_service, to_client = stage.connected()
    channel = to_client.modern._context
    receive, deaths = channel.receive, iter(range(2000))

    def dead_or_alive(size: int, *, timeout: float) -> Any:
        if next(deaths, None) is not None:
            raise ConnectionReset("a client has died")
        return receive(size, timeout=timeout)

    vars(channel)["receive"] = dead_or_alive
    assert cc.doca_comm_channel_ep_sendto(client, b"alive", 5, 0, to_service) == cc.DOCA_SUCCESS
    assert cc.doca_comm_channel_ep_recvfrom(service, 9, 0) == (cc.DOCA_SUCCESS, b"alive", 5, to_client)
    assert next(deaths, None) is None
