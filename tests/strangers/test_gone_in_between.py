"""A client hangs up between its greeting and its acceptance; the next one has its descriptor's number."""

from __future__ import annotations

import os
import select
from pathlib import Path
from typing import NamedTuple

import pytest

import comch_next as comch
from tests.control_path.pair import until
from tests.fabric.hostile import attacker
from tests.inside import inside
from tests.processes import SOON_S


@pytest.mark.parametrize("one_sided", [True, False])
def test_the_next_client_is_met_and_its_end_wakes(runtime_dir: Path, one_sided: bool) -> None:
    with comch.open_device("03:00.0") as device, device.open_representor("b1:00.0") as representor:
        server = comch.Server(device, representor, "svc", one_sided=one_sided)
        server.listen()
        port = server.port
        assert port is not None
        handles = [server.send_fd, server.recv_fd]

        def greeted() -> bool:
            server.arm_recv()
            return port.pending > 0

        with attacker(runtime_dir) as gone:
            gone.greet()
            until(greeted)
        with pytest.raises(comch.ConnectionReset):
            port.accept()
        with attacker(runtime_dir) as other:
            other.greet()
            accepted = port.accept()
            assert accepted is not None
            assert port.connections == [accepted]
        server.arm_recv()
        assert select.select(handles, [], [], SOON_S)[0]
        with pytest.raises(comch.ConnectionReset):
            server.receive(timeout=SOON_S)
        server.close()


@pytest.mark.parametrize("one_sided", [True, False])
def test_nobody_hears_of_a_client_that_has_not_been_accepted(runtime_dir: Path, one_sided: bool) -> None:
    """Nothing has come from it. A service that ends when a receive is refused would be at every stranger's mercy."""
    with comch.open_device("03:00.0") as device, device.open_representor("b1:00.0") as representor:
        server = comch.Server(device, representor, "svc", one_sided=one_sided)
        server.listen()
        port = server.port
        assert port is not None

        def waiting(count: int) -> bool:
            server.arm_recv()
            return port.pending == count

        with attacker(runtime_dir) as gone:
            gone.greet()
            until(lambda: waiting(1))
        with attacker(runtime_dir) as other:
            other.greet()
            until(lambda: waiting(2))
            for _ in range(2):  # one that is accepted may be asked about its message before the next one is
                assert comch.outcome(server.receive, timeout=0)[0] is comch.ErrorCode.AGAIN
            assert (port.pending, len(port.connections)) == (0, 1)
        with pytest.raises(comch.ConnectionReset):
            server.receive(timeout=SOON_S)
        server.close()


class Descriptor(NamedTuple):
    """What can be watched."""

    number: int

    def fileno(self) -> int:
        return self.number


def test_a_number_that_is_anothers_now_is_not_called_for_what_it_was() -> None:
    """Two are ready at once; the first one's handler closes the other, and has another one of its number."""
    called: list[str] = []
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        assert client.engine is not None
        context = inside(client)
        first, second, silent = (Descriptor(os.eventfd(value)) for value in (1, 1, 0))

        def replace() -> None:
            called.append("first")
            context.unwatch(second)
            os.dup2(silent.number, second.number)
            context.watched(second, lambda: called.append("new"))

        context.watched(first, replace)
        context.watched(second, lambda: called.append("second"))
        context._poll_sockets(context.engine, False)
        assert called == ["first"]
        client.close()
        for each in (first, second, silent):
            os.close(each.number)
