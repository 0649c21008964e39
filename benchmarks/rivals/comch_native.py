"""The same on the driver for the real libraries, which gets those of this project."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from benchmarks._libraries import folder as libraries
from benchmarks.rivals import comch_tasks
from benchmarks.rivals._end import End
from comch_next import capi

DRIVER = {"COMCH_DRIVER": "native", "COMCH_DOCA_LIB": str(libraries(capi))}


def serve(folder: Path, ready: Callable[[], None]) -> End:
    os.environ.update(DRIVER)
    return comch_tasks.serve(folder, ready)


def connect(folder: Path) -> End:
    os.environ.update(DRIVER)
    return comch_tasks.connect(folder)
