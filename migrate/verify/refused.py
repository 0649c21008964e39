"""Options that are passed to the programs, and that the toolkit would refuse there: all ends would then fail alike."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from migrate._options import UsageError

_TIMEOUT_S = 60


def check(faults: Sequence[str], release: str) -> None:
    """Raise UsageError, in the toolkit's own words, for faults or a release of DOCA that it does not know."""
    if faults:
        _try("--faults", "comch_next", "devices", env={"COMCH_FAULTS": ",".join(faults)})
    if release:
        _try("--doca", "comm_channel_compat", "run", "--doca", release, "-c", "pass")


def _try(option: str, *words: str, env: dict[str, str] | None = None) -> None:
    command = [sys.executable, "-m", *words]
    tried = subprocess.run(
        command, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
    )
    if tried.returncode:
        _, _, reason = tried.stderr.partition(": ")  # behind the name of the command
        raise UsageError(f"{option}: {reason.partition('usage:')[0].strip().removeprefix(f'{option}: ')}")
