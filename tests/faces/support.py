"""C programs of the tests: compiled against the faces' headers as their users do, with pkg-config, and run."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import comch_next.capi
import comm_channel_compat.capi
from comm_channel_compat._launcher.faces import RELEASES
from tests.processes import SOON_S, Child

PROGRAMS = Path(__file__).parent / "programs"
FOLDERS = [Path(package.__path__[0]) for package in (comch_next.capi, comm_channel_compat.capi)]


def of_release(doca: str) -> Path:
    """The folder of what that release had in a form of its own."""
    return FOLDERS[1] / RELEASES[doca]


def settings(doca: str) -> dict[str, str]:
    """Where compilers and programs find the faces, as that release had them."""
    folders = [of_release(doca), *FOLDERS]
    return {
        "PKG_CONFIG_PATH": os.pathsep.join(str(folder / "pkgconfig") for folder in folders),
        "LD_LIBRARY_PATH": os.pathsep.join(str(folder / "lib") for folder in folders),
    }


ENV = settings("2.6")
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def pkg_config(*arguments: str, doca: str = "2.6") -> list[str]:
    """What pkg-config reports of the faces' modules."""
    command = ["pkg-config", *arguments]
    ended = subprocess.run(
        command, env={**os.environ, **settings(doca)}, capture_output=True, text=True, timeout=SOON_S
    )
    assert ended.returncode == 0, ended.stderr
    return shlex.split(ended.stdout)


def compiled(
    folder: Path,
    sources: list[Path],
    *modules: str,
    compiler: str = "gcc",
    flags: tuple[str, ...] = (),
    doca: str = "2.6",
) -> Path:
    """The program made of these sources, linked with the faces of these modules; a warning is an error."""
    program = folder / sources[0].stem
    command = [compiler, "-g", *WARNINGS, *flags, *map(str, sources), "-o", str(program), "-pthread"]
    command += pkg_config("--cflags", "--libs", *modules, doca=doca)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=2 * SOON_S)
    assert ended.returncode == 0, ended.stderr
    return program


def run(
    program: Path | str, *arguments: str, env: Mapping[str, str] = MappingProxyType({}), deadline_s: float = 2 * SOON_S
) -> Child:
    """Start a program where it finds the faces, with no setting of Python's."""
    return Child([str(program), *arguments], deadline_s=deadline_s, env={**ENV, **env})
