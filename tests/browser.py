"""A headless browser (Debian's chromium), driven over two pipes by the protocol of its developer tools."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
DEADLINE_S = 120  # for each answer; the machine may be busy
_OPTIONS = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
)

_ON_PIPES = """\
import os, sys
for descriptor, wanted in zip(map(int, sys.argv[1:3]), (3, 4)):
    os.dup2(descriptor, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """A browser with one page. `addresses` are those that it asked for since it opened the page."""

    def __init__(self, process: subprocess.Popen[bytes], read: int, write: int) -> None:
        self.process = process
        self.addresses: list[str] = []
        self._read, self._write = read, write
        self._session: dict[str, str] = {}
        self._number = 0
        self._buffer = b""
        self._loaded: set[str] = set()  # of the pages that are there whole

    def open(self, page: Path, mark: str = "") -> None:
        """Show a file, the part of it that a mark names; return when everything in it is there."""
        if not self._session:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = {
                "sessionId": self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            }
            self.call("Page.enable")
            self.call("Page.setLifecycleEventsEnabled", enabled=True)
            self.call("Network.enable")
        self.call("Page.navigate", url="about:blank")
        self.addresses.clear()
        loading = self.call("Page.navigate", url=page.as_uri() + mark)["loaderId"]
        while loading not in self._loaded:
            self._next()

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in JavaScript."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def look(self, *, width: int = 1200, dark: bool = False) -> None:
        """Give the page a width, in pixels, and a scheme of colours."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Call the browser and wait for its answer."""
        self._number += 1
        words = {"id": self._number, "method": method, "params": parameters, **self._session}
        os.write(self._write, json.dumps(words).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            pass
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + DEADLINE_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._read, 1 << 16)
            assert data, "the browser has ended"
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(text)
        if answer.get("method") == "Page.lifecycleEvent" and answer["params"]["name"] == "load":
            self._loaded.add(answer["params"]["loaderId"])
        if answer.get("method") == "Network.requestWillBeSent":
            self.addresses.append(answer["params"]["request"]["url"])
        return answer


@contextlib.contextmanager
def started(program: str, folder: Path) -> Iterator[Browser]:
    """Start a browser that keeps everything in a folder; it ends with the block."""
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    theirs_read, write = os.pipe()
    read, theirs_write = os.pipe()
    pipes = (sys.executable, "-c", _ON_PIPES, str(theirs_read), str(theirs_write))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*pipes, program, *_OPTIONS, *as_root, f"--user-data-dir={folder / 'profile'}"],
            stdout=log,
            stderr=log,
            pass_fds=(theirs_read, theirs_write),
            start_new_session=True,  # so that the processes that it starts end with it
            env={**os.environ, "HOME": str(folder)},
        )
    os.close(theirs_read)
    os.close(theirs_write)
    try:
        yield Browser(process, read, write)
    finally:
        os.close(write)  # it ends when nobody is there to drive it
        os.close(read)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
