"""A driver as seen by the objects of an engine that has a helper thread: the same calls, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from comch_next._codes import State
from comch_next.driver.protocol import uninterrupted
from comch_next.errors import BadState, InUse, InvalidValue, NoMemory

if TYPE_CHECKING:
    from comch_next._threaded._helper import Helper

__all__ = ["GuardedDriver"]


class _Noun:
    """Every call takes the helper's lock; calls other than plain queries also wake the helper."""

    def __init__(self, noun: Any, helper: Helper) -> None:
        self._noun = noun
        self._helper = helper

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call: Callable[..., Any] = getattr(self._noun, name)
        helper = self._helper
        rouses = not name.startswith("get_")

        def guarded(*args: Any) -> Any:
            with helper.lock:
                try:
                    return call(*args)
                finally:
                    if rouses:
                        helper.wake()

        setattr(self, name, guarded)
        return guarded


class _Engines(_Noun):
    """The program's progress is one turn among others, and what it waits for is that anything has moved since."""

    def progress(self, pe: Any) -> bool:
        helper = self._helper
        with helper.lock:
            if helper.busy or not helper.ports:
                moved: bool = self._noun.progress(pe)  # inside a callback it is the driver who refuses
                return moved
            helper.poll(asked=True)
            news = helper.moves != helper.seen
            helper.seen = helper.moves
            return news

    def quick_progress(self, _: Any) -> None:
        """Every progress is a turn."""

    def quick_request(self, _: Any) -> None: ...

    def quick_clear(self, _: Any) -> None: ...

    def get_notification_handle(self, pe: Any) -> int:
        with self._helper.lock:
            handle: int = self._helper.bell.fd if self._helper.ports else self._noun.get_notification_handle(pe)
            return handle

    def request_notification(self, pe: Any) -> None:
        helper = self._helper
        with helper.lock:
            if not helper.ports:
                self._noun.request_notification(pe)
                return
            helper.bell.arm()
            helper.wake()  # its thread may take more now
            if helper.moves != helper.seen:
                helper.bell.ring()

    def clear_notification(self, pe: Any, handle: int) -> None:
        helper = self._helper
        with helper.lock:
            if helper.ports and handle in (0, helper.bell.fd):
                helper.bell.disarm()
            else:
                self._noun.clear_notification(pe, handle)

    @uninterrupted
    def connect_ctx(self, pe: Any, ctx: Any) -> None:
        with self._helper.lock:
            self._noun.connect_ctx(pe, ctx)
            self._helper.contexts.add(ctx)

    def destroy(self, pe: Any) -> None:
        self._noun.destroy(pe)
        self._helper.end()
        self._helper.bell.close()


class _Contexts(_Noun):
    """Reports to a port what the program does with its context."""

    def start(self, ctx: Any) -> State:
        helper = self._helper
        with helper.lock:
            ran = self._noun.get_state(ctx) is not State.IDLE
            try:
                state: State = self._noun.start(ctx)
            finally:  # a callback of the program may have raised, and the context has started all the same
                port = helper.port_of(ctx)
                with suppress(BadState):  # or it has forked, and this is the child
                    if port is not None and not ran and self._noun.get_state(ctx) is not State.IDLE:
                        port.started()
                helper.wake()
            return state

    def stop(self, ctx: Any) -> State:
        helper = self._helper
        with helper.lock:
            port = helper.port_of(ctx)
            try:
                state: State = self._noun.stop(ctx) if port is None else port.stop()
            finally:  # see `start`
                helper.wake()
            return state

    def destroy(self, ctx: Any) -> None:
        helper = self._helper
        with helper.lock:
            self._noun.destroy(ctx)
            helper.contexts.discard(ctx)
            port = helper.port_of(ctx)
        if port is not None:
            port.finish()

    def set_state_changed_cb(self, ctx: Any, callback: Any) -> None:
        with self._helper.lock:
            port = self._helper.port_of(ctx)
            if port is not None and callable(callback):
                port.state_changed = callback
            else:
                self._noun.set_state_changed_cb(ctx, callback)


class _Pool(_Noun):
    """Every call for a task takes the lock. The tasks of a context with a port are the port's."""

    def quick_alloc(self, *_: Any) -> None: ...

    def task_send_alloc_init(self, ctx: Any, *args: Any) -> Any:
        with self._helper.lock:
            if self._helper.port_of(ctx) is not None:
                raise NoMemory("task_send_alloc_init: the context is pulled from, and has no tasks; use send")
            return self._noun.task_send_alloc_init(ctx, *args)


class _Servers(_Pool):
    """Reports a disconnection to the port."""

    def disconnect(self, server: Any, connection: Any) -> None:
        helper = self._helper
        with helper.lock:
            port = helper.port_of(server)
            try:
                if port is not None and port.forget_lost(connection):
                    with suppress(InvalidValue, InUse):  # as the driver has forgotten it; a trace has the call, too
                        self._noun.disconnect(server, connection)
                else:
                    self._noun.disconnect(server, connection)
                    if port is not None:
                        port.disconnected(connection)
            finally:  # see `_Contexts.start`
                helper.wake()


class _Clients(_Pool):
    """A client may have fallen to IDLE before the program could ask for its connection."""

    def get_connection(self, client: Any) -> Any:
        with self._helper.lock:
            try:
                return self._noun.get_connection(client)
            except BadState:
                port = self._helper.port_of(client)
                if port is None or port.begun is None:
                    raise
                return port.begun


class GuardedDriver:
    """One attribute per noun, as comch_next.driver.protocol.Driver says."""

    def __init__(self, helper: Helper) -> None:
        driver = helper.driver
        self.name = driver.name
        self.devices: Any = driver.devices  # no engine, so nothing to guard
        self.engines: Any = _Engines(driver.engines, helper)
        self.contexts: Any = _Contexts(driver.contexts, helper)
        self.servers: Any = _Servers(driver.servers, helper)
        self.clients: Any = _Clients(driver.clients, helper)
        self.connections: Any = _Noun(driver.connections, helper)
        self.send_tasks: Any = _Noun(driver.send_tasks, helper)
        self.consumers: Any = _Noun(driver.consumers, helper)
        self.post_recv_tasks: Any = _Noun(driver.post_recv_tasks, helper)
        self.producers: Any = _Noun(driver.producers, helper)
        self.producer_send_tasks: Any = _Noun(driver.producer_send_tasks, helper)
        self.mmaps = driver.mmaps  # nor have these
        self.buf_inventories = driver.buf_inventories
        self.bufs = driver.bufs
        self.msgqs = driver.msgqs
        self.consumer_completions = driver.consumer_completions
        self.dpas = driver.dpas
        self.dpa_threads = driver.dpa_threads
        self.dpa_completions = driver.dpa_completions
        self.open_port = driver.open_port
        self.admin = driver.admin
