"""What runs leave: streams, statuses, the lines that called the toolkit, and what failed, in every kind of frame."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.outcome import Options
from migrate.verify import trees
from migrate.verify.account import ran
from migrate.verify.peers import Peer, Script
from migrate.verify.stage import Limits, Remains, Stage
from tests.evidence.conftest import PROGRAMS
from tests.processes import StartPython
from tests.verify.cases import UNHURRIED

FRAMES = """\
import asyncio
import contextlib
import functools
import threading

import doca_comm_channel as cc
from doca_comm_channel import doca_comm_channel_ep_set_max_msg_size, doca_comm_channel_ep_get_max_msg_size

ep = cc.Endpoint()


@contextlib.asynccontextmanager
async def opened():
    await asyncio.sleep(0)
    yield cc.open_device("03:00.0")


async def main():
    async with opened() as dev:
        await asyncio.sleep(0)
        ep.set_device(dev)


asyncio.run(main())
thread = threading.Thread(target=lambda: doca_comm_channel_ep_set_max_msg_size(ep, 1 << 30), name="setter")
thread.start()
thread.join()
listen = functools.partial(ep.connect, "frames")
for _ in range(2):
    try:
        listen()
    except cc.DocaError as error:
        print(error.name)
print(doca_comm_channel_ep_get_max_msg_size(ep))
try:
    ep.recvfrom(64)
except cc.NotConnected:
    pass
"""
PASSED_ON = """\
import concurrent.futures
import contextlib
import unittest

import doca_comm_channel as cc

ep = cc.Endpoint()
case = unittest.TestCase()
case.assertRaises(cc.DocaError, ep.recvfrom, 64)
with contextlib.suppress(cc.DocaError), contextlib.ExitStack() as stack:
    stack.callback(ep.set_max_msg_size, 1 << 30)
with concurrent.futures.ThreadPoolExecutor(1, "pool") as pool:
    print(pool.submit(ep.listen, "passed on").exception() is not None)
"""
NO_CALLS = """\
import json
import doca_comm_channel as cc

ep = cc.Endpoint()
for call in (
    lambda: ep.send_two(b"x", None),
    lambda: cc.open_devise("03:00.0"),
    lambda: ep.sendto(b"x", None, 0, pear=None),
    lambda: no_such_name,
    lambda: json.lods("[3]"),
    lambda: len(3),
    lambda: json.dumps(object()),
):
    try:
        call()
    except Exception:
        pass
"""
CFFI = """\
import cffi
ffi = cffi.FFI()
ffi.cdef('''
typedef int doca_error_t;
struct doca_comm_channel_ep_t;
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep, unsigned short size);
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);
''')
lib = ffi.dlopen("libdoca_comm_channel.so.2")
ep = ffi.new("struct doca_comm_channel_ep_t **")
print(lib.doca_comm_channel_ep_create(ep))
print(lib.doca_comm_channel_ep_set_max_msg_size(ep[0], 0))
print(lib.doca_comm_channel_ep_set_max_msg_size(ep[0], 128))
print(lib.doca_comm_channel_ep_destroy(ep[0]))
"""
SERVICE = """\
import sys
import time
import doca_comm_channel as cc
ep = cc.Endpoint()
dev = cc.open_device("03:00.0")
ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0"))
try:
    ep.listen("lingering")  # from here on it is ready, and may be interrupted
    while True:
        time.sleep(5)
except KeyboardInterrupt:
    print("interrupted")
    sys.exit(4)
"""
CLIENT = """\
import doca_comm_channel as cc
ep = cc.Endpoint()
ep.set_device(cc.open_device("b1:00.0"))
print(ep.connect("lingering") is not None)
"""


def stage(home: Path, limits: Limits, **scripts: str) -> Stage:
    (home / "given").mkdir()
    peers = []
    for name, text in scripts.items():
        (home / "given" / f"{name}.py").write_text(text)
        script = Script(Path(f"{name}.py"))
        peers.append(Peer(name, script, script))
    return Stage(
        trees.migrated(home / "given", [peer.old.path for peer in peers], home, Options()), peers, limits, home
    )


def failed(remains: Remains) -> list[tuple[str, str, int]]:
    lines = [line for line in remains.watched if line["what"] == "failed"]
    return [(line["result"], line["thread"], int(line["at"].rpartition(":")[2])) for line in lines]


@pytest.mark.parametrize("new", [False, True])
def test_frames(tmp_path: Path, new: bool) -> None:
    (remains,) = stage(tmp_path, UNHURRIED, program=FRAMES).run("1", [new])
    assert (remains.status, remains.stderr) == (0, "")
    results = [(result, thread) for result, thread, _ in failed(remains)]
    assert results == [
        ("DOCA_ERROR_INVALID_VALUE", "setter"),
        ("DOCA_ERROR_NOT_PERMITTED", "MainThread"),
        ("DOCA_ERROR_NOT_PERMITTED", "MainThread"),
        ("DOCA_ERROR_NOT_CONNECTED", "MainThread"),
    ]
    if not new:
        numbers = {number for path, number in ran(remains) if path == "program.py"}
        assert {9, 15, 21, 25, 31, 34, 36} <= numbers


@pytest.mark.parametrize("new", [False, True])
def test_calls_that_others_make_for_the_program(tmp_path: Path, new: bool) -> None:
    """Once rewritten they may stand in a lambda of the program: both sides count alike."""
    (remains,) = stage(tmp_path, UNHURRIED, program=PASSED_ON).run("1", [new])
    assert (remains.status, remains.stderr, remains.stdout) == (0, "", "True\n")
    lines = [line for line in remains.watched if line["what"] == "failed"]
    assert [(line["result"], line["thread"]) for line in lines] == [
        ("DOCA_ERROR_NOT_CONNECTED", "MainThread"),
        ("DOCA_ERROR_INVALID_VALUE", "MainThread"),
        ("DOCA_ERROR_BAD_STATE", "pool_0"),
    ]


def test_calls_that_cannot_be_made(tmp_path: Path) -> None:
    """A wrong name, or a wrong argument, that the program swallows; what it does with others is its own matter."""
    (remains,) = stage(tmp_path, UNHURRIED, program=NO_CALLS).run("1", [False])
    assert (remains.status, remains.stderr) == (0, "")
    assert [result for result, _, _ in failed(remains)] == [
        "AttributeError",
        "AttributeError",
        "TypeError",
        "NameError",
    ]


PRINTS = """\
import sys
import threading
import doca_comm_channel as cc
sys.setswitchinterval(1e-6)


def count(name):
    for number in range(100):
        print(name, number, "of a thread")


threads = [threading.Thread(target=count, args=(name,)) for name in "abcd"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("begun", end=", ")
cc.Endpoint()
sys.stdout.buffer.write(b"bytes, ")
print("ended", end="")
"""


@pytest.mark.parametrize("new", [False, True])
def test_what_threads_print_is_not_torn(tmp_path: Path, new: bool) -> None:
    """Without the watcher a print is one line, too; and what was begun comes before what the program does then."""
    (remains,) = stage(tmp_path, UNHURRIED, program=PRINTS).run("1", [new])
    *lines, last = remains.stdout.split("\n")
    assert (remains.status, remains.stderr, last) == (0, "", "begun, bytes, ended")
    assert sorted(lines) == sorted(f"{name} {number} of a thread" for name in "abcd" for number in range(100))
    assert [line["rest"] for line in remains.watched if line["what"] == "printed"][-3:] == [7, 7, 5]


STRUCK = """\
import os
import signal
import sys
import threading
import doca_comm_channel as cc


class Struck(Exception):
    pass


def strike(number, frame):
    raise Struck


ep = cc.Endpoint()
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.signal(signal.SIGTERM, strike).name)
print(signal.signal(signal.SIGTERM, strike) is strike, signal.getsignal(signal.SIGTERM) is strike)
caught = []
for number in [signal.SIGINT, signal.SIGTERM] * 8:
    threading.Timer(0.03, os.kill, (os.getpid(), number)).start()
    try:
        while True:
            ep.get_max_msg_size()
    except (KeyboardInterrupt, Struck) as error:
        caught.append(type(error).__name__)
print(caught == ["KeyboardInterrupt", "Struck"] * 8, sys.gettrace() is not None)
"""


def test_signals_end_no_watching(tmp_path: Path) -> None:
    """Python traces no more once a trace function has raised, which handlers do wherever they are called."""
    (remains,) = stage(tmp_path, UNHURRIED, program=STRUCK).run("1", [False])
    assert (remains.status, remains.stderr, remains.stdout) == (0, "", "True SIG_DFL\nTrue True\nTrue True\n")


FILES = """\
import pathlib
import sys
import doca_comm_channel as cc
cc.Endpoint()
pathlib.Path("made").mkdir(exist_ok=True)
pathlib.Path("made", sys.argv[0][-9:-3]).write_text("x")
pathlib.Path("given.txt").unlink(missing_ok=True)
"""


def test_files_that_a_run_writes(tmp_path: Path) -> None:
    """The first end has them, where all ran in one folder."""
    bench = stage(tmp_path, UNHURRIED, service=FILES, client=FILES)
    for side in (bench.trees.old, bench.trees.new):
        (side / "given.txt").write_text("given")
        (side / "kept.txt").write_text("kept")
    service, client = bench.run("1", [True, True])
    assert service.files == {"given.txt": None, "made/ervice": b"x", "made/client": b"x"}
    assert client.files is None
    assert [left.files for left in bench.run("2", [True, False])] == [None, None]


MADE = """\
import cffi
for name, source in (("_declared", None), ("_compiled", "static int one(void) { return 1; }")):
    ffi = cffi.FFI()
    ffi.cdef("int one(void);")
    ffi.set_source(name, source)
    ffi.compile()
open("made.py", "w").write("# auto-generated file\\nimport os\\n")
"""


def test_what_cffi_makes_is_not_of_the_program(tmp_path: Path) -> None:
    (remains,) = stage(tmp_path, UNHURRIED, program=MADE).run("1", [False])
    assert (remains.status, remains.stderr) == (0, "")
    assert [*(remains.files or ())] == ["made.py"]


@pytest.mark.parametrize(("apart", "found"), [(False, "True\n"), (True, "False\n")])
def test_ends_that_are_apart_do_not_find_each_other_s_files(tmp_path: Path, apart: bool, found: str) -> None:
    looking = FILES + "print(pathlib.Path('made', 'ervice').exists())\n"
    service, client = stage(tmp_path, UNHURRIED, service=FILES, client=looking).run("1", [False, False], apart=apart)
    assert client.stdout == found
    assert client.others == ({service.folder} if apart else set())


def test_the_folders_of_runs_have_one_length(tmp_path: Path) -> None:
    """A program may send the length of a path, or what holds one."""
    bench = stage(tmp_path, UNHURRIED, program="import os\nprint(len(os.getcwd()))\n")
    told = {
        bench.run(name, [new], apart=apart)[0].stdout
        for name in ("1", "10")
        for new in (False, True)
        for apart in (False, True)
    }
    assert len(told) == 1


@pytest.mark.parametrize("new", [False, True])
def test_calls_of_a_c_library(tmp_path: Path, new: bool) -> None:
    """The libraries of the toolkit run in the program's own interpreter, so its lines are seen through them."""
    bench = stage(tmp_path, UNHURRIED, program=CFFI)
    assert [call.line for call in bench.trees.calls] == [12, 13, 14, 15]
    (remains,) = bench.run("1", [new])
    assert (remains.status, remains.stdout) == (0, "0\n6\n0\n0\n")
    gone = 9 if new else 0  # lines, with the declarations
    assert failed(remains) == [("DOCA_ERROR_INVALID_VALUE", "MainThread", 13 - gone)]
    assert {number - gone for number in (12, 13, 14, 15)} <= {number for _, number in ran(remains)}


def test_a_service_that_lingers_is_interrupted(tmp_path: Path) -> None:
    service, client = stage(tmp_path, replace(UNHURRIED, linger_s=0.2), service=SERVICE, client=CLIENT).run(
        "1", [False, False]
    )
    assert (service.status, service.stdout) == (4, "interrupted\n")
    assert (client.status, client.stdout) == (0, "True\n")
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()].count("1") == 0


HURRIED = """\
import time
import doca_comm_channel as cc
ep = cc.Endpoint()
start = time.monotonic()
for _ in range(60):
    ep.get_max_msg_size()
print(time.monotonic() - start > 0.2)
"""


def test_an_end_that_is_held_up(tmp_path: Path) -> None:
    """Its calls take their time, and it does what it does without."""
    (left,) = stage(tmp_path, UNHURRIED, program=HURRIED).run("held", [False], held=0)
    assert (left.status, left.stdout) == (0, "True\n"), left.stderr


def test_forked_siblings_are_held_up_apart(start_python: StartPython) -> None:
    """Those of a pool would else come to each call at the same time, and no race among them would show itself."""
    program = """
        import importlib.util, itertools, os
        import migrate.verify as verify
        found = importlib.util.spec_from_file_location("watcher", verify.__path__[0] + "/_watcher/sitecustomize.py")
        watcher = importlib.util.module_from_spec(found)
        found.loader.exec_module(watcher)
        for _ in range(2):
            if not os.fork():
                print(*itertools.islice(watcher._pauses, 30), flush=True)
                os._exit(0)
            os.wait()
    """
    first, second = start_python("-c", textwrap.dedent(program)).finish().stdout.splitlines()
    assert first != second


@pytest.mark.parametrize("spelling", ["cffi", "ctypes"])
def test_lines_of_a_program_that_calls_c(tmp_path: Path, spelling: str) -> None:
    """Its messages come from its own lines, and a progress that brought nothing has run, too."""
    text = (PROGRAMS / f"cc_with_{spelling}.py").read_text()
    given = stage(tmp_path, UNHURRIED, program=text)
    (remains,) = replace(given, peers=[replace(given.peers[0], arguments=("doca_cc_",))]).run("1", [False])
    assert (remains.status, remains.stderr) == (0, "")
    lines = [f"{remains.folder}/program.py:{number}" for number, line in enumerate(text.splitlines(), 1)
             if 'PREFIX + "client_task_send_alloc_init"' in line or "doca_task_submit" in line]  # fmt: skip
    assert set() < {line["at"] for line in remains.trace if line["what"] == "send"} <= set(lines)
    progress = {number for number, line in enumerate(text.splitlines(), 1) if "    common.doca_pe_progress(" in line}
    assert progress <= {number for _, number in ran(remains)}


AS_CTX = """\
from ctypes import CDLL, byref, c_void_p
lib = CDLL("libdoca_cc.so.2")
lib.doca_cc_client_as_ctx.restype = c_void_p
client = c_void_p()
print(lib.doca_cc_client_create(None, b"svc", byref(client)))
ctx = c_void_p(lib.doca_cc_client_as_ctx(client))
"""


def test_calls_that_no_run_can_show_need_not_be_seen(tmp_path: Path) -> None:
    """The C library answers them by itself."""
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "a.py").write_text(AS_CTX)
    sides = trees.migrated(tmp_path / "given", [Path("a.py")], tmp_path, Options())
    assert {(call.name, call.line) for call in sides.calls} == {("doca_cc_client_create", 5)}
