"""One provocation for each documented error of generation 1, or the reason why there is none."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import comm_channel_compat
from comm_channel_compat import Again, ConnectionReset, Endpoint, PeerAddr
from tests.compat import support
from tests.error_rows.reasons import BY_C_CALLS
from tests.event_channels.support import SERVICE
from tests.processes import Child, StartPython

cc: Any = comm_channel_compat  # it makes the C names at import, where mypy cannot see them
PREFIX = "doca_comm_channel_"
SIZES = ("max_msg_size", "send_queue_size", "recv_queue_size")

NEVER_FAILED = "an emulated transport is not set up again after an error, its connection ends instead"

C_ONLY = {(name, "INVALID_VALUE"): BY_C_CALLS for name in ("get_max_service_name_len", "ep_create")}
HEADER_SLIPS = {
    ("ep_create", "INITIALIZATION"): "left from 1.x: since 1.5 nothing is set up before listen or connect",
    ("ep_create", "DRIVER"): "left from 1.x: since 1.5 it is given no device whose attributes it could query",
}
HARDWARE_ONLY = {
    ("ep_sendto", "INITIALIZATION"): NEVER_FAILED,
    ("ep_recvfrom", "INITIALIZATION"): NEVER_FAILED,
    ("ep_update_service_state_info", "AGAIN"): (
        "a library with a fixed table of clients can run out of rows; here a snapshot has room for all"
    ),
}


class Stage:
    """The endpoints and peers that the provocations need, made when first asked for."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython) -> None:
        self.tmp_path = tmp_path
        self.monkeypatch = monkeypatch
        self.start_python = start_python
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
        with suppress(ConnectionReset):
            while True:  # a helper thread that has just looked takes some as any other
                support.eventually(pair.client.sendto, b"lost", pair.to_service)
        return pair.to_service

    def devices_with(self, fault: str) -> None:
        """From here on every device has the fault: `capable = false`, `answers = false`."""
        topology = self.tmp_path / "topology.toml"
        topology.write_text(
            f"[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n{fault}\n"
            "[[device.representor]]\npci_addr = 'b1:00.0'\n"
            f"[[device]]\npci_addr = 'b1:00.0'\nside = 'host'\n{fault}\n"
        )
        self.monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))

    def serve(self) -> Child:
        """From here on a service listens in another process."""
        child = self.start_python("-c", SERVICE)
        child.wait_for("listening")
        return child

    def in_progress(self) -> PeerAddr:
        """The peer of a client whose service is stopped, and so lets nobody in."""
        self.serve().stop()
        return self.fresh(support.HOST).connect(support.NAME)

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
    """AGAIN while as many are in flight as the queue holds: after an earlier one a helper thread has made room."""
    pair = stage.pair

    def until_full() -> Any:
        rc = cc.DOCA_SUCCESS
        while rc == cc.DOCA_SUCCESS:
            rc = cc.doca_comm_channel_ep_sendto(pair.client, b"x", 1, 0, pair.to_service)
        cc.doca_comm_channel_peer_addr_update_info(pair.to_service)
        in_flight = cc.doca_comm_channel_peer_addr_get_send_in_flight_messages(pair.to_service)
        if in_flight < cc.doca_comm_channel_ep_get_send_queue_size(pair.client):
            raise Again
        return rc

    return support.eventually(until_full)


def reset(stage: Stage) -> Any:
    stage.broken()
    return cc.doca_comm_channel_ep_recvfrom(stage.pair.client, 100, 0)


def faulty_device(call: str, fault: str) -> Callable[[Stage], Any]:
    def provoke(stage: Stage) -> Any:
        representor = stage.to_service().get_device_rep()
        stage.devices_with(fault)
        ep = stage.fresh(support.DPU if call == "listen" else support.HOST)
        ep.set_device_rep(representor)
        return getattr(cc, f"{PREFIX}ep_{call}")(ep, "svc")

    return provoke


def no_answer(name: str) -> Callable[[Stage], Any]:
    def provoke(stage: Stage) -> Any:
        stage.devices_with("answers = false")
        return getattr(cc, PREFIX + name)(stage.fresh(support.DPU).get_device().as_devinfo())

    return provoke


def no_place(stage: Stage) -> Any:
    stage.nowhere()
    return cc.doca_comm_channel_ep_listen(stage.to_service(), "svc")


def few(call: str, wanted: int) -> Callable[[Stage], Any]:
    def provoke(stage: Stage) -> Any:
        stage.serve()
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

    def update() -> Any:
        if (rc := cc.doca_comm_channel_ep_update_service_state_info(service)) == cc.DOCA_SUCCESS:
            raise Again  # a helper thread has just looked
        return rc

    return support.eventually(update)


def on_client(call: str) -> Callable[[Stage], Any]:
    return lambda stage: getattr(cc, PREFIX + call)(stage.pair.client)


def on_fresh(call: str) -> Callable[[Stage], Any]:
    return lambda stage: getattr(cc, PREFIX + call)(stage.fresh())


CAPABILITIES = (
    *("get_max_message_size", "get_max_send_queue_size", "get_max_recv_queue_size"),
    "get_service_max_num_connections",
)
SERVICE_ONLY = (
    *("ep_get_service_event_channel", "ep_update_service_state_info"),
    *("ep_get_peer_addr_list", "ep_get_pending_connections"),
)

PROVOCATIONS: dict[tuple[str, str], Callable[[Stage], Any]] = {
    **{
        (name, "INVALID_VALUE"): null(name)
        for name in (
            *CAPABILITIES,
            *("ep_get_device", "ep_get_device_rep"),
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
    **{(name, "UNEXPECTED"): no_answer(name) for name in CAPABILITIES},
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
    ("ep_listen", "NOT_SUPPORTED"): faulty_device("listen", "capable = false"),
    ("ep_listen", "DRIVER"): faulty_device("listen", "answers = false"),
    ("ep_listen", "BAD_STATE"): lambda stage: cc.doca_comm_channel_ep_listen(stage.fresh(), "svc"),
    ("ep_listen", "NOT_PERMITTED"): lambda stage: cc.doca_comm_channel_ep_listen(stage.pair.service, "svc"),
    ("ep_listen", "NO_MEMORY"): few("listen", cc.DOCA_ERROR_NO_MEMORY),
    ("ep_listen", "INITIALIZATION"): no_place,
    ("ep_listen", "CONNECTION_ABORTED"): lambda stage: (
        stage.pair and cc.doca_comm_channel_ep_listen(stage.to_service(), support.NAME)
    ),
    ("ep_connect", "INVALID_VALUE"): lambda stage: cc.doca_comm_channel_ep_connect(stage.fresh(), None),
    ("ep_connect", "NOT_SUPPORTED"): faulty_device("connect", "capable = false"),
    ("ep_connect", "DRIVER"): faulty_device("connect", "answers = false"),
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
        cc.doca_comm_channel_peer_addr_update_info(stage.in_progress())
    ),
    ("peer_addr_update_info", "CONNECTION_ABORTED"): lambda stage: (
        cc.doca_comm_channel_peer_addr_update_info(stage.broken())
    ),
}

# What the error says that a call ends with: the condition of the row. Two calls make no error for a code that is
# asked for again and again, or for an endpoint that is none: there the provocation itself shows the condition.
WITHOUT_ERROR = {("ep_sendto", "AGAIN"), ("ep_recvfrom", "INVALID_VALUE")}
FROZEN = "the context is connected, or connecting; properties are set before"
NO_ANSWER, FEW = "the kernel driver does not answer", "Too many open files"
CONDITIONS: dict[tuple[str, str], str] = {
    **{key: f"doca_comm_channel_{key[0]}: .* is NULL" for key in PROVOCATIONS if key[1] == "INVALID_VALUE"},
    **{(f"ep_set_{size}", "INVALID_VALUE"): f"{size} is 0; legal are whole numbers from 1" for size in SIZES},
    **{(f"ep_set_{what}", "BAD_STATE"): FROZEN for what in (*SIZES, "device", "device_rep")},
    **{(name, "NOT_SUPPORTED"): "the context is a client; only a server has a state" for name in SERVICE_ONLY},
    **{(name, "UNEXPECTED"): NO_ANSWER for name in CAPABILITIES},
    ("get_service_max_num_connections", "NOT_SUPPORTED"): "cannot be a service",
    ("ep_get_event_channel", "BAD_STATE"): "neither listening nor connected",
    ("ep_get_event_channel", "NOT_FOUND"): FEW,
    ("ep_get_service_event_channel", "BAD_STATE"): "neither listening nor connected; listen first",
    ("ep_update_service_state_info", "CONNECTION_RESET"): "has lost its name",
    ("ep_listen", "NOT_SUPPORTED"): "has no communication channel",
    ("ep_listen", "DRIVER"): NO_ANSWER,
    ("ep_listen", "BAD_STATE"): "no device has been set",
    ("ep_listen", "NOT_PERMITTED"): "the context is listening",
    ("ep_listen", "NO_MEMORY"): FEW,
    ("ep_listen", "INITIALIZATION"): "cannot listen in",
    ("ep_listen", "CONNECTION_ABORTED"): "the name 'svc' is taken",
    ("ep_connect", "NOT_SUPPORTED"): "has no communication channel",
    ("ep_connect", "DRIVER"): NO_ANSWER,
    ("ep_connect", "NOT_PERMITTED"): "the context is connected",
    ("ep_connect", "BAD_STATE"): "no device has been set",
    ("ep_connect", "NO_MEMORY"): FEW,
    ("ep_connect", "INITIALIZATION"): FEW,
    ("ep_connect", "CONNECTION_ABORTED"): "no server listens as 'nobody'",
    ("ep_sendto", "NOT_CONNECTED"): "there is no connection",
    ("ep_sendto", "INVALID_VALUE"): "4081 bytes is above",
    ("ep_sendto", "CONNECTION_RESET"): "the peer is in the error state",
    ("ep_recvfrom", "NOT_CONNECTED"): "neither listening nor connected",
    ("ep_recvfrom", "AGAIN"): "no message has come",
    ("ep_recvfrom", "CONNECTION_RESET"): "the peer is in the error state",
    ("ep_disconnect", "NOT_CONNECTED"): "is not connected to this context",
    ("ep_destroy", "NOT_CONNECTED"): "local_ep is NULL",
    ("peer_addr_update_info", "CONNECTION_INPROGRESS"): "has not accepted this client yet",
    ("peer_addr_update_info", "CONNECTION_ABORTED"): "the connection has ended",
}
