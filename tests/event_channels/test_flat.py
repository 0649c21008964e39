"""Event channels and service state by their C names."""

# The C names are made at import, from the tables, where mypy cannot see them:
# mypy: disable-error-code="name-defined"

from __future__ import annotations

import pytest

from comm_channel_compat import *
from tests.compat import support
from tests.differences import differs
from tests.event_channels.support import SOON_S, ready

pytestmark = pytest.mark.usefixtures("form")


def settle(fd: int, arm: object, ep: Endpoint) -> None:
    """Arm until nothing is left to tell."""
    assert callable(arm)
    while True:
        assert arm(ep) == DOCA_SUCCESS
        if not ready(fd, 0.005):
            return


def test_a_message_each_way(pair: support.Pair) -> None:
    to_client = pair.introduce()
    for ep, other, peer in ((pair.client, pair.service, to_client), (pair.service, pair.client, pair.to_service)):
        rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
        assert rc == DOCA_SUCCESS
        settle(recv_fd, doca_comm_channel_ep_event_handle_arm_recv, ep)
        assert doca_comm_channel_ep_sendto(other, b"x", 1, DOCA_CC_MSG_FLAG_NONE, peer) == DOCA_SUCCESS
        assert ready(recv_fd, SOON_S)
        assert doca_comm_channel_ep_event_handle_arm_rcv(ep) == DOCA_SUCCESS  # the guide's other spelling
        assert ready(recv_fd, SOON_S)
        assert not ready(send_fd)
        assert doca_comm_channel_ep_event_handle_arm_send(ep) == DOCA_SUCCESS
        assert ready(send_fd, SOON_S)


def test_the_state_of_a_service(service: Endpoint, client: Endpoint, form: str) -> None:
    rc, fd = doca_comm_channel_ep_get_service_event_channel(service)
    assert (rc, ready(fd)) == (DOCA_SUCCESS, False)
    rc, peer = doca_comm_channel_ep_connect(client, support.NAME)
    assert rc == DOCA_SUCCESS
    assert ready(fd, SOON_S)
    assert doca_comm_channel_ep_update_service_state_info(service) == DOCA_SUCCESS
    pending = 0 if differs(form, "waiting clients") else 1
    assert doca_comm_channel_ep_get_pending_connections(service) == (DOCA_SUCCESS, pending)
    if pending:
        assert doca_comm_channel_ep_get_peer_addr_list(service) == (DOCA_SUCCESS, [], 0)
    support.let_in(service, peer)
    assert doca_comm_channel_ep_update_service_state_info(service) == DOCA_SUCCESS
    rc, peers, count = doca_comm_channel_ep_get_peer_addr_list(service)
    assert (rc, count, len(peers)) == (DOCA_SUCCESS, 1, 1)
    assert doca_comm_channel_ep_sendto(service, b"welcome", 7, 0, peers[0]) == DOCA_SUCCESS
    assert support.eventually(client.recvfrom, 100) == (b"welcome", peer)


def test_refusals(pair: support.Pair, client: Endpoint) -> None:
    assert doca_comm_channel_ep_get_event_channel(client) == (DOCA_ERROR_BAD_STATE, None, None)
    for arm in (doca_comm_channel_ep_event_handle_arm_send, doca_comm_channel_ep_event_handle_arm_recv):
        assert arm(client) == DOCA_ERROR_BAD_STATE
        assert arm(None) == DOCA_ERROR_INVALID_VALUE
    assert doca_comm_channel_ep_get_service_event_channel(client) == (DOCA_ERROR_BAD_STATE, None)
    assert doca_comm_channel_ep_update_service_state_info(client) == DOCA_ERROR_BAD_STATE
    assert doca_comm_channel_ep_get_service_event_channel(pair.client) == (DOCA_ERROR_NOT_SUPPORTED, None)
    assert doca_comm_channel_ep_get_peer_addr_list(pair.client) == (DOCA_ERROR_NOT_SUPPORTED, None, None)
    assert doca_comm_channel_ep_get_pending_connections(pair.client) == (DOCA_ERROR_NOT_SUPPORTED, None)
    assert doca_comm_channel_ep_update_service_state_info(pair.client) == DOCA_ERROR_NOT_SUPPORTED
