"""Two ends that set max_msg_size to different values do not connect, and the client is told both."""

from __future__ import annotations

import threading

import pytest

import comch_next as comch


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
            with pytest.raises(comch.ConnectionAborted) as refused, comch.Client(host, "sizes", max_msg_size=1024):
                pass
        finally:
            done.set()
            thread.join()
    told = "max_msg_size is 1024 at the client and 512 at the server"
    assert f"the server refuses (configuration invalid): {told}" in str(refused.value)
