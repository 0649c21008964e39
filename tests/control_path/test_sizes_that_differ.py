"""Two ends that set max_msg_size to different values do not connect, and the client is told both."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

import comch_next as comch
from tests.control_path.pair import client, connect, leave, server, until
from tests.control_path.pulled import connected, listening
from tests.processes import SOON_S
from tests.pull.support import FORMS

pytestmark = pytest.mark.usefixtures("runtime_dir")


def test_the_client_is_told_both_sizes() -> None:
    with (
        comch.open_device("03:00.0") as device,
        device.open_representor("b1:00.0") as representor,
        comch.Server(device, representor, "sizes", max_msg_size=512) as server,
        comch.open_device("b1:00.0") as host,
    ):
        done = threading.Event()

        def serve() -> None:
            while not done.is_set():
                server.try_receive(timeout=0.01)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            with closing(comch.Client(host, "sizes", max_msg_size=1024)) as here:
                with pytest.raises(comch.ConnectionAborted) as refused:
                    here.connect(timeout=SOON_S)
        finally:
            done.set()
            thread.join()
    told = "max_msg_size is 1024 at the client and 512 at the server"
    assert f"the server refuses (configuration invalid): {told}" in str(refused.value)


def test_a_client_that_takes_short_messages_only_binds_no_other() -> None:
    there, narrow, wide = server(), client(max_msg_size=64), client()
    connect(there, narrow)
    connect(there, wide)
    there.send(bytes(4080))
    until(lambda: wide.messages, there.engine, wide.engine)
    assert wide.messages == [bytes(4080)]
    leave(narrow, wide, there)


def test_a_size_above_the_limit_of_the_server_s_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topology = tmp_path / "topology.toml"
    topology.write_text(
        "[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\nlimits = { max_msg_size = 8000 }\n"
        "representor = [{ pci_addr = 'b1:00.0' }]\n[[device]]\npci_addr = 'b1:00.0'\nside = 'host'\n"
    )
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))
    with listening() as there, pytest.raises(comch.ConnectionAborted) as refused:
        with connected(there, max_msg_size=9000):
            pass
    told = "the limits of its device are below a max_msg_size of 9000 or queues of 64 messages"
    assert f"the server refuses (bad argument): {told}" in str(refused.value)


@pytest.mark.parametrize("form", FORMS)
def test_nor_does_it_without_callbacks(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    with listening() as there, connected(there, max_msg_size=64), connected(there) as wide:
        wide.connection.send(b"hello")
        message = there.receive(timeout=SOON_S)
        message.reply(bytes(4080))
        assert wide.receive(timeout=SOON_S).data == bytes(4080)
