"""A program that is forked cannot tell: it sees, prints and ends as with an interpreter of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests import forked
from tests.forked import LAUNCHER, ForkedPopen
from tests.processes import ROOT, Child, Finished, StartPython

SERVED = "import os; print(open(f'/proc/{os.getpid()}/cmdline').read().split(chr(0))[1])"

# What a program can look at, or do, without importing.
PROGRAMS = {
    "names": "import sys; print(__name__, sorted(globals()), vars(sys.modules['__main__']) is globals())",
    "file": "print(__spec__ and __spec__.name, [globals().get(n) for n in ('__file__', '__package__', '__cached__')])",
    "arguments": "import sys; print(sys.argv, sys.orig_argv, sys.path, sys.flags)",
    "environment": "import os; print(*sorted(os.environ.items()), sep='\\n'); os.system('printenv COMCH_RUNTIME_DIR')",
    "folder": "import os; print(os.getcwd(), os.getpid() == os.getsid(0), os.umask(0))",
    "descriptors": "import os; print(os.listdir('/proc/self/fd'))",
    "signals": "import signal; print([(n, signal.getsignal(n)) for n in sorted(signal.valid_signals())],\n"
    "signal.pthread_sigmask(signal.SIG_BLOCK, ()))",
    "threads": "import threading; print(threading.enumerate() == [threading.main_thread()])",
    "hooks": "import sys; print(sys.excepthook is sys.__excepthook__, sys.stdout is sys.__stdout__)",
    "streams": "import sys\nfor s in (sys.stdin, sys.stdout, sys.stderr): print(repr(s), s.errors, s.line_buffering,\n"
    "getattr(s, 'write_through', 0), type(s.buffer), s.buffer.seekable(), s.isatty(), s.fileno())",
    "input": "import sys; print(repr(sys.stdin.readline()), repr(sys.stdin.read()))",
    "byte code": "import sys; print(sys.dont_write_bytecode)",
    "an exit": "import sys; sys.exit(3)",
    "an exit with words": "raise SystemExit('words')",
    "an exception": "def f():\n    1 / 0\nf()",
    "a cause": "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError('x') from error",
    "a hook": "import sys\nsys.excepthook = lambda _, error, trace: print(trace.tb_frame.f_code.co_name)\n1 / 0",
    "an interrupt": "raise KeyboardInterrupt",
    "a signal": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "a broken program": "def",
    "the end": "import atexit, threading\natexit.register(print, 'exit')\n"
    "class C:\n    def __del__(self): print('gone')\nc = C()\n"
    "main = threading.main_thread()\n"
    "threading.Thread(target=lambda: main.join() or print('thread')).start()\nprint('end')",
    "an open device": "import comch_next as comch\nprint(comch.open_device('03:00.0'))",
    "the C library": "import ctypes\ntry:\n"
    "    print(ctypes.CDLL('/opt/mellanox/doca/lib/x86_64-linux-gnu/libdoca_comm_channel.so')._name)\n"
    "except OSError as error:\n    print(error)",
    "the old modules": "import sys\ntry:\n    import doca_cc, doca_comm_channel\n"
    "    print(doca_cc.__name__, doca_comm_channel.__name__, sys.modules['doca_cc'].__file__)\n"
    "except ImportError as error:\n    print(error)",
    "a child": "import os\nif os.fork() == 0: os._exit(4)\nprint(os.wait()[1])",
    "processes": "import multiprocessing, sys\nif __name__ == '__main__':\n"
    "    with multiprocessing.get_context('spawn').Pool(1) as pool: print(pool.map(len, ['abc']))",
}


def end(child: Child) -> Finished:
    with suppress(BrokenPipeError):  # most programs end without reading
        child.say("one\ntwo\n")
    return child.finish()


@pytest.mark.parametrize("launcher", [(), LAUNCHER], ids=["python", "launcher"])
@pytest.mark.parametrize("form", ["script", "-c", "-m"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_sees_and_does_the_same(
    name: str, form: str, launcher: tuple[str, ...], start_python: StartPython, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(PROGRAMS[name])
    words = {"script": ["program.py"], "-c": ["-c", PROGRAMS[name]], "-m": ["-m", "program"]}[form]
    forked, fresh = (
        end(start_python(*launcher, *words, "-x", "y", cwd=tmp_path, fresh=fresh)) for fresh in (False, True)
    )
    assert forked == fresh


@pytest.mark.parametrize("launcher", [(), LAUNCHER], ids=["python", "launcher"])
def test_what_many_import_is_there(launcher: tuple[str, ...], start_python: StartPython) -> None:
    code = "import sys; print({'argparse', 'cffi', 'comch_next.driver._traced', 'logging'} - {*sys.modules})"
    assert start_python(*launcher, "-c", code).succeed() == "set()\n"


@pytest.mark.parametrize("env", [{}, {"COMCH_SIDE": "host"}, {"PYTHONDONTWRITEBYTECODE": "1"}], ids=str)
@pytest.mark.parametrize("launcher", [(), LAUNCHER], ids=["python", "launcher"])
def test_most_programs_are_forked(launcher: tuple[str, ...], env: dict[str, str], start_python: StartPython) -> None:
    assert start_python(*launcher, "-c", SERVED, env=env).succeed().endswith("fork_server.py\n")


@pytest.mark.parametrize(
    "env", [{"PYTHONHASHSEED": "1"}, {"LD_LIBRARY_PATH": "/x"}, {"COMCH_COMPAT_WARN": "1"}], ids=str
)
@pytest.mark.parametrize("launcher", [(), LAUNCHER], ids=["python", "launcher"])
def test_what_is_read_at_the_start_has_a_start(
    launcher: tuple[str, ...], env: dict[str, str], start_python: StartPython
) -> None:
    assert start_python(*launcher, "-c", SERVED, env=env).succeed() == "-c\n"


@pytest.mark.parametrize("options", [("-B",), ("-X", "dev"), (*LAUNCHER, "--warn")], ids=str)
def test_options_have_a_start(options: tuple[str, ...], start_python: StartPython) -> None:
    finished = start_python(*options, "-c", SERVED).finish()
    assert finished.returncode == 0
    assert "fork_server" not in finished.stdout


@pytest.mark.parametrize("launcher", [(), LAUNCHER], ids=["python", "launcher"])
def test_a_folder_and_nothing_have_a_start(
    launcher: tuple[str, ...], start_python: StartPython, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text(SERVED)
    assert "fork_server" not in start_python(*launcher, "folder", cwd=tmp_path).succeed()
    assert "can't open file" in start_python(*launcher, "missing", cwd=tmp_path).finish().stderr


def test_without_pipes_and_settings_it_has_those_of_this_process(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMCH_SIDE", "dpu")
    monkeypatch.chdir("/")
    program = "import os, sys; print(os.getcwd(), os.environ['COMCH_SIDE'], os.getsid(0)); print('x', file=sys.stderr)"
    with ForkedPopen([sys.executable, "-c", program]) as process:
        assert process.wait(60) == 0
    assert capfd.readouterr() == (f"/ dpu {os.getsid(0)}\n", "x\n")


def test_descriptors_are_passed_by_number() -> None:
    reading, writing = os.pipe()
    program = (
        f"import os; os.write({writing}, b'here'); print(*(n for n in range(99) if os.path.exists(f'/dev/fd/{{n}}')))"
    )
    with ForkedPopen(
        [sys.executable, "-c", program], pass_fds=[writing], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=ROOT
    ) as process:
        assert process.communicate(timeout=60)[0].decode() == f"0 1 2 {writing}\n"
    os.close(writing)
    assert os.read(reading, 10) == b"here"
    os.close(reading)


def test_it_is_a_child_of_this_process(start_python: StartPython) -> None:
    child = start_python("-c", "import os, signal; print(os.getppid(), flush=True); signal.pause()")
    assert child.wait_for("") == str(os.getpid())
    child.signal(signal.SIGKILL)
    assert os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT).si_status == signal.SIGKILL  # type: ignore[union-attr]


def test_what_outlives_its_parent_is_no_child_of_this_process(start_python: StartPython) -> None:
    program = "import os\nif os.fork() == 0: print(os.read(0, 1) and os.getppid(), flush=True)\nelse: os._exit(0)"
    child = start_python("-c", program)
    assert child.process.wait(60) == 0
    child.say("x")
    assert child.wait_for("") != str(os.getpid())


def test_a_program_begins_when_this_process_adopts_no_more(
    start_python: StartPython, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    adopt, begun, early = forked._adopt, tmp_path / "begun", []

    def adopt_slowly(on: bool) -> None:
        deadline = time.monotonic() + 0.3
        while not on and time.monotonic() < deadline:
            early.append(begun.exists())
            time.sleep(0.01)
        adopt(on)

    monkeypatch.setattr(forked, "_adopt", adopt_slowly)
    assert start_python("-c", f"open({str(begun)!r}, 'w')").finish().returncode == 0
    assert begun.exists()
    assert not any(early)
