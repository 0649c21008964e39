"""Programs of two threads that share one endpoint under a lock; both sleep for as long as it takes to be woken.

`python -m tests.event_channels.exchange FACE ROLE`: it sends ROUNDS messages, receives as many, and waits for the end
of its input before it leaves: what is in flight then would be lost.
"""

from __future__ import annotations

import select
import sys
import threading
from typing import Any, Protocol

import comch_next as comch
import comm_channel_compat as cc
from tests.compat import support
from tests.processes import SOON_S

ROUNDS = 2000
QUEUES: dict[str, Any] = {"send_queue_size": 8, "recv_queue_size": 8}  # so that either thread has to sleep now and then


class End(Protocol):
    """One endpoint: what its face calls the four calls and the two descriptors."""

    peer: Any

    def send(self, data: bytes) -> bool: ...
    def receive(self) -> bytes | None: ...
    def arm(self, channel: str) -> None: ...
    def descriptor(self, channel: str) -> int: ...


class Compat:
    """The old objects."""

    def __init__(self, role: str) -> None:
        self.ep: cc.Endpoint = getattr(support, role)(**QUEUES)
        self.peer = self.ep.connect(support.NAME) if role == "client" else None

    def send(self, data: bytes) -> bool:
        try:
            self.ep.sendto(data, self.peer)  # type: ignore[arg-type]
        except cc.Again:
            return False
        return True

    def receive(self) -> bytes | None:
        try:
            data, self.peer = self.ep.recvfrom(100)
        except cc.Again:
            return None
        return data

    def arm(self, channel: str) -> None:
        (self.ep.event_handle_arm_send if channel == "send" else self.ep.event_handle_arm_recv)()

    def descriptor(self, channel: str) -> int:
        return self.ep.get_event_channel()[channel == "recv"]


class Modern:
    """A one-sided context by its methods that raise."""

    def __init__(self, role: str, context: Any = None) -> None:
        self.context = context or comch.Channel(one_sided=True)
        device = comch.open_device(support.DPU if role == "service" else support.HOST)
        self.context.configure(device=device, **QUEUES)
        self.peer: Any = None
        if role == "service":
            self.context.device_rep = device.open_representor(support.REP)
            self.context.listen(support.NAME)
        else:
            self.peer = self.context.connect(support.NAME, timeout=0)

    def send(self, data: bytes) -> bool:
        try:
            self.context.send_to(data, self.peer, timeout=0)
        except comch.Again:
            return False
        return True

    def receive(self) -> bytes | None:
        try:
            data, self.peer = self.context.receive(100, timeout=0)
        except comch.Again:
            return None
        return data

    def arm(self, channel: str) -> None:
        (self.context.arm_send if channel == "send" else self.context.arm_recv)()

    def descriptor(self, channel: str) -> int:
        return int(self.context.send_fd if channel == "send" else self.context.recv_fd)


class Codes(Modern):
    """A one-sided Server or Client by its methods that return codes."""

    def __init__(self, role: str) -> None:
        super().__init__(role, (comch.Server if role == "service" else comch.Client)(one_sided=True))

    def send(self, data: bytes) -> bool:
        return _went(self.context.try_send_to(data, self.peer))

    def receive(self) -> bytes | None:
        code, data, _, peer = self.context.try_receive(100)
        if _went(code):
            self.peer = peer
        return data


def _went(code: comch.ErrorCode) -> bool:
    assert code in (comch.ErrorCode.SUCCESS, comch.ErrorCode.AGAIN)
    return code == comch.ErrorCode.SUCCESS


class Shared:
    """An end, its lock, and its two threads."""

    def __init__(self, end: End) -> None:
        self.end = end
        self.lock = threading.Lock()
        self.known = threading.Event()  # a service learns of its peer from the first message
        if end.peer is not None:
            self.known.set()
        self.got: list[bytes] = []
        self.failures: list[BaseException] = []

    def _sleep(self, poller: select.epoll, what: str) -> None:
        assert poller.poll(SOON_S), f"{what} lost its wake-up"

    def send_all(self) -> None:
        assert self.known.wait(SOON_S)
        with select.epoll() as poller:
            poller.register(self.end.descriptor("send"), select.EPOLLIN)
            for number in range(ROUNDS):
                while not self._attempt("send", b"%d" % number):
                    self._sleep(poller, f"send {number}")

    def receive_all(self) -> None:
        with select.epoll() as poller:
            poller.register(self.end.descriptor("recv"), select.EPOLLIN)
            while len(self.got) < ROUNDS:
                if self._attempt("recv"):
                    self.known.set()
                else:
                    self._sleep(poller, f"receive {len(self.got)}")

    def _attempt(self, channel: str, data: bytes = b"") -> bool:
        """Send or receive one message; when there is AGAIN, arm under the lock."""
        with self.lock:
            done = self.end.send(data) if channel == "send" else self._receive()
            if not done:
                self.end.arm(channel)
            return done

    def _receive(self) -> bool:
        if (data := self.end.receive()) is None:
            return False
        self.got.append(data)
        return True

    def run(self) -> None:
        """Send and receive everything; raise what a thread has failed with."""
        threads = [threading.Thread(target=self._guard, args=(work,)) for work in (self.send_all, self.receive_all)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def _guard(self, work: Any) -> None:
        try:
            work()
        except BaseException as failure:
            self.failures.append(failure)


FACES: dict[str, Any] = {"compat": Compat, "channel": Modern, "codes": Codes}


if __name__ == "__main__":
    shared = Shared(FACES[sys.argv[1]](sys.argv[2]))
    print("open", flush=True)
    shared.run()
    assert shared.got == [b"%d" % number for number in range(ROUNDS)]
    print("exchanged", flush=True)
    sys.stdin.read()
