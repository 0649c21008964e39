"""A message that comes while a receive without waiting makes its Again is received in its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.orders.support import NAME, Pair, World, comch, connect, introduce, receives_nothing


def while_again_is_made(monkeypatch: pytest.MonkeyPatch, happen: Callable[[], object]) -> None:
    """Have something happen once between the look at the rings and the raising."""

    def set_attribute(error: comch.Again, name: str, value: object) -> None:
        monkeypatch.undo()
        happen()
        object.__setattr__(error, name, value)

    monkeypatch.setattr(comch.Again, "__setattr__", set_attribute, raising=False)


def received(server: comch.Server, happen: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> bytes | None:
    """Return what a receive finds that finds nothing at first; None if the sockets were due meanwhile, once in 1 ms."""
    assert receives_nothing(server)
    while_again_is_made(monkeypatch, happen)
    try:
        data: bytes = server.receive(timeout=0).data
    except comch.Again:
        return None
    return data


def test_it_is_received(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def send() -> None:
        pair.connection.send(b"now", timeout=0)

    while (data := received(pair.server, send, monkeypatch)) is None:
        assert pair.server.receive(timeout=0).data == b"now"
    assert data == b"now"
    assert receives_nothing(pair.server)


def test_an_earlier_one_of_another_client_comes_first(
    pair: Pair, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = connect(world.client(), pair.server, NAME)
    introduce(other, pair.server)
    introduce(pair.connection, pair.server)  # the likeliest now

    def both() -> None:
        other.send(b"first", timeout=0)
        pair.connection.send(b"second", timeout=0)

    while (data := received(pair.server, both, monkeypatch)) is None:
        assert [pair.server.receive(timeout=0).data for _ in range(2)] == [b"first", b"second"]
    assert [data, pair.server.receive(timeout=0).data] == [b"first", b"second"]


def test_one_of_another_client_alone_waits_for_the_next_receive(
    pair: Pair, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = connect(world.client(), pair.server, NAME)
    introduce(other, pair.server)
    introduce(pair.connection, pair.server)
    while_again_is_made(monkeypatch, lambda: other.send(b"later", timeout=0))
    assert receives_nothing(pair.server)
    assert pair.server.receive(timeout=0).data == b"later"
