"""What is destroyed or closed twice: harmless, or refused as in C with strict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comch_next import BufInventory, Channel, Client, InvalidValue, Mmap, ProgressEngine, Server


@pytest.fixture
def dpu() -> Iterator[comch.Device]:
    with comch.open_device("03:00.0") as device:
        yield device


MADE: dict[str, Callable[[comch.Device], Any]] = {
    "server": lambda dpu: Server(dpu, "b1:00.0", "svc"),
    "client that was not opened": lambda _: Client(),
    "channel": lambda _: Channel(),
    "engine": lambda _: ProgressEngine(),
    "map": lambda _: Mmap(),
    "inventory": lambda _: BufInventory(4),
}


@pytest.mark.parametrize("kind", MADE)
def test_a_second_destruction(dpu: comch.Device, kind: str) -> None:
    made = MADE[kind](dpu)
    made.destroy(strict=True)
    made.destroy()
    for _ in range(2):
        with pytest.raises(InvalidValue, match="which has been destroyed; legal without strict"):
            made.destroy(strict=True)
    made.destroy()


def test_a_second_close_of_a_representor(dpu: comch.Device) -> None:
    rep = dpu.open_representor("b1:00.0")
    rep.close(strict=True)
    rep.close()
    with pytest.raises(InvalidValue):
        rep.close(strict=True)
    rep.close()


def test_a_second_close_of_a_device() -> None:
    device = comch.open_device("03:00.0")
    device.close(strict=True)
    device.close()
    with pytest.raises(InvalidValue, match="has been closed"):
        device.close(strict=True)
    with pytest.raises(InvalidValue, match="has been closed"):
        device.representors()


def test_a_second_close_ends_another_open_of_the_device() -> None:
    first, second = comch.open_device("03:00.0"), comch.open_device("03:00.0")
    first.close(strict=True)
    first.close()
    assert second.representors()
    first.close(strict=True)
    for call in (second.representors, second.close, lambda: first.close(strict=True)):
        with pytest.raises(InvalidValue, match="has been closed"):
            call()
