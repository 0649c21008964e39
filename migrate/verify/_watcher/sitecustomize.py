"""What Python imports at its start in a program that is verified: it records which lines call the toolkit, and how
calls fail.

Appends JSON lines to a file per process in the folder that MIGRATE_WATCH names:

ran       the first call from a line: `at`
failed    a call from a line of the program, or by a library that the program gave it to, returned or raised a result
          other than success and waiting: `result`, `at`, `thread` and `t`, the monotonic clock in nanoseconds. `at` is
          the innermost line of the program, "" in a thread that has none. One that repeats the last one, result and
          place, is left out: how often a program asks may depend on the machine.

Lines of the program are those of files below MIGRATE_WATCH_ROOT. With MIGRATE_WATCH_HOLD=1, calls of the toolkit take
their time: what a program does only when it is quick shows as such.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import sys
import threading
import time

TYPE_CHECKING = False  # every Python that the program starts comes through here, and typing takes longer than the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.machinery import ModuleSpec
    from types import FrameType, ModuleType
    from typing import Any

_TOOLKIT = ("comch_next", "comm_channel_compat")
# The calls that return a result code, alone or first in a tuple: those of C names, `try_...`, and these.
_CODED = {"outcome", "outcomes", "outcome_list"}
_FLAT = {f"comm_channel_compat.{name}" for name in ("_flatten", "flat", "_hot", "blocking.flat", "blocking.endpoint")}
_PLAIN = {"doca_comm_channel_ep_event_channel_get"}  # of these, what returns something else
_SUNK, _BEHIND_C = "comch_next.capi._watched", "comch_next.capi.binding"  # what C libraries call, and their codes
_WAITING = {"DOCA_SUCCESS", "DOCA_ERROR_AGAIN", "DOCA_ERROR_CONNECTION_INPROGRESS", "DOCA_ERROR_IN_PROGRESS"}
_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit, KeyboardInterrupt, SystemExit)
_FOLDER = os.environ.get("MIGRATE_WATCH", "")
_ROOT = os.path.join(os.environ.get("MIGRATE_WATCH_ROOT", ""), "")

_IS_HELD = bool(os.environ.get("MIGRATE_WATCH_HOLD"))
_HELD_S = 2.0  # in all, for programs that make many calls

_ran: set[tuple[str, int]] = set()
_last: dict[str, tuple[str, str]] = {}  # result and place, by thread


def _is_toolkit(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in _TOOLKIT


def _is_program(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_ROOT)


def _is_asked(caller: FrameType) -> bool:
    """Whether a call comes from the program, or from a library that is not at work for the toolkit."""
    above: FrameType | None = caller
    while above is not None and not _is_program(above):
        if _is_toolkit(above):
            return False
        above = above.f_back
    return True


def _watch(frame: FrameType, event: str, arg: Any) -> Any:
    """Follow the frames of the program, and those of the toolkit that it calls."""
    if _is_program(frame):
        frame.f_trace_lines = False
        return _of_program
    caller = frame.f_back
    if caller is None or not _is_toolkit(frame) or not _is_asked(caller):
        return None
    place = caller.f_code.co_filename, caller.f_lineno
    if not _is_program(caller):
        caller.f_trace_lines, caller.f_trace = False, _of_program
    elif place not in _ran:
        _ran.add(place)
        _write({"what": "ran", "at": _at(caller)})
    if _IS_HELD:
        with _PAUSING:
            pause = next(_pauses)
        time.sleep(pause)
    if not _returns_code(frame):
        return None
    frame.f_trace_lines = False
    return _of_call


def _lengths(state: int) -> Iterator[float]:
    """Yield pauses in seconds: some calls have none, others up to 20 ms, and those that come late none again."""
    left = _HELD_S
    while left > 0:
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        pause = max(0, (state >> 16) % 16 - 7) * 0.0025
        left -= pause
        yield pause
    while True:
        yield 0.0


_pauses, _PAUSING = _lengths(1), threading.Lock()  # threads of the program share them


def _part() -> None:
    """Have pauses of its own in a forked child, or its siblings would race in step."""
    global _pauses, _PAUSING
    _pauses, _PAUSING = _lengths(os.getpid()), threading.Lock()


os.register_at_fork(after_in_child=_part)


def _is_coded(frame: FrameType) -> bool:
    """Whether a frame is what a call that returns a code was given to call: the program sees that code."""
    caller = frame.f_back
    return caller is not None and caller.f_code.co_name in _CODED and _is_toolkit(caller)


def _returns_code(frame: FrameType) -> bool:
    name, module = frame.f_code.co_name, frame.f_globals.get("__name__")
    if module in _FLAT:
        return name not in _PLAIN and bool(frame.f_globals.get("_returns", "doca_error_t") == "doca_error_t")
    if module == _SUNK:
        return bool(frame.f_locals.get("is_coded"))
    if module == _BEHIND_C:
        return name == "code_of"  # which a call that runs in C asks for
    return name in _CODED or name.startswith("try_")


def _of_call(frame: FrameType, event: str, arg: Any) -> Any:
    """A call that returns a code has returned."""
    if event == "return":
        code = arg[0] if isinstance(arg, tuple) and arg else arg
        if isinstance(code, int) and not isinstance(code, bool) and frame.f_back is not None:
            _failed(sys.modules["comch_next.errors"].code_name(code), frame.f_back)
    return _of_call


def _of_program(frame: FrameType, event: str, arg: Any) -> Any:
    """An exception has come from the toolkit to the program, or to a library that it gave the call to."""
    if event == "exception":
        kind, error, trace = arg
        below = trace and trace.tb_next  # a coroutine that ends without waiting has no trace
        if below is not None and _is_toolkit(below.tb_frame) and not issubclass(kind, _ENDS) and not _is_coded(frame):
            _failed(getattr(error, "name", None) if hasattr(error, "code") else kind.__name__, frame)
    return _of_program


def _failed(result: str | None, frame: FrameType) -> None:
    if result is None or result in _WAITING:
        return
    thread, at = threading.current_thread().name, _at(frame)
    if _last.get(thread) != (result, at):
        _last[thread] = result, at
        _write({"what": "failed", "t": time.monotonic_ns(), "result": result, "thread": thread, "at": at})


def _at(frame: FrameType) -> str:
    """Return the innermost line of the program that a frame is of, or was called from."""
    above: FrameType | None = frame
    while above is not None and not _is_program(above):
        above = above.f_back
    return f"{above.f_code.co_filename}:{above.f_lineno}" if above is not None else ""


def _write(line: dict[str, Any]) -> None:
    """Append a line at once: the process may be killed, or fork."""
    path = os.path.join(_FOLDER, f"{os.getpid()}.jsonl")
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, json.dumps(line).encode("ascii") + b"\n")
    finally:
        os.close(fd)


class _Quiet:
    """Finds the toolkit's modules as ever, and does not watch while they are executed: that takes half of the time."""

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in _TOOLKIT:
            return None
        finders = (finder for finder in sys.meta_path if finder is not cls)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in finders)), None)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader.exec_module = _unwatched(spec.loader.exec_module)  # type: ignore[assignment,method-assign]
        return spec


def _unwatched(call: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    def unwatched(module: ModuleType) -> None:
        watch = sys.gettrace()
        sys.settrace(None)
        try:
            call(module)
        finally:
            sys.settrace(watch)

    return unwatched


def _forget() -> None:
    """In a forked child, whose lines are its own."""
    _ran.clear()
    _last.clear()


def _import_next() -> None:
    """Run the module of this name that Python would have found without this one."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_import_next()
if _FOLDER:
    os.register_at_fork(after_in_child=_forget)
    sys.meta_path.insert(0, _Quiet)
    threading.settrace(_watch)
    sys.settrace(_watch)
