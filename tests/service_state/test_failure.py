"""A service whose socket file is removed or replaced can be found by nobody: it has failed, for ever."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comm_channel_compat import Again, ConnectionAborted, ConnectionReset, Endpoint, NotConnected
from tests.compat import support
from tests.event_channels.support import SOON_S, ready, settles

pytestmark = pytest.mark.usefixtures("form")


def remove(socket: Path) -> None:
    socket.unlink()


def replace(socket: Path) -> None:
    other = socket.with_suffix(".other")
    other.touch()
    other.rename(socket)


def carry_off(socket: Path) -> None:
    socket.rename(socket.with_suffix(".away"))


@pytest.fixture(params=[remove, replace, carry_off])
def harm(request: pytest.FixtureRequest, runtime_dir: Path) -> Callable[[], None]:
    """What befalls the file of the only service."""

    def befall() -> None:
        (socket,) = runtime_dir.glob("*.sock")
        request.param(socket)

    return befall


def fail(form: str, service: Endpoint) -> None:
    """See the failure reported: at once, or when a helper thread that has just looked looks again."""

    def update() -> None:
        service.update_service_state_info()
        if form == "threaded":
            raise Again

    with pytest.raises(ConnectionReset):
        support.eventually(update)


def test_it_says_so_for_ever(pair: support.Pair, harm: Callable[[], None], form: str) -> None:
    to_client = pair.introduce()
    harm()
    fail(form, pair.service)
    for _ in range(3):
        with pytest.raises(ConnectionReset):
            pair.service.update_service_state_info()
        with pytest.raises(ConnectionReset):
            support.eventually(pair.service.recvfrom, 100)
        with pytest.raises(ConnectionReset):
            pair.service.sendto(b"x", to_client)
        with pytest.raises(ConnectionAborted):
            to_client.update_info()
    assert pair.service.get_peer_addr_list() == []
    assert pair.service.get_pending_connections() == 0


def test_its_peers_may_be_disconnected_all_the_same(pair: support.Pair, harm: Callable[[], None], form: str) -> None:
    to_client = pair.introduce()
    harm()
    fail(form, pair.service)
    pair.service.disconnect(to_client)
    with pytest.raises(NotConnected):  # as after any other disconnection
        pair.service.disconnect(to_client)
    with pytest.raises(ConnectionReset):
        support.eventually(pair.service.recvfrom, 100)


def test_a_service_that_sleeps_is_told_at_once(service: Endpoint, harm: Callable[[], None]) -> None:
    service_fd = service.get_service_event_channel()
    _, recv_fd = service.get_event_channel()
    service.event_handle_arm_recv()
    assert not ready(service_fd)
    assert not ready(recv_fd)
    harm()
    assert ready(service_fd, SOON_S)
    assert ready(recv_fd, SOON_S)
    with pytest.raises(ConnectionReset):
        service.update_service_state_info()
    assert ready(service_fd, SOON_S)  # and again
    service.event_handle_arm_recv()
    assert ready(recv_fd, SOON_S)


def test_after_destroy_the_name_is_free(pair: support.Pair, runtime_dir: Path, form: str) -> None:
    remove(next(runtime_dir.glob("*.sock")))
    fail(form, pair.service)
    pair.service.destroy()
    with pytest.raises(NotConnected):
        pair.service.destroy()
    assert support.service()


def test_a_file_that_is_only_touched_is_no_failure(service: Endpoint, runtime_dir: Path) -> None:
    fd = service.get_service_event_channel()
    (socket,) = runtime_dir.glob("*.sock")
    socket.chmod(0o600)
    service.update_service_state_info()
    assert settles(fd, service.update_service_state_info)
