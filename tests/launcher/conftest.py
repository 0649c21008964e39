"""A copy of the launcher with C libraries of the test, which answer who they are, and real ones beside it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.processes import ROOT, Finished, StartPython

PACKAGE = "comm_channel_compat"
NAMES = {PACKAGE: ["comm_channel"], "comch_next": ["common", "comch"]}  # the package with the library -> its name
OURS, REAL = 1, 2  # what a library answers
SOURCE = """\
int doca_stub_origin(void) { return ORIGIN; }
const char *comch_face_lacks_python(void) { return 0; }
"""
HEADER = "int doca_stub_origin(void);\n"


def compile_c(*arguments: str | Path) -> None:
    subprocess.run(["cc", *map(str, arguments)], check=True, timeout=60, capture_output=True)


def make_library(folder: Path, name: str, origin: int) -> None:
    """A library with its soname and the link that compilers look for."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "stub.c"
    source.write_text(SOURCE)
    file = f"libdoca_{name}.so.2"
    compile_c("-shared", "-fPIC", f"-DORIGIN={origin}", source, f"-Wl,-soname,{file}", "-o", folder / file)
    source.unlink()
    (folder / f"libdoca_{name}.so").symlink_to(file)


@pytest.fixture
def start_python(start_python: StartPython) -> StartPython:
    """Start each process afresh: how it starts is what the tests here are about."""
    return partial(start_python, fresh=True)


@pytest.fixture(scope="session")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders with the launcher and our libraries ("tree"), and with one real library ("real")."""
    folder = tmp_path_factory.mktemp("stubs")
    tree = folder / "tree"
    shutil.copytree(ROOT / PACKAGE, tree / PACKAGE, ignore=shutil.ignore_patterns("__pycache__", "capi"))
    for package, names in NAMES.items():
        for name in names:
            make_library(tree / package / "capi" / "lib", name, OURS)
        for kind in ("include", "pkgconfig"):
            (tree / package / "capi" / kind).mkdir()
    (tree / PACKAGE / "capi" / "include" / "doca_comm_channel.h").write_text(HEADER)
    make_library(folder / "real", "comm_channel", REAL)
    return folder


@pytest.fixture
def tree(stubs: Path) -> Path:
    return stubs / "tree"


@pytest.fixture
def real(stubs: Path) -> Path:
    return stubs / "real"


Launch = Callable[..., Finished]


@pytest.fixture
def launch(start_python: StartPython, tree: Path) -> Launch:
    """Run a command of the launcher in the tree to its end."""

    def run(*arguments: str | Path, **environment: str) -> Finished:
        return start_python("-m", PACKAGE, *map(str, arguments), cwd=tree, env=environment).finish()

    return run
