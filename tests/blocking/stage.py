"""Endpoints of DOCA 1.4 for one test, in the flat names, and what stands in their way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comm_channel_compat import blocking
from tests.processes import SOON_S, Child, StartPython
from tests.topologies import faulty

cc: Any = blocking  # it makes the C names at import, where mypy cannot see them
NAME = "blocking"

SERVICE = """
import comm_channel_compat.blocking as cc
rc, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr())
assert cc.doca_comm_channel_ep_listen(ep, "blocking") == 0
print("listening", flush=True)
while True:
    cc.doca_comm_channel_ep_recvfrom(ep, 100, 0)
"""


def code_of(answer: Any) -> int:
    return int(answer[0] if isinstance(answer, tuple) else answer)


class Stage:
    """The endpoints of a test; `close` destroys those that live."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython) -> None:
        self.folder, self.monkeypatch, self.start_python = folder, monkeypatch, start_python
        self._made: list[Any] = []
        self.serves_elsewhere = False

    def endpoint(self, **attributes: int) -> Any:
        rc, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr(**attributes))
        assert rc == cc.DOCA_SUCCESS
        self._made.append(ep)
        return ep

    def service(self, **attributes: int) -> Any:
        ep = self.endpoint(**attributes)
        assert cc.doca_comm_channel_ep_listen(ep, NAME) == cc.DOCA_SUCCESS
        return ep

    def connected(self, **attributes: int) -> tuple[Any, Any, Any, Any]:
        """A service and a client of one process, and each one's peer; the service has read a first message."""
        service, client = self.service(**attributes), self.endpoint(**attributes)
        came: list[Any] = []
        waiting = threading.Thread(target=lambda: came.append(cc.doca_comm_channel_ep_recvfrom(service, 100, 0)))
        waiting.start()
        rc, to_service = cc.doca_comm_channel_ep_connect(client, NAME)
        assert rc == cc.DOCA_SUCCESS
        assert cc.doca_comm_channel_ep_sendto(client, b"hello", 5, 0, to_service) == cc.DOCA_SUCCESS
        waiting.join(SOON_S)
        rc, msg, length, to_client = came[0]
        assert (rc, msg, length) == (cc.DOCA_SUCCESS, b"hello", 5)
        return service, client, to_service, to_client

    def serve(self) -> Child:
        """From here on a service listens in another process."""
        self.serves_elsewhere = True
        child = self.start_python("-c", SERVICE)
        child.wait_for("listening")
        return child

    def devices_with(self, fault: str) -> None:
        faulty(self.folder, self.monkeypatch, fault)

    def nowhere(self) -> None:
        """From here on there is no place to meet."""
        (self.folder / "file").touch()
        self.monkeypatch.setenv("COMCH_RUNTIME_DIR", str(self.folder / "file"))

    def on_side(self, side: str) -> None:
        self.monkeypatch.setenv("COMCH_SIDE", side)

    def until(self, call: Callable[[], Any], wanted: int) -> Any:
        """The first answer that is not DOCA_SUCCESS."""
        answer = call()
        while code_of(answer) == cc.DOCA_SUCCESS:
            answer = call()
        assert code_of(answer) == wanted
        return answer

    def close(self) -> None:
        for ep in self._made:  # services first: a client waits for what has been sent to one that lives
            cc.doca_comm_channel_ep_destroy(ep)
