"""The file of a trace: opened at load or an error, whole lines whatever happens, and nothing of it when off."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import comch_next as comch
from comch_next.driver import load
from comch_next.driver._traced._file import TraceFile
from comch_next.driver.emulated import Driver
from comch_next.driver.emulated._port import open_port
from comch_next.errors import InvalidValue, IoFailed
from tests.processes import StartPython
from tests.trace.lines import of, read

PAGE = 4096
LOADED = """
import sys
import comch_next
comch_next.devices()
print([name for name in sys.modules if name.startswith("comch_next") and ("_trace" in name or "_fault" in name)])
"""
FORKED = """
import os
import comch_next as comch
def start():
    with comch.Server(comch.open_device("03:00.0"), "b1:00.0", f"of {os.getpid()}"):
        print(os.getpid(), flush=True)
start()
child = os.fork()
if child == 0:
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(0)
    os.waitpid(grandchild, 0)
    start()
    os._exit(0)
os.waitpid(child, 0)
start()
"""
ABRUPT = """
import os
import comch_next as comch
server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
server.listen()
client = comch.Client(comch.open_device("b1:00.0"), "svc")
client.connect(timeout=0)
os._exit(3)
"""
ELSEWHERE = """
import os, sys
os.chdir(sys.argv[1])
import comch_next as comch
comch.open_device("03:00.0").close()
if os.fork() == 0:
    if sys.argv[2] == "/proc":
        os.chdir("/proc")
    else:
        os.rename("trace.jsonl", "kept")
        os.mkdir("trace.jsonl")
    comch.open_device("b1:00.0")
    if sys.argv[2] != "/proc":
        os.rmdir("trace.jsonl")
        os.rename("kept", "trace.jsonl")
    os._exit(0)
print(os.wait()[1])
"""
LINES = """
import sys
from comch_next.driver._traced._file import TraceFile
file = TraceFile(sys.argv[1])
print("up", flush=True)
while True:
    file.write("x", {"text": "x" * 2500})
"""


@pytest.mark.parametrize("place", ["missing/trace.jsonl", "."])
def test_a_file_that_cannot_be_opened_is_an_error_at_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_driver: None, place: str
) -> None:
    monkeypatch.setenv("COMCH_TRACE", str(tmp_path / place))
    for _ in range(2):
        with pytest.raises(IoFailed, match=r"COMCH_TRACE: .* cannot be opened") as caught:
            comch.devices()
        assert isinstance(caught.value, OSError)


def test_off_it_is_the_driver_itself(fresh_driver: None, start_python: StartPython) -> None:
    assert isinstance(load(), Driver)
    opens: object = load().open_port
    assert opens is open_port
    assert start_python("-c", LOADED, fresh=True).succeed() == "[]\n"


def test_on_it_is_loaded_once(trace: Path) -> None:
    assert load() is load("emulated")
    assert trace.exists()


@pytest.mark.parametrize("name", ["one.jsonl", "%p.jsonl"])
def test_a_forked_child_traces_itself(tmp_path: Path, start_python: StartPython, name: str) -> None:
    done = start_python("-c", FORKED, env={"COMCH_TRACE": str(tmp_path / name)}).finish()
    assert (done.returncode, done.stderr) == (0, "")
    parent, child, again = map(int, done.stdout.split())
    assert parent == again != child
    names = {name.replace("%p", str(pid)) for pid in (parent, child)}
    assert {path.name for path in tmp_path.iterdir()} == names
    lines = read(*tmp_path.iterdir())
    assert {line["pid"] for line in lines} == {parent, child}
    for pid in (parent, child):
        own = [line for line in lines if line["pid"] == pid]
        assert [line["seq"] for line in own] == list(range(1, len(own) + 1))
        assert {line["service"] for line in own if "service" in line} == {f"of {pid}"}


def test_a_line_lies_within_a_page(tmp_path: Path) -> None:
    """What is written within a page a kill cannot cut."""
    path = tmp_path / "trace.jsonl"
    file = TraceFile(str(path))
    for length in range(0, 3900, 7):
        file.write("x", {"text": "x" * length})
    start = 0
    for line in path.read_bytes().splitlines(keepends=True):
        text = line.lstrip(b" ")
        first, last = start + len(line) - len(text), start + len(line) - 1
        assert first // PAGE == last // PAGE
        assert json.loads(text)["what"] == "x"
        start += len(line)


def test_a_killed_process_leaves_whole_lines(tmp_path: Path, start_python: StartPython) -> None:
    """Lines of more than half a page: without the spaces before them every second would lie in two."""
    for number in range(12):
        path = tmp_path / f"{number}.jsonl"
        writer = start_python("-c", LINES, str(path))
        writer.wait_for("up")
        while path.stat().st_size < 40 * PAGE:
            assert writer.process.poll() is None
        writer.kill()
        *lines, rest = path.read_bytes().split(b"\n")
        assert rest.strip(b" ") == b""
        assert [json.loads(line)["seq"] for line in lines] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize("rest", ['{"seq":1,"at":"/a b ', '{"seq":1,"t":2}', "x" * 5000], ids=len)
def test_a_line_that_was_cut_stands_alone(tmp_path: Path, rest: str) -> None:
    """As a full disk leaves it: the next process begins a new one."""
    path = tmp_path / "trace.jsonl"
    path.write_text('{"seq":1}\n' + rest)
    file = TraceFile(str(path))
    for _ in range(2):
        file.write("x", {})
    before, cut, *lines = path.read_text().splitlines()
    assert (before, cut) == ('{"seq":1}', rest)
    assert [json.loads(line)["seq"] for line in lines] == [1, 2]


def test_a_line_after_one_that_was_cut_lies_within_a_page(tmp_path: Path) -> None:
    for length in range(PAGE - 200, PAGE, 20):
        path = tmp_path / f"{length}.jsonl"
        path.write_text("x" * length)
        TraceFile(str(path)).write("x", {})
        text = path.read_bytes()
        assert text.index(b"{") // PAGE == (len(text) - 1) // PAGE


@pytest.mark.parametrize("rest", ["", " " * 70, '{"seq":1}\n', '{"seq":1}\n  '], ids=len)
def test_a_file_without_such_a_line_is_appended_to(tmp_path: Path, rest: str) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(rest)
    TraceFile(str(path)).write("x", {})
    assert path.read_text().startswith(rest + "{")


def test_an_exit_without_leave_loses_nothing(tmp_path: Path, start_python: StartPython) -> None:
    path = tmp_path / "trace.jsonl"
    child = start_python("-c", ABRUPT, env={"COMCH_TRACE": str(path)})
    assert child.finish().returncode == 3
    assert [line["new"] for line in of(read(path), "state")] == ["RUNNING", "STARTING"]


def test_a_full_disk_ends_the_trace_and_not_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fresh_driver: None
) -> None:
    monkeypatch.setenv("COMCH_TRACE", "/dev/full")
    with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc"):
        pass
    assert capsys.readouterr().err.count("COMCH_TRACE: the trace ends here: ") == 1


def test_a_full_disk_that_has_standard_error_too(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    monkeypatch.setenv("COMCH_TRACE", "/dev/full")
    full = open("/dev/full", "w", buffering=1)  # noqa: SIM115  # which cannot be closed as others
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", full)
        with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc"):
            pass
    with suppress(OSError):
        full.close()


def test_a_full_disk_where_standard_error_is_closed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fresh_driver: None
) -> None:
    monkeypatch.setenv("COMCH_TRACE", "/dev/full")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        comch.open_device("03:00.0").close()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("place", "told"), [("/proc", False), ("/dev/null", True)])
def test_a_child_that_goes_elsewhere(tmp_path: Path, start_python: StartPython, place: str, told: bool) -> None:
    """It writes to the same file, or to none when it can open that no more."""
    there = tmp_path / "there"
    there.mkdir()
    done = start_python("-c", ELSEWHERE, str(there), place, env={"COMCH_TRACE": "trace.jsonl"}).finish()
    assert done.stdout == "0\n"
    assert done.stderr.count("COMCH_TRACE: the trace ends here: ") == told
    assert len(of(read(there / "trace.jsonl"), "open")) == (1 if told else 2)


@pytest.mark.parametrize("place", ["nothing_of_this_name", "nothing_of_this_name:x", "os:nothing", ":x"])
def test_a_sink_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, fresh_driver: None, place: str) -> None:
    monkeypatch.setenv("COMCH_TRACE_SINK", place)
    with pytest.raises(InvalidValue, match=r"COMCH_TRACE_SINK is .*; legal is MODULE:FUNCTION"):
        load()


def test_it_is_the_owners(trace: Path) -> None:
    """It may hold what was said."""
    load()
    assert os.stat(trace).st_mode & 0o077 == 0


def test_an_unknown_wish_for_payload_is_refused(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    monkeypatch.setenv("COMCH_TRACE_PAYLOAD", "yes")
    with pytest.raises(InvalidValue, match="COMCH_TRACE_PAYLOAD is 'yes'; legal are 0, 1 and empty"):
        load()
