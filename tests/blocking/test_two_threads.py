"""A channel that one thread closes while another one is in a call of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from comch_next import BlockingChannel, DevInfo, DocaError, InitAttr, InvalidValue, NotConnected, devices
from tests.descriptors import collected_fds, open_fds
from tests.processes import SOON_S, python

NAME = "threads"


@pytest.fixture
def service(runtime_dir: Path) -> BlockingChannel:
    """A service that lets nobody in, because it does not receive."""
    channel = BlockingChannel(InitAttr())
    channel.listen(NAME)
    return channel


def close_under(channel: BlockingChannel, call: Callable[[], object]) -> DocaError:
    """Close the channel once the call waits in another thread; return what the call raises."""
    raised: list[DocaError] = []

    def run() -> None:
        try:
            call()
        except DocaError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while "not connected" in repr(channel):
        thread.join(0.01)
    thread.join(0.1)  # it has nothing to show for its sleep
    channel.close()
    thread.join(SOON_S)
    assert not thread.is_alive()
    return raised[0]


def test_connect(service: BlockingChannel) -> None:
    before, client = collected_fds(), BlockingChannel(InitAttr())
    assert close_under(client, lambda: client.connect(NAME))
    with pytest.raises(NotConnected):
        client.close()
    assert open_fds() == before
    service.close()


def test_listen(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The channel is closed when the call has looked at it already: it keeps no descriptor that nobody closes."""
    channel = BlockingChannel(InitAttr())

    def close_and_list() -> list[DevInfo]:
        channel.close()
        return devices()

    monkeypatch.setattr("comch_next._blocking.devices", close_and_list)
    before = collected_fds()
    with pytest.raises(InvalidValue, match="closed"):
        channel.listen(NAME)
    assert open_fds() == before


def test_receive(service: BlockingChannel) -> None:
    assert isinstance(close_under(service, service.receive), NotConnected)


FOREIGN = """
import _thread, time
from comch_next import BlockingChannel, InitAttr, NotConnected

channel = BlockingChannel(InitAttr())
channel.listen("threads")

def close():
    time.sleep(0.2)  # until the receive sleeps, which has nothing to show for it
    channel.close()

_thread.start_new_thread(close, ())
try:
    channel.receive()
except NotConnected:
    print("NotConnected")
"""


def test_receive_and_a_thread_that_the_threading_module_does_not_know(runtime_dir: Path) -> None:
    """Such as those of an extension."""
    assert python("-c", FOREIGN).finish().stdout == "NotConnected\n"


def test_the_message_stands_before_the_connection() -> None:
    channel = BlockingChannel(InitAttr())
    try:
        with pytest.raises(InvalidValue, match="message is 'text'"):
            channel.send_to("text", None)  # type: ignore[arg-type]
    finally:
        channel.close()
