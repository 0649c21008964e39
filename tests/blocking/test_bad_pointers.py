"""Every pointer of every function of the C library NULL, stale, or of another struct: no crash, the documented code."""

from __future__ import annotations

from pathlib import Path

from comch_next.errors import ErrorCode
from tests.blocking.bad_pointers import cases
from tests.blocking.test_programs import LAUNCHER
from tests.processes import StartPython

PROGRAM = Path(__file__).with_name("bad_pointers.py")
# What the headers name; everything else is INVALID_VALUE, and there is no descriptor of an endpoint that is none.
NOT_CONNECTED = {
    ("ep_sendto", "peer_addr"),
    ("ep_disconnect", "peer_addr"),
    ("ep_destroy", "ep"),
    ("peer_addr_info_get", "peer_addr"),
}


def _expected(function: str, parameter: str) -> int:
    name = function.removeprefix("doca_comm_channel_")
    if name == "ep_event_channel_get":
        return -1
    return int(ErrorCode.NOT_CONNECTED if (name, parameter) in NOT_CONNECTED else ErrorCode.INVALID_VALUE)


def test_a_bad_pointer_is_refused(start_python: StartPython) -> None:
    """The channel lives on: the program sends a last message itself."""
    ended = start_python(*LAUNCHER, str(PROGRAM)).finish()
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert (ended.returncode, ended.stderr) == (0, ""), rows[-1:]
    assert [tuple(row[:3]) for row in rows] == list(cases())
    assert len(rows) > 40
    wrong = [row for row in rows if int(row[3]) != _expected(*row[:2])]
    assert not wrong
