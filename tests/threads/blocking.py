"""The blocking channel of DOCA 1.2 to 1.4, as threads and interrupts attack it."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import comch_next as comch
from tests.threads.face import DATA, Call, End, Face, close

NAME = "svc"


class Blocking(Face):
    """A client's connect returns when the service lets it in, so a thread waits there."""

    calls: dict[str, Call] = {
        "send_to": lambda end: end.context.send_to(DATA, end.connection, 0),
        "send_to, waiting": lambda end: end.context.send_to(DATA, end.connection, 0.005),
        "receive": lambda end: end.context.receive(timeout=0),
        "receive, short": lambda end: end.context.receive(3, timeout=0),
        "receive, waiting": lambda end: end.context.receive(timeout=0.005),
        "receive, for ever": lambda end: end.context.receive(),
        "try_receive": lambda end: end.context.try_receive(timeout=0),
        "recv_fd": lambda end: end.context.recv_fd,
        "repr": lambda end: repr(end.context),
        "listen": lambda end: end.context.listen(NAME),
        "update_info": lambda end: end.connection.update_info(),
        "counter": lambda end: end.connection.get_counter(comch.Counter.SENT_MESSAGES),
    }
    ends: dict[str, Call] = {
        "disconnect": lambda end: end.context.disconnect(end.connection),
        "close": close,
    }

    def make(self, *, server: bool) -> End:
        end = End(server=server)
        end.context = comch.BlockingChannel(comch.InitAttr())
        return end

    def open(self, end: End) -> None:
        if end.is_server:
            end.context.listen(NAME)
        else:
            end.port = threading.Thread(target=self._connect, args=(end,), daemon=True)
            end.port.start()

    def _connect(self, end: End) -> None:
        end.connection = end.context.connect(NAME)

    def move(self, end: End) -> None:
        with suppress(comch.Again):
            message: Any = end.context.receive(timeout=0)
            end.connection = end.connection or message.connection

    def is_up(self, end: End) -> bool:
        if end.connection is None:
            return False
        if end.port is not None:
            end.port.join()
            end.port = None
            end.context.send_to(b"hello", end.connection, 0)
        return True

    def close(self, end: End) -> None:
        with suppress(comch.NotConnected):
            end.context.close()
