"""Two threads of one endpoint under its lock, on both sides, send and receive armed in turn: none oversleeps."""

from __future__ import annotations

import pytest

from tests.event_channels.exchange import FACES
from tests.processes import StartPython

pytestmark = pytest.mark.usefixtures("form")


@pytest.mark.parametrize(("service", "client"), [*zip(FACES, FACES, strict=True), ("codes", "compat")])
def test_four_threads_exchange_everything(start_python: StartPython, service: str, client: str) -> None:
    """Each waits without polling, so a wake-up that is lost ends the program with its name."""
    program = ("-m", "tests.event_channels.exchange")
    listener = start_python(*program, service, "service")
    listener.wait_for("open")
    caller = start_python(*program, client, "client")
    for child in (listener, caller):
        child.wait_for("exchanged")
    for child in (caller, listener):
        done = child.finish()
        assert (done.returncode, done.stderr) == (0, "")
