"""With idioms, too, the work grows as a program does."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from migrate.outcome import Options
from migrate.rewriting import rewrite
from tests.migrate.counting import is_linear

IDIOMS = Options(idioms=True)
IMPORTS = """\
import time
import doca_comm_channel as cc
"""
LINK = """
ep{number} = cc.Endpoint()
ep{number}.set_device(cc.open_device("b1:00.0"))
peer{number} = ep{number}.connect("linear")
while True:
    try:
        peer{number}.update_info()
        break
    except cc.ConnectionInprogress:
        time.sleep(1e-4)
while True:
    try:
        ep{number}.sendto(b"x", peer{number})
        break
    except cc.Again:
        pass
while True:
    peer{number}.update_info()
    if peer{number}.get_send_in_flight_messages() == 0:
        break
"""
FLAT = """
while (rc := cc.doca_comm_channel_ep_sendto(ep, b"x", 1, 0, peer)) == cc.DOCA_ERROR_AGAIN:
    pass
if rc:
    return rc
"""
CONNECTED = """
rc, ep = cc.doca_comm_channel_ep_create()
if rc:
    return rc
rc, peer = cc.doca_comm_channel_ep_connect(ep, "linear")
if rc:
    return rc
"""


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def handled(parts: int) -> str:
    """Return a module in which each part has a handler, behind which all the others come."""
    part = "\ntry:" + _indented(LINK) + "except cc.DocaError as error:\n    print(error.code)\n"
    return IMPORTS + "".join(part.replace("{number}", str(number)) for number in range(parts))


def one_function(parts: int) -> str:
    body = "".join(LINK.replace("{number}", str(number)) for number in range(parts))
    return f"{IMPORTS}\ndef main():{_indented(body)}\n\nmain()\n"


def one_run(parts: int) -> str:
    """Return a function whose checks are one run."""
    return f"{IMPORTS}\ndef main():{_indented(CONNECTED + FLAT * parts)}    return 0\n\nmain()\n"


@pytest.mark.parametrize(("made", "joined"), [(handled, 3), (one_function, 3), (one_run, 1)])
def test_calls_grow_as_the_program_does(made: Callable[[int], str], joined: int) -> None:
    found = rewrite(made(10).encode(), options=IDIOMS).findings
    assert sum(finding.code.startswith("CCM10") for finding in found) >= 10 * joined
    assert is_linear(lambda parts: rewrite(made(parts).encode(), options=IDIOMS))
