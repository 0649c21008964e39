"""What every context has: an engine, a state, tasks, and callbacks from C (guide: DOCA Core Context)."""

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType
from typing import Any, ClassVar, TypeVar

from comch_next._codes import ErrorCode, State
from comch_next.driver.native._calls import Noun, as_pointer
from comch_next.driver.native._device import Dev
from comch_next.driver.native._handle import CLOSING_S, Handle, Life, live, nobody, task_at
from comch_next.driver.native._kernel import calls
from comch_next.driver.native._library import Library, check, ffi, passed, refusal
from comch_next.driver.native._progress import EngineLife
from comch_next.driver.native._task import Task
from comch_next.driver.protocol import (
    MASKED,
    Own,
    interruptible,
    monotonic,
    quoted,
    shielded,
    uninterrupted,
    uninterrupted_in_c,
)
from comch_next.errors import BadState, InvalidValue

__all__ = ["Callback", "Context", "ContextLife", "Contexts", "expect_callback"]

Callback = Callable[..., object]
_T = TypeVar("_T", bound=Task)
_COMPLETION = "void(uintptr_t, uint64_t, uint64_t)"  # of every kind of task


def expect_callback(value: object, name: str) -> None:
    """Raise InvalidValue unless it can be called: C would be given a function that cannot."""
    if not callable(value):
        raise InvalidValue(f"{name} takes a callback, not {quoted(value)}")


class ContextLife(Life):
    """The life of a context. Its callbacks come here, and reach the program through the handle, while there is one.

    `lock`: the engine's, once it has one.
    `tasks` are those that have not been freed: each address with that of its doca_task, the very object that the task's
    handle has; `submitted` those of them that the library has; `dropped` those that the program has dropped.
    `functions`: where those are that submit and free a task.
    """

    is_first = True  # until it has stopped, it may use buffers that are not children of its own

    def __init__(self, library: Library, kind: str, pointer: Any, parents: Iterable[Life]) -> None:
        super().__init__(self.destroy, parents)
        self.library, self.kind, self.pointer = library, kind, pointer
        self.ctx = library[f"{kind}_as_ctx"](pointer)
        self.engine: EngineLife | None = None
        self.tasks: dict[int, int] = {}
        self.submitted: dict[int, Task] = {}
        self.dropped: deque[tuple[int, int]] = deque()
        self.functions = tuple(library.address_of(name) for name in ("doca_task_submit", "doca_task_free"))
        self._callbacks: list[Any] = []  # as long as the library may call them
        changed = self.callback("doca_ctx_state_changed_callback_t", self._on_state)
        try:
            check(library["doca_ctx_set_state_changed_cb"](self.ctx, changed), "doca_ctx_set_state_changed_cb")
        except BaseException:
            self.end()  # there is no handle to do so
            raise

    def callback(self, ctype: str, function: Callback) -> Any:
        """Make a C callback, which must not know the handle; what it raises is kept for the end of progress.

        The library calls back once: no signal's handler ends what is done here, but those callbacks of the program.
        """
        return self._keeping(ctype, uninterrupted_in_c(function))

    def numbers_callback(self, ctype: str, shape: str, function: Callback) -> Any:
        """Make one of which the function, in C, gets addresses as numbers: `shape` is the type with these."""
        return ffi.cast(ctype, self._keeping(shape, function))

    def _keeping(self, ctype: str, function: Callback) -> Any:
        # Of what it raises cffi tells a plain Python function, which an interrupt could end before its first line.
        made = ffi.callback(ctype, function, onerror=shielded(self._keep))
        self._callbacks.append(made)
        return made

    def forward(self, method: Callback) -> Callback:
        """Make a function that has the context's method called, while there is one, with all but the event."""

        def call(_event: object, *args: Any) -> None:
            context = self.handle()
            if context is not None:
                method(context, *args)

        return call

    def completed(self, failed: bool, address: int, *_: int) -> None:
        """Report a completion. A task that was freed while submitted is not there."""
        task = self.submitted.pop(address, None)
        if task is not None:
            task.take_back(failed)
            context: Context | None = self.handle()
            if context is not None:
                interruptible(context.on_failed if failed else context.on_done, task.token)

    def _keep(self, kind: object, error: BaseException, trace: TracebackType | None) -> None:
        if self.engine is not None:
            self.engine.keep(kind, error, trace)

    def _on_state(self, _data: int, _ctx: object, old: int, new: int) -> None:
        if new == State.STOPPING:
            self.stopping()
        context: Context | None = self.handle()
        if context is not None:
            context.moved(State(old), State(new))

    def state(self) -> State:
        """Ask for the state."""
        cell = ffi.new("enum doca_ctx_states *")
        check(self.library["doca_ctx_get_state"](self.ctx, cell), "doca_ctx_get_state")
        return State(cell[0])

    @uninterrupted
    def free(self, address: int, base: int) -> None:
        """Give a task back to the pool, unless that has been done; another may have its address since."""
        if self.tasks.get(address) is base:
            del self.tasks[address]
            self.submitted.pop(address, None)
            self.library["doca_task_free"](task_at(base))

    @uninterrupted
    def free_dropped(self) -> None:
        """Free the tasks that the program has dropped."""
        while self.dropped:
            self.free(*self.dropped.popleft())

    def stopping(self) -> None:
        """Have the progress of its engine free what the program drops, until it is IDLE. Idempotent."""
        if self.engine is not None and self._free_until_idle not in self.engine.orphans:
            self.engine.orphans.append(self._free_until_idle)

    def _free_until_idle(self) -> bool:
        if self.is_over():
            return True
        self.free_dropped()
        return self.state() is not State.STOPPING

    def free_held(self) -> None:
        """Free every task that the library does not have."""
        for address, base in list(self.tasks.items()):
            if address not in self.submitted:
                self.free(address, base)

    # The end

    def destroy(self) -> None:
        """Have the library destroy it."""
        name = f"{self.kind}_destroy"
        check(self.library[name](self.pointer), name)

    def drop(self) -> None:
        self.wanted = False
        self.handle = nobody
        if self.engine is None:
            self.settle()
        else:
            self.engine.orphans.append(self.step)

    def settle(self) -> None:
        if self.engine is None:
            super().settle()

    def step(self) -> bool:
        """Take a step towards the end of what nobody needs: stop, free the tasks, destroy. Whether that was the end."""
        if self.is_over():
            return True
        if self.children:
            return False
        if self.state() in (State.STARTING, State.RUNNING):
            self.library["doca_ctx_stop"](self.ctx)
        self.free_held()
        if self.state() is not State.IDLE:
            return False
        self.end()
        return True

    def close_held(self) -> None:
        if self.engine is None:
            super().close_held()
            return
        self.handle = nobody
        deadline = monotonic() + CLOSING_S
        for child in reversed(list(self.children)):
            child.close()
        while not self.step() and monotonic() < deadline:
            self.engine.progress()


class Context(Handle):
    """A handle. `pointer` is that of its kind. The program's callbacks get what they got in the emulated library."""

    kind: ClassVar[str]  # the prefix of its C functions
    life: ContextLife

    def __init__(self, library: Library, pointer: Any, dev: Dev, parents: Iterable[Life]) -> None:
        self.dev = dev
        self.engine: Any = None  # the handle, which lives as long as its contexts
        self.user_data: Any = None
        self.state_changed: Callback | None = None
        self.on_done: Callback = nobody
        self.on_failed: Callback = nobody
        self.live_as(pointer, ContextLife(library, self.kind, pointer, parents))

    def __str__(self) -> str:
        return type(self).__name__.lower()

    def became_idle(self) -> None:
        """Note that the library has ended what belongs to a started context. Idempotent."""

    def moved(self, old: State, new: State) -> None:
        """Report a change of state."""
        if new is State.IDLE:
            self.became_idle()
        if self.state_changed is not None:
            interruptible(self.state_changed, self, old, new)

    @uninterrupted
    def set_completions(self, name: str, ctype: str, done: Callback, failed: Callback, number: int) -> None:
        """Configure a pool of tasks by that function: its callbacks, of that C type, and its depth."""
        expect_callback(done, name)
        expect_callback(failed, name)
        with self.lock:
            slow = [uninterrupted_in_c(partial(self.life.completed, failed)) for failed in (False, True)]
            # What is the library's own is never to be interrupted, whatever calls: the one in C does not see to that.
            quick = slow[False] if isinstance(done, Own) else calls.completed(self.life, slow[False], MASKED)
            callbacks = [self.life.numbers_callback(ctype, _COMPLETION, function) for function in (quick, slow[True])]
            passed(self.life.library[name], name, live(self, Context, name).pointer, *callbacks, number)
            self.on_done, self.on_failed = done, failed

    @uninterrupted
    def alloc(self, kind: type[_T], name: str, token: object, *args: Any) -> _T:
        """Have a function make a task, and return its handle; `token` is what its callbacks get."""
        life = self.life
        cell = ffi.new(kind.cell)
        with life.lock:
            if self.pointer is None:
                live(self, Context, name)
            if life.dropped:
                life.free_dropped()
            code = life.library[name](self.pointer, *args, cell)
            if code:
                raise refusal(code, name)
            return kind(cell[0], self, token)


class Contexts(Noun):
    """The calls of doca_ctx_*; ControlContexts adds those of servers and clients."""

    def _call(self, ctx: object, name: str, *args: Any) -> int:
        """Call a function of doca_ctx_* that may run callbacks; its code."""
        context = live(ctx, Context, name)
        with context.lock:
            code: int = self.library[name](live(context, Context, name).life.ctx, *args)
            if context.engine is not None:
                context.engine.life.raise_error()
        return code

    def start(self, ctx: object) -> State:
        return self._move(ctx, "doca_ctx_start")

    def stop(self, ctx: object) -> State:
        context = live(ctx, Context, "doca_ctx_stop")
        with context.lock:
            live(context, Context, "doca_ctx_stop").life.free_dropped()
            return self._move(context, "doca_ctx_stop")

    @uninterrupted
    def _move(self, ctx: object, name: str) -> State:
        code = self._call(ctx, name)
        if code != ErrorCode.IN_PROGRESS:
            check(code, name)
        state = self.get_state(ctx)
        # in case the library has not called back for it
        if state is State.IDLE:
            live(ctx, Context, name).became_idle()
        elif state is State.STOPPING:
            live(ctx, Context, name).life.stopping()
        return state

    @uninterrupted
    def destroy(self, ctx: object) -> None:
        context = live(ctx, Context, "destroy")
        with context.lock:
            live(context, Context, "destroy")  # again: another thread may have done it
            context.life.destroy()
            context.ended()

    def get_state(self, ctx: object) -> State:
        try:
            with live(ctx, Context, "doca_ctx_get_state").lock:
                return live(ctx, Context, "doca_ctx_get_state").life.state()
        except InvalidValue:
            if isinstance(ctx, Context) and ctx.is_gone():
                return State.IDLE  # another thread may have destroyed it
            raise

    def set_user_data(self, ctx: object, user_data: object) -> None:
        live(ctx, Context, "doca_ctx_set_user_data").user_data = user_data

    def get_user_data(self, ctx: object) -> Any:
        return live(ctx, Context, "doca_ctx_get_user_data").user_data

    def set_state_changed_cb(self, ctx: object, callback: Callback) -> None:
        context = live(ctx, Context, "doca_ctx_set_state_changed_cb")
        expect_callback(callback, "doca_ctx_set_state_changed_cb")
        context.state_changed = callback

    def get_num_inflight_tasks(self, ctx: object) -> int:
        cell = ffi.new("size_t *")
        check(self._call(ctx, "doca_ctx_get_num_inflight_tasks", cell), "doca_ctx_get_num_inflight_tasks")
        return int(cell[0])

    def take_back_tasks(self, ctx: object) -> None:
        context = live(ctx, Context, "take_back_tasks")
        with context.lock:
            live(context, Context, "take_back_tasks")
            if context.life.state() is State.STOPPING and not context.life.submitted:
                context.life.free_held()

    def set_datapath_on_dpa(self, ctx: object, dpa: int) -> None:
        name = "doca_ctx_set_datapath_on_dpa"
        check(self._call(ctx, name, as_pointer("struct doca_dpa *", dpa, name)), name)

    def flush_tasks(self, ctx: object) -> None:
        context = live(ctx, Context, "doca_ctx_flush_tasks")
        with context.lock:
            if self.get_state(context) is State.IDLE:  # the function cannot tell
                raise BadState("doca_ctx_flush_tasks was attempted on an IDLE context; start it first")
            self._call(context, "doca_ctx_flush_tasks")

    def get_device(self, ctx: object) -> Dev:
        return live(ctx, Context, "get_device").dev
