"""Run programs, each in a child of its own, and answer with what they printed.

The bytes of their files come as Latin-1.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import threading
import time
import types
from pathlib import Path
from typing import Any

DEADLINE_S = 120.0  # only a program that hangs waits so long
SHIM = str(Path(__file__).parents[2] / "comm_channel_compat" / "_shim")


def _read(pipe: int, end: float) -> bytes:
    """What comes until the program has ended, or its time."""
    pieces = []
    while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0] and (piece := os.read(pipe, 65536)):
        pieces.append(piece)
    return b"".join(pieces)


def _watch(child: int, reading: int) -> dict[str, Any]:
    """What a child prints, and its status; one that takes too long is killed."""
    end = time.monotonic() + DEADLINE_S
    output = _read(reading, end)
    os.close(reading)
    late = not select.select([child_end := os.pidfd_open(child)], [], [], max(0.0, end - time.monotonic()))[0]
    os.close(child_end)
    if late:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {"output": output.decode(errors="replace"), "status": status}


def _report(what: str, kind: type[BaseException] | None, error: object) -> None:
    """Print an exception that nobody caught."""
    print(what, kind.__name__ if kind else kind, error, flush=True)


def _enter(folder: str, job: dict[str, Any], writing: int) -> None:
    """Make this process look like a fresh interpreter in the program's folder."""
    os.dup2(writing, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdin = open(os.devnull)  # noqa: SIM115  # the program's own
    sys.stdout.reconfigure(line_buffering=True, write_through=False)  # type: ignore[union-attr]
    os.chdir(folder)
    os.environ["COMCH_RUNTIME_DIR"] = os.path.join(folder, ".runtime")
    sys.path.insert(0, folder)
    if job["launched"]:
        sys.path.insert(1, SHIM)
    sys.argv = ["main.py"]
    sys.excepthook = lambda kind, error, trace: _report("ended by", kind, error)
    threading.excepthook = lambda raised: _report("thread ended by", raised.exc_type, raised.exc_value)
    sys.unraisablehook = lambda raised: _report("ignored", raised.exc_type, raised.exc_value)


def _run(folder: str) -> None:
    """Run main.py as the interpreter does; what it registered for the end comes after."""
    path = os.path.join(folder, "main.py")
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    exec(compile(Path(path).read_bytes(), path, "exec", dont_inherit=True), module.__dict__)


def _prepare(job: dict[str, Any]) -> str:
    folder = tempfile.mkdtemp(prefix="shape-")
    for name, text in job["files"].items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))
    return folder


def serve() -> str | None:
    """Answer one line for each line, and return None. In a child: return its program's folder, at once."""
    for line in sys.stdin:
        job = json.loads(line)
        folder = _prepare(job)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            _enter(folder, job, writing)
            return folder
        os.close(writing)
        print(json.dumps(_watch(child, reading)), flush=True)
        shutil.rmtree(folder)
    return None


if __name__ == "__main__":
    # Before the fork: each child has them. No program without the launcher can tell, as it finds no doca_comm_channel.
    import comch_next.driver.emulated  # noqa: F401
    import comm_channel_compat  # noqa: F401

    # Nor need a child's end look at what it has in common with the others: that would copy all of it, page by page.
    gc.collect()
    gc.freeze()
    if program := serve():
        _run(program)
