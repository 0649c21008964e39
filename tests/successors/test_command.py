"""The option on the command line, of migrate and of verify."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from migrate.cli import main
from migrate.verify.options import read_options
from migrate.verify.rounds import Rounds
from migrate.verify.verdict import Verdict
from tests.processes import Child
from tests.verify.cases import GUESTS

COMPILED = Path(__file__).parent / "programs" / "compiled.py"
LAUNCHER = (sys.executable, "-m", "comm_channel_compat", "run")


def test_a_compiled_module_is_made_against_the_new_header(tmp_path: Path, runtime_dir: Path) -> None:
    """The C compiler compares the declarations with the header; what it warns of is on the standard error."""
    program = Path(shutil.copy(COMPILED, tmp_path))
    assert main(["--keep-spelling", "--write", str(program)]) == 0
    assert "doca_cc" not in program.read_text()
    old = Child([*LAUNCHER, "--doca", "2.5", str(COMPILED)]).finish()
    assert Child([*LAUNCHER, str(program)]).finish() == old
    assert (old.returncode, old.stderr) == (0, "")


PROJECT = """\
[project]
name = "doca_cc"
[[tool.setuptools.ext-modules]]
name = "_x"
libraries = [
    "%s",  # the channel
    "doca_common",
]
extra-link-args = ["-l%s"]
"""
CONFIG = """\
[metadata]
name = doca_cc
[build_ext]
libraries = doca_common
    %s
[other]
service = doca_cc
"""
MESON = "project('doca_cc', 'c')\nchannel = dependency('%s')\n"


def test_files_that_say_what_is_linked_follow(tmp_path: Path) -> None:
    build = (tmp_path / "pyproject.toml", tmp_path / "setup.cfg", tmp_path / "meson.build")
    texts = (PROJECT, CONFIG, MESON)
    old = (("doca_cc", "doca_cc"), ("doca_cc",), ("doca-cc",))
    new = (("doca_comch", "doca_comch"), ("doca_comch",), ("doca-comch",))
    for path, text, names in zip(build, texts, old, strict=True):
        path.write_text(text % names)
    program = tmp_path / "program.py"
    program.write_text('from ctypes import *\n\nCDLL("libdoca_cc.so.2").doca_cc_client_destroy(None)\n')
    assert main(["--keep-spelling", "--write", str(program)]) == 0
    assert [path.read_text() for path in build] == [text % names for text, names in zip(texts, old, strict=True)]
    program.write_text(program.read_text().replace("comch", "cc"))
    assert main(["--keep-spelling", "--write", str(tmp_path)]) == 0
    assert [path.read_text() for path in build] == [text % names for text, names in zip(texts, new, strict=True)]


def test_what_is_linked_stays_with_a_program_that_does(tmp_path: Path) -> None:
    build = tmp_path / "meson.build"
    build.write_text(MESON % "doca-cc")
    (tmp_path / "pyproject.toml").touch()
    program = tmp_path / "program.py"
    program.write_text(
        'from ctypes import *\n\nCDLL("libdoca_cc.so.2").doca_cc_producer_send_task_alloc_init(*given)\n'
    )
    assert main(["--keep-spelling", "--write", str(tmp_path)]) == 2
    assert build.read_text() == MESON % "doca-cc"


def test_mode_shim_keeps_every_spelling_anyway(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--mode", "shim", "--keep-spelling", "x.py"]) == 64
    assert "--keep-spelling" in capsys.readouterr().err


def test_verify_runs_the_successors_in_c(tmp_path: Path, runtime_dir: Path) -> None:
    case = GUESTS["cffi/netpkg"]
    options = read_options(["--keep-spelling", str(case.folder / "store.py"), str(case.folder / "user.py")]).options
    result = Rounds(case.stage(case.migrated(tmp_path, options), runtime_dir), ()).result()
    assert (result.stays, result.divergences, result.reasons) == ((), (), ())
    assert result.verdict is not Verdict.DIVERGED
