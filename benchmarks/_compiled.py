"""The rivals that are C programs, built with the headers and libraries of this project as its users build theirs."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from benchmarks._libraries import folder as libraries
from benchmarks._plan import Plan
from comm_channel_compat import capi
from tools.processes import ROOT, ProcessError

__all__ = ["COMPILED", "absence", "command"]

# What the table calls it -> its file beside ping.c, and the module of pkg-config.
COMPILED = {
    "C program, sendto": ("channel", "doca-comm-channel"),
    "C program, tasks": ("tasks", "doca-comch"),
}
_SOURCES = Path(__file__).parent / "in_c"
_BUILT = ROOT / "build" / "bench"
_LAUNCHER = (sys.executable, "-m", "comm_channel_compat")
_COMPILER_DEADLINE_S = 60.0


def absence() -> str | None:
    """Why C programs cannot be measured here, or None."""
    missing = [f"there is no {tool}" for tool in ("cc", "pkg-config") if shutil.which(tool) is None]
    try:
        libraries(capi)
    except ImportError as error:
        missing.append(str(error))
    return ", ".join(missing) or None


def command(name: str, side: str, cpu: int, plan: Plan) -> list[str]:
    """The command of one end."""
    numbers = (cpu, plan.warm_up, plan.pings, plan.messages, *plan.sizes)
    return [*_LAUNCHER, "exec", str(_program(name)), side, *map(str, numbers)]


@cache
def _program(name: str) -> Path:
    """Compile a rival, once in a run."""
    source, module = COMPILED[name]
    program = _BUILT / source
    program.parent.mkdir(parents=True, exist_ok=True)
    folders = _said([*_LAUNCHER, "paths", "pkgconfig"]).split()
    flags = shlex.split(
        _said(["pkg-config", "--cflags", "--libs", module], PKG_CONFIG_PATH=os.pathsep.join(folders)),
    )
    files = [str(_SOURCES / f"{each}.c") for each in (source, "ping")]
    _said(["cc", "-O2", *files, *flags, "-o", str(program)])
    return program


def _said(words: list[str], **environment: str) -> str:
    ended = subprocess.run(
        words,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=_COMPILER_DEADLINE_S,
        check=False,
    )
    if ended.returncode:
        raise ProcessError(f"{shlex.join(words)} failed:\n{ended.stderr}")
    return ended.stdout
