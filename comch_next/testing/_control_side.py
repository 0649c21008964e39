"""One end of the control path: servers or clients by name, connections and tasks by number."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from comch_next._codes import Counter, ErrorCode, State
from comch_next.client import Client
from comch_next.connection import Connection
from comch_next.consumer import Consumer
from comch_next.context import Context
from comch_next.device import Device, devices
from comch_next.errors import BadState, NotFound
from comch_next.producer import Producer
from comch_next.server import Server
from comch_next.testing._engine_side import EngineSide

__all__ = ["ControlSide"]

_PATHS: dict[str, tuple[type[Context], ...]] = {"fast": (Consumer, Producer), "control": (Server, Client)}
_CAPABILITY = {"server": "cap_server_is_supported", "client": "cap_client_is_supported"}


class _Held:
    """A task that has not been freed, and what its completion does: submit it again, keep it, or free it.

    `submitted`: it has not completed since; the library has it.
    """

    def __init__(self, task: Any, keep: bool, repeat: int) -> None:
        self.task = task
        self.keep = keep
        self.repeat = repeat
        self.submitted = False


def _first_capable(role: str, driver: str | None) -> Device:
    for info in devices(driver):
        if getattr(info, _CAPABILITY[role])():
            return info.open()
    raise NotFound(f"no device here can be a {role}")


class ControlSide(EngineSide):
    """Servers or clients, by `key`; connections by number in the order in which they came, -1 being the newest."""

    def __init__(self, role: str, service: str, driver: str | None = None) -> None:
        """role: "server" or "client". Takes the first device that can be one, and its first representor."""
        super().__init__(driver)
        self.service = service
        self.device = _first_capable(role, driver)
        self.rep = self.device.representors()[0].open() if role == "server" else None
        self.contexts: dict[str, Any] = {}
        self.connections: list[Connection] = []
        self.tasks: dict[int, _Held] = {}
        self._numbers = itertools.count()

    def number_of(self, connection: Connection) -> int:
        """Return the number of a connection, which it gets when it is first seen."""
        if connection.user_data is None:
            connection.user_data = len(self.connections)
            self.connections.append(connection)
        number: int = connection.user_data
        return number

    # Contexts

    def limit(self, name: str) -> int:
        """Return the result of a capability call of the device."""
        found: int = getattr(self.device.devinfo, name)()
        return found

    def open(
        self, key: str = "main", *, name: str | None = None, tasks: int = 64, lacking: str = "", **sizes: int
    ) -> None:
        """Make a server or client on the main engine, configured but for the part `lacking`, not started.

        sizes: max_msg_size in bytes, recv_queue_size in messages.
        """
        service, engine = self.service if name is None else name, self.engine("main")
        parts = ["task_send", "message", "consumer"]
        if self.rep is not None:
            self.contexts[key] = Server(self.device, self.rep, service, engine=engine)
            parts.append("connection")
        else:
            self.contexts[key] = Client(self.device, service, engine=engine)
        self.contexts[key].configure(**sizes)
        self.contexts[key].set_state_changed_cb(partial(self._on_state, key))
        for part in parts:
            if part != lacking:
                self.configure(part, key, tasks)

    def configure(self, part: str, key: str = "main", tasks: int = 64) -> None:
        """Set one part of the configuration: "task_send", "message", "connection" or "consumer"."""
        context, tell = self.contexts[key], partial(partial, self._on_connection, key)
        done, failed = (partial(self._on_task, kind, key) for kind in ("done", "failed"))
        calls: dict[str, Callable[[], object]] = {
            "task_send": lambda: context.task_send_set_conf(done, failed, tasks),
            "message": lambda: context.event_msg_recv_register(partial(self._on_message, key)),
            "connection": lambda: context.event_connection_status_changed_register(tell("up"), tell("down")),
            "consumer": lambda: context.event_consumer_register(tell("new"), tell("expired")),
        }
        calls[part]()

    def start(self, key: str = "main") -> str:
        """Start a context and return its state (C: doca_ctx_start)."""
        state: State = self.contexts[key].start()
        if isinstance(self.contexts[key], Client):
            self.number_of(self.contexts[key].connection)
        return state.name

    def stop(self, key: str = "main") -> str:
        """Stop a context and return its state (C: doca_ctx_stop)."""
        state: State = self.contexts[key].stop()
        return state.name

    def state(self, key: str = "main") -> str:
        """Return the state of a context (C: doca_ctx_get_state)."""
        state: State = self.contexts[key].state
        return state.name

    def get(self, name: str, key: str = "main") -> Any:
        """Return a property of a context that is a plain value."""
        return getattr(self.contexts[key], name)

    def set(self, name: str, value: Any, key: str = "main") -> None:
        """Set a property of a context."""
        setattr(self.contexts[key], name, value)

    def connect_engine(self, name: str, key: str = "main") -> None:
        """Connect a context to an engine (C: doca_pe_connect_ctx)."""
        self.engine(name).connect_ctx(self.contexts[key])

    def flush(self, key: str = "main") -> None:
        """Flush the tasks of a context (C: doca_ctx_flush_tasks)."""
        self.contexts[key].flush_tasks()

    def destroy(self, key: str = "main") -> None:
        """Destroy a context (C: doca_comch_*_destroy)."""
        self.contexts[key].destroy()
        del self.contexts[key]

    def close_device(self) -> None:
        """Close the representor, if there is one, and the device (C: doca_dev_rep_close, doca_dev_close)."""
        if self.rep is not None:
            self.rep.close()
        self.device.close()

    # Connections

    def connection_of(self, key: str = "main") -> int:
        """Return the number of a client's connection (C: doca_comch_client_get_connection)."""
        return self.number_of(self.contexts[key].connection)

    def disconnect(self, connection: int = -1, key: str = "main") -> None:
        """Disconnect a client (C: doca_comch_server_disconnect)."""
        self.contexts[key].disconnect(self.connections[connection])

    def refuse_clients(self, key: str = "main") -> None:
        """Disconnect every client in the callback that reports it."""
        self.hooks["up", key] = lambda connection, ok: self.disconnect(connection, key)

    def update_info(self, connection: int = -1) -> dict[str, int]:
        """Return the counters by name (C: doca_comch_connection_update_info)."""
        found = self.connections[connection]
        found.update_info()
        return {counter.name: found.get_counter(counter) for counter in Counter}

    # Tasks

    def task(
        self, data: Any, connection: int = -1, key: str = "main", *, keep: bool = False, repeat: int = 0
    ) -> int:
        """Take a send task, by number. Success submits it `repeat` times again; then it is freed, or kept."""
        made = self.contexts[key].task_send_alloc_init(self.connections[connection], data)
        return self.hold(made, keep, repeat)

    def send(self, data: Any, connection: int = -1, key: str = "main") -> int:
        """Take a task and submit it; it is freed when it completes."""
        number = self.task(data, connection, key)
        self.submit(number)
        return number

    def hold(self, task: Any, keep: bool, repeat: int) -> int:
        """Register a task and return its number."""
        number = next(self._numbers)
        task.user_data = number
        self.tasks[number] = _Held(task, keep, repeat)
        return number

    def submit(self, task: int, how: str = "submit", *args: int) -> None:
        """Submit a task (C: doca_task_submit, or doca_task_try_submit or doca_task_submit_ex by `how`)."""
        held = self.tasks[task]  # asked for now: a driver that calls back at once, as none may, has it freed by then
        getattr(held.task, how)(*args)
        held.submitted = True

    def free(self, task: int) -> None:
        """Free a task (C: doca_task_free). Its number stays valid, so that a second free can be tried."""
        self.tasks[task].task.free()

    # The end

    def leave(self, path: str) -> bool:
        """Stop the contexts of the "fast" or "control" path. Returns whether all of them are IDLE."""
        for number in [number for number, held in self.tasks.items() if not held.submitted]:
            with suppress(BadState):  # freed already
                self.free(number)
                del self.tasks[number]
        live = [context for context in self.contexts.values() if isinstance(context, _PATHS[path])]
        for context in live:
            if context.state in (State.STARTING, State.RUNNING):
                context.stop()
        self.turn()
        return all(context.state is State.IDLE for context in live)

    def release(self) -> None:
        """Destroy everything in order; every context is IDLE."""
        for key in reversed(list(self.contexts)):
            self.destroy(key)
        for name in list(self.engines):
            self.destroy_engine(name)
        self.close_device()

    # Callbacks

    def _on_state(self, key: str, context: object, old: State, new: State) -> None:
        self.tell("state", key, old.name, new.name)

    def _on_message(self, key: str, connection: Connection, data: bytes) -> None:
        self.tell("message", key, self.number_of(connection), data)

    def _on_connection(self, key: str, kind: str, connection: Connection, news: int) -> None:
        self.tell(kind, key, self.number_of(connection), news)

    def _on_task(self, kind: str, key: str, task: Any) -> None:
        self.expect_alive(task, key)
        self.tell(kind, key, task.user_data, task.status.name)
        self.dispose(task)

    def expect_alive(self, task: Any, key: str) -> None:
        """Record a completion; AssertionError if the task has been freed."""
        if task is None or task.user_data not in self.tasks:
            raise AssertionError(f"{key}: a completion of a task that has completed before and has been freed")
        self.tasks[task.user_data].submitted = False

    def dispose(self, task: Any) -> None:
        """Submit again, keep or free a completed task, as chosen when it was made."""
        held = self.tasks[task.user_data]
        if held.repeat and task.status is ErrorCode.SUCCESS:
            held.repeat -= 1
            task.submit()
            held.submitted = True
        elif not held.keep:
            task.free()
            del self.tasks[task.user_data]
