"""Unit tests of somebody's channel code: fixtures, mocks, parametrize."""
from unittest import mock

import pytest

import doca_comm_channel as cc


@pytest.fixture
def dev():
    device = cc.open_device("b1:00.0")
    yield device
    device.close()


@pytest.fixture
def ep(dev):
    endpoint = cc.Endpoint()
    endpoint.set_device(dev)
    yield endpoint
    endpoint.destroy()


@pytest.mark.parametrize("size", [0, 65536])
def test_size_is_refused(ep, size):
    with pytest.raises(cc.InvalidValue):
        ep.set_max_msg_size(size)


def test_nobody_listens(ep):
    with pytest.raises(cc.ConnectionAborted) as caught:
        ep.connect("nobody")
    assert caught.value.code == cc.DOCA_ERROR_CONNECTION_ABORTED


def test_again_is_retried():
    with mock.patch("doca_comm_channel.Endpoint.sendto", side_effect=[cc.Again(), None]) as sendto:
        endpoint = cc.Endpoint()
        for _ in range(2):
            try:
                endpoint.sendto(b"x", None)
            except cc.Again:
                pass
    assert sendto.call_count == 2
