"""The account of old calls that --report writes: what was called from where, how it ended, what it carried."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from comm_channel_compat._account import Account
from tests.both_ends import BOTH_ENDS
from tests.faces.support import compiled
from tests.processes import SOON_S, StartPython

LAUNCH = ("-m", "comm_channel_compat", "run", "--report")

SCRIPT = (
    f"import sys\n{BOTH_ENDS}"
    """\
while cc.doca_comm_channel_peer_addr_update_info(peer) != cc.DOCA_SUCCESS:
    cc.doca_comm_channel_ep_recvfrom(service, 99, 0)
client.sendto(b"four", peer)
cc.doca_comm_channel_ep_sendto(client, b"nine and", 8, 0, peer)
for _ in range(2):
    data, to_client = service.recvfrom(99)
try: service.recvfrom(99)
except cc.Again: pass
try: client.listen("svc")
except cc.DocaError as error: print(error.code.name)
cc.doca_comm_channel_ep_destroy(client)
"""
)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "old.py"
    path.write_text(SCRIPT)
    return path


def _calls(facts: dict[str, Any]) -> dict[tuple[str, int], dict[str, int]]:
    return {(call["symbol"], call["line"]): call["results"] for call in facts["calls"]}


def test_json(start_python: StartPython, script: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    plain = start_python(*LAUNCH[:-1], str(script)).finish()
    assert start_python(*LAUNCH, str(report), str(script), "argument").finish() == plain
    facts = json.loads(report.read_text())
    calls = _calls(facts)
    prefix = "doca_comm_channel_ep_"
    assert (facts["version"], facts["program"]) == (2, [str(script), "argument"])
    assert {call["file"] for call in facts["calls"]} == {str(script)}
    assert calls["doca_dev_open", 3] == {"DOCA_SUCCESS": 2}
    assert calls["doca_dev_rep_open", 6] == {"DOCA_SUCCESS": 1}
    assert calls[f"{prefix}sendto", 12] == calls[f"{prefix}sendto", 13] == {"DOCA_SUCCESS": 1}
    assert calls[f"{prefix}recvfrom", 15] == {"DOCA_SUCCESS": 2}
    assert calls[f"{prefix}recvfrom", 16] == {"DOCA_ERROR_AGAIN": 1}
    assert calls[f"{prefix}listen", 18] == {f"DOCA_ERROR_{plain.stdout.strip()}": 1}
    assert calls[f"{prefix}destroy", 20] == {"DOCA_SUCCESS": 1}
    waited = calls["doca_comm_channel_peer_addr_update_info", 10]
    assert waited["DOCA_SUCCESS"] == 1
    assert sum(waited.values()) == sum(calls[f"{prefix}recvfrom", 11].values()) + 1
    assert {call["count"] - sum(call["results"].values()) for call in facts["calls"]} == {0}
    nothing = {"service": "svc", "connection": 1}
    assert facts["peers"] == [
        {**nothing, "side": "client", "sent_messages": 2, "sent_bytes": 12},
        {**nothing, "side": "server", "received_messages": 2, "received_bytes": 12},
    ]
    left = {(made["symbol"], made["line"]): made["count"] for made in facts["never_destroyed"]}
    assert left == {("doca_dev_open", 3): 2, (f"{prefix}create", 4): 1, ("doca_dev_rep_open", 6): 1}


def test_the_suffix_decides_the_form(start_python: StartPython, script: Path, tmp_path: Path) -> None:
    for name in ("report.txt", "report.md"):
        start_python(*LAUNCH, name, script.name, cwd=tmp_path).finish()
    text, page = [(tmp_path / name).read_text().splitlines() for name in ("report.txt", "report.md")]
    assert text[0].startswith("old calls of old.py (process ")
    assert ["doca_comm_channel_ep_recvfrom", "1", "AGAIN", "1", "old.py:16"] in map(str.split, text)
    assert "  svc client 1  2 messages, 12 bytes  0 messages, 0 bytes" in text
    assert page[0] == "# Old calls of `old.py`"
    assert "| doca_comm_channel_ep_recvfrom | 1 | AGAIN 1 | old.py:16 |" in page


CFFI = """\
from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_comm_channel_ep_create(void **ep); int doca_comm_channel_ep_destroy(void *ep);"
         "int doca_comm_channel_ep_recvfrom(void *ep, char *msg, size_t *len, int flags, void **peer);")
lib = ffi.dlopen("libdoca_comm_channel.so.2")
ep, peer = ffi.new("void **"), ffi.new("void **")
lib.doca_comm_channel_ep_create(ep)
lib.doca_comm_channel_ep_recvfrom(ep[0], ffi.new("char[9]"), ffi.new("size_t *", 9), 0, peer)
lib.doca_comm_channel_ep_create(ep)
lib.doca_comm_channel_ep_destroy(ep[0])
"""


def test_a_cffi_script(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(CFFI)
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish().returncode == 0
    facts = json.loads((tmp_path / "report.json").read_text())
    prefix = "doca_comm_channel_ep_"
    assert _calls(facts) == {
        (f"{prefix}create", 7): {"DOCA_SUCCESS": 1},
        (f"{prefix}recvfrom", 8): {"DOCA_ERROR_NOT_CONNECTED": 1},
        (f"{prefix}create", 9): {"DOCA_SUCCESS": 1},
        (f"{prefix}destroy", 10): {"DOCA_SUCCESS": 1},
    }
    assert [(made["symbol"], made["line"]) for made in facts["never_destroyed"]] == [(f"{prefix}create", 7)]


PROGRAM = """\
#include <doca_comm_channel.h>
int main(void)
{
	struct doca_comm_channel_ep_t *ep;
	return doca_comm_channel_ep_create(&ep) || doca_comm_channel_ep_sendto(ep, "x", 1, 0, 0) == DOCA_SUCCESS;
}
"""


def test_a_compiled_program(start_python: StartPython, tmp_path: Path) -> None:
    """It has no lines, and its interpreter is never ended."""
    source, report = tmp_path / "old.c", tmp_path / "report.json"
    source.write_text(PROGRAM)
    program = compiled(tmp_path, [source], "doca-comm-channel")
    command = ("-m", "comm_channel_compat", "exec", "--report", str(report), str(program))
    assert start_python(*command).finish() == (0, "", "")
    facts = json.loads(report.read_text())
    assert facts["program"] == [str(program)]
    assert [(call["symbol"], call["file"], *call["results"]) for call in facts["calls"]] == [
        ("doca_comm_channel_ep_create", "", "DOCA_SUCCESS"),
        ("doca_comm_channel_ep_sendto", "", "DOCA_ERROR_NOT_CONNECTED"),
    ]


CHILDREN = """\
import os, subprocess, sys
import doca_comm_channel as cc
if len(sys.argv) == 1:
    first = cc.Endpoint()
    child = os.fork()
    if child == 0:
        cc.Endpoint().destroy()
        sys.exit()
    os.waitpid(child, 0)
    subprocess.run([sys.executable, __file__, "again"], check=True)
    subprocess.run([sys.executable, "-c", "import doca_comm_channel"], check=True)
else:
    cc.Endpoint()
"""


def test_processes_that_the_program_starts(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(CHILDREN)
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish().returncode == 0
    written = {path.name: json.loads(path.read_text()) for path in tmp_path.glob("report*")}
    lines = {name: sorted(call["line"] for call in facts["calls"]) for name, facts in written.items()}
    assert lines.pop("report.json") == [4]
    assert sorted(lines.values()) == [[7, 7], [13]]
    assert set(lines) == {f"report-{facts['pid']}.json" for name, facts in written.items() if name in lines}


def test_a_child_of_a_program_that_has_emptied_its_environment(start_python: StartPython, tmp_path: Path) -> None:
    text = CHILDREN.partition("    subprocess.")[0].replace("    child = ", "    os.environ.clear(); child = ")
    (tmp_path / "old.py").write_text(text)
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish() == (0, "", "")
    written = {path.name: json.loads(path.read_text()) for path in tmp_path.glob("report*")}
    own = written.pop("report.json")
    ((name, other),) = written.items()
    assert [[call["line"] for call in facts["calls"]] for facts in (own, other)] == [[4], [7, 7]]
    assert name == f"report-{other['pid']}.json"


WORKERS = """\
import multiprocessing, sys
import doca_comm_channel as cc
def work(_):
    cc.Endpoint().destroy()
if __name__ == "__main__":
    start = multiprocessing.get_context(sys.argv[1])
    process = start.Process(target=work, args=(0,))
    process.start()
    process.join()
    pool = start.Pool(1)
    pool.map(work, range(2))
    pool.close()
    pool.join()
    cc.Endpoint()
"""


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_processes_of_multiprocessing(start_python: StartPython, tmp_path: Path, start: str) -> None:
    """Most of them end by os._exit."""
    (tmp_path / "old.py").write_text(WORKERS)
    assert start_python(*LAUNCH, "report.json", "old.py", start, cwd=tmp_path).finish() == (0, "", "")
    written = [json.loads(path.read_text()) for path in tmp_path.glob("report*")]
    counts = sorted((call["line"], call["count"]) for facts in written for call in facts["calls"])
    assert counts == [(4, 1), (4, 1), (4, 2), (4, 2), (14, 1)]


def test_a_working_directory_that_has_been_removed(start_python: StartPython, script: Path, tmp_path: Path) -> None:
    gone, report = tmp_path / "gone", tmp_path / "report.txt"
    gone.mkdir()
    with script.open("a") as more:
        more.write("import os\nos.rmdir(os.getcwd())\n")
    finished = start_python(*LAUNCH, str(report), str(script), cwd=gone).finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    assert f"{script}:18" in report.read_text()


def test_a_report_that_cannot_be_written(start_python: StartPython, script: Path, tmp_path: Path) -> None:
    nowhere = start_python(*LAUNCH, str(tmp_path / "none" / "report"), str(script)).finish()
    assert nowhere.returncode == 64
    assert "there is no folder for" in nowhere.stderr
    made = str(tmp_path / "made")
    with script.open("a") as more:
        more.write("import os\nos.mkdir(sys.argv[1])\n")
    folder = start_python(*LAUNCH, made, str(script), made).finish()
    assert folder.returncode == 0
    assert folder.stderr == f"COMCH_COMPAT_REPORT: {made!r} cannot be written: Is a directory\n"
    os.rmdir(made)
    with script.open("a") as more:
        more.write("sys.stderr = None\n")
    assert start_python(*LAUNCH, made, str(script), made).finish() == (0, folder.stdout, "")


OTHER_LIBRARIES = """\
from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_devinfo_create_list(void ***list, uint32_t *number); int doca_devinfo_destroy_list(void **list);"
         "int doca_dev_open(void *info, void **dev); int doca_cc_client_create(void *dev, char *name, void **client);"
         "int doca_cc_client_destroy(void *client);")
common, lib = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")
infos, number, dev, client = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("void **"), ffi.new("void **")
common.doca_devinfo_create_list(infos, number)
common.doca_dev_open(infos[0][0], dev)
common.doca_devinfo_destroy_list(infos[0])
for _ in range(2):
    lib.doca_cc_client_create(dev[0], ffi.new("char[]", b"svc"), client)
lib.doca_cc_client_destroy(client[0])
lib.doca_cc_client_destroy(ffi.NULL)
"""


def test_libdoca_common_and_libdoca_cc(start_python: StartPython, tmp_path: Path) -> None:
    """By the names that the program used, though libdoca_cc hands its calls on."""
    (tmp_path / "old.py").write_text(OTHER_LIBRARIES)
    finished = start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish()
    assert finished.returncode == 0, finished.stderr
    facts = json.loads((tmp_path / "report.json").read_text())
    assert _calls(facts) == {
        ("doca_devinfo_create_list", 8): {"DOCA_SUCCESS": 1},
        ("doca_dev_open", 9): {"DOCA_SUCCESS": 1},
        ("doca_devinfo_destroy_list", 10): {"DOCA_SUCCESS": 1},
        ("doca_cc_client_create", 12): {"DOCA_SUCCESS": 2},
        ("doca_cc_client_destroy", 13): {"DOCA_SUCCESS": 1},
        ("doca_cc_client_destroy", 14): {"DOCA_ERROR_INVALID_VALUE": 1},
    }
    left = {(made["symbol"], made["line"]): made["count"] for made in facts["never_destroyed"]}
    assert left == {("doca_dev_open", 9): 1, ("doca_cc_client_create", 12): 1}


MEMORY = """\
import sys
from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_devinfo_create_list(void ***list, uint32_t *number); int doca_devinfo_destroy_list(void **list);"
         "int doca_dev_open(void *info, void **dev); int doca_dev_close(void *dev);"
         "int doca_mmap_create(void **mmap); int doca_mmap_destroy(void *mmap); int doca_mmap_start(void *mmap);"
         "int doca_mmap_add_dev(void *mmap, void *dev); int doca_mmap_set_memrange(void *mmap, void *at, size_t size);"
         "int doca_mmap_set_permissions(void *mmap, uint32_t mask);"
         "int doca_buf_inventory_create(size_t number, void **inventory);"
         "int doca_buf_inventory_start(void *inventory); int doca_buf_inventory_destroy(void *inventory);"
         "int doca_buf_inventory_buf_get_by_data(void *inventory, void *mmap, void *at, size_t size, void **buf);"
         "int doca_buf_inc_refcount(void *buf, uint16_t *before);"
         "int doca_buf_dec_refcount(void *buf, uint16_t *before);")
lib = ffi.dlopen("libdoca_common.so.2")
ends = len(sys.argv) > 1
def end(call, *args): ends and call(*args)
infos, number, dev, room = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("void **"), ffi.new("char[64]")
mmap, inventory, buf = (ffi.new("void **") for _ in range(3))
lib.doca_devinfo_create_list(infos, number)
for _ in range(2):
    lib.doca_dev_open(infos[0][0], dev)
end(lib.doca_devinfo_destroy_list, infos[0])
lib.doca_mmap_create(mmap)
lib.doca_mmap_add_dev(mmap[0], dev[0])
lib.doca_mmap_set_permissions(mmap[0], 1)
lib.doca_mmap_set_memrange(mmap[0], room, 64)
lib.doca_mmap_start(mmap[0])
lib.doca_buf_inventory_create(1, inventory)
lib.doca_buf_inventory_start(inventory[0])
lib.doca_buf_inventory_buf_get_by_data(inventory[0], mmap[0], room, 64, buf)
lib.doca_buf_inc_refcount(buf[0], ffi.new("uint16_t *"))
for _ in range(2):
    end(lib.doca_buf_dec_refcount, buf[0], ffi.NULL)
end(lib.doca_buf_inventory_destroy, inventory[0])
end(lib.doca_mmap_destroy, mmap[0])
for _ in range(2):
    end(lib.doca_dev_close, dev[0])
"""


def test_what_is_never_given_back(start_python: StartPython, tmp_path: Path) -> None:
    """Lists, memory and buffers have to be, too; a device as often as it was opened."""
    (tmp_path / "old.py").write_text(MEMORY)
    left = []
    for arguments in ((), ("end",)):
        finished = start_python(*LAUNCH, "report.json", "old.py", *arguments, cwd=tmp_path).finish()
        assert finished.returncode == 0, finished.stderr
        facts = json.loads((tmp_path / "report.json").read_text())
        assert {name for call in facts["calls"] for name in call["results"]} == {"DOCA_SUCCESS"}
        left.append({made["symbol"]: made["count"] for made in facts["never_destroyed"]})
    makes = ("devinfo_create_list", "mmap_create", "buf_inventory_create",
             "buf_inventory_buf_get_by_data", "buf_inc_refcount")  # fmt: skip
    assert left == [{**{f"doca_{name}": 1 for name in makes}, "doca_dev_open": 2}, {}]


def test_what_is_called_of_the_modern_library_is_not_old(start_python: StartPython, tmp_path: Path) -> None:
    modern = OTHER_LIBRARIES.replace("libdoca_cc", "libdoca_comch").replace("doca_cc_", "doca_comch_")
    (tmp_path / "old.py").write_text(modern)
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish().returncode == 0
    facts = json.loads((tmp_path / "report.json").read_text())
    assert {line for _, line in _calls(facts)} == {8, 9, 10}


ODD = {
    "no working directory": """\
import os, tempfile
os.chdir(tempfile.mkdtemp())
os.rmdir(os.getcwd())
from doca_comm_channel import *
rc, ep = doca_comm_channel_ep_create()
""",
    "no environment": """\
import doca_comm_channel, os
os.environ.clear()
rc, ep = doca_comm_channel.doca_comm_channel_ep_create()
""",
    "no descriptors": """\
import json.tool, resource, doca_comm_channel
rc, ep = doca_comm_channel.doca_comm_channel_ep_create()
elsewhere = compile("rc = doca_comm_channel.doca_comm_channel_ep_destroy(ep)", json.tool.__file__, "exec")
opened = []
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
try:
    while True: opened.append(open("/dev/null"))
except OSError: pass
exec(elsewhere)
opened.clear()
""",
}


@pytest.mark.parametrize("lack", ODD)
def test_a_call_does_what_it_does_where_there_is_no(start_python: StartPython, tmp_path: Path, lack: str) -> None:
    (tmp_path / "old.py").write_text(f"{ODD[lack]}print(rc)")
    report = str(tmp_path / "report.json")
    plain = start_python(*LAUNCH[:-1], str(tmp_path / "old.py")).finish()
    assert plain == (0, "0\n", "")
    assert start_python(*LAUNCH, report, str(tmp_path / "old.py")).finish() == plain
    assert json.loads(Path(report).read_text())["calls"]
    assert start_python(*LAUNCH, report, "-c", f"{ODD[lack]}print(rc)").finish() == plain


DEVICES = """\
import doca_comm_channel as cc
with cc.devices()[0].open():
    pass
with cc.open_device("03:00.0") as device:
    with device.representors()[0].open():
        pass
"""


def test_devices_in_with_blocks(start_python: StartPython, tmp_path: Path) -> None:
    """They have been given back; what made them has names of C."""
    (tmp_path / "old.py").write_text(DEVICES)
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish() == (0, "", "")
    facts = json.loads((tmp_path / "report.json").read_text())
    assert facts["never_destroyed"] == []
    assert [call["symbol"] for call in sorted(facts["calls"], key=lambda call: call["line"])] == [
        "doca_dev_open",
        "doca_devinfo_create_list",
        "doca_dev_open",
        "doca_dev_rep_open",
        "doca_devinfo_rep_create_list",
    ]


def test_what_is_given_by_name_is_given_back(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(
        "from doca_comm_channel import *\n"
        "rc, ep = doca_comm_channel_ep_create()\nrc = doca_comm_channel_ep_destroy(local_ep=ep)\n"
    )
    start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish()
    assert json.loads((tmp_path / "report.json").read_text())["never_destroyed"] == []


OWN_CLASSES = """\
import doca_cc as cc
class Named:
    def __hash__(self): return hash(self.name)
    def __eq__(self, other): return self.name == other.name
class Inventory(Named, cc.BufInventory):
    def __init__(self, name):
        super().__init__(1)
        self.name = name
class Owner(Named):
    pass
mmap, inventory, other = cc.Mmap(), Inventory("one"), Inventory("one")
owner = Owner()
mmap.set_user_data(owner)
print(mmap.get_user_data() is owner, inventory == other)
inventory.name = "another"
inventory.destroy()
"""


def test_what_a_programs_own_class_compares_is_not_asked(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OWN_CLASSES)
    finished = start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish()
    assert finished == (0, "True True\n", "")
    facts = json.loads((tmp_path / "report.json").read_text())
    left = {made["symbol"]: made["count"] for made in facts["never_destroyed"]}
    assert left == {"doca_mmap_create": 1, "doca_buf_inventory_create": 1}


@pytest.mark.parametrize("registers", ["before the import", "after it"])
def test_what_an_exit_function_does_counts(start_python: StartPython, tmp_path: Path, registers: str) -> None:
    lines = ["import doca_comm_channel as cc", "import atexit; atexit.register(lambda: ep.destroy())"]
    ordered = lines if registers == "after it" else [*lines[1:], lines[0]]
    (tmp_path / "old.py").write_text("\n".join([*ordered, "ep = cc.Endpoint()"]))
    start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish()
    facts = json.loads((tmp_path / "report.json").read_text())
    assert _calls(facts)["doca_comm_channel_ep_destroy", ordered.index(lines[1]) + 1] == {"DOCA_SUCCESS": 1}
    assert facts["never_destroyed"] == []


THREADS = """\
import os, sys, threading
import doca_comm_channel as cc
both, register = threading.Barrier(2), os.register_at_fork
def register_together(**calls):
    if sys._getframe(1).f_globals["__name__"] == "comm_channel_compat._account":  # which does so when it is made
        both.wait()
    register(**calls)
os.register_at_fork = register_together
threads = [threading.Thread(target=lambda: cc.doca_comm_channel_get_max_service_name_len()) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_the_first_calls_of_several_threads(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(THREADS)
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish() == (0, "", "")
    (results,) = _calls(json.loads((tmp_path / "report.json").read_text())).values()
    assert results == {"DOCA_SUCCESS": 2}


FIRST_IN_A_HANDLER = """\
import signal, sys
import comm_channel_compat as cc
signal.signal(signal.SIGUSR1, lambda *_: cc.doca_comm_channel_get_max_service_name_len())
class Interrupting:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("comm_channel_compat."): signal.raise_signal(signal.SIGUSR1)
sys.meta_path.insert(0, Interrupting)
cc.Endpoint().destroy()
"""


def test_a_call_of_a_handler_during_the_first_call(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(FIRST_IN_A_HANDLER)
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish() == (0, "", "")


def test_a_call_that_python_makes(start_python: StartPython, tmp_path: Path) -> None:
    """It stands on no line, which does not make the program a compiled one."""
    (tmp_path / "old.py").write_text(
        "import atexit, doca_comm_channel as cc\nep = cc.Endpoint()\natexit.register(ep.destroy)\n"
    )
    assert start_python(*LAUNCH, "report.md", "old.py", cwd=tmp_path).finish() == (0, "", "")
    page = (tmp_path / "report.md").read_text()
    assert "| doca_comm_channel_ep_destroy | 1 | SUCCESS 1 | no line of Python |" in page


def test_an_import_of_a_map(start_python: StartPython, tmp_path: Path) -> None:
    """A method of the class."""
    (tmp_path / "old.py").write_text(
        "import doca_cc as cc\ndevice = cc.open_device('03:00.0')\n"
        "try: cc.Mmap.create_from_export(None, b'none', dev=device)\nexcept cc.InvalidValue: pass\n"
    )
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish() == (0, "", "")
    calls = _calls(json.loads((tmp_path / "report.json").read_text()))
    assert calls["doca_mmap_create_from_export", 3] == {"DOCA_ERROR_INVALID_VALUE": 1}


REFUSED_WITHOUT_A_CODE = """\
import doca_comm_channel as cc
code, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr())
print(cc.doca_comm_channel_ep_event_channel_get(None), cc.doca_dev_as_devinfo(None))
import doca_cc
print(doca_cc.doca_cc_server_as_ctx(ep))
"""


def test_calls_that_fail_and_return_no_code(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(REFUSED_WITHOUT_A_CODE)
    finished = start_python(*LAUNCH, "report.json", "--doca", "1.4", "old.py", cwd=tmp_path).finish()
    assert finished == (0, "-1 None\nNone\n", "")
    calls = _calls(json.loads((tmp_path / "report.json").read_text()))
    del calls["doca_comm_channel_ep_create", 2]
    assert calls == {
        ("doca_comm_channel_ep_event_channel_get", 3): {"DOCA_ERROR_INVALID_VALUE": 1},
        ("doca_dev_as_devinfo", 3): {"DOCA_ERROR_INVALID_VALUE": 1},
        ("doca_cc_server_as_ctx", 5): {"DOCA_ERROR_INVALID_VALUE": 1},
    }


def test_arguments_that_are_not_text(start_python: StartPython, tmp_path: Path) -> None:
    code = "import doca_comm_channel as c; c.doca_comm_channel_get_max_service_name_len()"
    finished = start_python(*LAUNCH, "report.txt", "-c", code, "\udcff", cwd=tmp_path).finish()
    assert finished == (0, "", "")
    assert (tmp_path / "report.txt").read_bytes().startswith(b"old calls of -c \xff (process ")


@pytest.mark.parametrize("change", ["sys.argv = [pathlib.Path('old.py'), 5]", "del sys.argv"])
def test_arguments_that_the_program_has_changed(start_python: StartPython, tmp_path: Path, change: str) -> None:
    (tmp_path / "old.py").write_text(f"import pathlib, sys, doca_comm_channel as cc\n{change}\ncc.Endpoint()\n")
    for report in ("report.json", "report.txt"):
        assert start_python(*LAUNCH, report, "old.py", "5", cwd=tmp_path).finish() == (0, "", "")
    assert json.loads((tmp_path / "report.json").read_text())["program"][-2:] == ["old.py", "5"]
    assert "old.py 5 (process " in (tmp_path / "report.txt").read_text()


INTERRUPTED = """\
import json, signal
import doca_comm_channel as cc
signal.signal(signal.SIGINT, signal.default_int_handler)
dumps = json.dumps
def interrupted(*args, **options):
    signal.raise_signal(signal.SIGINT)
    return dumps(*args, **options)
json.dumps = interrupted
cc.Endpoint()
"""

FORKED = """\
import ctypes, os, signal
from functools import partial
import doca_comm_channel as cc
signal.signal(signal.SIGINT, signal.default_int_handler)
os.register_at_fork(after_in_child=partial(ctypes.CDLL(None)["raise"], signal.SIGINT))
cc.Endpoint()
child = 0
try:
    child = os.fork()
    for _ in range(2):
        pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
if child:
    os.waitpid(child, 0)
else:
    cc.Endpoint()
"""


def test_an_interrupt_while_it_is_written(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(INTERRUPTED)
    start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish()
    assert _calls(json.loads((tmp_path / "report.json").read_text())) == {
        ("doca_comm_channel_ep_create", 9): {"DOCA_SUCCESS": 1}
    }


def test_an_interrupt_in_a_forked_child(start_python: StartPython, tmp_path: Path) -> None:
    """Its account has none of the parent's calls, and it is interrupted once it can be."""
    (tmp_path / "old.py").write_text(FORKED)
    assert start_python(*LAUNCH, "report.json", "old.py", cwd=tmp_path).finish() == (0, "interrupted\n", "")
    parents, childs = sorted(tmp_path.glob("report*"), key=lambda path: len(path.name))
    lines = [[call["line"] for call in json.loads(path.read_text())["calls"]] for path in (parents, childs)]
    assert lines == [[6], [17]]


def test_settings_for_a_shell(start_python: StartPython, tmp_path: Path) -> None:
    """Each program that the shell starts writes to that file; what that program starts in its turn, to others."""
    child = "import doca_comm_channel as c; c.devices()"
    (tmp_path / "old.py").write_text(
        f"{child}\nimport subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}], check=True)\n"
    )
    env = ("-m", "comm_channel_compat", "env", "--report", str(tmp_path / "report.json"))
    printed = start_python(*env).succeed()
    shell = f"{printed}{shlex.quote(sys.executable)} old.py"
    subprocess.run(["sh", "-c", shell], cwd=tmp_path, env={**os.environ, "PATH": os.defpath}, check=True, timeout=60)
    first, other = sorted((path.name for path in tmp_path.glob("report*")), key=len)
    assert first == "report.json"
    assert json.loads((tmp_path / first).read_text())["program"] == ["old.py"]
    assert json.loads((tmp_path / other).read_text())["program"] == ["-c"]


def test_a_call_that_comes_between_the_accounts_own_steps() -> None:
    """A signal's handler may make one, and so may what a collection finalizes."""
    account = Account()
    site = ("doca_nothing", "old.py", 1)

    class Result(str):
        __slots__ = ()

        def __hash__(self) -> int:
            account._note(site, "DOCA_SUCCESS")
            return 0

    calling = threading.Thread(target=account._note, args=(site, Result("DOCA_ERROR_AGAIN")), daemon=True)
    calling.start()
    calling.join(SOON_S)
    assert not calling.is_alive()
