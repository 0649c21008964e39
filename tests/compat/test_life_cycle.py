"""An endpoint from its creation to its end."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from comm_channel_compat import (
    BadState,
    ConnectionAborted,
    Endpoint,
    Initialization,
    InUse,
    InvalidValue,
    NotConnected,
    NotPermitted,
    PeerAddr,
    open_device,
)
from tests.compat import support
from tests.processes import StartPython

pytestmark = pytest.mark.usefixtures("form")


def test_a_fresh_endpoint_leaves_nothing(runtime_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Endpoint()
    gc.collect()
    assert list(runtime_dir.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_destroy_leaves_nothing(pair: support.Pair, runtime_dir: Path) -> None:
    assert list(runtime_dir.iterdir())
    pair.destroy()
    assert list(runtime_dir.iterdir()) == []


def test_destroy_frees_the_devices() -> None:
    ep, device = Endpoint(), open_device(support.DPU)
    rep = device.open_representor(support.REP)
    ep.set_device(device)
    ep.set_device_rep(rep)
    ep.listen("svc")
    for held in (device, rep):
        with pytest.raises(InUse):
            held.close()
    ep.destroy()
    rep.close()
    device.close()


def test_destroy_is_done_once(client: Endpoint) -> None:
    client.destroy()
    with pytest.raises(NotConnected):
        client.destroy()


@pytest.mark.parametrize(
    "call",
    [
        *(lambda ep, get=get: getattr(ep, get)() for get in dir(Endpoint) if get.startswith("get_")),
        lambda ep: ep.set_device(open_device(support.HOST)),
        lambda ep: ep.set_device_rep(open_device(support.DPU).open_representor(support.REP)),
        *(lambda ep, size=size: getattr(ep, f"set_{size}")(8) for size in ("max_msg_size", "send_queue_size")),
        lambda ep: ep.set_recv_queue_size(8),
        lambda ep: ep.listen("svc"),
        lambda ep: ep.connect("svc"),
        lambda ep: ep.sendto(b"", None),
        lambda ep: ep.recvfrom(1),
        lambda ep: ep.disconnect(None),
        lambda ep: ep.event_handle_arm_send(),
        lambda ep: ep.event_handle_arm_recv(),
        lambda ep: ep.update_service_state_info(),
    ],
)
def test_nothing_else_is_legal_after_destroy(client: Endpoint, call: Callable[[Endpoint], object]) -> None:
    client.destroy()
    with pytest.raises(InvalidValue, match="destroyed"):
        call(client)


def test_a_service_listens_once(service: Endpoint) -> None:
    with pytest.raises(NotPermitted):
        service.listen("another")
    with pytest.raises(NotPermitted):
        service.connect("another")


def test_a_client_connects_once(pair: support.Pair) -> None:
    with pytest.raises(NotPermitted):
        pair.client.connect("another")
    with pytest.raises(NotPermitted):
        pair.client.listen("another")


def test_a_client_may_connect_again_after_disconnect(pair: support.Pair) -> None:
    pair.client.disconnect(pair.to_service)
    pair.client.set_max_msg_size(100)
    pair.to_service = pair.client.connect(support.NAME)
    support.let_in(pair.service, pair.to_service)
    assert pair.introduce()


def test_a_service_still_listens_after_disconnect(pair: support.Pair) -> None:
    pair.service.disconnect(pair.introduce())
    with pytest.raises(BadState):
        pair.service.set_max_msg_size(100)
    with pytest.raises(NotPermitted):
        pair.service.listen("another")
    other = support.client()
    support.let_in(pair.service, other.connect(support.NAME))
    other.destroy()


def test_a_name_is_free_again_after_destroy(service: Endpoint) -> None:
    service.destroy()
    support.service().destroy()


def test_the_same_name_on_another_representor(service: Endpoint) -> None:
    support.service(rep="b1:00.1").destroy()


def test_a_failed_listen_may_be_repeated(service: Endpoint) -> None:
    late = support.endpoint()
    late.set_device(service.get_device())
    late.set_device_rep(service.get_device_rep())
    with pytest.raises(ConnectionAborted):
        late.listen(support.NAME)
    late.set_max_msg_size(100)
    service.destroy()
    late.listen(support.NAME)
    late.destroy()


def test_a_failed_connect_may_be_repeated(client: Endpoint) -> None:
    with pytest.raises(ConnectionAborted):
        client.connect(support.NAME)
    service = support.service()
    support.let_in(service, client.connect(support.NAME))
    service.destroy()


def test_a_runtime_directory_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(tmp_path / "file"))
    with pytest.raises(Initialization):
        support.service()


@pytest.mark.parametrize("end", ["", "del ep", "import sys; sys.exit(0)", "peer = ep = dev = None"])
def test_an_interpreter_ends_silently_with_live_endpoints(start_python: StartPython, end: str) -> None:
    program = f"""
from comm_channel_compat import *
dev = open_device("03:00.0"); ep = Endpoint(); ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0")); ep.listen("svc")
client = Endpoint(); client.set_device(open_device("b1:00.0")); peer = client.connect("svc")
try: ep.recvfrom(1)
except Again: pass
{end}
"""
    assert start_python("-c", program).finish() == (0, "", "")


def test_a_subclass_may_override(pair: support.Pair) -> None:
    sent: list[bytes] = []

    class Logged(Endpoint):
        def sendto(self, msg: bytes, peer: PeerAddr, flags: int = 0) -> None:  # type: ignore[override]
            sent.append(msg)
            super().sendto(msg, peer, flags)

    ep = Logged()
    ep.set_device(pair.client.get_device())
    peer = ep.connect(support.NAME)
    support.let_in(pair.service, peer)
    ep.sendto(b"x", peer)
    assert support.eventually(pair.service.recvfrom, 1)[0] == b"x"
    assert sent == [b"x"]
    ep.destroy()
