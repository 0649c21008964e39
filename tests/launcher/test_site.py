"""What runs at Python's start under the launcher: one's own sitecustomize as before, and little else."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.launcher.conftest import OURS, Launch
from tests.processes import StartPython

LAUNCH = ("-m", "comm_channel_compat", "run")
SONAME = "libdoca_comch.so.2"
IS_THERE = "import sys; print('sitecustomize' in sys.modules, sys.path[1].rpartition('/')[2])"


@pytest.mark.skipif(find_spec("sitecustomize") is not None, reason="this Python came with a sitecustomize")
def test_there_is_none_where_there_was_none(start_python: StartPython) -> None:
    assert start_python("-c", "import sitecustomize").finish().returncode == 1
    assert start_python(*LAUNCH, "-c", IS_THERE).finish() == (0, "False _shim\n", "")


@pytest.mark.parametrize("end", ["", "raise RuntimeError('mine')\n", "raise ImportError('mine')\n"])
def test_ones_own_runs(start_python: StartPython, tmp_path: Path, end: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nname = 'mine'\nprint(__name__, __file__)\n{end}")
    code = "import sys; print(getattr(sys.modules.get('sitecustomize'), 'name', None), sys.path[-1][-6:])"
    environment = {"PYTHONPATH": str(tmp_path)}
    plain, launched = (start_python(*launch, "-c", code, env=environment).finish() for launch in ((), LAUNCH))
    told, shown = plain.stdout.splitlines(keepends=True)
    assert "sitecustomize.py" in told
    # The launcher's own Python has run it, too.
    assert launched == (plain.returncode, told + told + shown, plain.stderr * 2)


def test_modules_are_those_of_python(launch: Launch) -> None:
    """What is changed after its import shows its own loader and source."""
    code = (
        "import ctypes.util, inspect, sys; spec = ctypes.util.__spec__\n"
        "source = inspect.getsource(ctypes.util)\n"
        "print(type(spec.loader).__name__, ctypes.util.__loader__ is spec.loader, len(source) > 99)\n"
    )
    assert launch("run", "-c", code) == (0, "SourceFileLoader True True\n", "")


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("print(len(find_spec('ctypes.util').loader.get_source('ctypes.util')) > 99)", "True"),  # as `python -m` does
        ("find_spec('ctypes.util'); import ctypes.util; print(ctypes.util.find_library('doca_comch'))", SONAME),
        ("import ctypes.util; importlib.reload(ctypes.util); print(ctypes.util.find_library('doca_comch'))", SONAME),
        (
            "class Old: find_module = lambda self, name, path=None: None\n"
            "sys.meta_path.insert(1, Old()); warnings.simplefilter('ignore')\n"
            "import ctypes.util; print(ctypes.util.find_library('doca_comch'))",
            SONAME,
        ),
    ],
    ids=["all of the loader", "after a look", "after a reload", "beside a finder of old"],
)
def test_programs_may_look_for_what_is_changed(launch: Launch, code: str, printed: str) -> None:
    imports = "import importlib, sys, warnings; from importlib.util import find_spec\n"
    assert launch("run", "-c", imports + code, PATH="/proc/nowhere") == (0, f"{printed}\n", "")


BUILD = """\
import cffi
ffi = cffi.FFI()
ffi.cdef("int doca_stub_origin(void);")
{build}
"""
COMPILED = """\
ffi.set_source("_old", '#include <{header}>', libraries=["doca_comm_channel"])
ffi.compile()
from _old import lib
print(lib.doca_stub_origin())"""
VERIFIED = "print(ffi.verify('#include <{header}>', libraries=['doca_comm_channel']).doca_stub_origin())"


SHAPES = pytest.mark.parametrize("build", [COMPILED, VERIFIED], ids=["set_source", "verify"])


def build_script(folder: Path, build: str, header: str) -> str:
    (folder / "old.py").write_text(BUILD.format(build=build.format(header=header)))
    return f"import os, runpy; os.chdir({str(folder)!r}); runpy.run_path('old.py')"


@SHAPES
def test_api_mode_compiles_against_our_headers(launch: Launch, tmp_path: Path, build: str) -> None:
    code = build_script(tmp_path, build, "doca_comm_channel.h")
    finished = launch("run", "-c", code, PYTHONPATH=str(tmp_path))
    assert finished.returncode == 0, finished
    assert finished.stdout.splitlines()[-1] == str(OURS)


@SHAPES
def test_api_mode_without_a_header_is_refused_in_one_line(launch: Launch, tmp_path: Path, build: str) -> None:
    code = build_script(tmp_path, build, "doca_flow.h")
    lines = BUILD.format(build=build).splitlines()
    number = next(number for number, line in enumerate(lines, 1) if ".compile()" in line or ".verify(" in line)
    why = "cffi compiles against headers, and comm_channel_compat has no doca_flow.h"
    assert launch("run", "-c", code, PYTHONPATH=str(tmp_path)) == (1, "", f"old.py:{number}: {why}\n")


def test_the_place_of_code_without_a_module_is_named(launch: Launch, tmp_path: Path) -> None:
    code = build_script(tmp_path, COMPILED, "doca_none.h").replace("runpy.run_path('old.py')", "{run}")
    run = "exec(compile(open('old.py').read(), 'old.py', 'exec'), {})"
    finished = launch("run", "-c", code.format(run=run), PYTHONPATH=str(tmp_path))
    why = "cffi compiles against headers, and comm_channel_compat has no doca_none.h"
    assert finished == (1, "", f"old.py:5: {why}\n")


def test_a_program_that_can_do_without_goes_on(launch: Launch, tmp_path: Path) -> None:
    attempt = "try: ffi.verify('#include <doca_flow.h>')\nexcept cffi.VerificationError: print('without')"
    code = build_script(tmp_path, attempt, "")
    assert launch("run", "-c", code) == (0, "without\n", "")


def test_a_header_that_the_program_brings(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "doca_flow.h").write_text("int doca_stub_origin(void);\n")
    own = VERIFIED.replace("libraries=", "include_dirs=['own'], libraries=")
    finished = launch("run", "-c", build_script(tmp_path, own, "doca_flow.h"))
    assert (finished.returncode, finished.stdout) == (0, f"{OURS}\n")


OWN = "int doca_stub_origin(void);\n"
FOUND = {  # the source's text -> what is in the folder of the script, and the environment
    "beside": ('#include "doca_own.h"', "", {}),
    "guarded": ("#if __has_include(<doca_none.h>)\n#include <doca_none.h>\n#endif\n" + OWN, "", {}),
    "left out": ("#if 0\n#include <doca_none.h>\n#endif\n" + OWN, "", {}),
    "C_INCLUDE_PATH": ("#include <doca_own.h>", "own", {"C_INCLUDE_PATH": "own"}),
    "CPPFLAGS": ("#include <doca_own.h>", "own", {"CPPFLAGS": "-I own"}),
    "CFLAGS": ("#include <doca_own.h>", "own", {"CFLAGS": "-isystem own"}),
}


@pytest.mark.parametrize(("source", "folder", "environment"), FOUND.values(), ids=FOUND)
def test_a_header_that_the_compiler_finds(
    launch: Launch, tmp_path: Path, source: str, folder: str, environment: dict[str, str]
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "doca_own.h").write_text(OWN)
    code = build_script(tmp_path, COMPILED.replace("'#include <{header}>'", repr(source)), "")
    finished = launch("run", "-c", code, PYTHONPATH=str(tmp_path), **environment)
    assert (finished.returncode, finished.stdout) == (0, f"{OURS}\n"), finished


def test_a_program_without_standard_streams_compiles(launch: Launch, tmp_path: Path) -> None:
    """Its first files have the numbers of these."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "doca_own.h").write_text(OWN)
    code = build_script(tmp_path, COMPILED.replace("<{header}>", '"doca_own.h"'), "")
    closed = "import os\nout = os.dup(1)\nfor fd in range(3): os.close(fd)\nimport builtins\n"
    told = "builtins.print = lambda number: os.write(out, b'%d' % number)\n"
    finished = launch("run", "-c", closed + told + code, PYTHONPATH=str(tmp_path), CPPFLAGS="-I own")
    assert (finished.returncode, finished.stdout) == (0, f"{OURS}"), finished


def test_what_else_the_compiler_refuses_is_its_own_to_say(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "doca_own.h").write_text("#error mine\n")
    code = build_script(tmp_path, COMPILED.replace("<{header}>", '"doca_own.h"'), "")
    finished = launch("run", "-c", code, PYTHONPATH=str(tmp_path))
    assert finished.returncode == 1
    assert "#error mine" in finished.stderr
    assert "VerificationError" in finished.stderr
    assert "comm_channel_compat has no" not in finished.stderr
