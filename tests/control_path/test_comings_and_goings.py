"""Connect, listen, leave and close: who is waited for, and who is told."""

from __future__ import annotations

import errno
from unittest.mock import Mock

import pytest

import comch_next as comch
from comch_next import (
    Again,
    AlreadyExist,
    BadState,
    Client,
    ConnectionAborted,
    NotConnected,
    Server,
    Shutdown,
    State,
    TimeOut,
)
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.meeting import runtime_dir
from tests.control_path.pair import DPU, HOST, REP, leave, pair, until
from tests.control_path.pulled import connected, listening
from tests.processes import SOON_S
from tests.sleeps import at_first_sleep, counted_sleeps


def test_nobody_listens() -> None:
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        for timeout in (0, 1.0, None):
            with pytest.raises(ConnectionAborted, match=f"connect: .*nobody listens on it in {runtime_dir()}"):
                here.connect(timeout=timeout)
            assert here.state is State.IDLE
        with pytest.raises(ConnectionAborted), Client(device, "svc"):
            pytest.fail("there is no server")
        here.close()


def test_connect_gives_up_at_its_deadline_and_may_try_again() -> None:
    with listening() as there, comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        with counted_sleeps() as slept, pytest.raises(TimeOut, match="not accepted within"):
            here.connect(timeout=0.1)
        assert slept.seconds == pytest.approx(0.1)
        assert here.state is State.IDLE
        connection = here.connect(timeout=0)
        for _ in range(2):
            with pytest.raises(Again):
                there.receive(timeout=0)
        here.engine.progress()
        connection.update_info()
        here.close()


def test_a_client_that_was_never_let_in_does_not_sleep_for_ever() -> None:
    """It receives without a deadline while its server goes away."""
    there = comch.Server(comch.open_device(DPU), REP, "svc")
    there.listen()
    here = comch.Client(comch.open_device(HOST), "svc")
    here.connect(timeout=0)
    with at_first_sleep(there.close), pytest.raises(ConnectionAborted):
        here.receive()
    with pytest.raises(ConnectionAborted):
        here.receive(timeout=0)
    here.close()


def test_a_refused_client_hears_why() -> None:
    """It never reaches accept(): the server only looks at its sockets."""
    with listening(max_msg_size=100) as there, comch.open_device("b1:00.0") as device:
        here = Client(device, "svc", max_msg_size=200)
        connection = here.connect(timeout=0)
        with pytest.raises(TimeOut):
            there.receive(timeout=0.02)
        here.engine.progress()
        assert here.state is State.IDLE
        with pytest.raises(ConnectionAborted, match="refuses"):
            connection.update_info()
        here.close()


def test_client_leaves_in_order() -> None:
    with listening() as there, connected(there) as here:
        here.connection.send(b"last")
        connection = here.connection
        here.disconnect()
        assert here.state is State.IDLE
        with pytest.raises(NotConnected):
            connection.send(b"x")
        with pytest.raises(BadState, match="connect first"):
            here.disconnect()
        message = there.receive(timeout=SOON_S)
        assert message.data == b"last"
        with pytest.raises(Again):
            there.receive(timeout=0)
        assert message.reply(b"too late") is False
        with pytest.raises(Shutdown):
            message.connection.send(b"too late")
        assert here.connect(timeout=0) is not connection
        with pytest.raises(Again):
            there.receive(timeout=0)


def test_server_leaves_in_order() -> None:
    with listening() as there, connected(there) as here:
        connection = here.connection
        connection.send(b"x")
        there.receive(timeout=SOON_S).reply(b"last")
        there.close()
        assert here.receive(timeout=SOON_S).data == b"last"
        for _ in range(3):
            with pytest.raises(Shutdown):
                here.receive(timeout=SOON_S)
        with pytest.raises(Shutdown):
            connection.send(b"x")


def test_server_drops_one() -> None:
    with listening() as there, connected(there) as here, connected(there) as other:
        here.connection.send(b"x")
        message = there.receive(timeout=SOON_S)
        there.disconnect(message.connection)
        with pytest.raises(NotConnected):
            message.connection.send(b"x")
        assert message.reply(b"x") is False
        with pytest.raises(Shutdown):
            here.receive(timeout=SOON_S)
        other.connection.send(b"still here")
        assert there.receive(timeout=SOON_S).data == b"still here"


def test_iteration() -> None:
    with listening() as there, connected(there) as here:
        for number in range(3):
            here.connection.send(b"%d" % number)
        for number, message in enumerate(there):
            assert message.data == b"%d" % number
            message.reply(message.data)
            if number == 2:
                break
        there.close()
        assert [message.data for message in here] == [b"0", b"1", b"2"]
        assert list(here) == []


def test_close_twice_is_harmless() -> None:
    device, host = comch.open_device("03:00.0"), comch.open_device("b1:00.0")
    there, here = Server(device, "b1:00.0", "svc"), Client(host, "svc")
    there.listen()
    here.connect(timeout=0)
    for _ in range(2):
        here.close()
        there.close()
    for call in (there.listen, lambda: here.connect(timeout=0), lambda: there.receive(timeout=0)):
        with pytest.raises(comch.DocaError):
            call()
    device.close()
    host.close()


def test_close_in_a_with_block_is_harmless() -> None:
    with listening() as there:
        there.close()
        assert there.state is State.IDLE


def test_listen_twice_and_a_taken_name() -> None:
    with listening() as there:
        with pytest.raises(BadState, match=r"listen was attempted on .* while RUNNING"):
            there.listen()
        with pytest.raises(AlreadyExist, match="'svc' is taken"), listening():
            pytest.fail("the name is taken")
        with listening("other"):
            pass
    with listening():
        pass


def test_a_farewell_that_has_no_room_is_one_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """News of consumers that the peer has not read fill the socket; the rings have the word, too."""
    there, here = pair()
    with monkeypatch.context() as patch:
        patch.setattr(handshake, "farewell", Mock(side_effect=BlockingIOError(errno.EAGAIN, "full")))
        leave(here)
    until(lambda: there.down, there.engine)
    assert [ok for _, ok in there.down] == [True]
    leave(there)
