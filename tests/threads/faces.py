"""The public calls of both ends of a connection, by face: what threads do to each other, and what interrupts hit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import comch_next as comch
from comch_next import Counter, ErrorCode, State
from comm_channel_compat import Endpoint as OldEndpoint
from comm_channel_compat import flat, open_device
from tests.pull.support import FORMS
from tests.threads.blocking import Blocking
from tests.threads.cc import Generation2
from tests.threads.event_loop import EventLoop
from tests.threads.face import (
    DATA,
    DPU,
    HOST,
    Call,
    End,
    Face,
    close,
    destroy,
    engine_destroy,
    free,
    give_back,
    ignore,
    stop,
    then,
)
from tests.threads.fast_path import Fast
from tests.threads.memory import Memory

__all__ = ["DUELS", "FACES", "Call", "End", "Face"]

_DONE = (ErrorCode.SUCCESS, ErrorCode.AGAIN)


def _next(end: End) -> object:
    messages: Iterator[Any] = iter(end.context)
    return next(messages) if end.port is not None and end.port.pending else None


def _fds(*names: str) -> Call:
    def ask(end: End) -> object:
        return [getattr(end.port, f"{name}_fd") for name in names], [
            getattr(end.port, f"arm_{name}")() for name in names
        ]

    return ask


PULL: dict[str, Call] = {
    "connection.send": lambda end: end.connection.send(DATA, 0),
    "connection.send, waiting": lambda end: end.connection.send(DATA, 0.005),
    "connection.flush": lambda end: end.connection.flush(0.005),
    "connection.in_flight": lambda end: end.connection.in_flight,
    "connection.update_info": lambda end: end.connection.update_info(),
    "connection.get_counter": lambda end: end.connection.get_counter(Counter.SENT_MESSAGES),
    "connection.server": lambda end: (end.connection.server, end.connection.client),
    "send_to": lambda end: end.context.send_to(DATA, end.connection, 0),
    "try_send_to": lambda end: end.context.try_send_to(DATA, end.connection),
    "try_receive": lambda end: end.context.try_receive(),
    "receive": lambda end: end.context.receive(timeout=0),
    "receive, waiting": lambda end: end.context.receive(timeout=0.005),
    "receive, for ever": lambda end: end.context.receive(),
    "iter": _next,
    "port.send": lambda end: end.port.send(end.connection, DATA),
    "port.receive": lambda end: end.port.receive(),
    "port.accept": lambda end: end.port.accept(),
    "port.pending": lambda end: end.port.pending,
    "port.connections": lambda end: end.port.connections,
    "port.status": lambda end: end.port.status(end.connection),
    "port.update_info": lambda end: end.port.update_info(end.connection),
    "port.withdraw": lambda end: end.port.withdraw(end.connection),
    "port.in_flight": lambda end: (end.port.in_flight(end.connection), end.port.failed(end.connection)),
    "port.max_msg_size_of": lambda end: end.port.max_msg_size_of(end.connection),
    "port.fds": _fds("send", "recv"),
    "port.service_fd": _fds("service"),
    "port.ring_recv": lambda end: end.port.ring_recv(),
    "fds": lambda end: (end.context.send_fd, end.context.recv_fd, end.context.arm_send(), end.context.arm_recv()),
    "state": lambda end: (end.context.state, repr(end.context), end.context.num_inflight_tasks),
    "settings": lambda end: (
        end.context.max_msg_size,
        end.context.recv_queue_size,
        end.context.device,
        end.context.name,
    ),
    "configure": lambda end: end.context.configure(recv_queue_size=16),
    "progress": lambda end: end.engine.progress(),
    "wait": lambda end: end.engine.wait(0.001),
    "notification": lambda end: (end.engine.request_notification(), end.engine.clear_notification()),
    "num_inflight_tasks": lambda end: end.engine.num_inflight_tasks,
    "leave one": lambda end: end.context.disconnect(end.connection),
}


def _open(end: End) -> None:
    if end.is_server:
        end.context.listen()
    else:
        end.connection = end.context.connect(timeout=0)


def _open_again(end: End) -> None:
    """Listen or connect again, under a name of its own or the same."""
    if end.is_server:
        end.context.listen()
    else:
        end.context.connect(timeout=0.05)


def _leave(end: End) -> None:
    if end.is_server:
        end.context.disconnect(end.connection)
    else:
        end.context.disconnect()


class Pull(Face):
    """The conveniences and the pull port."""

    calls = PULL
    ends: dict[str, Call] = {
        "close": close,
        "disconnect": _leave,
        "disconnect and again": then(_leave, _open_again),
        "stop": stop,
        "stop and start": then(stop, lambda end: end.context.start()),
        "stop, close the port": then(stop, lambda end: end.port.close()),
        "stop, reopen": then(stop, lambda end: end.port.reopen(), _open_again),
        "stop, configure, open again": then(stop, lambda end: end.context.configure(max_msg_size=999), _open_again),
        "stop, destroy": then(stop, destroy),
        "stop, destroy all": then(stop, destroy, engine_destroy),
        "destroy": then(destroy, engine_destroy),
    }

    one_sided = False

    def make(self, *, server: bool) -> End:
        end = End(server=server)
        end.device = comch.open_device(DPU if server else HOST)
        end.context = (comch.Server if server else comch.Client)(end.device, name="svc", one_sided=self.one_sided)
        if server:
            end.context.device_rep = end.representor = end.device.open_representor(HOST)
        end.engine = end.context.engine
        return end

    def open(self, end: End) -> None:
        _open(end)
        end.port = end.context.port

    def move(self, end: End) -> None:
        if end.is_server and end.connection is None:
            message = end.context.receive(timeout=0)
            end.connection = message.connection
        elif end.port is not None:
            end.context.try_receive()

    def is_up(self, end: End) -> bool:
        if end.connection is None:
            return False
        if not end.is_server:
            end.context.try_send_to(b"hello", end.connection)
            end.context.try_receive()
        return bool(end.port.status(end.connection) == ErrorCode.SUCCESS)

    def close(self, end: End) -> None:
        with suppress(comch.NotConnected):
            end.context.close()
        end.engine.destroy()
        give_back(end)


class OneSided(Pull):
    one_sided = True


def _submit(end: End) -> None:
    end.context.task_send_alloc_init(end.connection, DATA).submit()


def _hold(end: End) -> None:
    task = end.context.task_send_alloc_init(end.connection, DATA)
    task.free()


class Tasks(Face):
    """Contexts with callbacks, moved by their engines."""

    calls: dict[str, Call] = {
        "submit": _submit,
        "alloc and free": _hold,
        "progress": PULL["progress"],
        "wait": PULL["wait"],
        "notification": PULL["notification"],
        "num_inflight_tasks": PULL["num_inflight_tasks"],
        "flush_tasks": lambda end: end.context.flush_tasks(),
        "state": PULL["state"],
        "settings": PULL["settings"],
        "configure": PULL["configure"],
        "start": lambda end: end.context.start(),
        "leave one": PULL["leave one"],
        "connection": lambda end: end.context.connection if not end.is_server else None,
        "connection.update_info": PULL["connection.update_info"],
        "connection.get_counter": PULL["connection.get_counter"],
        "event_msg_recv_register": lambda end: end.context.event_msg_recv_register(ignore),
        "max_events": lambda end: setattr(end.engine, "max_events", None),
    }
    ends: dict[str, Call] = {
        "close": close,
        "disconnect": _leave,
        "disconnect and again": then(_leave, _open_again),
        "stop": stop,
        "stop and start": then(stop, lambda end: end.context.start()),
        "stop, destroy all": then(stop, destroy, engine_destroy),
        "destroy": then(destroy, engine_destroy),
    }

    def make(self, *, server: bool) -> End:
        end = End(server=server)
        end.device = comch.open_device(DPU if server else HOST)
        end.engine = comch.ProgressEngine()
        end.context = (comch.Server if server else comch.Client)(end.device, name="svc", engine=end.engine)
        end.context.task_send_set_conf(free, free, 16)
        end.context.event_msg_recv_register(ignore)
        if server:
            end.context.device_rep = HOST

            def came(connection: Any, ok: bool) -> None:
                end.connection = connection

            end.context.event_connection_status_changed_register(came, ignore)
        return end

    def open(self, end: End) -> None:
        _open(end)

    def move(self, end: End) -> None:
        end.engine.progress()

    def is_up(self, end: End) -> bool:
        end.engine.progress()
        return end.connection is not None and (end.is_server or end.context.state is State.RUNNING)

    close = Pull.close


def _arm_all(end: End) -> None:
    end.context.get_event_channel()
    end.context.event_handle_arm_send()
    end.context.event_handle_arm_recv()


def _service(end: End) -> None:
    end.context.update_service_state_info()
    end.context.get_peer_addr_list()
    end.context.get_pending_connections()


class Objects(Face):
    """Generation 1 in objects."""

    calls: dict[str, Call] = {
        "sendto": lambda end: end.context.sendto(DATA, end.connection),
        "recvfrom": lambda end: end.context.recvfrom(4080),
        "arm": _arm_all,
        "get_service_event_channel": lambda end: end.context.get_service_event_channel(),
        "service state": _service,
        "update_info": lambda end: end.connection.update_info(),
        "statistics": lambda end: (end.connection.get_send_messages(), end.connection.get_send_in_flight_messages()),
        "get": lambda end: (
            end.context.get_device(),
            end.context.get_max_msg_size(),
            end.context.get_send_queue_size(),
        ),
        "set": lambda end: end.context.set_recv_queue_size(32),
        "leave one": lambda end: end.context.disconnect(end.connection),
        "open": lambda end: end.context.listen("svc") if end.is_server else end.context.connect("svc"),
    }
    ends: dict[str, Call] = {
        "disconnect": lambda end: end.context.disconnect(end.connection),
        "disconnect and again": then(
            lambda end: end.context.disconnect(end.connection),
            lambda end: end.context.listen("svc") if end.is_server else end.context.connect("svc"),
        ),
        "destroy": lambda end: end.context.destroy(),
    }

    def make(self, *, server: bool) -> End:
        end = End(server=server)
        end.device = open_device(DPU if server else HOST)
        end.context = OldEndpoint()
        end.context.set_device(end.device)
        if server:
            end.representor = end.device.open_representor(HOST)
            end.context.set_device_rep(end.representor)
        return end

    def open(self, end: End) -> None:
        if end.is_server:
            end.context.listen("svc")
        else:
            end.connection = end.context.connect("svc")

    def move(self, end: End) -> None:
        with suppress(comch.Again):
            _, peer = end.context.recvfrom(4080)
            end.connection = end.connection or peer

    def is_up(self, end: End) -> bool:
        if end.connection is None:
            return False
        if not end.is_server:
            with suppress(comch.Again):
                end.context.sendto(b"hello", end.connection)
        with suppress(comch.ConnectionInprogress):
            end.connection.update_info()
            return True
        return False

    def close(self, end: End) -> None:
        with suppress(comch.NotConnected):
            end.context.destroy()
        give_back(end)


def _code(answer: Any) -> Any:
    code = answer[0] if isinstance(answer, tuple) else answer
    if not isinstance(code, int):
        raise AssertionError(f"a flat call answered {answer!r}")
    if code not in _DONE:
        raise comch.from_code(code, "a flat call")
    return answer


def _flat(name: str, *arguments: Callable[[End], object]) -> Call:
    call = getattr(flat, f"doca_comm_channel_{name}")
    return lambda end: _code(call(*(argument(end) for argument in arguments)))


def _ep(end: End) -> object:
    return end.context


def _peer(end: End) -> object:
    return end.connection


def _constant(value: object) -> Callable[[End], object]:
    return lambda _: value


_LISTEN = _flat("ep_listen", _ep, _constant("svc"))
_CONNECT = _flat("ep_connect", _ep, _constant("svc"))
_DISCONNECT = _flat("ep_disconnect", _ep, _peer)


def _flat_open(end: End) -> object:
    return _LISTEN(end) if end.is_server else _CONNECT(end)


class Flat(Objects):
    """Generation 1 in functions."""

    calls: dict[str, Call] = {
        "sendto": _flat("ep_sendto", _ep, _constant(DATA), _constant(len(DATA)), _constant(0), _peer),
        "recvfrom": _flat("ep_recvfrom", _ep, _constant(4080), _constant(0)),
        "get_event_channel": _flat("ep_get_event_channel", _ep),
        "arm_send": _flat("ep_event_handle_arm_send", _ep),
        "arm_recv": _flat("ep_event_handle_arm_recv", _ep),
        "get_service_event_channel": _flat("ep_get_service_event_channel", _ep),
        "update_service_state_info": _flat("ep_update_service_state_info", _ep),
        "get_peer_addr_list": _flat("ep_get_peer_addr_list", _ep),
        "get_pending_connections": _flat("ep_get_pending_connections", _ep),
        "update_info": _flat("peer_addr_update_info", _peer),
        "get_send_messages": _flat("peer_addr_get_send_messages", _peer),
        "in flight": _flat("peer_addr_get_send_in_flight_messages", _peer),
        "get_max_msg_size": _flat("ep_get_max_msg_size", _ep),
        "set_recv_queue_size": _flat("ep_set_recv_queue_size", _ep, _constant(32)),
        "leave one": _DISCONNECT,
        "open": _flat_open,
    }
    ends: dict[str, Call] = {
        "disconnect": _DISCONNECT,
        "disconnect and again": then(_DISCONNECT, _flat_open),
        "destroy": _flat("ep_destroy", _ep),
    }


FACES: dict[str, Face] = {
    "pull": Pull(),
    "one_sided": OneSided(),
    "tasks": Tasks(),
    "objects": Objects(),
    "flat": Flat(),
    "blocking": Blocking(),
    "generation 2": Generation2(),
    "fast path": Fast(),
    "fast path apart": Fast(apart=True),
    "memory": Memory(),
    "event loop": EventLoop(),
}
_DRIVER_ONLY = ("tasks", "generation 2", "fast path", "fast path apart", "memory")

# Each face in each form of the pull port, where it has one.
DUELS = [(face, form) for face in FACES for form in (("driver",) if face in _DRIVER_ONLY else FORMS)]
