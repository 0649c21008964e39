"""Scripts that load DOCA's libraries by name or path get those of the toolkit, unless there are real ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launcher.conftest import OURS, REAL, Launch
from tests.processes import StartPython

SONAME = "libdoca_comm_channel.so.2"
ABSOLUTE = f"/opt/mellanox/doca/lib/x86_64-linux-gnu/{SONAME}"

CTYPES = "import ctypes, ctypes.util; print(ctypes.CDLL({}).doca_stub_origin())"
CFFI = "import cffi; f = cffi.FFI(); f.cdef('int doca_stub_origin(void);'); print(f.dlopen({}).doca_stub_origin())"
NAMES = [
    f"'{SONAME}'",
    "'libdoca_comm_channel.so'",
    "'libdoca_common.so.2'",
    "'libdoca_comch.so'",
    f"'{ABSOLUTE}'",
    "'/opt/mellanox/doca/lib/aarch64-linux-gnu/libdoca_common.so'",
]
FIND = "ctypes.util.find_library('doca_comm_channel')"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("load", [CTYPES, CFFI], ids=["ctypes", "cffi"])
def test_a_library_is_found(launch: Launch, load: str, name: str) -> None:
    assert not os.path.exists(ABSOLUTE)
    code = load.format(name)
    assert launch("run", "-c", code) == (0, f"{OURS}\n", "")


@pytest.mark.parametrize("path", [None, "/proc/nowhere"], ids=["tools", "no tools"])
def test_find_library(launch: Launch, path: str | None) -> None:
    """Also where neither a compiler nor a linker is there to be asked."""
    code = f"{CTYPES.format(FIND)}; print({FIND}, ctypes.util.find_library('doca_none'), ctypes.util.find_library('c'))"
    environment = {} if path is None else {"PATH": path}
    assert launch("run", "-c", code, **environment) == (0, f"{OURS}\n{SONAME} None libc.so.6\n", "")


def test_from_ctypes_util_import_find_library(launch: Launch) -> None:
    code = "from ctypes.util import find_library; print(find_library('doca_comch'))"
    assert launch("run", "-c", code) == (0, "libdoca_comch.so.2\n", "")


def test_children_inherit(launch: Launch) -> None:
    code = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CTYPES.format(repr(ABSOLUTE))!r}], check=True)"
    )
    assert launch("run", "-c", code) == (0, f"{OURS}\n", "")


def test_a_launcher_in_a_launcher_changes_nothing(launch: Launch) -> None:
    show = "import os; print({name: value for name, value in os.environ.items() if 'comm_channel_compat' in value})"
    nested = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-m', 'comm_channel_compat', 'run', '-c', {show!r}])"
    )
    once = launch("run", "-c", show).stdout
    assert "LD_AUDIT" in once
    assert launch("run", "-c", nested).stdout == once


def test_other_libraries_are_left_alone(launch: Launch) -> None:
    code = "import ctypes; ctypes.CDLL('/opt/mellanox/doca/lib/libdoca_flow.so.2')"
    finished = launch("run", "-c", code)
    assert finished.returncode == 1
    assert "OSError: /opt/mellanox/doca/lib/libdoca_flow.so.2: cannot open shared object file" in finished.stderr


@pytest.mark.parametrize(
    ("options", "name", "origin", "told"),
    [
        ([], SONAME, REAL, "is used; --force takes the toolkit's"),
        ([], "{real}", REAL, "is used; --force takes the toolkit's"),
        (["--force"], SONAME, OURS, "gives way to the toolkit's"),
        (["--force"], "{real}", OURS, "gives way to the toolkit's"),
    ],
)
def test_a_real_library_is_shadowed_on_demand_only(
    launch: Launch, real: Path, options: list[str], name: str, origin: int, told: str
) -> None:
    path = str(real / SONAME)
    code = CTYPES.format(repr(name.format(real=path)))
    finished = launch("run", *options, "-c", code, LD_LIBRARY_PATH=str(real))
    assert finished == (0, f"{origin}\n", f"comm_channel_compat: {real / SONAME} {told}\n")


def test_a_library_at_its_absolute_path_stays(launch: Launch, real: Path) -> None:
    code = CTYPES.format(repr(str(real / SONAME)))
    assert launch("run", "-c", code) == (0, f"{REAL}\n", "")


def test_no_library_of_the_toolkit_replaces_a_part_of_a_real_set(launch: Launch, real: Path) -> None:
    """Handles of one library mean nothing to another: where one is real, none is stood in for."""
    code = CTYPES.format("'libdoca_common.so.2'")
    finished = launch("run", "-c", code, LD_LIBRARY_PATH=str(real))
    assert finished.returncode == 1
    assert "OSError: libdoca_common.so.2" in finished.stderr


def test_a_real_library_in_the_linkers_cache(tree: Path, real: Path, tmp_path: Path) -> None:
    cache = tmp_path / "ld.so.cache"
    ldconfig = shutil.which("ldconfig", path="/sbin:/usr/sbin:/usr/bin")
    assert ldconfig is not None
    subprocess.run([ldconfig, "-f", "/dev/null", "-C", cache, real], check=True, timeout=60, capture_output=True)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from comm_channel_compat._launcher import faces\n"
        "print(faces.installed({}, sys.argv[2]), faces.installed({}, sys.argv[3]))"
    )
    command = [sys.executable, "-c", code, str(tree), str(cache), "/proc/nowhere"]
    found = subprocess.run(command, check=True, timeout=60, capture_output=True, text=True, cwd="/")
    assert found.stdout == f"{real}/{SONAME} None\n"
    assert cache.read_bytes().count(SONAME.encode()) >= 1


MAPPED = "{line.split()[-1] for line in open('/proc/self/maps') if 'libdoca_comm_channel' in line}"


@pytest.mark.parametrize("order", [("", ".2"), (".2", "")], ids=["unversioned first", "versioned first"])
def test_a_library_is_loaded_once_where_links_are_copies(
    order: tuple[str, str], start_python: StartPython, tree: Path, tmp_path: Path
) -> None:
    """A wheel holds no links."""
    shutil.copytree(tree, tmp_path / "wheel")
    loads = "; ".join(f"ctypes.CDLL('libdoca_comm_channel.so{suffix}')" for suffix in order)
    code = f"import ctypes; {loads}; print(*{MAPPED})"
    finished = start_python("-m", "comm_channel_compat", "run", "-c", code, cwd=tmp_path / "wheel").finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    assert [Path(name).name for name in finished.stdout.split()] == [SONAME]
