"""A context has one port at a time, and closing it twice closes nothing else."""

from __future__ import annotations

import os

import pytest

import comch_next as comch
from comch_next import BadState, PullPort


@pytest.mark.parametrize("first", [False, True], ids=["driver", "threaded"])
@pytest.mark.parametrize("second", [False, True], ids=["then driver", "then threaded"])
def test_a_second_port_is_refused(first: bool, second: bool) -> None:
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        PullPort(client, threaded=first)
        with pytest.raises(BadState, match="already"):
            PullPort(client, threaded=second)
        client.close()


@pytest.mark.parametrize("threaded", [False, True], ids=["driver", "threaded"])
def test_closing_twice_closes_nothing_else(threaded: bool) -> None:
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        port = PullPort(client, threaded=threaded)
        port.close()
        others = [os.open("/dev/null", os.O_RDONLY) for _ in range(8)]
        port.close()
        for fd in others:
            os.close(fd)
        PullPort(client, threaded=threaded)
        client.close()
