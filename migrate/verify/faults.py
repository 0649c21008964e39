"""The faults of a command line, which the emulated library has to know: programs that all fail at them look alike."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from migrate._options import UsageError

_TIMEOUT_S = 60


def known(faults: Sequence[str]) -> tuple[str, ...]:
    """Return the faults; UsageError in the library's own words if it refuses one."""
    if faults:
        env = {**os.environ, "COMCH_FAULTS": ",".join(faults)}
        command = [sys.executable, "-m", "comch_next", "devices"]
        tried = subprocess.run(command, env=env, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        if tried.returncode:
            raise UsageError(f"--faults: {tried.stderr.removeprefix('comch_next: ').strip()}")
    return tuple(faults)
