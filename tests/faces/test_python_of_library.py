"""Which Python the libraries find: they are linked with none, and are in the place that tells whose they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from comch_next.capi._building.libraries import FACES
from tests.faces.support import FOLDERS, compiled
from tests.processes import ROOT, SOON_S

PROGRAM = """\
#include <doca_dev.h>
#include <doca_error.h>
#include <stdio.h>

int main(void)
{
	struct doca_devinfo **list;
	uint32_t number;

	puts(doca_error_get_name(doca_devinfo_create_list(&list, &number)));
	puts(doca_error_get_name(doca_devinfo_create_list(&list, &number)));
	return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program whose calls need the interpreter; no symbol of a library may be missing when it is linked."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "devices.c").write_text(PROGRAM)
    return compiled(folder, [folder / "devices.c"], "doca-common", flags=("-Wl,--no-undefined",))


def unrecorded() -> bytes:
    """The core's library without the executable that the checkout was built for, as a wheel has it."""
    library = (FOLDERS[0] / "lib" / "libdoca_common.so.2").read_bytes()
    recorded = re.search(re.escape(os.fsencode(sys.prefix)) + rb"/bin/python[0-9.]*(?=\0)", library)
    assert recorded is not None
    return library.replace(recorded.group(), bytes(len(recorded.group())))


def install(prefix: Path, version: str, executable: str | None) -> Path:
    """Put the core's library where pip would for that version, and an executable where its Python would be."""
    packages = prefix / "lib" / f"python{version}" / "site-packages"
    libraries = packages / "comch_next" / "capi" / "lib"
    libraries.mkdir(parents=True)
    (libraries / "libdoca_common.so.2").write_bytes(unrecorded())
    if executable is not None:
        (prefix / "bin").mkdir()
        (prefix / "bin" / f"python{version}").symlink_to(executable)
    return libraries


def run(program: Path, libraries: Path, **env: str) -> tuple[list[str], list[str]]:
    """What it prints, and what is reported, line by line."""
    ended = subprocess.run(
        [program], env={"LD_LIBRARY_PATH": str(libraries), **env}, capture_output=True, text=True, timeout=2 * SOON_S
    )
    assert ended.returncode == 0, ended
    return ended.stdout.split(), ended.stderr.splitlines()


def test_no_library_needs_python() -> None:
    for face in FACES.values():
        library = ROOT / face.folder / "lib" / face.soname
        command = ["nm", "--dynamic", "--undefined-only", str(library)]
        missing = subprocess.run(command, check=True, timeout=SOON_S, capture_output=True, text=True).stdout
        assert not [name for name in missing.split() if name.startswith(("Py", "_Py"))]


def test_one_without_a_shared_library(program: Path, tmp_path: Path) -> None:
    """The first call tells what is missing, in one line; no call succeeds."""
    printed, reported = run(program, install(tmp_path, "3.99", "/bin/true"))
    assert printed == ["DOCA_ERROR_INITIALIZATION"] * 2
    assert len(reported) == 1
    assert f"{tmp_path}/bin/python3.99 has no shared library libpython3.99.so.1.0" in reported[0]


def test_one_that_has_gone(program: Path, tmp_path: Path) -> None:
    printed, reported = run(program, install(tmp_path, "3.99", None))
    assert printed == ["DOCA_ERROR_INITIALIZATION"] * 2
    assert "this system has no shared library libpython3.99.so.1.0" in reported[0]


def copy_toolkit(packages: Path) -> Path:
    """Copy what the library needs of the toolkit; returns the library's folder."""
    shutil.copytree(ROOT / "comch_next", packages / "comch_next", ignore=shutil.ignore_patterns("__pycache__"))
    folder = packages / "comch_next" / "capi" / "lib"
    (folder / "libdoca_common.so.2").write_bytes(unrecorded())
    return folder


def test_a_place_that_tells_nothing(program: Path, tmp_path: Path) -> None:
    """`pip install --target` leaves open whose it is."""
    libraries = copy_toolkit(tmp_path)
    printed, reported = run(program, libraries)
    assert printed == ["DOCA_ERROR_INITIALIZATION"] * 2
    assert "set COMCH_PYTHON to its executable" in reported[0]
    assert run(program, libraries, COMCH_PYTHON=sys.executable) == (["DOCA_SUCCESS"] * 2, [])


@pytest.mark.parametrize("option", ["--symlinks", "--copies"])
def test_an_environment(program: Path, tmp_path: Path, option: str) -> None:
    """Beside a copy of the executable there is no library: pyvenv.cfg names the folder that it is from."""
    environment = tmp_path / "lib" / "python-projects" / "environment"  # a name that could be taken for the place
    command = [sys.executable, "-m", "venv", option, "--without-pip", str(environment)]
    subprocess.run(command, check=True, timeout=2 * SOON_S)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    packages = environment / "lib" / f"python{version}" / "site-packages"
    (packages / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")  # whose own .pth files are not read
    assert run(program, copy_toolkit(packages)) == (["DOCA_SUCCESS"] * 2, [])
