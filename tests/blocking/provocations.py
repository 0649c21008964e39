"""One provocation for each documented error of DOCA 1.2 to 1.4, or the reason why there is none."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

from comch_next.api import functions
from tests.blocking.stage import NAME, Stage, cc, code_of
from tests.compat.provocations import descriptors

PREFIX = "doca_comm_channel_"
Row = tuple[str, str]
ROWS: list[Row] = sorted(
    (row.name.removeprefix(PREFIX), error.code.removeprefix("DOCA_ERROR_"))
    for row in functions("comm_channel_1x")
    for error in row.errors
)

_CLASSIFIED = "what the emulated library cannot set up has a code of its own: no memory, or INITIALIZATION"
HARDWARE_ONLY: dict[Row, str] = {
    (name, "UNKNOWN"): _CLASSIFIED for name in ("ep_create", "ep_listen", "ep_connect", "ep_sendto")
}


def _without_descriptors(call: Callable[[], Any]) -> Any:
    with descriptors(0):
        answer = call()
    assert code_of(call()) in (cc.DOCA_SUCCESS, cc.DOCA_ERROR_CONNECTION_ABORTED), "with descriptors it goes on"
    return answer


def _listen(stage: Stage) -> Callable[[], Any]:
    ep = stage.endpoint()
    return lambda: cc.doca_comm_channel_ep_listen(ep, NAME)


def _connect(stage: Stage) -> Callable[[], Any]:
    ep = stage.endpoint()
    return lambda: cc.doca_comm_channel_ep_connect(ep, NAME)


def _after(prepare: Callable[[], object], call: Callable[[], Any]) -> Any:
    prepare()
    return call()


def _full(stage: Stage) -> Any:
    """Nobody reads: the receiver's queue fills, then the sender's."""
    _, client, to_service, _ = stage.connected(maxmsgs=8)
    send = cc.doca_comm_channel_ep_sendto
    return stage.until(lambda: send(client, b"x", 1, cc.DOCA_CC_MSG_FLAG_DONTWAIT, to_service), cc.DOCA_ERROR_AGAIN)


def _service_died(stage: Stage) -> Any:
    child = stage.serve()
    client = stage.endpoint()
    assert cc.doca_comm_channel_ep_connect(client, NAME)[0] == cc.DOCA_SUCCESS
    child.signal(signal.SIGKILL)
    assert child.finish().returncode == -signal.SIGKILL
    return cc.doca_comm_channel_ep_recvfrom(client, 100, 0)


def _left(stage: Stage) -> tuple[Any, Any]:
    _, client, to_service, _ = stage.connected()
    assert cc.doca_comm_channel_ep_disconnect(client, to_service) == cc.DOCA_SUCCESS
    return client, to_service


def _destroyed_twice(stage: Stage) -> Any:
    ep = stage.endpoint()
    assert cc.doca_comm_channel_ep_destroy(ep) == cc.DOCA_SUCCESS
    return cc.doca_comm_channel_ep_destroy(ep)


def _too_large(stage: Stage) -> Any:
    return cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr(msgsize=65536))


def _unanswered_create(stage: Stage) -> Any:
    stage.devices_with("answers = false")
    return cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr())


def _too_long(stage: Stage) -> Any:
    _, client, to_service, _ = stage.connected(msgsize=64)
    return cc.doca_comm_channel_ep_sendto(client, bytes(65), 65, 0, to_service)


# (function, code) -> what provokes it, and what the error's text says of the condition
PROVOCATIONS: dict[Row, tuple[Callable[[Stage], Any], str]] = {
    ("ep_create", "NOT_PERMITTED"): (_too_large, "65536; legal is up to 65535"),
    ("ep_create", "INITIALIZATION"): (_unanswered_create, "^create: "),
    ("ep_listen", "NOT_PERMITTED"): (
        lambda stage: _after(lambda: stage.on_side("host"), _listen(stage)),
        "no device of this machine stands on the side",
    ),
    ("ep_listen", "NO_MEMORY"): (lambda stage: _without_descriptors(_listen(stage)), "Too many open files"),
    ("ep_listen", "INITIALIZATION"): (lambda stage: _after(stage.nowhere, _listen(stage)), "^listen: "),
    ("ep_listen", "CONNECTION_ABORTED"): (
        lambda stage: _after(stage.service, _listen(stage)), "^listen: .* is taken"),
    ("ep_connect", "NOT_PERMITTED"): (
        lambda stage: cc.doca_comm_channel_ep_connect(stage.service(), NAME), "a service.*; legal once"),
    ("ep_connect", "NO_MEMORY"): (lambda stage: _without_descriptors(_connect(stage)), "Too many open files"),
    ("ep_connect", "INITIALIZATION"): (
        lambda stage: _after(lambda: stage.devices_with("answers = false"), _connect(stage)), "^connect: "),
    ("ep_connect", "CONNECTION_ABORTED"): (lambda stage: _connect(stage)(), "no server listens"),
    ("ep_sendto", "NOT_CONNECTED"): (
        lambda stage: cc.doca_comm_channel_ep_sendto(stage.connected()[1], b"x", 1, 0, None), "no connection to None"),
    ("ep_sendto", "INVALID_VALUE"): (_too_long, "65"),
    ("ep_sendto", "AGAIN"): (_full, "queue is full"),
    ("ep_recvfrom", "AGAIN"): (
        lambda stage: cc.doca_comm_channel_ep_recvfrom(stage.service(), 9, cc.DOCA_CC_MSG_FLAG_DONTWAIT),
        "nothing waits",
    ),
    ("ep_recvfrom", "UNKNOWN"): (_service_died, "the peer is in the error state"),
    ("ep_disconnect", "NOT_CONNECTED"): (
        lambda stage: cc.doca_comm_channel_ep_disconnect(*_left(stage)), "is not a connection of"),
    ("ep_destroy", "NOT_CONNECTED"): (_destroyed_twice, "is closed once"),
    ("peer_addr_user_data_get", "INVALID_VALUE"): (
        lambda stage: cc.doca_comm_channel_peer_addr_user_data_get(None), "peer_addr is NULL"),
    ("peer_addr_user_data_set", "INVALID_VALUE"): (
        lambda stage: cc.doca_comm_channel_peer_addr_user_data_set(None, 1), "peer_addr is NULL"),
    ("peer_addr_info_get", "NOT_CONNECTED"): (
        lambda stage: cc.doca_comm_channel_peer_addr_info_get(_left(stage)[1]), "^peer_info: "),
}  # fmt: skip

EXHAUSTED: dict[Row, str] = {
    ("ep_create", "NO_MEMORY"): """
attr = cc.doca_comm_channel_init_attr()
tell(refused(cc.doca_comm_channel_ep_create, lambda: (attr,)))
assert cc.doca_comm_channel_ep_create(attr)[0] == cc.DOCA_SUCCESS
""",
}
