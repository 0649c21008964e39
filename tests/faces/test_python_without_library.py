"""The faces as they are built where Python has no shared library: scripts find its symbols in their own process."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from comch_next.capi._building import build
from comch_next.capi._building.libraries import FACES
from comm_channel_compat._launcher.settings import settings
from tests.processes import ROOT, SOON_S, Child, StartPython

LEGACY = ROOT / "samples_legacy"


def _compile(source: Path, library: Path, cflags: list[str], ldflags: list[str]) -> None:
    include = f"-I{sysconfig.get_paths()['include']}"
    command = ["gcc", "-shared", "-fPIC", include, *cflags, str(source), "-o", str(library), *ldflags]
    subprocess.run(command, check=True, timeout=2 * SOON_S, capture_output=True)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders of the libraries; those of a release come last, as under the launcher's default."""
    root = tmp_path_factory.mktemp("unshared")
    with pytest.MonkeyPatch.context() as patch:
        known = sysconfig.get_config_var
        patch.setattr(sysconfig, "get_config_var", lambda name: None if name == "Py_ENABLE_SHARED" else known(name))
        assert "has no shared library to link against" in build.missing()
        build.build(root, root / "scratch", _compile)
    found = {root / face.folder / "lib" for face in FACES.values()}
    return sorted(found, key=lambda folder: ("-" in folder.parent.name, folder))


def test_no_library_needs_pythons(folders: list[Path]) -> None:
    libraries = [path for folder in folders for path in folder.glob("*.so.2")]
    assert {library.name for library in libraries} == {face.soname for face in FACES.values()}
    for library in libraries:
        command = ["readelf", "--dynamic", str(library)]
        read = subprocess.run(command, check=True, timeout=SOON_S, capture_output=True, text=True).stdout
        assert "(NEEDED)" in read
        assert "libpython" not in read


def test_scripts_of_both_kinds_talk(folders: list[Path], start_python: StartPython) -> None:
    libraries = os.pathsep.join(map(str, folders))
    found = settings({}, {}, stand_in=True)
    found |= {"LD_LIBRARY_PATH": libraries, "COMCH_COMPAT_LIBRARIES": libraries}
    found["PYTHONPATH"] += f"{os.pathsep}{ROOT}"

    def start(script: Path) -> Child:
        return start_python(str(script), env=found, cwd=script.parent)

    service = start(LEGACY / "with_cffi" / "hello_service.py")
    service.wait_for("listening")
    for child in (start(LEGACY / "with_ctypes" / "hello_client.py"), service):
        ended = child.finish()
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.splitlines()[-1] == "result DOCA_SUCCESS"
