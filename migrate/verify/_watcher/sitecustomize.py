"""What Python imports at its start in a program that is verified: it records which lines call the toolkit, how calls
fail, and when the program prints.

Appends JSON lines to a file per process in the folder that MIGRATE_WATCH names:

ran       the first call from a line: `at`
failed    a call from a line of the program returned or raised a result other than success and waiting, or could not be
          made, as there is no such name or argument: `result`, `thread`, and `raised` if it was an exception. Of calls
          that repeat the result and place of the last one, a hundred are recorded: how often a program polls may depend
          on the machine
printed   the program wrote to standard output: `lines`, the newlines, and `rest`, the bytes behind the last one

`at` is a line of the program, that is of a file below MIGRATE_WATCH_ROOT. What failed or was printed also has `t`,
`pid` and `thread_id`, as the lines of a trace have. With MIGRATE_WATCH_HOLD=1, calls of the toolkit take their time:
what a program does only when it is quick shows as such.
"""

from __future__ import annotations

import _thread
import atexit
import importlib.machinery
import importlib.util
import io
import json
import os
import signal
import sys
import threading
import time

TYPE_CHECKING = False  # every Python that the program starts comes through here, and typing takes longer than the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.machinery import ModuleSpec
    from types import FrameType, ModuleType, TracebackType
    from typing import Any

_TOOLKIT = ("comch_next", "comm_channel_compat")
# The calls that return a result code, alone or first in a tuple: those of C names, `try_...`, and these.
_CODED = {"outcome", "outcomes", "outcome_list"}
_FLAT = {f"comm_channel_compat.{name}" for name in ("_flatten", "flat", "_hot", "blocking.flat", "blocking.endpoint")}
_PLAIN = {"doca_comm_channel_ep_event_channel_get"}  # of these, what returns something else
_SUNK, _BEHIND_C = "comch_next.capi._watched", "comch_next.capi.binding"  # what C libraries call, and their codes
_WAITING = {"DOCA_SUCCESS", "DOCA_ERROR_AGAIN", "DOCA_ERROR_CONNECTION_INPROGRESS", "DOCA_ERROR_IN_PROGRESS"}
_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit, KeyboardInterrupt, SystemExit)
_PUBLIC = ("comch_next", "comm_channel_compat", "comm_channel_compat.cc", "comm_channel_compat.blocking")
_INSIDE = ("threading", "importlib", "_frozen_importlib")  # what calls the toolkit though the program does not
_MOST_REPEATS = 100
_FOLDER = os.environ.get("MIGRATE_WATCH", "")
_ROOT = os.path.join(os.environ.get("MIGRATE_WATCH_ROOT", ""), "")

_IS_HELD = bool(os.environ.get("MIGRATE_WATCH_HOLD"))
_SOON_S = 0.001
_HELD_S = 2.0  # in all, for programs that make many calls

_ran: set[tuple[str, int]] = set()
_last: dict[str, tuple[str, str, int]] = {}  # result and place, by thread, and how often they came


def _is_toolkit(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in _TOOLKIT


def _watch(frame: FrameType, event: str, arg: Any) -> Any:
    """Follow the frames of the program, and those of the toolkit that it calls."""
    if frame.f_code.co_filename.startswith(_ROOT):
        frame.f_trace_lines = False
        return _of_program
    if not _is_toolkit(frame) or (caller := _caller(frame)) is None:
        return None
    _put()
    place = caller.f_code.co_filename, caller.f_lineno
    if place not in _ran:
        _ran.add(place)
        _write({"what": "ran", "at": _at(caller)})
    if frame.f_back is not None and frame.f_back is not caller:
        frame.f_back.f_trace, frame.f_back.f_trace_lines = _between, False
    if _IS_HELD:
        with _PAUSING:
            pause = next(_pauses)
        time.sleep(pause)
    if not _returns_code(frame):
        return None
    frame.f_trace_lines = False
    return _of_call


def _caller(frame: FrameType) -> FrameType | None:
    """Return the frame of the program that a call of the toolkit comes from, though unittest, say, makes it.

    On a thread of somebody else's pool it is the outermost one. None for calls of the toolkit's own.
    """
    caller = frame.f_back
    if caller is None or str(caller.f_globals.get("__name__")).startswith(_INSIDE):
        return None
    while not caller.f_code.co_filename.startswith(_ROOT):
        if _is_toolkit(caller):
            return None
        if caller.f_back is None:
            return None if threading.current_thread() is threading.main_thread() else caller
        caller = caller.f_back
    return caller


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
        if isinstance(code, int) and not isinstance(code, bool) and (caller := _caller(frame)) is not None:
            _failed(sys.modules["comch_next.errors"].code_name(code), caller, raised=False)
    return _of_call


def _of_program(frame: FrameType, event: str, arg: Any) -> Any:
    """An exception has come to the program from the toolkit, or a call of the program could not be made."""
    if event == "exception" and not _is_coded(frame):
        kind, error, trace = arg
        if trace is not None and trace.tb_next is None and _is_no_call(error):
            _failed(kind.__name__, frame, raised=True)
        else:
            _raised(arg, frame)
    return _of_program


def _is_no_call(error: BaseException) -> bool:
    """Whether the program named what is not there, or what the toolkit does not have or take."""
    if isinstance(error, AttributeError):
        owner = getattr(error, "obj", None)
        home = getattr(owner, "__name__" if isinstance(owner, type(sys)) else "__module__", "")
        return str(home).partition(".")[0] in _TOOLKIT
    if isinstance(error, TypeError):
        name = str(error).partition("(")[0].partition(".")[0]  # "Channel.send_to() got an unexpected keyword argument"
        return any(name in vars(sys.modules[module]) for module in _PUBLIC if module in sys.modules)
    return isinstance(error, NameError)


def _between(frame: FrameType, event: str, arg: Any) -> Any:
    """An exception has come from the toolkit to who called it for the program."""
    if event == "exception":
        _raised(arg, _caller(frame) or frame)
    return _between


def _raised(arg: tuple[type[BaseException], BaseException, TracebackType | None], caller: FrameType) -> None:
    kind, error, trace = arg
    below = trace and trace.tb_next
    if below is not None and _is_toolkit(below.tb_frame) and not issubclass(kind, _ENDS):
        _failed(getattr(error, "name", None) if hasattr(error, "code") else kind.__name__, caller, raised=True)


def _failed(result: str | None, frame: FrameType, *, raised: bool) -> None:
    if result is None or result in _WAITING:
        return
    thread, at = threading.current_thread().name, _at(frame)
    before, place, times = _last.get(thread, ("", "", 0))
    times = times + 1 if (before, place) == (result, at) else 1
    _last[thread] = result, at, times
    if times <= _MOST_REPEATS:
        _write({"what": "failed", "result": result, "raised": raised, "thread": thread, "at": at, **_now()})


class _Stdout(io.FileIO):
    """Standard output, unbuffered."""

    def write(self, data: Any) -> int:
        _put()
        octets = bytes(data)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.startswith(_ROOT):
            frame = frame.f_back
        at = {} if frame is None else {"at": _at(frame)}
        rest = len(octets) - octets.rfind(b"\n") - 1
        _write({"what": "printed", "lines": octets.count(b"\n"), "rest": rest, **at, **_now()})
        return super().write(data)


class _Text(io.TextIOWrapper):
    """Standard output as text, in which each thread writes lines: the parts of a print are not torn apart.

    What a thread has begun it writes at the latest when it flushes, writes bytes, forks, or calls the toolkit.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.begun: dict[int, list[str]] = {}

    def write(self, text: Any) -> int:
        if self.closed or not isinstance(text, str):
            return super().write(text)  # which refuses it
        text.encode(self.encoding, self.errors or "strict")  # what cannot be written fails here
        self.begun.setdefault(threading.get_ident(), []).append(text)
        if text.endswith("\n"):
            self.put(threading.get_ident())
        return len(text)

    def put(self, thread: int) -> None:
        if parts := self.begun.pop(thread, None):
            super().write("".join(parts))

    def put_all(self) -> None:
        for thread in [*self.begun]:
            self.put(thread)

    def flush(self) -> None:
        self.put(threading.get_ident())
        super().flush()


_texts: list[_Text] = []  # standard output, if it is watched


def _put() -> None:
    """Write what this thread has begun."""
    for text in _texts:
        text.put(threading.get_ident())


def _watched(stream: Any) -> Any:
    """Return a stream like standard output that records what is written; the same if it is not what we started."""
    raw = getattr(stream, "buffer", None)
    if type(raw) is not io.FileIO:
        return stream
    out = _Stdout(raw.fileno(), "w", closefd=False)
    out.name = raw.name
    watched = _Text(out, stream.encoding, stream.errors, write_through=True)
    watched.mode = stream.mode  # type: ignore[misc]
    os.register_at_fork(before=_put, after_in_child=watched.begun.clear)
    atexit.register(watched.put_all)
    _texts.append(watched)
    return watched


def _now() -> dict[str, int]:
    return {"t": time.monotonic_ns(), "pid": os.getpid(), "thread_id": threading.get_native_id()}


def _at(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _write(line: dict[str, Any]) -> None:
    """Append a line at once: the process may be killed, or fork."""
    path = os.path.join(_FOLDER, f"{os.getpid()}.jsonl")
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, json.dumps(line).encode("ascii") + b"\n")
    finally:
        os.close(fd)


class _Handler:
    """A program's handler of a signal. Python would trace no more if what it raises came out of a trace function.

    It waits then until the program goes on, and the signal is sent once more.
    """

    def __init__(self, handler: Callable[[int, FrameType | None], Any]) -> None:
        self.handler = handler
        self.held: list[BaseException] = []

    def __call__(self, number: int, frame: FrameType | None) -> None:
        try:
            if self.held:
                raise self.held.pop()
            self.handler(number, frame)
        except BaseException as error:
            if not _is_tracing(frame):
                raise
            self.held.append(error)
            _thread.start_new_thread(_send_soon, (number,))


def _send_soon(number: int) -> None:
    time.sleep(_SOON_S)
    signal.pthread_kill(threading.main_thread().ident or 0, number)


def _is_tracing(frame: FrameType | None) -> bool:
    """Whether a frame is that of a trace function, or of what it calls."""
    while frame is not None and frame.f_code not in _TRACING:
        frame = frame.f_back
    return frame is not None


_TRACING = {function.__code__ for function in (_watch, _of_program, _of_call, _between)}
_set_handler, _handler_of = signal.signal, signal.getsignal


def _own(handler: Any) -> Any:
    return handler.handler if isinstance(handler, _Handler) else handler


def _signal(signalnum: int, handler: Any) -> Any:
    """What a program finds as signal.signal."""
    return _own(_set_handler(signalnum, _Handler(handler) if callable(handler) else handler))


def _getsignal(signalnum: int) -> Any:
    """What a program finds as signal.getsignal."""
    return _own(_handler_of(signalnum))


class _Quiet:
    """Finds the toolkit's modules as usual, and does not watch while they are executed: that takes half of the time."""

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
    sys.stdout = sys.__stdout__ = _watched(sys.stdout)  # type: ignore[misc]
    signal.signal, signal.getsignal = _signal, _getsignal
    if callable(handler := signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, handler)
    threading.settrace(_watch)
    sys.settrace(_watch)
