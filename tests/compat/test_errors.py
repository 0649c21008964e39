"""Every documented error of generation 1: provoked through public calls, or why it cannot be."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import comm_channel_compat
from comch_next.api import functions
from comm_channel_compat import Endpoint, PeerAddr
from tests.compat import support

cc: Any = comm_channel_compat  # it makes the C names at import, where mypy cannot see them
PREFIX = "doca_comm_channel_"
SIZES = ("max_msg_size", "send_queue_size", "recv_queue_size")

NO_POINTER = "Python has no output pointer that could be NULL"
HARDWARE = "only a real device, or its driver, fails so"
MEMORY = "only when Python itself has no memory left"
NEVER_FAILED = "the emulated transport is not set up again after an error: the connection ends"

UNPROVOKED = {
    ("get_max_service_name_len", "INVALID_VALUE"): NO_POINTER,
    ("get_max_message_size", "UNEXPECTED"): HARDWARE,
    ("get_max_send_queue_size", "UNEXPECTED"): HARDWARE,
    ("get_max_recv_queue_size", "UNEXPECTED"): HARDWARE,
    ("get_service_max_num_connections", "UNEXPECTED"): HARDWARE,
    ("ep_create", "INVALID_VALUE"): NO_POINTER,
    ("ep_create", "NO_MEMORY"): MEMORY,
    ("ep_create", "INITIALIZATION"): "nothing is set up before listen or connect",
    ("ep_create", "DRIVER"): HARDWARE,
    ("ep_listen", "DRIVER"): HARDWARE,
    ("ep_connect", "DRIVER"): HARDWARE,
    ("ep_sendto", "INITIALIZATION"): NEVER_FAILED,
    ("ep_sendto", "UNKNOWN"): HARDWARE,
    ("ep_recvfrom", "INITIALIZATION"): NEVER_FAILED,
    ("ep_recvfrom", "UNKNOWN"): HARDWARE,
    ("ep_update_service_state_info", "DRIVER"): HARDWARE,
    ("ep_update_service_state_info", "AGAIN"): "the snapshot has room for every client",
    ("ep_disconnect", "NO_MEMORY"): MEMORY,
    ("ep_disconnect", "UNKNOWN"): HARDWARE,
}

ROWS = sorted(
    {
        (row.name.removeprefix(PREFIX), error.code.removeprefix("DOCA_ERROR_"))
        for row in functions("comm_channel")
        for error in row.errors
    }
)


class Stage:
    """The endpoints and peers that the provocations need, made when first asked for."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tmp_path = tmp_path
        self.monkeypatch = monkeypatch
        self._pair: support.Pair | None = None

    @property
    def pair(self) -> support.Pair:
        self._pair = self._pair or support.Pair()
        return self._pair

    def fresh(self, device: str | None = None) -> Endpoint:
        return support.endpoint(device)

    def to_service(self) -> Endpoint:
        """An endpoint that could listen."""
        ep = self.fresh(support.DPU)
        ep.set_device_rep(ep.get_device().open_representor(support.REP))
        return ep

    def broken(self) -> PeerAddr:
        """The client's peer, in the error state."""
        pair = self.pair
        pair.service.destroy()
        support.eventually(pair.to_service.update_info)
        pair.client.sendto(b"lost", pair.to_service)
        return pair.to_service

    def incapable(self) -> None:
        """From here on no device has the channel."""
        topology = self.tmp_path / "topology.toml"
        topology.write_text(
            "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\ncapable = false\n"
            "[[device.representor]]\npci_addr = 'b1:00.0'\n"
            "[[device]]\npci_addr = 'b1:00.0'\nside = 'host'\ncapable = false\n"
        )
        self.monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))

    def nowhere(self) -> None:
        """From here on there is no place to meet."""
        (self.tmp_path / "file").touch()
        self.monkeypatch.setenv("COMCH_RUNTIME_DIR", str(self.tmp_path / "file"))


@contextmanager
def descriptors(spare: int) -> Iterator[None]:
    """No more than `spare` of them can be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = (number for number in range(hard) if not os.path.exists(f"/proc/self/fd/{number}"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (next(islice(free, spare, None)), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def with_few_descriptors(call: Callable[[], Any], wanted: int) -> Any:
    """The first answer that is `wanted`, with 0, 1, 2, ... descriptors to spare, until the call succeeds."""
    for spare in range(40):
        with descriptors(spare):
            answer = call()
        code = answer[0] if isinstance(answer, tuple) else answer
        if code in (wanted, cc.DOCA_SUCCESS):
            return answer
    raise AssertionError("it never succeeded")


def full(stage: Stage) -> Any:
    pair = stage.pair
    rc = cc.DOCA_SUCCESS
    while rc == cc.DOCA_SUCCESS:
        rc = cc.doca_comm_channel_ep_sendto(pair.client, b"x", 1, 0, pair.to_service)
    return rc


def reset(stage: Stage) -> Any:
    stage.broken()
    return cc.doca_comm_channel_ep_recvfrom(stage.pair.client, 100, 0)


def refused_device(call: str) -> Callable[[Stage], Any]:
    def provoke(stage: Stage) -> Any:
        stage.incapable()
        ep = stage.to_service() if call == "listen" else stage.fresh(support.HOST)
        return getattr(cc, f"{PREFIX}ep_{call}")(ep, "svc")

    return provoke


def no_place(stage: Stage) -> Any:
    stage.nowhere()
    return cc.doca_comm_channel_ep_listen(stage.to_service(), "svc")


def few(call: str, wanted: int) -> Callable[[Stage], Any]:
    def provoke(stage: Stage) -> Any:
        stage.pair  # noqa: B018  # so that somebody listens
        ep = stage.to_service() if call == "listen" else stage.fresh(support.HOST)
        name = "another" if call == "listen" else support.NAME
        return with_few_descriptors(lambda: getattr(cc, f"{PREFIX}ep_{call}")(ep, name), wanted)

    return provoke


def null(name: str, *rest: object) -> Callable[[Stage], Any]:
    return lambda _: getattr(cc, PREFIX + name)(None, *rest)


def too_small(size: str) -> Callable[[Stage], Any]:
    return lambda stage: getattr(cc, f"{PREFIX}ep_set_{size}")(stage.fresh(), 0)


def too_late(size: str) -> Callable[[Stage], Any]:
    return lambda stage: getattr(cc, f"{PREFIX}ep_set_{size}")(stage.pair.client, 8)


def few_for_channels(stage: Stage) -> Any:
    service = stage.pair.service
    get = cc.doca_comm_channel_ep_get_event_channel
    return with_few_descriptors(lambda: get(service), cc.DOCA_ERROR_NOT_FOUND)


def failed_service(stage: Stage) -> Any:
    service = stage.pair.service
    for socket in Path(os.environ["COMCH_RUNTIME_DIR"]).glob("*.sock"):
        socket.unlink()
    return cc.doca_comm_channel_ep_update_service_state_info(service)


def on_client(call: str) -> Callable[[Stage], Any]:
    return lambda stage: getattr(cc, PREFIX + call)(stage.pair.client)


def on_fresh(call: str) -> Callable[[Stage], Any]:
    return lambda stage: getattr(cc, PREFIX + call)(stage.fresh())


SERVICE_ONLY = (
    *("ep_get_service_event_channel", "ep_update_service_state_info"),
    *("ep_get_peer_addr_list", "ep_get_pending_connections"),
)

PROVOCATIONS: dict[tuple[str, str], Callable[[Stage], Any]] = {
    **{
        (name, "INVALID_VALUE"): null(name)
        for name in (
            *("get_max_message_size", "get_max_send_queue_size", "get_max_recv_queue_size"),
            *("get_service_max_num_connections", "ep_get_device", "ep_get_device_rep"),
            *("ep_get_max_msg_size", "ep_get_send_queue_size", "ep_get_recv_queue_size"),
            *("peer_addr_get_user_data", "peer_addr_update_info"),
            *("peer_addr_get_send_messages", "peer_addr_get_send_bytes"),
            *("peer_addr_get_recv_messages", "peer_addr_get_recv_bytes"),
            "peer_addr_get_send_in_flight_messages",
            *("ep_get_event_channel", "ep_event_handle_arm_send", "ep_event_handle_arm_recv"),
            *SERVICE_ONLY,
        )
    },
    **{(name, "NOT_SUPPORTED"): on_client(name) for name in SERVICE_ONLY},
    **{(name, "BAD_STATE"): on_fresh(name) for name in ("ep_get_event_channel", "ep_get_service_event_channel")},
    ("ep_get_event_channel", "NOT_FOUND"): few_for_channels,
    ("ep_update_service_state_info", "CONNECTION_RESET"): failed_service,
    ("peer_addr_set_user_data", "INVALID_VALUE"): null("peer_addr_set_user_data", 1),
    ("get_service_max_num_connections", "NOT_SUPPORTED"): lambda stage: (
        cc.doca_comm_channel_get_service_max_num_connections(stage.fresh(support.HOST).get_device().as_devinfo())
    ),
    ("ep_set_device", "INVALID_VALUE"): null("ep_set_device", None),
    ("ep_set_device_rep", "INVALID_VALUE"): null("ep_set_device_rep", None),
    **{(f"ep_set_{size}", "INVALID_VALUE"): too_small(size) for size in SIZES},
    **{(f"ep_set_{size}", "BAD_STATE"): too_late(size) for size in SIZES},
    ("ep_set_device", "BAD_STATE"): lambda stage: cc.doca_comm_channel_ep_set_device(
        stage.pair.client, stage.pair.client.get_device()
    ),
    ("ep_set_device_rep", "BAD_STATE"): lambda stage: cc.doca_comm_channel_ep_set_device_rep(
        stage.pair.client, stage.pair.service.get_device_rep()
    ),
    ("ep_listen", "INVALID_VALUE"): lambda stage: cc.doca_comm_channel_ep_listen(stage.to_service(), None),
    ("ep_listen", "NOT_SUPPORTED"): refused_device("listen"),
    ("ep_listen", "BAD_STATE"): lambda stage: cc.doca_comm_channel_ep_listen(stage.fresh(), "svc"),
    ("ep_listen", "NOT_PERMITTED"): lambda stage: cc.doca_comm_channel_ep_listen(stage.pair.service, "svc"),
    ("ep_listen", "NO_MEMORY"): few("listen", cc.DOCA_ERROR_NO_MEMORY),
    ("ep_listen", "INITIALIZATION"): no_place,
    ("ep_listen", "CONNECTION_ABORTED"): lambda stage: (
        stage.pair and cc.doca_comm_channel_ep_listen(stage.to_service(), support.NAME)
    ),
    ("ep_connect", "INVALID_VALUE"): lambda stage: cc.doca_comm_channel_ep_connect(stage.fresh(), None),
    ("ep_connect", "NOT_SUPPORTED"): refused_device("connect"),
    ("ep_connect", "NOT_PERMITTED"): lambda stage: cc.doca_comm_channel_ep_connect(stage.pair.client, "svc"),
    ("ep_connect", "BAD_STATE"): lambda stage: cc.doca_comm_channel_ep_connect(stage.fresh(), "svc"),
    ("ep_connect", "NO_MEMORY"): few("connect", cc.DOCA_ERROR_NO_MEMORY),
    ("ep_connect", "INITIALIZATION"): few("connect", cc.DOCA_ERROR_INITIALIZATION),
    ("ep_connect", "CONNECTION_ABORTED"): lambda stage: cc.doca_comm_channel_ep_connect(
        stage.fresh(support.HOST), "nobody"
    ),
    ("ep_sendto", "NOT_CONNECTED"): lambda stage: cc.doca_comm_channel_ep_sendto(
        stage.pair.client, b"x", 1, 0, None
    ),
    ("ep_sendto", "INVALID_VALUE"): lambda stage: cc.doca_comm_channel_ep_sendto(
        stage.pair.client, bytes(4081), 4081, 0, stage.pair.to_service
    ),
    ("ep_sendto", "AGAIN"): full,
    ("ep_sendto", "CONNECTION_RESET"): lambda stage: cc.doca_comm_channel_ep_sendto(
        stage.pair.client, b"x", 1, 0, stage.broken()
    ),
    ("ep_recvfrom", "INVALID_VALUE"): lambda stage: cc.doca_comm_channel_ep_recvfrom(None, 100, 0),
    ("ep_recvfrom", "NOT_CONNECTED"): lambda stage: cc.doca_comm_channel_ep_recvfrom(stage.to_service(), 9, 0),
    ("ep_recvfrom", "AGAIN"): lambda stage: cc.doca_comm_channel_ep_recvfrom(stage.pair.client, 100, 0),
    ("ep_recvfrom", "CONNECTION_RESET"): reset,
    ("ep_disconnect", "INVALID_VALUE"): lambda stage: (
        cc.doca_comm_channel_ep_disconnect(None, stage.pair.to_service)
    ),
    ("ep_disconnect", "NOT_CONNECTED"): lambda stage: cc.doca_comm_channel_ep_disconnect(
        stage.pair.client, stage.pair.introduce()
    ),
    ("ep_destroy", "NOT_CONNECTED"): null("ep_destroy"),
    ("peer_addr_update_info", "CONNECTION_INPROGRESS"): lambda stage: (
        stage.pair
        and cc.doca_comm_channel_peer_addr_update_info(stage.fresh(support.HOST).connect(support.NAME))
    ),
    ("peer_addr_update_info", "CONNECTION_ABORTED"): lambda stage: (
        cc.doca_comm_channel_peer_addr_update_info(stage.broken())
    ),
}


@pytest.mark.parametrize(("name", "code"), sorted(PROVOCATIONS))
def test_a_documented_error_is_provoked(
    name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = PROVOCATIONS[name, code](Stage(tmp_path, monkeypatch))
    told, *outputs = answer if isinstance(answer, tuple) else (answer,)
    assert cc.doca_error_get_name(told) == f"DOCA_ERROR_{code}"
    assert len(outputs) == len(cc_outputs(name))
    if (name, code) != ("ep_recvfrom", "CONNECTION_RESET"):
        assert set(outputs) <= {None}


def cc_outputs(name: str) -> tuple[Any, ...]:
    """The outputs that the table gives the function."""
    return next(row for row in functions("comm_channel") if row.name == PREFIX + name).outputs


def test_each_documented_error_is_provoked_or_explained() -> None:
    assert sorted([*PROVOCATIONS, *UNPROVOKED]) == ROWS


@pytest.mark.parametrize("call", ["listen", "connect"])
def test_few_descriptors_leave_nothing_behind(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path, monkeypatch)
    assert stage.pair
    ep = stage.to_service() if call == "listen" else stage.fresh(support.HOST)
    name = "another" if call == "listen" else support.NAME
    before = os.listdir("/proc/self/fd")
    refused = [cc.ErrorCode.INITIALIZATION, cc.ErrorCode.NO_MEMORY]
    spare = 0
    while True:
        with descriptors(spare):
            code, _ = cc.outcome(getattr(ep, call), name)
        if code not in refused:
            break
        assert os.listdir("/proc/self/fd") == before, f"with {spare} to spare"
        spare += 1
    assert code == cc.ErrorCode.SUCCESS
    assert spare > 3
    ep.destroy()
    assert os.listdir("/proc/self/fd") == before
