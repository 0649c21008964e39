"""The fast path of comch_next with few buffers that are large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks._plan import BULK_BUFFERS, BULK_SIZE
from benchmarks.rivals import comch_fast_path
from benchmarks.rivals._end import End


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return comch_fast_path.serve(folder, ready, BULK_SIZE, BULK_BUFFERS)


def connect(folder: Path) -> End:
    return comch_fast_path.connect(folder, BULK_SIZE, BULK_BUFFERS)
