"""Start programs as forks of an interpreter that has imported what they import; see tests/forked.py, which asks it.

Programs begin with `__main__`, arguments, environment, folder and descriptors of their own, and end as any other.
"""

from __future__ import annotations

import builtins
import fcntl
import gc
import importlib
import io
import json
import linecache
import os
import runpy
import signal
import socket
import sys
import types
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence

Job = dict[str, Any]

_MOST_BYTES = 1 << 18
_MOST_DESCRIPTORS = 64


def _serve(asking: socket.socket) -> Job | None:
    """Fork a program for each job, and answer with its id. In the program: return the job. At the end: return None."""
    while True:
        try:
            data, descriptors, _, _ = socket.recv_fds(asking, _MOST_BYTES, _MOST_DESCRIPTORS)
        except ConnectionResetError:  # the tests have ended without reading what this process has sent
            return None
        if not data:
            return None
        job: Job = json.loads(data)
        reading, writing = os.pipe()
        between = os.fork()
        if between == 0:
            # Whose parent has ended is a child of the process that asked, which waits for it as for its own.
            if os.fork() != 0:
                os._exit(0)
            if job["session"]:
                os.setsid()
            os.write(writing, b"%d" % os.getpid())
            os.read(descriptors.pop(0), 1)  # until whoever asked adopts no other descendants any more
            _take(descriptors, [0, 1, 2, *job["keep"]])
            return job
        os.waitpid(between, 0)
        os.close(writing)
        asking.send(os.read(reading, 32))
        for descriptor in (reading, *descriptors):
            os.close(descriptor)


def _take(descriptors: Sequence[int], numbers: Sequence[int]) -> None:
    """Give descriptors the numbers that the program expects, and close all others."""
    free = max(*descriptors, *numbers) + 1
    copies = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, free) for descriptor in descriptors]
    for copy, number in zip(copies, numbers, strict=True):
        os.dup2(copy, number)
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in numbers:
            with suppress(OSError):  # one of them has been open only for this list
                os.close(int(name))


def _enter(job: Job) -> None:
    """Make this process what a fresh interpreter would be in the job's place."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(job["cwd"])
    # What stays is not touched: the dynamic linker's auditor keeps on reading the variables of the start.
    for name in os.environ.keys() - job["env"].keys():
        del os.environ[name]
    os.environ.update({name: value for name, value in job["env"].items() if os.environ.get(name) != value})
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.orig_argv = [sys.executable, *job["words"]]
    if os.environ.get("PYTHONUNBUFFERED"):
        sys.stdout = sys.__stdout__ = _unbuffered(1, sys.stdout)  # type: ignore[misc]
        sys.stderr = sys.__stderr__ = _unbuffered(2, sys.stderr)  # type: ignore[misc]
    if "MIGRATE_WATCH" in os.environ:  # which is read when an interpreter starts
        importlib.reload(sys.modules["sitecustomize"])
    main = types.ModuleType("__main__")
    vars(main)["__builtins__"] = builtins
    if "__annotations__" in globals():  # not in all releases
        vars(main)["__annotations__"] = {}
    sys.modules["__main__"] = main


def _unbuffered(descriptor: int, like: TextIO) -> io.TextIOWrapper:
    raw = io.FileIO(descriptor, "w", closefd=False)
    raw.name = like.name
    stream = io.TextIOWrapper(raw, like.encoding, like.errors, write_through=True)
    stream.mode = "w"  # type: ignore[misc]
    return stream


def _main(words: Sequence[str]) -> None:
    """Run a program; what it does not catch is reported as if nothing had called it."""
    try:
        _run(words)
    except BaseException:
        report = sys.excepthook
        sys.excepthook = lambda kind, error, trace: report(kind, error.with_traceback(_below(trace)), _below(trace))
        raise


def _below(trace: types.TracebackType | None) -> types.TracebackType | None:
    """Drop the frames of this file from the top of a traceback."""
    while trace is not None and trace.tb_frame.f_code.co_filename == _main.__code__.co_filename:  # 3.14 drops __file__
        trace = trace.tb_next
    return trace


def _run(words: Sequence[str]) -> None:
    """Run what stands on a command line behind "python": -m and a module, -c and a text, or a script."""
    names = vars(sys.modules["__main__"])
    if words[0] == "-m":
        sys.path[0], sys.argv = os.getcwd(), ["-m", *words[2:]]
        runpy._run_module_as_main(words[1])  # type: ignore[attr-defined]
    elif words[0] == "-c":
        sys.path[0], sys.argv = "", ["-c", *words[2:]]
        if sys.version_info >= (3, 13):  # from then on a traceback shows the lines of a text, too
            linecache.cache["<string>"] = (len(words[1]), None, words[1].splitlines(True), "<string>")
        exec(compile(words[1], "<string>", "exec", dont_inherit=True), names)
    else:
        sys.path[0], sys.argv = os.path.dirname(os.path.realpath(words[0])), list(words)
        names.update(__file__=os.path.abspath(words[0]), __cached__=None)
        with io.open_code(words[0]) as file:
            code = compile(file.read(), names["__file__"], "exec", dont_inherit=True)
        exec(code, names)


if __name__ == "__main__":
    for module in sys.argv[2:]:
        importlib.import_module(module)
    with socket.socket(fileno=int(sys.argv[1])) as asking:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one from the keyboard is for the tests
        asking.send(json.dumps(dict(os.environ)).encode())
        # What all have in common is no program's garbage; to look at it would copy it, page by page.
        gc.collect()
        gc.freeze()
        job = _serve(asking)
        if job is not None:
            asking.detach()
    if job is not None:
        _enter(job)
        _main(job["words"])
