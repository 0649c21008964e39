"""An interrupt in a progress that reads a greeting: the client is let in all the same."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import comch_next as comch
from comch_next.driver.emulated._fabric import lobby
from tests.control_path.pair import Side, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.fabric.hostile import attacker
from tests.interrupts.strike import each_place

_STEP = 9  # signals are held back while it is read


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says nothing is waited for: on a busy machine one that greets may be late."""
    monkeypatch.setattr(lobby, "_PATIENCE_S", 3600.0)


@pytest.fixture
def there(runtime_dir: Path) -> Iterator[Side]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    made = server()
    made.context.start()
    yield made
    leave(made)
    signal.signal(signal.SIGINT, before)


def test_a_client_that_greets_late(there: Side, runtime_dir: Path) -> None:
    handle = there.context._handle
    before = collected_fds()
    for strike in each_place(100, _STEP):
        with attacker(runtime_dir) as client:
            until(lambda: handle.lobby._silent, there.engine)
            client.greet()
            strike.hit(lambda: handle.poll_sockets())
            until(lambda: len(there.up) > len(there.down), there.engine)
            assert client.code() is comch.ErrorCode.SUCCESS, strike.place
        until(lambda: len(there.up) == len(there.down), there.engine)
        assert open_fds() == before, strike.place
