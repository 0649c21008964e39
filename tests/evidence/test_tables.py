"""The tables of names that take the place of getattr: as wide as the file, and none where there is no room."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.evidence.conftest import Recorded

LOG = """\
import doca_comm_channel as cc
def log(verb, *args):
    return {lookup}(*args)
log("backend_create_standard")
for limit in ("lower", "upper", "sdk"):
    log(f"level_set_global_{{limit}}_limit", 20)
"""
LOOKUPS = [
    'getattr(cc, "doca_log_" + verb)',
    'getattr(\n        cc, "doca_log_" + verb\n    )',
    'getattr(\n        cc,\n        "doca_log_" + verb,\n    )',
]


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_a_table_is_folded(recorded: Callable[..., Recorded], lookup: str) -> None:
    new = recorded(LOG.format(lookup=lookup)).migrated().new.decode()
    assert '"doca_log_level_set_global_sdk_limit": lambda' in new
    assert max(map(len, new.splitlines())) <= 120
    assert [line for line in new.splitlines() if line.startswith(('"', "]", ")"))] == []


def test_an_f_string_has_no_room(recorded: Callable[..., Recorded]) -> None:
    program = "import doca_comm_channel as cc\nname = 'SUCCESS'\ncc.Endpoint().destroy()\n"
    program += "print(f'{getattr(cc, \"DOCA_\" + name)}')\n"
    outcome = recorded(program).migrated()
    assert "getattr(cc" in outcome.new.decode()
    assert {finding.code for finding in outcome.findings} >= {"CCM005"}


PEER = """\
import time
import doca_comm_channel as cc
service, client = cc.Endpoint(), cc.Endpoint()
device = cc.open_device("03:00.0")
service.set_device(device)
service.set_device_rep(device.open_representor("b1:00.0"))
service.listen("peers")
client.set_device(cc.open_device("b1:00.0"))
to_service = client.connect("peers")
while True:
    try:
        client.sendto(b"hello", to_service)
        break
    except cc.Again:
        cc.doca_comm_channel_ep_recvfrom(service, 99, 0)
while True:
    try:
        message, peer = service.recvfrom(99)
        break
    except cc.Again:
        time.sleep(0.001)
for what in ("messages", "bytes"):
    peer.update_info()
    print(getattr(peer, "get_" + message.decode()[5:] + "recv_" + what)())
"""


def test_calls_on_a_peer_that_a_message_came_with(recorded: Callable[..., Recorded]) -> None:
    """It comes as part of what recvfrom of an endpoint returns."""
    new = recorded(PEER).migrated().new.decode()
    assert '"get_recv_bytes": lambda' in new
    assert "getattr(peer" not in new
