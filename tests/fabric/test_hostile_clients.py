"""A malformed or hostile client loses its own connection and nothing else: no other client, no descriptor."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import ErrorCode, State
from comch_next.driver.emulated._fabric import handshake, lobby
from comch_next.driver.emulated._kernel.calls import Link
from comch_next.driver.emulated._kernel.ring import lib
from tests.control_path.pair import Side, client, connect, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.fabric.hostile import GOOD, TERMS, Attacker, attacker, bells, close_all
from tests.inside import inside
from tests.processes import SOON_S
from tests.ring.ring import Words, send


@pytest.fixture
def service() -> Iterator[tuple[Side, Side]]:
    """A server with an honest client, which must still talk to each other when the test ends."""
    there, here = server(), client()
    connect(there, here)
    before = collected_fds()
    yield there, here
    until(lambda: open_fds() <= before, there.engine)
    there.messages.clear()
    here.messages.clear()
    here.send(b"still")
    there.send(b"here", there.up[0][0])
    until(lambda: there.messages and here.messages, there.engine, here.engine)
    assert (there.messages, here.messages) == ([b"still"], [b"here"])
    assert (there.state, here.state) == (State.RUNNING, State.RUNNING)
    leave(here, there)


def turn(side: Side) -> None:
    """Let the server look, as often as one attack may need."""
    for _ in range(5):
        side.engine.wait(0.002)
        side.engine.progress()


def hello(
    version: int = handshake.VERSION,
    magic: bytes = b"CMCH",
    strict: int = 0,
    terms: tuple[int, int, int] = (4080, 64, 64),
) -> bytes:
    return struct.pack("<4sHHIII", magic, version, strict, *terms)


BAD_GREETINGS = {
    "empty": (b"", None),
    "one byte": (b"C", ErrorCode.INVALID_VALUE),
    "magic only": (b"CMCH", ErrorCode.INVALID_VALUE),
    "noise": (os.urandom(20), ErrorCode.INVALID_VALUE),
    "wrong magic": (hello(magic=b"HTTP"), ErrorCode.INVALID_VALUE),
    "older version": (hello(version=handshake.VERSION - 1), ErrorCode.UNSUPPORTED_VERSION),
    "newer version": (hello(version=handshake.VERSION + 1), ErrorCode.UNSUPPORTED_VERSION),
    "newer and longer": (hello(version=9) + b"more", ErrorCode.UNSUPPORTED_VERSION),
    "cut short": (GOOD[:-1], ErrorCode.INVALID_VALUE),
    "trailing bytes": (GOOD + b"\0", ErrorCode.INVALID_VALUE),
    "above any datagram": (GOOD + bytes(5000), ErrorCode.INVALID_VALUE),
    "message size 0": (hello(terms=(0, 64, 64)), ErrorCode.INVALID_VALUE),
    "message size 4 GiB": (hello(terms=(0xFFFFFFFF, 64, 64)), ErrorCode.INVALID_VALUE),
    "send queue 0": (hello(terms=(4080, 0, 64)), ErrorCode.INVALID_VALUE),
    "send queue huge": (hello(terms=(4080, 0xFFFFFFFF, 64)), ErrorCode.INVALID_VALUE),
    "receive queue 0": (hello(terms=(4080, 64, 0)), ErrorCode.INVALID_VALUE),
    "receive queue huge": (hello(terms=(4080, 64, 1 << 31)), ErrorCode.INVALID_VALUE),
    "a farewell": (handshake.BYE, ErrorCode.UNSUPPORTED_VERSION),
}


@pytest.mark.parametrize("name", BAD_GREETINGS)
def test_bad_greetings(service: tuple[Side, Side], runtime_dir: Path, name: str) -> None:
    data, code = BAD_GREETINGS[name]
    with attacker(runtime_dir) as bad:
        fds = bells(2)
        bad.say(data, fds)
        close_all(fds)
        turn(service[0])
        if code is None:
            bad.sock.close()
        else:
            assert bad.code() == code
            assert bad.hear() == b""
        turn(service[0])
    assert len(service[0].up) == 1


@pytest.mark.parametrize(
    "terms",
    [
        handshake.Terms(65536, True, 64, 64),
        handshake.Terms(4080, False, 8193, 64),
        handshake.Terms(4080, False, 64, 8193),
        handshake.Terms(1 << 20, True, 1 << 16, 1 << 16),
    ],
)
def test_limits_that_no_device_has(service: tuple[Side, Side], runtime_dir: Path, terms: handshake.Terms) -> None:
    """Each number is sane, but no device of this pair can do it: the server does not follow."""
    with attacker(runtime_dir) as bad:
        bad.greet(terms)
        turn(service[0])
        assert bad.code() == ErrorCode.INVALID_VALUE
    assert [ok for _, ok in service[0].up] == [True]


@pytest.mark.parametrize("count", [0, 3, 4, 5, 16, 200])
def test_the_wrong_number_of_bells(service: tuple[Side, Side], runtime_dir: Path, count: int) -> None:
    with attacker(runtime_dir) as bad:
        fds = bells(count)
        bad.say(GOOD, fds)
        close_all(fds)
        turn(service[0])
        assert bad.code() == ErrorCode.INVALID_VALUE


def _pipe() -> list[int]:
    return list(os.pipe())


def _files() -> list[int]:
    return [os.open("/dev/null", os.O_RDWR), os.open(__file__, os.O_RDONLY)]


def _sockets() -> list[int]:
    return [each.detach() for each in socket.socketpair()]


def _memory() -> list[int]:
    return [os.memfd_create("x"), os.eventfd(0)]


@pytest.mark.parametrize("make", [_pipe, _files, _sockets, _memory])
def test_bells_that_are_none(service: tuple[Side, Side], runtime_dir: Path, make: Callable[[], list[int]]) -> None:
    for order in (1, -1):
        with attacker(runtime_dir) as bad:
            wrong = make()
            good = bells(1)
            bad.say(GOOD, [wrong[0], good[0]][::order])
            close_all(wrong + good)
            turn(service[0])
            assert bad.code() == ErrorCode.CONNECTION_ABORTED


def test_a_farewell_to_the_greeting(service: tuple[Side, Side], runtime_dir: Path) -> None:
    """Connect, greet, and go before the answer."""
    for _ in range(5):
        with attacker(runtime_dir) as bad:
            bad.greet()
        turn(service[0])
    assert all(connection for connection, _ in service[0].up)
    until(lambda: len(service[0].down) == len([ok for _, ok in service[0].up[1:] if ok]), service[0].engine)


def test_silent_knockers_are_dropped_in_the_end(service: tuple[Side, Side], runtime_dir: Path) -> None:
    many = [Attacker(runtime_dir) for _ in range(20)]
    turn(service[0])
    other = client()
    connect(service[0], other)
    for each in many:
        each.close()
    turn(service[0])
    leave(other)
    turn(service[0])


def test_a_slow_knocker_where_the_program_has_set_a_time_out(
    service: tuple[Side, Side], runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is for the program's own sockets: nothing waits so long for a greeting, nor gives it up."""
    there, _ = service
    monkeypatch.setattr(lobby, "_PATIENCE_S", 3600.0)
    socket.setdefaulttimeout(0.01)
    try:
        with attacker(runtime_dir) as slow:
            until(lambda: inside(there.context).lobby._silent or len(there.up) > 1, there.engine)
            turn(there)
            slow.greet()
            until(lambda: len(there.up) > 1, there.engine)
            assert there.up[-1][1]
    finally:
        socket.setdefaulttimeout(None)


# After the handshake


def established(there: Side, runtime_dir: Path, terms: handshake.Terms = TERMS) -> Attacker:
    bad = Attacker(runtime_dir)
    known = len(there.up)
    bad.greet(terms)
    until(lambda: len(there.up) > known, there.engine)
    assert there.up[-1][1]
    assert bad.code() == ErrorCode.SUCCESS
    assert len(bad.fds) == 3  # two rings, and one bell for both: nobody pulls from this server
    return bad


def gone(there: Side, bad: Attacker, ok: bool = False) -> None:
    """The server has dropped it, told the program once, and hung up."""
    until(lambda: there.down, there.engine)
    assert there.down == [(there.up[-1][0], ok)]
    bad.close()


def test_a_bare_socket_can_be_a_good_client(service: tuple[Side, Side], runtime_dir: Path) -> None:
    bad = established(service[0], runtime_dir)
    sender, receiver = bad.rings()
    assert send(sender.tx, b"hello") == 0
    until(lambda: service[0].messages == [b"hello"], service[0].engine)
    bad.say(handshake.BYE)
    sender.close()
    receiver.close()
    bad.sock.close()
    gone(service[0], bad, ok=True)


@pytest.mark.parametrize(
    "data", [b"x", b"CMCHBYE!", GOOD, bytes(60_000)], ids=["byte", "almost a farewell", "greeting", "long"]
)
def test_noise_on_the_socket(service: tuple[Side, Side], runtime_dir: Path, data: bytes) -> None:
    bad = established(service[0], runtime_dir)
    fds = bells(3)
    bad.say(data, fds)
    close_all(fds)
    gone(service[0], bad)


def test_a_flood_of_descriptors_on_the_socket(service: tuple[Side, Side], runtime_dir: Path) -> None:
    bad = established(service[0], runtime_dir)
    fds = bells(100)
    bad.say(handshake.BYE, fds)
    close_all(fds)
    gone(service[0], bad)


HEADS = {
    "head beyond": lambda words: words.__setitem__("head", 1000),
    "head backwards": lambda words: words.__setitem__("head", -1),
    "length above the limit": lambda words: words.set_length(0, 4081),
    "length 0xFFFFFFFF": lambda words: words.set_length(0, 0xFFFFFFFF),
}


@pytest.mark.parametrize("name", HEADS)
def test_a_corrupt_ring_ends_its_own_connection_only(service: tuple[Side, Side], runtime_dir: Path, name: str) -> None:
    bad = established(service[0], runtime_dir)
    sender, receiver = bad.rings()
    words = Words(bad.fds[0])
    assert lib.comch_send(sender.tx, b"hello", 5) in (0, lib.COMCH_POLL)
    if not words["head"]:
        assert send(sender.tx, b"hello") == 0
    HEADS[name](words)
    words.close()
    gone(service[0], bad)
    assert b"hello" not in service[0].messages
    sender.close()
    receiver.close()


def test_two_threads_that_find_a_liar_blame_nobody_else(service: tuple[Side, Side], runtime_dir: Path) -> None:
    there = service[0]
    bad = established(there, runtime_dir)
    words = Words(bad.fds[0])
    HEADS["head beyond"](words)
    words.close()
    poller = vars(there.engine)["_handle"].poller
    found: list[Any] = []
    while len(found) < 2:
        if isinstance(liar := poller.receive(1 << 16), Link):
            found.append(liar)
        else:
            poller.polled()
    for liar in found:  # the second, as the first has gone
        liar.on_protocol_violation()
    assert found == [vars(there.up[-1][0])["_handle"]] * 2
    gone(there, bad)


@pytest.mark.parametrize("word", ["tail", "tail_pos"])
def test_a_corrupt_reader_fails_the_sends_to_it(service: tuple[Side, Side], runtime_dir: Path, word: str) -> None:
    there = service[0]
    bad = established(there, runtime_dir, handshake.Terms(4080, False, 1, 1))
    words = Words(bad.fds[1])
    words[word] = 77
    tasks = [there.send(b"x", there.up[-1][0]) for _ in range(5)]
    gone(there, bad)
    words.close()
    assert len(there.done) + len(there.failed) == 5
    assert {task.status for task in tasks} <= {ErrorCode.SUCCESS, ErrorCode.CONNECTION_RESET}
    assert there.failed


def test_rings_that_change_while_they_are_read(service: tuple[Side, Side], runtime_dir: Path) -> None:
    """Nothing but the liar's connection ends, whatever it writes and when."""
    there = service[0]
    for seed in range(6):
        there.down.clear()
        bad = established(there, runtime_dir)
        words = Words(bad.fds[0])
        until_s = time.monotonic() + 0.1
        number = 0
        while not there.down and time.monotonic() < until_s:
            number += 1
            words["head"] = number * (seed + 1) % 200
            words["jump"] = number % 7
            words["cut"] = -1 if number % 3 else number % 90
            words.set_length(number * 16 % 4096, number * 77 % 5000)
            there.engine.progress()
        words.close()
        bad.close()
        until(lambda: there.down, there.engine)
        assert there.down == [(there.up[-1][0], False)]


def test_death_without_a_farewell(service: tuple[Side, Side], runtime_dir: Path) -> None:
    bad = established(service[0], runtime_dir)
    sender, receiver = bad.rings()
    send(sender.tx, b"last words")
    bad.sock.close()
    until(lambda: service[0].messages == [b"last words"], service[0].engine)
    gone(service[0], bad)
    sender.close()
    receiver.close()


# The same to a server that pulls


def test_a_pulling_server_reports_a_liar_once_and_serves_the_others(runtime_dir: Path) -> None:
    with comch.open_device("03:00.0") as device, comch.Server(device, "b1:00.0", "svc") as there:
        with attacker(runtime_dir) as bad, attacker(runtime_dir) as honest:
            for each in (bad, honest):
                each.greet()
                with pytest.raises(comch.TimeOut):
                    there.receive(timeout=0.02)
                assert each.code() == ErrorCode.SUCCESS
            sender, receiver = bad.rings()
            send(sender.tx, b"lie")
            words = Words(bad.fds[0])
            words.set_length(0, 0xFFFFFFFF)
            with pytest.raises(comch.ConnectionReset) as caught:
                there.receive(timeout=SOON_S)
            with pytest.raises(comch.ConnectionReset):
                caught.value.connection.send(b"x")
            other_sender, other_receiver = honest.rings()
            send(other_sender.tx, b"truth")
            assert there.receive(timeout=SOON_S).data == b"truth"
            with pytest.raises(comch.TimeOut):
                there.receive(timeout=0.02)
            words.close()
            for end in (sender, receiver, other_sender, other_receiver):
                end.close()


def test_a_flush_to_a_lying_reader_ends(runtime_dir: Path) -> None:
    with comch.open_device("03:00.0") as device, comch.Server(device, "b1:00.0", "svc") as there:
        with attacker(runtime_dir) as bad:
            bad.greet(handshake.Terms(4080, False, 8, 1))
            with pytest.raises(comch.TimeOut):
                there.receive(timeout=0.02)
            assert bad.code() == ErrorCode.SUCCESS
            own = handshake.Terms(4080, False, 8, 1)
            sender, receiver = bad.rings(own)
            send(sender.tx, b"x")
            message = there.receive(timeout=SOON_S)
            for _ in range(4):
                message.reply(b"never read")
            words = Words(bad.fds[1])
            words["tail"] = 99
            with pytest.raises(comch.ConnectionReset, match="did not arrive"):
                message.connection.flush(timeout=SOON_S)
            words.close()
            sender.close()
            receiver.close()
