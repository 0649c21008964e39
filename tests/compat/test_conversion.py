"""Old and new objects in one process: they convert, or an error names both origins and what to call."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

import comch_next as comch
import comm_channel_compat as old
from comch_next import InvalidValue, NotPermitted, NotSupported
from comm_channel_compat import blocking, cc, unwrap, wrap
from tests.compat import support
from tests.compat.support import DPU, HOST, REP
from tests.processes import SOON_S
from tests.threads.test_two_threads import Worker

GEN_1, GEN_2, OURS = r"generation 1 \(comm_channel_compat\)", r"generation 2 \(comm_channel_compat.cc\)", "comch_next"
UNWRAP, WRAP, CC_UNWRAP, CC_WRAP = (
    rf"comm_channel_compat\.{call}\(\.\.\.\)" for call in ("unwrap", "wrap", r"cc\.unwrap", r"cc\.wrap")
)


# Conversions


@pytest.mark.parametrize("module", [old, cc], ids=["generation 1", "generation 2"])
def test_devices_convert(module: Any) -> None:
    with comch.open_device(DPU) as device, device.open_representor(REP) as rep:
        for modern in (device, device.devinfo, rep, rep.devinfo_rep):
            converted = module.wrap(modern)
            assert type(converted).__module__ == "comm_channel_compat._devices"
            assert module.unwrap(converted) is modern


def test_an_endpoint_moves_to_comch_next_and_back(pair: support.Pair) -> None:
    channel, connection = unwrap(pair.client), unwrap(pair.to_service)
    assert isinstance(channel, comch.Channel)
    assert isinstance(connection, comch.Connection)
    channel.send_to(b"from the modern side", connection)
    msg, peer = support.eventually(pair.service.recvfrom, 100)
    assert msg == b"from the modern side"
    assert wrap(channel) is pair.client
    assert wrap(connection) is pair.to_service
    assert wrap(unwrap(peer)) is peer


def test_a_modern_pair_serves_old_code() -> None:
    with comch.open_device(DPU) as device, device.open_representor(REP) as rep, comch.open_device(HOST) as host:
        server, client = comch.Server(device, rep, one_sided=True), comch.Client(host, one_sided=True)
        service, endpoint = wrap(server), wrap(client)
        assert service.get_device().as_devinfo().get_pci_addr_str().endswith(DPU)
        service.listen("svc")
        to_service = endpoint.connect("svc")
        support.let_in(service, to_service)
        endpoint.sendto(b"old code", to_service)
        message = server.receive(timeout=SOON_S)
        service.sendto(b"answer", wrap(message.connection))
        assert support.eventually(endpoint.recvfrom, 10) == (b"answer", to_service)
        assert to_service is wrap(unwrap(to_service))
        for wrong, error in (
            (lambda: service.connect("svc"), NotPermitted),
            (endpoint.update_service_state_info, NotSupported),
        ):
            with pytest.raises(error, match="not a channel of both roles"):
                wrong()
        endpoint.destroy()
        service.destroy()


# calls of a service, and what docs/errors.md has for an endpoint that is a client
OF_A_SERVICE: dict[str, type[comch.DocaError]] = {
    "get_service_event_channel": NotSupported,
    "update_service_state_info": NotSupported,
    "get_peer_addr_list": NotSupported,
    "get_pending_connections": NotSupported,
    "get_device_rep": InvalidValue,
}


@pytest.mark.parametrize("call", OF_A_SERVICE)
def test_a_client_of_new_code_answers_calls_of_a_service_as_an_endpoint_does(pair: support.Pair, call: str) -> None:
    error = OF_A_SERVICE[call]
    client = comch.Client(unwrap(pair.client).device, "svc", one_sided=True)
    endpoint = wrap(client)
    endpoint.connect("svc")
    for ep in (pair.client, endpoint):
        with pytest.raises(error):
            getattr(ep, call)()
        answer = getattr(old.flat, f"doca_comm_channel_ep_{call}")(ep)
        assert (answer if isinstance(answer, int) else answer[0]) == error.code
    endpoint.destroy()


def test_a_client_of_new_code_takes_no_representor(pair: support.Pair) -> None:
    endpoint, rep = wrap(comch.Client(unwrap(pair.client).device, one_sided=True)), pair.service.get_device_rep()
    with pytest.raises(InvalidValue, match=r"device_rep: .* is not a channel of both roles"):
        endpoint.set_device_rep(rep)
    code = old.flat.doca_comm_channel_ep_set_device_rep(endpoint, rep)
    assert code == comch.ErrorCode.INVALID_VALUE
    with pytest.raises(NotPermitted, match="not a channel of both roles"):
        endpoint.listen("svc")
    endpoint.destroy()


def test_flags_on_a_port_of_the_programs_own() -> None:
    with comch.open_device(DPU) as device, device.open_representor(REP) as rep, comch.open_device(HOST) as host:
        server, client = comch.Server(device, rep, "svc", one_sided=True), comch.Client(host, "svc", one_sided=True)
        port = comch.PullPort(server)
        server.start()
        connection = client.connect(timeout=0)
        while client.state is not comch.State.RUNNING:
            port.accept()
            client.engine.progress()
        service = wrap(server)
        connection.send(b"hello")
        with pytest.raises(InvalidValue, match="recvfrom: flags are 1"):
            service.recvfrom(10, 1)
        assert old.flat.doca_comm_channel_ep_recvfrom(service, 10, 1)[0] == comch.ErrorCode.INVALID_VALUE
        assert service.recvfrom(10)[0] == b"hello"
        client.close()
        service.destroy()


def test_a_snapshot_that_new_code_has_taken(pair: support.Pair) -> None:
    peer, service = pair.introduce(), pair.service
    assert service.get_peer_addr_list() == []
    unwrap(service).update_info()
    assert service.get_peer_addr_list() == [peer]
    service.disconnect(peer)
    assert service.get_peer_addr_list() == [peer]  # as of the snapshot
    service.update_service_state_info()
    assert service.get_peer_addr_list() == []


def test_an_endpoint_before_doca_1_5_unwraps() -> None:
    rc, endpoint = blocking.flat.doca_comm_channel_ep_create(comch.InitAttr())
    assert rc == 0
    assert isinstance(unwrap(endpoint), comch.BlockingChannel)


def test_objects_of_generation_2_convert() -> None:
    with comch.open_device(HOST) as device, comch.ProgressEngine() as engine:
        client = comch.Client(device, "svc", engine=engine)
        mmap, inventory = comch.Mmap(), comch.BufInventory(1)
        for modern, kind in (
            (client, cc.Client),
            (engine, cc.ProgressEngine),
            (mmap, cc.Mmap),
            (inventory, cc.BufInventory),
        ):
            converted = cc.wrap(modern)
            assert isinstance(converted, kind)
            assert cc.wrap(modern) is converted
            assert cc.unwrap(converted) is modern
        again = cc.wrap(client)
        assert unwrap(again.as_ctx()) is client
        again.set_max_msg_size(64)
        assert client.max_msg_size == 64
        for modern in (client, inventory, mmap):
            modern.destroy()


def test_what_was_made_by_generation_2_comes_back() -> None:
    device = cc.open_device(HOST)
    client, engine, mmap = cc.Client(device, "svc"), cc.ProgressEngine(), cc.Mmap()
    for made in (client, engine, mmap):
        assert cc.wrap(cc.unwrap(made)) is made
        made.destroy()
    device.close()


def test_what_a_programs_own_class_has_made_comes_back() -> None:
    class Service(old.Endpoint):
        """A program's."""

    class Engine(cc.ProgressEngine):
        """A program's."""

    class Client(cc.Client):
        """A program's."""

    device = cc.open_device(HOST)
    for made, module in ((Service(), old), (Engine(), cc), (Client(device, "svc"), cc)):
        assert module.unwrap(made) is made.modern
        assert module.wrap(made.modern) is made
        made.destroy()
    device.close()


def test_threads_that_wrap_one_object_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    barrier = threading.Barrier(2)

    def meeting(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Both threads have found none."""

        def make_late(modern: Any) -> Any:
            barrier.wait(SOON_S)
            made = make(modern)
            barrier.wait(SOON_S)
            return made

        return make_late

    kinds: Any = cc._conversion._KINDS
    monkeypatch.setattr(old._conversion, "_endpoint", meeting(old._conversion._endpoint))
    monkeypatch.setitem(kinds, comch.Client, (cc.Client, meeting(kinds[comch.Client][1])))
    with comch.open_device(HOST) as device:
        for module, modern in ((old, comch.Channel(one_sided=True)), (cc, comch.Client(device, "svc"))):
            got: list[Any] = []
            for worker in [Worker(lambda: got.append(module.wrap(modern))) for _ in range(2)]:  # noqa: B023
                worker.result()
            assert got[0] is got[1] is module.wrap(modern)
            modern.destroy()


# The border


@pytest.fixture
def things() -> Any:
    """Objects of each origin."""

    class Things:
        device = comch.open_device(HOST)
        old_device = wrap(device)
        channel = comch.Channel(one_sided=True)
        endpoint = old.Endpoint()
        engine = comch.ProgressEngine()
        old_engine = cc.ProgressEngine()
        mmap = comch.Mmap()
        old_mmap = cc.Mmap()

    yield Things
    for thing in (Things.endpoint, Things.old_engine, Things.old_mmap, Things.mmap, Things.engine):
        thing.destroy()
    Things.channel.close()
    Things.device.close()


# given to, what, and what the text says: origins and the call
BORDER: dict[str, tuple[Callable[[Any], object], tuple[str, ...]]] = {
    "old device to comch_next": (lambda it: comch.Server(it.old_device), (GEN_1, UNWRAP, OURS)),
    "old device to a map": (lambda it: it.mmap.add_dev(it.old_device), (GEN_1, UNWRAP, OURS)),
    "old engine to comch_next": (lambda it: comch.Server(engine=it.old_engine), (GEN_2, CC_UNWRAP, OURS)),
    "endpoint to an engine": (lambda it: it.engine.connect_ctx(it.endpoint), (GEN_1, UNWRAP, OURS)),
    "endpoint to a producer": (lambda it: comch.Producer(it.endpoint), (GEN_1, UNWRAP, OURS)),
    "modern device to generation 1": (lambda it: it.endpoint.set_device(it.device), (OURS, WRAP, GEN_1)),
    "modern device to generation 2": (lambda it: cc.Client(it.device, "svc"), (OURS, WRAP, GEN_1)),
    "modern map to generation 2": (
        lambda it: cc.BufInventory(1).buf_get_by_addr(it.mmap, 0, 1),
        (OURS, CC_WRAP, GEN_2),
    ),
    "modern context to an old engine": (lambda it: it.old_engine.connect_ctx(it.channel), (OURS, CC_WRAP, GEN_2)),
    "endpoint to generation 2": (
        lambda it: cc.Producer(it.endpoint),
        (GEN_1, r"comm_channel_compat\.cc\.wrap\(comm_channel_compat\.unwrap\(\.\.\.\)\)", GEN_2),
    ),
    "old device to a capability": (lambda it: old.get_max_message_size(it.device.devinfo), (OURS, WRAP, GEN_1)),
}


@pytest.mark.parametrize("row", BORDER)
def test_what_crosses_the_border_is_named(row: str, things: Any) -> None:
    attempt, parts = BORDER[row]
    with pytest.raises(InvalidValue) as caught:
        attempt(things)
    found = [re.search(part, str(caught.value)) for part in parts]
    assert all(found), str(caught.value)


def test_peers_of_another_origin_are_refused(pair: support.Pair) -> None:
    modern = unwrap(pair.to_service)
    with pytest.raises(InvalidValue, match=f"of {OURS}.*; {WRAP} returns the one of {GEN_1}"):
        pair.client.sendto(b"x", modern)
    with pytest.raises(InvalidValue, match=f"of {GEN_1}; {UNWRAP} returns the one of {OURS}"):
        unwrap(pair.client).send_to(b"x", pair.to_service)
    code = old.flat.doca_comm_channel_ep_sendto(pair.client, b"x", 1, 0, modern)
    assert code == comch.ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("thing", [None, 4, "svc", comch.ErrorCode.AGAIN, comch.Again("x")])
def test_what_is_no_handle_does_not_convert(thing: object) -> None:
    for convert in (wrap, unwrap, cc.wrap):
        with pytest.raises(InvalidValue):
            convert(thing)


def test_a_context_that_is_not_one_sided_has_no_endpoint() -> None:
    with pytest.raises(InvalidValue, match="one_sided=True"):
        wrap(comch.Channel())
    with pytest.raises(InvalidValue, match="generation 2 has a handle of"):
        cc.wrap(comch.Channel())
