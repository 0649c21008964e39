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


def test_mode_shim_keeps_every_spelling_anyway(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--mode", "shim", "--keep-spelling", "x.py"]) == 64
    assert "--keep-spelling" in capsys.readouterr().err


def test_verify_runs_the_successors_in_c(tmp_path: Path, runtime_dir: Path) -> None:
    case = GUESTS["cffi/netpkg"]
    options = read_options(["--keep-spelling", str(case.folder / "store.py"), str(case.folder / "user.py")]).options
    result = Rounds(case.stage(case.migrated(tmp_path, options), runtime_dir), ()).result()
    assert (result.stays, result.divergences, result.reasons) == ((), (), ())
    assert result.verdict is not Verdict.DIVERGED
