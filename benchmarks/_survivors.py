"""Those that outlive their peers: python -m benchmarks._survivors NAME meets one per line of its input.

For each it says "met" before it begins to wait, and "lost" with the time (nanoseconds of the monotonic clock) at
which the API told it.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import comch_next as comch
import comm_channel_compat as cc

Steps = Iterator[None]  # one to get ready; then one up to the meeting and one up to the loss, over and over


def _server() -> comch.Server:
    return comch.Server(comch.open_device("03:00.0"), "b1:00.0", "bench")


def _epoll(fd: int) -> select.epoll:
    poller = select.epoll()
    poller.register(fd, select.EPOLLIN)
    return poller


def service_in_receive() -> Steps:
    with _server() as server:
        yield
        while True:
            server.receive()
            yield
            _expect_reset(server.receive)
            yield


def client_in_receive() -> Steps:
    device = comch.open_device("b1:00.0")
    yield
    while True:
        with comch.Client(device, "bench") as client:
            client.connection.send(b"are you there?")
            client.receive()
            yield
            _expect_reset(client.receive)
            yield


def _expect_reset(call: Callable[[], object]) -> Any:
    """Whose loss the call has told."""
    try:
        came = call()
    except comch.ConnectionReset as error:
        return error.connection
    raise RuntimeError(f"{came!r} came, where a loss should have been told")


def service_on_recv_fd() -> Steps:
    with _server() as server, _epoll(server.recv_fd) as poller:
        yield
        while True:
            server.receive()
            yield
            _expect_reset(lambda: _receive_asleep(server, poller))
            yield


def _receive_asleep(server: comch.Server, poller: select.epoll) -> comch.Message:
    while True:
        server.arm_recv()
        poller.poll()
        try:
            return server.receive(timeout=0)
        except comch.Again:
            pass


def service_on_engine() -> Steps:
    server = _server()
    engine = server.engine
    news: list[str] = []
    server.task_send_set_conf(print, print, 1)
    server.event_msg_recv_register(lambda connection, data: news.append("message"))
    server.event_connection_status_changed_register(
        lambda connection, ok: None, lambda connection, ok: news.append("left" if ok else "lost")
    )
    server.start()
    with _epoll(engine.notification_handle) as poller:
        yield
        for expected in _alternately("message", "lost"):
            while not news:
                while engine.progress():
                    pass
                if not news:
                    engine.request_notification()
                    poller.poll()
                    engine.clear_notification()
            if news.pop() != expected:
                raise RuntimeError(f"something else came than {expected!r}")
            yield


def _alternately(*words: str) -> Iterator[str]:
    while True:
        yield from words


def service_on_event_channel() -> Steps:
    ep = cc.Endpoint()
    device = cc.open_device("03:00.0")
    ep.set_device(device)
    ep.set_device_rep(device.open_representor("b1:00.0"))
    ep.listen("bench")
    with _epoll(ep.get_event_channel()[1]) as poller:
        yield
        while True:
            _recvfrom_asleep(ep, poller)
            yield
            peer = _expect_reset(lambda: _recvfrom_asleep(ep, poller))
            yield
            ep.disconnect(peer)


def _recvfrom_asleep(ep: cc.Endpoint, poller: select.epoll) -> bytes:
    while True:
        ep.event_handle_arm_recv()
        poller.poll()
        try:
            return ep.recvfrom(4080)[0]
        except cc.Again:
            pass


def bare_socket() -> Steps:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(os.environ["COMCH_RUNTIME_DIR"] + "/bare")
        listener.listen()
        yield
        while True:
            with listener.accept()[0] as sock:
                sock.recv(100)
                yield
                if came := sock.recv(100):
                    raise RuntimeError(f"{came!r} came, where an end was expected")
                yield


KINDS: dict[str, Callable[[], Steps]] = {
    "a bare socket in recv()": bare_socket,
    "service in receive()": service_in_receive,
    "client in receive()": client_in_receive,
    "service in epoll on recv_fd": service_on_recv_fd,
    "service in epoll on the engine's handle": service_on_engine,
    "generation 1 service in epoll": service_on_event_channel,
}


def main(name: str) -> None:
    steps = KINDS[name]()
    next(steps)
    print("ready", flush=True)
    for _ in sys.stdin:
        next(steps)
        print("met", flush=True)
        next(steps)
        print("lost", time.monotonic_ns(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
