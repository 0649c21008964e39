"""What Python's logging shows of connections: up, ended, refused. Nothing of messages, and nothing unless asked."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from comch_next import ErrorCode, State
from comch_next.driver.emulated._fabric import handshake
from tests.control_path.pair import Side, client, connect, leave, pair, server, until
from tests.fabric.hostile import attacker, bells, close_all
from tests.processes import StartPython

FAILS = """
import sys
if "logged" in sys.argv:
    import logging
import comch_next as comch
try:
    comch.Client(comch.open_device("b1:00.0"), "svc").connect(timeout=60)
except comch.ConnectionAborted:
    print("logging" in sys.modules)
"""


def shown(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "comch_next"]


def test_a_connection_comes_up_and_ends(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "comch_next")
    there, here = pair()
    up = [("INFO", "connection of server 'svc' is up"), ("INFO", "connection of client 'svc' is up")]
    assert shown(caplog) == up
    for _ in range(10):
        here.send(b"x")
    until(lambda: len(there.messages) == 10, there.engine, here.engine)
    assert shown(caplog) == up
    leave(here)
    until(lambda: there.down, there.engine)
    assert shown(caplog)[2:] == [("INFO", "connection of server 'svc' has ended: the other side has left")]
    leave(there)


def test_a_connection_that_cannot_be(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "comch_next")
    here = client()
    here.context.start()
    until(lambda: here.states[-1:] and here.state == 0, here.engine)
    ((level, text),) = shown(caplog)
    assert level == "INFO"
    assert "connection to 'svc' failed: nobody listens on it" in text
    leave(here)


def test_a_client_that_is_refused(caplog: pytest.LogCaptureFixture, runtime_dir: Path) -> None:
    caplog.set_level(logging.WARNING, "comch_next")
    there = server()
    there.context.start()
    with attacker(runtime_dir) as bad:
        fds = bells(2)
        bad.say(b"CMCH\7\0", fds)
        close_all(fds)
        until(lambda: shown(caplog), there.engine)
        assert bad.code() == ErrorCode.UNSUPPORTED_VERSION
    ((level, text),) = shown(caplog)
    assert level == "WARNING"
    assert text.startswith("server 'svc' refuses the client of process ")
    assert text.endswith(f"the client speaks wire version 7, this server {handshake.VERSION}")
    leave(there)


def test_a_peer_that_dies(caplog: pytest.LogCaptureFixture, start_python: StartPython) -> None:
    caplog.set_level(logging.WARNING, "comch_next")
    there = server()
    there.context.start()
    code = (
        "import comch_next as c, signal\n"
        "client = c.Client(c.open_device('b1:00.0'), 'svc')\n"
        "client.connect(timeout=60)\n"
        "signal.pause()"
    )
    child = start_python("-c", code)
    until(lambda: there.up, there.engine)
    child.kill()
    until(lambda: there.down, there.engine)
    assert shown(caplog)[-1:] == [("WARNING", "connection of server 'svc' has ended: the other side has died")]
    leave(there)


@pytest.mark.parametrize("logged", [True, False])
def test_silent_unless_asked(start_python: StartPython, logged: bool) -> None:
    """And a program without logging does not load it."""
    ended = start_python("-c", FAILS, *(["logged"] if logged else []), fresh=True).finish()
    assert ended == (0, f"{logged}\n", "")


def test_what_the_program_sets_up_for_its_own_words_shows_none(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    there, here = pair()
    leave(here)
    until(lambda: there.down, there.engine)
    leave(there)
    assert shown(caplog) == []


class Raising(logging.Handler):
    """A handler of the program's that fails at what it is given for the first time."""

    def emit(self, record: logging.LogRecord) -> None:
        self.close()
        logging.getLogger("comch_next").removeHandler(self)
        raise LookupError(record.getMessage())


def raised(*sides: Side) -> str:
    """What a handler raises out of the progress of these, or of their start."""
    logging.getLogger("comch_next").addHandler(Raising())
    try:
        if sides[0].state is State.IDLE:
            sides[0].context.start()
        until(lambda: False, *(side.engine for side in sides))
    except LookupError as error:
        return str(error)
    raise AssertionError("it was called for nothing")


@pytest.mark.parametrize("who", ["server", "client"])
def test_a_handler_that_raises_leaves_the_connection_up(caplog: pytest.LogCaptureFixture, who: str) -> None:
    caplog.set_level(logging.INFO, "comch_next")
    there, here = server(), client()
    there.context.start()
    here.context.start()
    if who == "client":
        until(lambda: there.up, there.engine)
    assert f"connection of {who} 'svc' is up" in raised(*((here,) if who == "client" else (there,)))
    until(lambda: here.state is State.RUNNING and there.up, there.engine, here.engine)
    here.send(b"x")
    there.send(b"y", there.connection)
    until(lambda: there.messages and here.messages, there.engine, here.engine)
    leave(here, there)


def test_a_handler_that_raises_of_a_client_without_a_server(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "comch_next")
    there, here = server(), client()
    assert "nobody listens on it" in raised(here)
    assert here.state is State.IDLE
    connect(there, here)
    leave(here, there)
