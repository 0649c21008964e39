"""An account and the vocabulary name the same calls: each method and function of the old modules, both generations."""

from __future__ import annotations

from pathlib import Path

from tests.processes import StartPython

# Under the launcher each old call has a wrapper, which holds the symbol that the account notes.
COMPARE = """\
import doca_cc, doca_comm_channel
from migrate.old_api.accounts import accounted
from migrate.old_api.generations import VOCABULARY

def symbol(function):
    code = getattr(function, "__code__", None)
    cells = zip(code.co_freevars, function.__closure__ or ()) if code and code.co_name == "call" else ()
    return dict(cells)["code"].cell_contents if cells else ""

compared = 0
for module in (doca_comm_channel, doca_cc):
    for (kind, name), function in VOCABULARY.methods.items():
        for owner, of in VOCABULARY.classes.items():
            called = symbol(getattr(getattr(module, owner, None), name, None)) if of == kind else ""
            compared += bool(called)
            if called and called != accounted(function.name):
                print(owner, name, called, function.name)
    for name, function in {**VOCABULARY.objects, **VOCABULARY.flat}.items():
        called = symbol(getattr(module, name, None))
        compared += bool(called)
        if called and called != accounted(function.name):
            print(name, called, function.name)
print(compared > 300)
"""


def test_symbols(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "compare.py").write_text(COMPARE)
    command = ("-m", "comm_channel_compat", "run", "--report", "run.json", "compare.py")
    finished = start_python(*command, cwd=tmp_path).finish()
    assert (finished.stdout, finished.returncode) == ("True\n", 0), finished.stderr
