"""What C has of the peers of an endpoint: the list, until the next snapshot, and those that it has left."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import pytest

from comch_next.capi.handles import HANDLES
from comm_channel_compat.capi import _pointers
from tests.processes import python

WORLD = """
import ctypes, sys
from ctypes import POINTER, byref, c_char_p, c_size_t, c_uint32, c_void_p, cast, create_string_buffer
from comm_channel_compat.capi import _pointers
from comm_channel_compat.libraries import find

channel, common = ctypes.CDLL(find("libdoca_comm_channel.so.2")), ctypes.CDLL(find("libdoca_common.so.2"))

def check(code, expected=0):
    assert code == expected, code

def of_list(listed, count):
    return [c_void_p(address) for address in cast(listed, POINTER(c_void_p))[:count.value]]

def device(pci):
    listed, count, text, opened = c_void_p(), c_uint32(), create_string_buffer(32), c_void_p()
    check(common.doca_devinfo_create_list(byref(listed), byref(count)))
    for info in of_list(listed, count):
        check(common.doca_devinfo_get_pci_addr_str(info, text))
        if text.value == pci:
            check(common.doca_dev_open(info, byref(opened)))
    return opened

def endpoint(dev):
    made = c_void_p()
    check(channel.doca_comm_channel_ep_create(byref(made)))
    check(channel.doca_comm_channel_ep_set_device(made, dev))
    return made

def receive():
    data, length, peer = create_string_buffer(64), c_size_t(64), c_void_p()
    return channel.doca_comm_channel_ep_recvfrom(service, data, byref(length), 0, byref(peer)), peer

def connect():
    # A client, its peer, and the service's.
    client, peer = endpoint(host), c_void_p()
    check(channel.doca_comm_channel_ep_connect(client, b"svc", byref(peer)))
    while True:
        code = channel.doca_comm_channel_ep_sendto(client, b"x", c_size_t(1), 0, peer)
        receive_code, came = receive()
        if receive_code == 0:
            return client, peer, came

dpu, host = device(b"0000:03:00.0"), device(b"0000:b1:00.0")
listed, count, rep = c_void_p(), c_uint32(), c_void_p()
check(common.doca_devinfo_rep_create_list(dpu, 0, byref(listed), byref(count)))
check(common.doca_dev_rep_open(of_list(listed, count)[0], byref(rep)))
service = endpoint(dpu)
check(channel.doca_comm_channel_ep_set_device_rep(service, rep))
check(channel.doca_comm_channel_ep_listen(service, b"svc"))
"""

LISTS = """
clients = [connect() for _ in range(3)]

def listed():
    peers, count = c_void_p(), c_uint32()
    check(channel.doca_comm_channel_ep_get_peer_addr_list(service, byref(peers), byref(count)))
    return peers.value, [peer.value for peer in of_list(peers, count)]

check(channel.doca_comm_channel_ep_update_service_state_info(service))
first = listed()
assert len(first[1]) == 3
assert listed() == first
check(channel.doca_comm_channel_ep_disconnect(*clients.pop()[:2]))
assert listed() == first
check(channel.doca_comm_channel_ep_update_service_state_info(service))
while len(listed()[1]) == 3:
    receive()
    check(channel.doca_comm_channel_ep_update_service_state_info(service))
assert set(listed()[1]) < set(first[1])
"""

LEFT = """
_pointers._MOST_LEFT = 2
sent = ctypes.c_uint64()
left = []
for _ in range(4):
    client, peer, came = connect()
    check(channel.doca_comm_channel_ep_disconnect(client, peer))
    while channel.doca_comm_channel_ep_disconnect(service, came):
        pass
    left.append((peer, came))
known = [[p.value in _pointers.PEERS for p in pair] for pair in left]
assert known == [[False, False]] * 3 + [[True, True]], known
check(channel.doca_comm_channel_peer_addr_get_send_messages(left[0][0], byref(sent)), 6)
check(channel.doca_comm_channel_peer_addr_get_send_messages(left[-1][0], byref(sent)))
"""

# The clients leave, one after another, and the service does not; one stays.
GONE = """
_pointers._MOST_LEFT = 8
staying = connect()
for number in range(300):
    client, peer, came = connect()
    check(channel.doca_comm_channel_ep_disconnect(client, peer))
    receive()
    check(channel.doca_comm_channel_ep_destroy(client))
assert len(_pointers.PEERS) < 200, len(_pointers.PEERS)
assert len(_pointers._left) < 150, len(_pointers._left)
sent = ctypes.c_uint64()
for known in (*staying[1:], came):
    check(channel.doca_comm_channel_peer_addr_get_send_messages(known, byref(sent)))
check(channel.doca_comm_channel_ep_sendto(staying[0], b"x", c_size_t(1), 0, staying[1]))
code, last = receive()
assert (code, last.value) == (0, staying[2].value)
"""


@pytest.mark.parametrize("program", ["LISTS", "LEFT", "GONE"])
def test_peers(runtime_dir: Path, program: str) -> None:
    ended = python("-c", WORLD + globals()[program]).finish()
    assert ended.returncode == 0, ended.stderr


def test_a_peer_that_has_ended_last_is_not_the_first_to_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was there before all others, which have ended since peers were looked for last."""
    up: set[_Peer] = set()
    monkeypatch.setattr(_pointers, "_MOST_LEFT", 8)
    monkeypatch.setattr(_pointers, "_left", OrderedDict())
    monkeypatch.setattr(_pointers, "still_up", lambda connections: {*connections} & up)
    endpoint = HANDLES.new(_pointers.ENDPOINT, object())

    def come() -> int:
        peer = _Peer()
        up.add(peer)
        return _pointers.peer_address(peer, endpoint)

    first = come()
    for _ in range(62):
        come()
    up.clear()
    come()
    assert first in _pointers.PEERS
    come()  # one of those that are looked for now
    assert first in _pointers.PEERS
    HANDLES.drop(endpoint)


class _Peer:
    """One that is its own connection."""

    @property
    def modern(self) -> _Peer:
        return self
