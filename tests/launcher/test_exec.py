"""Compiled programs find the libraries of the toolkit; where there are none, one line says what is missing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.launcher.conftest import OURS, PACKAGE, REAL, Launch, compile_c, make_library
from tests.processes import StartPython

LINKED = "int doca_stub_origin(void); int main(void) { return doca_stub_origin(); }\n"
LOADING = """\
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    if (library == NULL) { fprintf(stderr, "%s\\n", dlerror()); return 9; }
    return ((int (*)(void))dlsym(library, "doca_stub_origin"))();
}
"""


@pytest.fixture(scope="session")
def programs(stubs: Path) -> Path:
    """A folder with two programs, one linked with a library that no longer is where it was, and one that loads it."""
    folder = stubs / "programs"
    gone = folder / "gone"
    make_library(gone, "comm_channel", REAL)
    (folder / "linked.c").write_text(LINKED)
    (folder / "loading.c").write_text(LOADING)
    compile_c(folder / "linked.c", f"-L{gone}", "-ldoca_comm_channel", f"-Wl,-rpath,{gone}", "-o", folder / "linked")
    compile_c(folder / "loading.c", "-o", folder / "loading", "-ldl")
    shutil.rmtree(gone)
    return folder


def test_a_linked_program(launch: Launch, programs: Path) -> None:
    assert subprocess.run([programs / "linked"], capture_output=True, timeout=60, check=False).returncode == 127
    assert launch("exec", programs / "linked") == (OURS, "", "")


@pytest.mark.parametrize(
    "name", ["libdoca_comch.so.2", "/opt/mellanox/doca/lib64/libdoca_comm_channel.so", "./libdoca_common.so.2"]
)
def test_a_program_that_loads_a_library(launch: Launch, programs: Path, name: str) -> None:
    assert launch("exec", programs / "loading", name) == (OURS, "", "")


def test_a_program_on_the_path_with_its_arguments(launch: Launch, programs: Path) -> None:
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    assert launch("exec", "--", "loading", "--force", "libdoca_common.so", PATH=path) == (OURS, "", "")


def test_a_script_with_a_first_line(launch: Launch, tmp_path: Path) -> None:
    script = tmp_path / "old.sh"
    script.write_text('#!/bin/sh\nexec "$@"\n')
    script.chmod(0o755)
    assert launch("exec", script, "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM


def test_signals_that_python_ignores(launch: Launch) -> None:
    """A program whose reader has seen enough is ended by SIGPIPE, as without the launcher."""
    ask = (str(shutil.which("grep")), "SigIgn", "/proc/self/status")
    plain = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=True)
    launched = launch("exec", *ask)
    assert (launched.returncode, launched.stderr) == (0, "")
    assert ignored(launched.stdout) == ignored(plain.stdout)


def ignored(line: str) -> set[int]:
    """The signals that a line of a process's status says are ignored, without the two of the C library itself.

    It ignores these in what it spawns for a process that has handlers for them, as one has that changed its user.
    """
    mask = int(line.removeprefix("SigIgn:"), 16)
    return {number for number in signal.valid_signals() if mask >> number - 1 & 1}


@pytest.mark.parametrize(
    ("options", "origin", "told"),
    [([], REAL, "is used; --force takes the toolkit's"), (["--force"], OURS, "gives way to the toolkit's")],
)
def test_a_real_library_is_shadowed_on_demand_only(
    launch: Launch, programs: Path, real: Path, options: list[str], origin: int, told: str
) -> None:
    finished = launch("exec", *options, programs / "linked", LD_LIBRARY_PATH=str(real))
    assert finished == (origin, "", f"comm_channel_compat: {real}/libdoca_comm_channel.so.2 {told}\n")


def test_with_force_a_library_that_a_program_brings_is_replaced(launch: Launch, stubs: Path, tmp_path: Path) -> None:
    """Its own search path comes before the environment's."""
    make_library(tmp_path, "comm_channel", REAL)
    (tmp_path / "linked.c").write_text(LINKED)
    own = ("-Wl,--disable-new-dtags", f"-Wl,-rpath,{tmp_path}")
    compile_c(tmp_path / "linked.c", f"-L{tmp_path}", "-ldoca_comm_channel", *own, "-o", tmp_path / "linked")
    assert launch("exec", tmp_path / "linked").returncode == REAL
    assert launch("exec", "--force", tmp_path / "linked").returncode == OURS


@pytest.mark.parametrize(("mode", "status", "why"), [(None, 127, "No such file"), (0o644, 126, "Permission denied")])
def test_no_program(launch: Launch, tmp_path: Path, mode: int | None, status: int, why: str) -> None:
    program = tmp_path / "program"
    if mode is not None:
        program.touch(mode)
    finished = launch("exec", program)
    assert (finished.returncode, finished.stdout) == (status, "")
    assert finished.stderr.startswith(f"comm_channel_compat: {program}: {why}")
    assert finished.stderr.count("\n") == 1


def test_a_python_without_a_shared_library(start_python: StartPython, tree: Path) -> None:
    """The library itself says what is missing, before the program starts."""
    code = (
        "import ctypes; from comm_channel_compat.__main__ import main\n"
        "class Library:\n"
        "    def __init__(self, path): self.comch_face_lacks_python = lacks\n"
        "def lacks(): return b'no shared library'\n"
        "ctypes.CDLL = Library; main(['exec', 'true'])"
    )
    finished = start_python("-c", code, cwd=tree).finish()
    assert (finished.returncode, finished.stderr) == (1, "comm_channel_compat: no shared library\n")


def test_a_library_of_the_toolkit_that_is_damaged(start_python: StartPython, tree: Path, tmp_path: Path) -> None:
    shutil.copytree(tree / PACKAGE, tmp_path / PACKAGE)
    file = tmp_path / PACKAGE / "capi" / "lib" / "libdoca_common.so.2"
    file.write_text("not a library")
    finished = start_python("-m", PACKAGE, "exec", "true", cwd=tmp_path).finish()
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith(f"comm_channel_compat: {file}: ")
    assert finished.stderr.count("\n") == 1


def test_a_program_that_uses_a_real_library_does_not_need_the_toolkits(
    start_python: StartPython, bare: Path, real: Path
) -> None:
    make_library(bare / PACKAGE / "capi" / "lib", "comm_channel", OURS)  # alone
    finished = start_python("-m", PACKAGE, "exec", "true", cwd=bare, env={"LD_LIBRARY_PATH": str(real)}).finish()
    assert finished.returncode == 0
    assert finished.stderr.endswith("is used; --force takes the toolkit's\n")


@pytest.fixture
def bare(tree: Path, tmp_path: Path) -> Path:
    """The launcher of a toolkit that was built without C libraries."""
    without = shutil.ignore_patterns("capi")
    shutil.copytree(tree / PACKAGE, tmp_path / PACKAGE, ignore=without)
    return tmp_path


def test_without_libraries(start_python: StartPython, bare: Path) -> None:
    """One line tells what a compiled program lacks; scripts run all the same."""
    finished = start_python("-m", PACKAGE, "exec", "true", cwd=bare).finish()
    assert (finished.returncode, finished.stdout) == (1, "")
    assert "the C libraries have not been built" in finished.stderr
    assert finished.stderr.count("\n") == 1
    show = "import os, doca_comm_channel; print(sorted({'LD_AUDIT', 'LD_LIBRARY_PATH', 'CPATH'} & set(os.environ)))"
    assert start_python("-m", PACKAGE, "run", "-c", show, cwd=bare).finish() == (0, "[]\n", "")
