"""A script under the launcher behaves as under python itself."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT, Child, Finished, StartPython

LAUNCH = ("-m", "comm_channel_compat", "run")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Where a test writes its script: a name with a space in it."""
    folder = tmp_path / "some folder"
    folder.mkdir()
    return folder / "old script.py"


def both(start_python: StartPython, script: Path, *arguments: str, cwd: Path | None = None) -> list[Finished]:
    """How the script ends under python, and under the launcher."""
    where = {"cwd": cwd or ROOT}
    children: list[Child] = [
        start_python(str(script), *arguments, **where),
        start_python(*LAUNCH, str(script), *arguments, **where),
    ]
    return [child.finish() for child in children]


@pytest.mark.parametrize(
    "source",
    [
        "import sys; print(sys.argv, __name__, __file__, sys.path[0], sys.flags, __spec__, __package__)",
        "import sys; print(sorted(globals()), sys.modules['__main__'].__dict__ is globals())",
        "import sys; sys.exit()",
        "import sys; sys.exit(0)",
        "import sys; sys.exit(3)",
        "import sys; sys.exit(-1)",
        "import sys; sys.exit('a message')",
        "import sys; sys.exit([1])",
        "raise SystemExit",
        "import os; os._exit(7)",
        "raise ValueError('a text')",
        "def f():\n    g()\ndef g():\n    raise KeyError('x') from ValueError(1)\nf()",
        "import no_such_module",
        "syntax error here",
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "raise KeyboardInterrupt",
        "import atexit, sys; atexit.register(print, 'at exit'); sys.exit(2)",
        "import sys; sys.stderr.write('no newline'); sys.stdout.write('neither')",
        "import sys; print(sys.stdin.read())",
        "import warnings; warnings.warn('seen'); warnings.warn('old', DeprecationWarning)",
        "import signal; print(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGPIPE))",
        "import multiprocessing as m\nif __name__ == '__main__':\n    m.set_start_method('spawn')\n"
        "    p = m.Process(target=print, args=('from a child',)); p.start(); p.join()",
    ],
)
def test_it_does_what_python_does(start_python: StartPython, script: Path, source: str) -> None:
    script.write_text(source + "\n")
    plain, launched = both(start_python, script, "-x", "--", "two words", "", "run", "-m", "ä")
    assert launched == plain


@pytest.mark.parametrize("ctype", [None, "", "C", "en_US.nowhere"])
def test_the_locale_is_the_programs(
    start_python: StartPython, script: Path, monkeypatch: pytest.MonkeyPatch, ctype: str | None
) -> None:
    """Python changes LC_CTYPE in its own environment where that is C."""
    for name, value in {"LANG": "C", "LC_ALL": "", "LC_CTYPE": ctype}.items():
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    script.write_text(
        "import locale, os, sys; print(sys.flags, os.environ.get('LC_CTYPE'), locale.setlocale(locale.LC_CTYPE))\n"
        "print([entry for entry in open('/proc/self/environ').read().split('\\0') if entry.startswith('LC_')])\n"
    )
    plain, launched = both(start_python, script)
    assert launched == plain
    ask = (*LAUNCH[:-1], "exec", "sh", "-c", "echo ${LC_CTYPE-none}")
    assert start_python(*ask).finish() == (0, f"{'none' if ctype is None else ctype}\n", "")


def test_data_files_are_found_where_they_were(start_python: StartPython, script: Path) -> None:
    script.write_text("print(open('data').read(), open(__file__.replace('old script.py', 'data')).read())\n")
    (script.parent / "data").write_text("beside the script")
    plain, launched = both(start_python, Path(script.name), cwd=script.parent)
    assert launched == plain
    assert plain.returncode == 0


def test_a_script_that_is_not_there(start_python: StartPython, tmp_path: Path) -> None:
    plain, launched = both(start_python, tmp_path / "nowhere.py")
    assert launched == plain
    assert launched.returncode == 2


def test_a_folder_is_run_by_its_main(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "__main__.py").write_text("import doca_comm_channel as cc; print(cc.__name__)\n")
    assert start_python(*LAUNCH, str(tmp_path)).finish() == (0, "comm_channel_compat\n", "")


def test_standard_input_as_script(start_python: StartPython) -> None:
    child = start_python(*LAUNCH, "-", "an argument")
    child.say("import sys, doca_comm_channel; print(sys.argv)\n")
    assert child.finish() == (0, "['-', 'an argument']\n", "")


def test_the_old_name_is_the_compatibility_module(start_python: StartPython, script: Path) -> None:
    script.write_text(
        "import doca_comm_channel, comm_channel_compat, importlib\n"
        "from doca_comm_channel import *\n"
        "assert doca_comm_channel is comm_channel_compat\n"
        "assert importlib.import_module('doca_comm_channel') is comm_channel_compat\n"
        "assert Endpoint is comm_channel_compat.Endpoint\n"
        "assert doca_comm_channel_ep_create()[0] == DOCA_SUCCESS\n"
    )
    assert start_python(*LAUNCH, str(script)).finish() == (0, "", "")


def test_without_the_launcher_there_is_no_such_module(start_python: StartPython, script: Path) -> None:
    script.write_text("import doca_comm_channel\n")
    plain, launched = both(start_python, script)
    assert "No module named 'doca_comm_channel'" in plain.stderr
    assert launched == (0, "", "")


def test_a_module_of_ones_own_wins(start_python: StartPython, script: Path) -> None:
    (script.parent / "doca_comm_channel.py").write_text("name = 'my own'\n")
    script.write_text("import doca_comm_channel; print(doca_comm_channel.name)\n")
    plain, launched = both(start_python, script)
    assert launched == plain == (0, "my own\n", "")


def test_nothing_but_the_old_module_and_the_start_comes_with_it(start_python: StartPython, script: Path) -> None:
    script.write_text("import sys; print([p for p in sys.path if p not in sys.argv[1:]])\n")
    probe = start_python("-c", "import sys; print('\\n'.join(sys.path))", cwd=script.parent)
    plain_path = probe.succeed().splitlines()
    launched = start_python(*LAUNCH, str(script), str(script.parent), *plain_path).finish()
    (extra,) = eval(launched.stdout)
    shims = set(os.listdir(extra)) - {"__pycache__"}
    assert shims == {"doca_cc.py", "doca_comm_channel.py", "sitecustomize.py"}


def test_a_path_in_the_environment_stays(
    start_python: StartPython, script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    script.write_text("import os, mine, doca_comm_channel; print(os.environ['PYTHONPATH'])\n")
    launched = start_python(*LAUNCH, str(script)).finish()
    assert launched.stdout.strip().endswith(f"_shim{os.pathsep}{tmp_path}")


def test_where_the_package_is_not_installed(start_python: StartPython, script: Path) -> None:
    script.write_text("import doca_comm_channel as cc; print(cc.__file__)\n")
    launched = start_python("-S", *LAUNCH, str(script), env={"PYTHONPATH": site_packages()}, cwd=ROOT).finish()
    assert launched.stdout.strip() == str(ROOT / "comm_channel_compat" / "__init__.py")


def site_packages() -> str:
    return next(path for path in sys.path if path.endswith("site-packages"))


@pytest.mark.parametrize(
    ("launch", "seen"),
    [
        ("-O -m comm_channel_compat", "sys.flags.optimize == 1"),
        ("-Om comm_channel_compat", "sys.flags.optimize == 1"),
        ("-B -X dev -mcomm_channel_compat", "sys.flags.dev_mode and sys.dont_write_bytecode"),
        ("-X utf8 -W ignore -m comm_channel_compat", "sys.flags.utf8_mode == 1 and sys.warnoptions == ['ignore']"),
        ("-uqm comm_channel_compat", "sys.flags.quiet == 1"),
    ],
)
def test_options_for_python_itself(start_python: StartPython, script: Path, launch: str, seen: str) -> None:
    script.write_text(f"import sys; print({seen}, sys.argv[1:])\n")
    finished = start_python(*launch.split(), "run", str(script), "-m", "x").finish()
    assert finished == (0, "True ['-m', 'x']\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_ends_it(start_python: StartPython, script: Path, number: signal.Signals) -> None:
    script.write_text("import time; print('ready', flush=True); time.sleep(60)\n")
    ended = []
    for launch in ((), LAUNCH):
        # Wherever on that one line the signal finds it, the traceback is the same.
        child = start_python(*launch, str(script), env={"PYTHONNODEBUGRANGES": "1"})
        child.wait_for("ready")
        ended.append(child.end_by(number))
    plain, launched = ended
    assert launched == plain
    assert launched.returncode == -number


def test_a_signal_that_is_handled(start_python: StartPython, script: Path) -> None:
    script.write_text(
        "import signal, sys, time, doca_comm_channel\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(5))\n"
        "print('ready', flush=True); time.sleep(60)\n"
    )
    child = start_python(*LAUNCH, str(script))
    child.wait_for("ready")
    assert child.end_by(signal.SIGINT).returncode == 5


def test_it_is_the_same_process(start_python: StartPython, script: Path) -> None:
    script.write_text("import os; print(os.getpid())\n")
    child = start_python(*LAUNCH, str(script))
    assert child.succeed() == f"{child.pid}\n"


def test_an_old_pair_runs_unchanged(start_python: StartPython, script: Path) -> None:
    samples = ROOT / "samples_legacy"
    service = start_python(*LAUNCH, str(samples / "hello_service.py"))
    service.wait_for("listening")
    client = start_python(*LAUNCH, str(samples / "hello_client.py"))
    assert client.finish().returncode == 0
    assert service.finish().returncode == 0
