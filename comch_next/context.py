"""What Server and Client share: the life and configuration of a context, and the pulling conveniences.

Guide: DOCA Core Context; Comch, Configurations and Events.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from comch_next._codes import State
from comch_next.connection import Connection, Message
from comch_next.device import Device
from comch_next.driver.protocol import Driver
from comch_next.engine import ProgressEngine, wait_readable
from comch_next.errors import Again, BadState, InvalidValue, Shutdown, TimeOut
from comch_next.pull import PullPort

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Context"]

_C = TypeVar("_C", bound=Callable[..., object])
_message = tuple.__new__  # half the price of calling a named tuple's class
_TICK_S = 0.05  # a stop has nobody to wake it: look again at least this often


class Context:
    """A server or a client (C: struct doca_ctx). Every error names the call, the state, and what is legal."""

    def __init__(self, driver: Driver, handle: Any, device: Device, name: str, engine: ProgressEngine | None) -> None:
        self.user_data: Any = None
        self.device = device
        self.name = name
        self._driver = driver
        self._contexts = driver.contexts
        self._tasks = driver.send_tasks
        self._handle = handle
        self._port: PullPort | None = None
        self._send_queue_size: int | None = None
        self._alive = True
        self._pid = os.getpid()
        self._state_changed_cb: Any = None
        self._own_engine = engine is None
        try:
            self.engine = engine if engine is not None else ProgressEngine(driver.name)
            self.engine.connect_ctx(self)
        except BaseException:
            self._contexts.destroy(handle)
            raise

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _configure(
        self, max_msg_size: int | None, recv_queue_size: int | None, send_queue_size: int | None
    ) -> None:
        """The optional keywords of the constructors; a refusal leaves nothing behind."""
        self._send_queue_size = send_queue_size
        try:
            if max_msg_size is not None:
                self.max_msg_size = max_msg_size
            if recv_queue_size is not None:
                self.recv_queue_size = recv_queue_size
        except BaseException:
            self.close()
            raise

    def _go_through(self, driver: Driver) -> None:
        """Make every call through another view of the same driver."""
        self._driver = driver
        self._contexts = driver.contexts
        self._tasks = driver.send_tasks

    def _connection(self, handle: Any) -> Connection:
        known: Connection | None = self._driver.connections.get_user_data(handle)
        return known if known is not None else Connection(self, handle)

    # Life

    def start(self) -> State:
        """Freeze the configuration and begin; the state reached (C: doca_ctx_start).

        Raises BadConfig without the mandatory callbacks, NotSupported on a device of the wrong side, AlreadyExist
        when the name is taken, Initialization when the meeting place cannot be used, BadState unless IDLE.
        """
        return self._contexts.start(self._handle)

    def stop(self) -> State:
        """Tell every peer and fail what waits; IDLE, or STOPPING until progress has finished (C: doca_ctx_stop)."""
        return self._contexts.stop(self._handle)

    @property
    def state(self) -> State:
        """IDLE, STARTING, RUNNING or STOPPING."""
        return self._contexts.get_state(self._handle)

    def set_state_changed_cb(self, callback: _C) -> _C:
        """Call `callback(context, old, new)` on every change of state. Returns it, so it decorates."""
        changed: Any = callback if not callable(callback) else lambda _, old, new: callback(self, old, new)
        self._contexts.set_state_changed_cb(self._handle, changed)
        self._state_changed_cb = changed
        return callback

    @property
    def num_inflight_tasks(self) -> int:
        """Tasks submitted and not completed."""
        return self._contexts.get_num_inflight_tasks(self._handle)

    def flush_tasks(self) -> None:
        """Push what was submitted without the flush flag (C: doca_ctx_flush_tasks)."""
        self._contexts.flush_tasks(self._handle)

    def destroy(self) -> None:
        """Give it back (C: doca_comch_*_destroy). Raises InUse unless IDLE; twice is harmless."""
        if self._alive:
            self._contexts.destroy(self._handle)
            self._alive = False
            self._port = None

    # Configuration, while IDLE

    @property
    def max_msg_size(self) -> int:
        """Bytes of the longest message. Setting it makes a peer with another setting unable to connect."""
        return self._contexts.get_max_msg_size(self._handle)

    @max_msg_size.setter
    def max_msg_size(self, size: int) -> None:
        self._contexts.set_max_msg_size(self._handle, size)

    @property
    def recv_queue_size(self) -> int:
        """Messages that wait here, per connection, before the sender's stay in flight."""
        return self._contexts.get_recv_queue_size(self._handle)

    @recv_queue_size.setter
    def recv_queue_size(self, size: int) -> None:
        self._contexts.set_recv_queue_size(self._handle, size)

    def task_send_set_conf(self, done: Callable[..., object], failed: Callable[..., object], num_tasks: int) -> None:
        """The callbacks `(task)` for sends that succeeded and failed, and the depth of the pool; mandatory."""
        self._contexts.task_send_set_conf(self._handle, done, failed, num_tasks)

    def event_msg_recv_register(self, callback: _C, view: bool = False) -> _C:
        """Call `callback(connection, data)` for every message; mandatory. Returns it, so it decorates.

        With `view` the data is a memoryview that is released after the callback, otherwise bytes.
        """
        self._contexts.event_msg_recv_register(self._handle, callback, view)
        return callback

    # Pulling

    def _open_port(self) -> PullPort:
        if self._port is None:
            PullPort(self, send_queue_size=self._send_queue_size)
        assert self._port is not None
        return self._port

    def receive(self, size: int | None = None, *, timeout: float | None = None) -> Message:
        """The oldest message of all connections. A server accepts waiting clients here, too.

        size: bytes that the caller can hold; a longer message stays, and InvalidValue tells its length.
        timeout: seconds; None waits for ever, 0 raises Again when nothing is there, otherwise TimeOut is raised.
        Raises ConnectionReset once for a peer that died, after its messages; on a client Shutdown when the server
        has left.
        """
        port = self._port
        if port is not None and (found := self._pull(port, size)) is not None:
            return _message(Message, found)
        return self._receive_later(port, size, timeout)

    def _receive_later(self, port: PullPort | None, size: int | None, timeout: float | None) -> Message:
        port = port or self._opened_port("receive")
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            if self._accept_waiting(port) and (found := self._pull(port, size)) is not None:
                return _message(Message, found)
            if timeout == 0:
                raise Again("receive: nothing waits")
            port.arm_recv()
            if not wait_readable(port.recv_fd, deadline):
                raise TimeOut(f"receive: nothing came to {self!r} within {timeout} s")
            if (found := self._pull(port, size)) is not None:
                return _message(Message, found)

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        return port.receive(size)

    def _accept_waiting(self, port: PullPort) -> bool:
        """Accept who waits; whether anybody did. Only a server has anybody to accept."""
        return False

    # Waiting in the program's own poll or epoll

    @property
    def send_fd(self) -> int:
        """A descriptor, ready when a send that raised Again may be tried again; see `arm_send`."""
        return self._opened_port("send_fd").send_fd

    @property
    def recv_fd(self) -> int:
        """A descriptor, ready when a message, a waiting client or a lost peer is there; see `arm_recv`."""
        return self._opened_port("recv_fd").recv_fd

    def arm_send(self) -> None:
        """Let `send_fd` become ready once, at once when there is room."""
        self._opened_port("arm_send").arm_send()

    def arm_recv(self) -> None:
        """Let `recv_fd` become ready once, at once when something waits."""
        self._opened_port("arm_recv").arm_recv()

    def _opened_port(self, call: str) -> PullPort:
        if self._port is None:
            raise BadState(f"{call} needs listen(), connect() or a with block; {self!r} runs on tasks and callbacks")
        return self._port

    def __iter__(self) -> Iterator[Message]:
        """Every message, waiting for each; on a client until the server leaves."""
        while True:
            try:
                yield self.receive()
            except Shutdown:
                return

    def close(self, timeout: float = 5.0) -> None:
        """Stop, progress to IDLE within `timeout` seconds, destroy, with an engine of its own; twice is harmless."""
        if not self._alive:
            return
        self._leave(timeout)
        self.destroy()
        if self._own_engine:
            self.engine.destroy()

    def _leave(self, timeout: float) -> None:
        try:
            self.stop()
        except BadState:
            if self.state is not State.IDLE:  # else it has been all along, or has become so by itself
                raise
        deadline = time.monotonic() + timeout
        while self.state is not State.IDLE:
            if not self.engine.progress():
                if time.monotonic() >= deadline:
                    raise TimeOut(f"{self!r} is {self.state.name} after {timeout} s; free its tasks and progress")
                self.engine.wait(_TICK_S)

    def __enter__(self) -> Self:
        raise InvalidValue("only a Server or a Client can be entered")

    def __exit__(self, *exc: object) -> None:
        if self._pid == os.getpid():  # a forked child leaves the block, too, and has nothing to close
            self.close()
