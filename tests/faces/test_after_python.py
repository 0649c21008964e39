"""Calls that come when the program's Python has ended are refused."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from tests.faces.support import ENV, PROGRAMS, compiled, run
from tests.processes import StartPython

REFUSED = "DOCA_ERROR_INITIALIZATION"


def test_of_a_plugin(start_python: StartPython, tmp_path: Path) -> None:
    """Its static objects outlive Python."""
    plugin = compiled(tmp_path, [PROGRAMS / "plugin.c"], "doca-common", flags=("-shared", "-fPIC"))
    script = f"import ctypes; print(ctypes.CDLL({str(plugin)!r}).plugin_open())"
    printed = start_python("-c", script, env=ENV).succeed()
    assert printed.splitlines() == ["0", f"create: {REFUSED}", "progress: 0", f"destroy: {REFUSED}"]


def test_of_a_program_with_a_python_of_its_own(tmp_path: Path) -> None:
    """A second one does not know what the first has made."""
    program = compiled(tmp_path, [PROGRAMS / "embedding.c"], "doca-comch", flags=("-ldl",))
    library = "/".join(map(str, map(sysconfig.get_config_var, ("LIBDIR", "INSTSONAME"))))
    printed = run(program, library, env={"PYTHONPATH": sysconfig.get_path("purelib")}).succeed()
    assert printed.splitlines() == [
        "first: DOCA_SUCCESS",
        f"after its end: {REFUSED}",
        f"in another: {REFUSED}",
        f"a library that was not called before: {REFUSED}",
    ]
