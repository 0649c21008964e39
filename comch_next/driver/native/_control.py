"""What servers and clients have in common: the control path (guide: Comch, Configurations and Events)."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from comch_next._codes import State
from comch_next.driver.native._calls import Noun, as_bytes
from comch_next.driver.native._connection import Connection, living_connection
from comch_next.driver.native._context import Callback, Context, Contexts, expect_callback
from comch_next.driver.native._handle import address, live, nobody
from comch_next.driver.native._kernel import calls
from comch_next.driver.native._library import Library, ffi, passed
from comch_next.driver.native._send_task import OwnTask, SendTask, SendTasks
from comch_next.driver.protocol import MASKED, Call, Own, interruptible, quoted, suppress_system, uninterrupted_in_c
from comch_next.errors import BadState, DocaError, InvalidValue

__all__ = ["ControlContext", "ControlContexts", "TaskPool"]


class ControlContext(Context):
    """A handle; Server and Client add how they meet.

    Its `connections` are known by their addresses, those that have ended until the next one begins: news of their
    consumers may come afterwards.
    """

    is_server: ClassVar[bool]
    alloc_init: ClassVar[str]  # the function that makes its tasks

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.connections: dict[int, Connection] = {}
        self.on_message: Callback = nobody
        self.view = False
        self.idle_msg_size: int | None = None
        self.up: Callback = nobody
        self.down: Callback = nobody
        self.new_consumer: Callback = nobody
        self.expired_consumer: Callback = nobody

    def connection_of(self, pointer: Any) -> Connection:
        """Return the handle of a connection of this context's, perhaps of one that has ended."""
        known = self.connections.get(address(pointer))
        return self.begin(pointer) if known is None else known

    def begin(self, pointer: Any) -> Connection:
        """Return the handle of a connection that has not ended, made when it is first seen."""
        known = self.connections.get(address(pointer))
        if known is None or known.is_gone():
            self.connections = {other: link for other, link in self.connections.items() if not link.is_gone()}
            known = Connection(pointer, self)
            self.connections[known.address] = known
        return known

    def received(self, number: int, length: int, connection: int) -> None:
        """Report a message. It and its connection are given by their addresses."""
        user_data = self.connection_of(ffi.cast("struct doca_comch_connection *", connection)).user_data
        data = bytes(ffi.buffer(ffi.cast("uint8_t *", number), length)) if length else b""
        if not self.view:
            interruptible(self.on_message, user_data, data)
            return
        view = memoryview(data)
        try:
            interruptible(self.on_message, user_data, view)
        except BaseException:
            with suppress_system(BufferError):  # the callback has kept some of it, but what it raised counts
                view.release()
            raise
        view.release()

    def own(self, connection: object, name: str) -> Connection:
        """Return a living connection of this context's, or refuse the call."""
        if not isinstance(connection, Connection) or connection.context is not self:
            raise InvalidValue(f"{name} takes a connection of this {self}, not {quoted(connection)}")
        if connection.pointer is not None:
            return connection
        if connection.is_gone() and self.life.state() is State.IDLE:  # which the library is not asked about any more
            raise BadState(f"{name} was attempted on a {self} while IDLE; start it first")
        return living_connection(connection, name)

    def moved(self, old: State, new: State) -> None:
        if new is State.STOPPING:
            for connection in list(self.connections.values()):
                connection.take_snapshot()
        super().moved(old, new)

    def became_idle(self) -> None:
        for connection in self.connections.values():
            connection.gone()

    def gone(self, fault: Callable[[str], DocaError] = InvalidValue) -> None:
        super().gone(fault)
        for connection in self.connections.values():
            connection.gone(fault)

    def changed(self, pointer: Any, up: bool, successful: bool) -> None:
        """Report a client that came, or went."""
        connection = self.begin(pointer) if up else self.connection_of(pointer)
        if not (up and successful):
            connection.take_snapshot()
            connection.gone()
        interruptible(self.up if up else self.down, connection, successful)

    def consumer_changed(self, pointer: Any, number: int, new: bool) -> None:
        """Report a consumer of the other side."""
        interruptible(self.new_consumer if new else self.expired_consumer, self.connection_of(pointer), number)

    def register(self, name: str, *callbacks: tuple[str, Callback]) -> None:
        """Register C callbacks, each a type and a method of this class's, which gets what C gives but the event."""
        life = self.life
        with self.lock:
            made = [life.callback(ctype, life.forward(method)) for ctype, method in callbacks]
            passed(life.library[name], name, live(self, ControlContext, name).pointer, *made)


_MESSAGE, _CONSUMER = "doca_comch_event_msg_recv_cb_t", "doca_comch_event_consumer_cb_t"
_MESSAGE_SHAPE = "void(uintptr_t, uintptr_t, uint32_t, uintptr_t)"


class ControlContexts(Contexts):
    """The noun Contexts of the driver protocol."""

    def start(self, ctx: object) -> State:
        context = live(ctx, Context, "doca_ctx_start")
        with context.lock:
            if isinstance(context, ControlContext):
                with suppress(BadState):  # of a started one, which the start reports
                    context.idle_msg_size = self._get(context, "get_max_msg_size")
            return super().start(context)

    def _own(self, ctx: object, call: str) -> tuple[ControlContext, str]:
        """Find the context, and how its kind's function is called."""
        kind = getattr(type(ctx), "kind", "doca_comch_server")
        name = f"{kind}_{call}"
        return live(ctx, ControlContext, name), name

    def _set(self, ctx: object, call: str, *values: Any) -> None:
        context, name = self._own(ctx, call)
        with context.lock:
            passed(self.library[name], name, live(context, ControlContext, name).pointer, *values)

    def _get(self, ctx: object, call: str) -> int:
        cell = ffi.new("uint32_t *")
        self._set(ctx, call, cell)
        return int(cell[0])

    def set_max_msg_size(self, ctx: object, size: int) -> None:
        self._set(ctx, "set_max_msg_size", size)

    def get_max_msg_size(self, ctx: object) -> int:
        try:
            return self._get(ctx, "get_max_msg_size")
        except BadState:  # which the header lists for an active context: then what it was while IDLE
            context, _ = self._own(ctx, "get_max_msg_size")
            if context.idle_msg_size is None:
                raise
            return context.idle_msg_size

    def set_recv_queue_size(self, ctx: object, size: int) -> None:
        self._set(ctx, "set_recv_queue_size", size)

    def get_recv_queue_size(self, ctx: object) -> int:
        return self._get(ctx, "get_recv_queue_size")

    def task_send_set_conf(self, ctx: object, done: Callback, failed: Callback, num_send_tasks: int) -> None:
        context, name = self._own(ctx, "task_send_set_conf")
        context.set_completions(name, "doca_comch_task_send_completion_cb_t", done, failed, num_send_tasks)

    def event_msg_recv_register(self, ctx: object, on_message: Callback, view: bool) -> None:
        context, name = self._own(ctx, "event_msg_recv_register")
        expect_callback(on_message, name)
        with context.lock:
            life = context.life
            slow = uninterrupted_in_c(life.forward(ControlContext.received))
            # As for completions: see set_completions.
            quick = slow if isinstance(on_message, Own) else calls.received(life, slow, MASKED)
            received = life.numbers_callback(_MESSAGE, _MESSAGE_SHAPE, quick)
            passed(self.library[name], name, live(context, ControlContext, name).pointer, received)
            context.on_message, context.view = on_message, bool(view)

    def event_consumer_register(self, ctx: object, new: Callback, expired: Callback) -> None:
        context, name = self._own(ctx, "event_consumer_register")
        expect_callback(new, name)
        expect_callback(expired, name)
        context.register(
            name,
            (_CONSUMER, lambda context, pointer, number: context.consumer_changed(pointer, number, True)),
            (_CONSUMER, lambda context, pointer, number: context.consumer_changed(pointer, number, False)),
        )
        context.new_consumer, context.expired_consumer = new, expired


class TaskPool(Noun):
    """What Servers and Clients have in common: tasks of their contexts' pools. They name their `context_kind`."""

    context_kind: type[ControlContext]

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._tasks = SendTasks(library)

    def task_send_alloc_init(self, ctx: Any, peer: Any, message: Any, user_data: object = None) -> SendTask:
        """A task from the context's pool. Takes its copy of the message now."""
        name = self.context_kind.alloc_init
        context = live(ctx, self.context_kind, name)
        data = message if type(message) is bytes else as_bytes(message, name)
        with context.lock:
            live(context, self.context_kind, name)  # again: another thread may have destroyed it
            task = context.alloc(SendTask, name, user_data, context.own(peer, name).pointer, data, len(data))
        task.data, task.peer = data, peer
        return task

    def quick_alloc(self, ctx: Any, slow: Call, base: type, program: object) -> Call | None:
        """Leave to `slow` what the library or the program has ended, and what is refused."""
        if base is object:
            return None
        kind = OwnTask.of(base, self._tasks)
        pointers = [self.library.address_of(name) for name in (self.context_kind.alloc_init, kind.as_task)]
        if not all(pointers):
            return None
        return calls.alloc(ctx, ctx.life, Connection, kind, program, slow, address(ctx.pointer), *pointers)
