"""How a client and a service find each other."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from comch_next import outcome
from comm_channel_compat import (
    Again,
    BadState,
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    Endpoint,
    ErrorCode,
    InvalidValue,
    NotConnected,
    NotPermitted,
    NotSupported,
    open_device,
)
from tests.compat import support
from tests.differences import differs
from tests.topologies import limited

pytestmark = pytest.mark.usefixtures("form")

LONGEST = "x" * 127


def test_listen_needs_a_device_and_a_representor() -> None:
    ep = Endpoint()
    with pytest.raises(BadState, match="set device"):
        ep.listen("svc")
    ep.set_device(open_device(support.DPU))
    with pytest.raises(BadState, match="set device_rep"):
        ep.listen("svc")


def test_connect_needs_a_device() -> None:
    with pytest.raises(BadState, match="set device"):
        Endpoint().connect("svc")


def test_a_host_device_cannot_listen_nor_a_dpu_device_connect(client: Endpoint, service: Endpoint) -> None:
    with pytest.raises(NotPermitted):
        client.listen("svc")
    ep = support.endpoint()
    ep.set_device(service.get_device())
    with pytest.raises(NotPermitted):
        ep.connect("svc")


def test_a_device_without_the_capability(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topology = tmp_path / "topology.toml"
    topology.write_text(
        "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\ncapable = false\n"
        "[[device.representor]]\npci_addr = 'b1:00.0'\n"
        "[[device]]\npci_addr = 'b1:00.0'\nside = 'host'\ncapable = false\n"
    )
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))
    with pytest.raises(NotSupported):
        support.service()
    with pytest.raises(NotSupported):
        support.client().connect("svc")


def test_connect_before_listen(client: Endpoint) -> None:
    with pytest.raises(ConnectionAborted):
        client.connect(support.NAME)


def test_connect_to_another_representor(service: Endpoint) -> None:
    ep = support.endpoint("b1:00.1")
    with pytest.raises(ConnectionAborted):
        ep.connect(support.NAME)


def test_a_name_that_is_taken(service: Endpoint) -> None:
    with pytest.raises(ConnectionAborted, match="taken"):
        support.service()


@pytest.mark.parametrize("name", ["x", LONGEST, "with space/and slash", "zwölf", b"as C has it\0", b"\xff" * 127])
def test_names_that_are_legal(name: Any) -> None:
    service, client = support.service(name), support.client()
    support.let_in(service, client.connect(name))
    client.destroy()
    service.destroy()


@pytest.mark.parametrize("name", ["", LONGEST + "x", "a\0b", None, 5, b"a\0b", b"\xff" * 128])
def test_names_that_are_not(client: Endpoint, name: str) -> None:
    with pytest.raises(InvalidValue):
        support.service(name)
    with pytest.raises(InvalidValue):
        client.connect(name)


def test_a_connection_is_in_progress_until_the_service_calls_recvfrom(
    service: Endpoint, client: Endpoint, form: str
) -> None:
    peer = client.connect(support.NAME)
    if differs(form, "waiting clients"):
        support.eventually(peer.update_info)  # it comes up by itself
    else:
        for _ in range(3):
            with pytest.raises(ConnectionInprogress):
                peer.update_info()
            with pytest.raises(Again):
                client.sendto(b"early", peer)
            with pytest.raises(Again):
                client.recvfrom(100)
        support.let_in(service, peer)
    client.sendto(b"now", peer)
    assert support.eventually(service.recvfrom, 100)[0] == b"now"


def test_one_recvfrom_lets_in_everybody_who_waits(service: Endpoint) -> None:
    clients = [support.client() for _ in range(5)]
    peers = [client.connect(support.NAME) for client in clients]
    support.let_in(service, peers[-1])
    for peer in peers:
        support.eventually(peer.update_info)
    for client in clients:
        client.destroy()


def test_who_waits_is_let_in_while_messages_flow(pair: support.Pair) -> None:
    peer = support.client().connect(support.NAME)

    def let_in() -> None:
        pair.client.sendto(b"one", pair.to_service)
        pair.client.sendto(b"more", pair.to_service)
        pair.service.recvfrom(100)  # there is always a message
        pair.service.recvfrom(100)
        peer.update_info()

    support.eventually(let_in)


def test_a_client_that_gives_up_is_forgotten(service: Endpoint, client: Endpoint) -> None:
    early = support.client()
    early.connect(support.NAME)
    early.destroy()
    peer = client.connect(support.NAME)
    told: list[object] = []
    for _ in range(100):
        try:
            service.recvfrom(1)
        except ConnectionReset as error:
            told.append(error.connection)
        except Again:
            time.sleep(0.0001)
    assert told in ([], [None])
    support.eventually(peer.update_info)


def test_one_client_too_many_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    limited(tmp_path, monkeypatch, max_clients=1)
    service, first, second = support.service(), support.client(), support.client()
    support.let_in(service, first.connect(support.NAME))
    code, peer = outcome(second.connect, support.NAME)
    with pytest.raises(Again):  # the service is not troubled
        service.recvfrom(1)
    if code == ErrorCode.CONNECTION_ABORTED:  # the refusal was quicker than the return of connect
        assert differs(form, "waiting clients")
    else:
        assert peer is not None
        with pytest.raises(ConnectionAborted):
            support.eventually(peer.update_info)
        with pytest.raises(ConnectionReset):
            second.sendto(b"x", peer)
        second.disconnect(peer)
    first.destroy()
    for _ in range(3):
        with pytest.raises(Again):
            service.recvfrom(1)
    if differs(form, "waiting clients"):
        support.eventually(until_gone, service)  # its place is free when its farewell has been heard
    support.let_in(service, second.connect(support.NAME))
    for ep in (second, service):
        ep.destroy()


def until_gone(service: Endpoint) -> None:
    service.update_service_state_info()
    if service.get_peer_addr_list():
        raise Again


def test_an_endpoint_that_is_neither() -> None:
    ep = Endpoint()
    with pytest.raises(NotConnected):
        ep.recvfrom(100)


def test_endpoints_do_not_refuse_each_other_for_message_size(form: str) -> None:
    service, client = support.service(max_msg_size=100), support.client(max_msg_size=5000)
    to_service = client.connect(support.NAME)
    support.let_in(service, to_service)
    most = 4080 if differs(form, "max_msg_size") else 5000
    with pytest.raises(InvalidValue):
        client.sendto(b"x" * (most + 1), to_service)
    client.sendto(b"x" * most, to_service)
    msg, peer = support.eventually(service.recvfrom, 5000)
    assert msg == b"x" * most
    service.sendto(b"y" * 100, peer)
    with pytest.raises(InvalidValue):
        service.sendto(b"y" * 101, peer)
    assert support.eventually(client.recvfrom, 100)[0] == b"y" * 100
    client.destroy()
    service.destroy()
