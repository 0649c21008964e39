"""Run programs, each in a child of its own, and answer with what they print."""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import sys
import tempfile
import traceback

DEADLINE_S = 20.0


def _run(text: str, old: bool, folder: str) -> str:
    """The output of a program, with the last line of its traceback when it ends by one."""
    os.environ["COMCH_RUNTIME_DIR"] = folder
    if old:
        import comm_channel_compat

        sys.modules["doca_comm_channel"] = comm_channel_compat
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(text, "<program>", "exec"), {"__name__": "__main__"})
        except BaseException:
            print(traceback.format_exc().splitlines()[-1])
    return output.getvalue()


def _in_a_child(text: str, old: bool) -> str:
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(prefix="generated-") as folder:
        child = os.fork()
        if child == 0:
            os.close(reading)
            with os.fdopen(writing, "w") as pipe:
                pipe.write(_run(text, old, folder))
            os._exit(0)
        os.close(writing)
        pieces = []
        while select.select([reading], [], [], DEADLINE_S)[0] and (piece := os.read(reading, 65536)):
            pieces.append(piece)
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return b"".join(pieces).decode()


def main() -> None:
    """Answer one line for each line."""
    import comch_next  # noqa: F401  # before the fork: each child has it

    for line in sys.stdin:
        text, old = json.loads(line)
        print(json.dumps(_in_a_child(text, old)), flush=True)


if __name__ == "__main__":
    main()
