"""What comes back at once, and where other code of the program may run: in callbacks, other threads and other tasks."""

from __future__ import annotations

import ast

from migrate.python.values import External, Token, Value

WAITING = ast.Await | ast.Yield | ast.YieldFrom | ast.withitem | ast.AsyncFor
CALLING_BACK = frozenset({"doca_pe_progress", "doca_ctx_start", "doca_ctx_stop", "doca_ctx_flush_tasks"})

# What of Python's own neither waits nor calls what it is given.
_BUILTINS = """
    abs ascii bin bool bytearray bytes callable chr complex delattr dir divmod float format frozenset getattr hasattr
    hash hex id int isinstance issubclass len memoryview object oct ord pow print range repr round setattr slice str
    super type vars
"""
_CLOCKS = "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns strftime localtime"
_AT_ONCE = {f"builtins.{name}" for name in _BUILTINS.split()} | {f"time.{name}" for name in _CLOCKS.split()}
_MODULES_AT_ONCE = frozenset(
    {"binascii", "json", "logging", "math", "re", "string", "struct", "sys", "warnings", "zlib"}
)


def is_at_once(function: Value) -> bool:
    """Whether what is called is old, or of Python's own that comes back at once."""
    if isinstance(function, External):
        return function.name in _AT_ONCE or function.name.partition(".")[0] in _MODULES_AT_ONCE
    return isinstance(function, Token)
