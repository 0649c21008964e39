"""One conversation, its calls spelled in ways that no reader understands: with evidence it does what it did."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

import pytest

from migrate.report.run import stays
from tests.evidence.conftest import Recorded
from tests.processes import StartPython

HEAD = """\
import importlib
import doca_comm_channel as cc
P = "doca_comm_channel_"
def call(verb, *given):
    return getattr(cc, P + verb)(*given)
box = importlib.import_module("letter" + "box").Box()
dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
rep = dpu.open_representor("b1:00.0")
service, client = cc.Endpoint(), cc.Endpoint()
"""

# What is said: the function, its arguments, and the handle among them that may go through the box.
WORDS = [
    ("ep_set_device", "service, dpu", "service"),
    ("ep_set_device_rep", "service, rep", "service"),
    ("ep_set_max_msg_size", "service, 512", "service"),
    ("ep_listen", "service, 'svc'", "service"),
    ("ep_set_device", "client, host", "client"),
    ("ep_sendto", "client, b'early', 5, 0, None", "client"),
    ("peer_addr_update_info", "peer", "peer"),
    ("ep_sendto", "client, b'one', 3, 0, peer", "peer"),
    ("ep_sendto", "client, b'three', 5, 0, peer", "client"),
    ("ep_recvfrom", "service, 2, 0", "service"),
    ("ep_recvfrom", "service, 99, 0", "service"),
    ("ep_recvfrom", "service, 99, 0", "service"),
    ("ep_recvfrom", "service, 99, 0", "service"),
    ("ep_get_max_msg_size", "service", "service"),
    ("ep_disconnect", "client, peer", "client"),
    ("ep_sendto", "client, b'late', 4, 0, peer", "peer"),
    ("ep_destroy", "client", "client"),
    ("ep_destroy", "service", "service"),
]
# Behind the connect, which has to be waited for.
CONNECTED = """\
peer = client.connect("svc")
while cc.doca_comm_channel_peer_addr_update_info(peer) != 0:
    cc.doca_comm_channel_ep_recvfrom(service, 99, 0)
"""
SPELLINGS = [
    "{call}(cc.doca_comm_channel_{verb}({given}))",
    "{call}(getattr(cc, P + '{verb}')({given}))",
    "{call}(getattr(cc, {table}['{verb}'])({given}))",
    "{call}(call('{verb}', {given}))",
]
SHOW = """\
def show(value):
    if isinstance(value, tuple):
        value = value[:3]
    print(value)
"""


def program(seed: int) -> str:
    """The conversation in the spellings of a seed."""
    chosen, boxes = random.Random(seed), count()
    lines = [HEAD, SHOW, f"NAMES = { ({verb: f'doca_comm_channel_{verb}' for verb, _, _ in WORDS})!r}"]
    for number, (verb, given, handle) in enumerate(WORDS):
        if number == 5:
            lines.append(CONNECTED)
        if chosen.random() < 0.4:
            boxed = f"boxed_{next(boxes)}"
            lines.append(f"box.put({handle})\n{boxed} = box.take()")
            given = ", ".join(boxed if part == handle else part for part in given.split(", "))
        lines.append(chosen.choice(SPELLINGS).format(call="show", verb=verb, given=given, table="NAMES"))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(6))
def test_a_program_of_any_spelling(seed: int, recorded: Callable[..., Recorded], start_python: StartPython) -> None:
    run = recorded(program(seed))
    outcome = run.migrated()
    left = [finding for finding in outcome.findings if stays(finding)]
    verdict = start_python("-m", "migrate", "verify", "--no-faults", "--evidence", str(run.report), str(run.script))
    finished = verdict.finish()
    assert finished.returncode == (2 if left else 0), finished.stdout
    assert "no difference" in finished.stdout
    assert not left, [(finding.span.line, finding.code, finding.evidence) for finding in left]
