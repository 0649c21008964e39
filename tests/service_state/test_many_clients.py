"""Many clients on one service, several services of one name, and the limit of connections."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import comm_channel_compat as cc
from comch_next import outcome
from comm_channel_compat import Again, ConnectionAborted, Endpoint, PeerAddr
from tests.compat import support
from tests.descriptors import collected_fds, open_fds
from tests.differences import differs
from tests.processes import StartPython
from tests.service_state.support import Guest, drain, guests, state, until
from tests.topologies import limited

pytestmark = pytest.mark.usefixtures("form")


@pytest.mark.parametrize("name", ["svc", "svc/2"])
def test_one_name_on_two_representors_is_two_services(name: str) -> None:
    services = [support.service(name, rep) for rep in ("b1:00.0", "b1:00.1")]
    heard = {}
    for rep, service in zip(("b1:00.0", "b1:00.1"), services, strict=True):
        ep = support.endpoint(rep)
        peer = ep.connect(name)
        support.let_in(service, peer)
        support.eventually(ep.sendto, rep.encode(), peer)
        heard[rep] = support.eventually(service.recvfrom, 100)[0].decode()
        assert len(state(service)[0]) == 1
    assert heard == {rep: rep for rep in heard}
    services[0].destroy()
    services[1].update_service_state_info()


def test_no_more_than_the_maximum_are_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(tmp_path, monkeypatch, max_clients=3)
    service = support.service()
    assert cc.get_service_max_num_connections(service.get_device().as_devinfo()) == 3
    first, *_ = guests(service, 3)
    with pytest.raises(ConnectionAborted):  # from connect, or from the first look at the peer
        _let_in_or_refused(service, support.client().connect(support.NAME))
    assert (len(state(service)[0]), service.get_pending_connections()) == (3, 0)
    first.ep.disconnect(first.peer)
    until(service, lambda peers, _: len(peers) == 2)
    guests(service, 1)
    assert len(state(service)[0]) == 3


def _let_in_or_refused(service: Endpoint, peer: PeerAddr) -> None:
    def asked() -> None:
        drain(service)  # a client that is refused never reaches it
        peer.update_info()

    support.eventually(asked)


def test_two_hundred_clients(service: Endpoint, form: str) -> None:
    count = 200
    came = [Guest(ep, ep.connect(support.NAME)) for ep in (support.client() for _ in range(count))]
    if differs(form, "waiting clients"):
        until(service, lambda peers, pending: (len(peers), pending) == (count, 0))
    else:
        assert state(service) == ([], count)
    drain(service)
    peers = until(service, lambda peers, _: len(peers) == count)
    for number, guest in enumerate(came):
        support.eventually(guest.peer.update_info)
        guest.say(b"%d" % number)
    for _ in came:
        msg, peer = support.eventually(service.recvfrom, 100)
        service.sendto(msg, peer)
    assert [support.eventually(guest.ep.recvfrom, 100)[0] for guest in came] == [b"%d" % n for n in range(count)]
    for guest in came[: count // 2]:
        guest.ep.destroy()
    assert until(service, lambda now, _: len(now) == count - count // 2) == peers[count // 2 :]


def _places() -> Iterator[int]:
    """Clients in no order that a rule could guess, some often in a row."""
    choice = random.Random(5)
    return iter([choice.randrange(8) for _ in range(400)])


def test_messages_come_in_the_order_of_their_arrival(service: Endpoint) -> None:
    came = guests(service, 8)
    said = []
    for place in _places():
        said.append(b"%d" % place)
        came[place].ep.sendto(said[-1], came[place].peer)
        if len(said) % 40 == 0:
            assert [service.recvfrom(100)[0] for _ in range(40)] == said[-40:]
    with pytest.raises(Again):
        service.recvfrom(100)


CROWD = """
import sys
from comm_channel_compat import *
from tests.compat import support
clients = [support.client() for _ in range(50)]
peers = [ep.connect("svc") for ep in clients]
for ep, peer in zip(clients, peers):
    support.eventually(ep.sendto, b"hello", peer)
for ep in clients:
    support.eventually(ep.recvfrom, 100)
print("answered", flush=True)
sys.stdin.read()
"""


def test_two_hundred_from_four_processes(service: Endpoint, start_python: StartPython) -> None:
    before = collected_fds()
    children = [start_python("-c", CROWD) for _ in range(4)]
    pipes = open_fds() - before
    for _ in range(200):
        msg, peer = support.eventually(service.recvfrom, 100)
        service.sendto(msg, peer)
    for child in children:
        child.wait_for("answered")
    peers = state(service)[0]
    assert len(peers) == 200
    for child in children:
        child.kill()
    until(service, lambda peers, _: not peers)
    for _ in range(200):
        code, _ = outcome(service.recvfrom, 100)
        assert code == cc.ErrorCode.CONNECTION_RESET
    assert open_fds() <= before + pipes
