"""Child processes of the tests: each has a deadline and is ended by its own id; no wait is a bare sleep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from typing import IO, NamedTuple

from tests.forked import ForkedPopen

ROOT = Path(__file__).resolve().parent.parent
SOON_S = 60.0  # within this comes what must come; only a failing test, or a busy machine, waits so long
_AGAIN_S = 4.0
_LAST_WORDS_S = 10.0  # what a process said is read when it has ended, however late that was
READER = "child-output"  # the name of threads that collect what children say


class Finished(NamedTuple):
    """How a process ended, and all that it said."""

    returncode: int
    stdout: str
    stderr: str


class Child:
    """A running process in a session of its own; its output is collected, so it never blocks on a pipe."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        deadline_s: float = 2 * SOON_S,
        env: Mapping[str, str] | None = None,
        cwd: Path | str = ROOT,
        pass_fds: Sequence[int] = (),
        fresh: bool = False,
    ) -> None:
        self.command = list(command)
        self.deadline = time.monotonic() + deadline_s
        self.process = (Popen if fresh else ForkedPopen)(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})},
            cwd=cwd,
            pass_fds=pass_fds,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # so that kill() takes along what the process itself started
        )
        self.pid = self.process.pid
        self._changed = threading.Condition()
        self._said: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self._read = {"stdout": 0, "stderr": 0}
        self._open = 2
        pipes = {"stdout": self.process.stdout, "stderr": self.process.stderr}
        self._readers = [
            threading.Thread(target=self._collect, args=item, name=READER, daemon=True) for item in pipes.items()
        ]
        for reader in self._readers:
            reader.start()

    def _collect(self, name: str, pipe: IO[str]) -> None:
        with pipe:
            for line in pipe:
                with self._changed:
                    self._said[name].append(line)
                    self._changed.notify_all()
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def _left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def _report(self, told: str) -> AssertionError:
        out, err = ("".join(self._said[name]) for name in ("stdout", "stderr"))
        return AssertionError(f"{told}: {' '.join(self.command)}\n--- stdout\n{out}\n--- stderr\n{err}")

    def wait_for(self, text: str, stream: str = "stdout") -> str:
        """The next line of a stream that holds `text`; AssertionError when the process or its time ends."""

        def found() -> str | None:
            lines = self._said[stream]
            while self._read[stream] < len(lines):
                self._read[stream] += 1
                if text in lines[self._read[stream] - 1]:
                    return lines[self._read[stream] - 1].rstrip("\n")
            return None

        with self._changed:
            while (line := found()) is None:
                if self._open == 0:
                    raise self._report(f"ended without saying {text!r}")
                if not self._changed.wait(self._left()) and self._left() == 0.0:
                    raise self._report(f"did not say {text!r} in time")
            return line

    def has_said(self, text: str) -> bool:
        """Whether a line of its standard output, by now, holds `text`."""
        with self._changed:
            return any(text in line for line in self._said["stdout"])

    def say(self, text: str) -> None:
        """Write to the process's standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def signal(self, number: int) -> None:
        """Send a signal to the process itself."""
        self.process.send_signal(number)

    def stop(self) -> None:
        """SIGSTOP, and wait until all its threads stand still; `signal(SIGCONT)` lets it go on."""
        self.signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def finish(self) -> Finished:
        """Close its input and wait for its end; past the deadline it is killed, with AssertionError."""
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        try:
            returncode = self.process.wait(self._left())
        except subprocess.TimeoutExpired:
            self.kill()
            raise self._report("did not end in time") from None
        for reader in self._readers:
            reader.join(max(self._left(), _LAST_WORDS_S))
        return Finished(returncode, *("".join(self._said[name]) for name in ("stdout", "stderr")))

    def succeed(self) -> str:
        """Wait for its end and return its output; AssertionError unless its status is 0 and it has reported nothing."""
        finished = self.finish()
        assert (finished.returncode, finished.stderr) == (0, ""), finished
        return finished.stdout

    def end_by(self, number: int) -> Finished:
        """Send a signal and wait for the end. It is repeated: the first may find Python just about to sleep.

        Python handles a signal between two steps of the program, so one that comes after the last step before a
        sleep is seen when the sleep is over, or when the next signal interrupts it. That one comes only if nothing
        has been done since: while the program ends, it may find the default action restored.
        """
        self.signal(number)
        while self.process.poll() is None and self._left():
            before = _work(self.pid)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(min(_AGAIN_S, self._left()))
            if before is not None and before == _work(self.pid):
                self.signal(number)
        return self.finish()

    def kill(self) -> None:
        """End it at once, and whatever it left in its session; harmless when it has ended."""
        # Once it has been waited for, its number may be another's, unless it left somebody in its session.
        if self.process.returncode is None or any(reader.is_alive() for reader in self._readers):
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()
        for reader in self._readers:
            reader.join()
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()


def _work(pid: int) -> tuple[str, ...] | None:
    """What the threads of a process and of its children have had of the processor; None unless all of them sleep."""
    work: list[str] = []
    try:
        for task in sorted(Path(f"/proc/{pid}/task").iterdir()):
            if (task / "stat").read_text().rpartition(") ")[2][0] != "S":
                return None
            work.append((task / "schedstat").read_text())
            for child in (task / "children").read_text().split():
                if (of_child := _work(int(child))) is None:
                    return None
                work += of_child
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return None
    return tuple(work)


StartPython = Callable[..., Child]
Threads = Callable[[], int]  # see conftest.threads


def python(*arguments: str, **options: object) -> Child:
    """Start this Python with arguments; options are those of Child."""
    return Child([sys.executable, *arguments], **options)  # type: ignore[arg-type]
