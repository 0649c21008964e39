"""What the threaded pull port does otherwise by its nature: the rows of a table in docs/native.md.

A test that meets such a difference asks `differs(form, line)`, and asserts what each form does. None is skipped.
"""

from __future__ import annotations

__all__ = ["BATCH", "LINES", "differs"]

BATCH = 64  # messages that one progress of the emulated engine brings

LINES = (
    "waiting clients",
    "messages",
    "send_queue_size",
    "send tasks",
    "max_msg_size",
    "a server's end",
    "states",
    "callbacks",
    "the engine",
    "a process's end",
    "idle",
)


def differs(form: str, line: str) -> bool:
    """Whether the form of the pull port is the one that the line is about."""
    assert line in LINES
    return form == "threaded"
