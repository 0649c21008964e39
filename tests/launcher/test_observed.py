"""What the account of a run holds for tools: sources by their bytes, names that were read, handles and callbacks."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.processes import StartPython

LAUNCH = ("-m", "comm_channel_compat", "run", "--report", "run.json")
CREATE = "doca_comm_channel_ep_create"

DYNAMIC = """\
import doca_comm_channel as cc
prefix, found = "doca_comm_channel_ep_", []
def call(verb, *args):
    return getattr(cc, prefix + verb)(*args)
found.append(cc.Endpoint())
code, second = call("create")
call("destroy", found[0])
second.set_device(device=cc.open_device("03:00.0"))
print(hasattr(cc, "doca_nothing"), second.__class__.__name__)
info = cc.devices()[0]
info.open()
"""


def facts_of(start_python: StartPython, folder: Path, text: str) -> dict[str, Any]:
    (folder / "old.py").write_text(text)
    assert start_python(*LAUNCH, "old.py", cwd=folder).finish().returncode == 0
    facts: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return facts


def test_sources(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def make(module):\n    return module.Endpoint()\n")
    facts = facts_of(start_python, tmp_path, "import helper, doca_comm_channel\nhelper.make(doca_comm_channel)\n")
    digests = {source["path"]: source["sha256"] for source in facts["sources"]}
    assert digests == {str(tmp_path / "helper.py"): hashlib.sha256((tmp_path / "helper.py").read_bytes()).hexdigest()}
    assert {source["file"] for source in facts["sources"]} == {call["file"] for call in facts["calls"]}


def test_names_that_were_read(start_python: StartPython, tmp_path: Path) -> None:
    facts = facts_of(start_python, tmp_path, DYNAMIC)
    assert [(name["line"], name["name"], name["exists"]) for name in facts["lookups"]] == [
        (4, CREATE, True),
        (4, "doca_comm_channel_ep_destroy", True),
        (5, "Endpoint", True),
        (8, "open_device", True),
        (9, "doca_nothing", False),
        (10, "devices", True),
    ]


LAZY = """\
import importlib.util, sys
spec = importlib.util.find_spec("doca_comm_channel")
spec.loader = importlib.util.LazyLoader(spec.loader)
cc = sys.modules["doca_comm_channel"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cc)
code, ep = cc.doca_comm_channel_ep_create()
cc.doca_comm_channel_ep_destroy(ep)
print(hasattr(cc, "doca_nothing"))
"""


def test_names_of_a_lazy_module(start_python: StartPython, tmp_path: Path) -> None:
    facts = facts_of(start_python, tmp_path, LAZY)
    assert [(name["line"], name["name"], name["exists"], name["count"]) for name in facts["lookups"]] == [
        (6, CREATE, True, 1),
        (7, "doca_comm_channel_ep_destroy", True, 1),
        (8, "doca_nothing", False, 1),
    ]


AGAIN = """\
import sys
import doca_comm_channel
del sys.modules["doca_comm_channel"]
import doca_comm_channel, doca_cc
doca_cc.ProgressEngine().destroy()
"""


def test_an_import_of_another_old_module_reads_nothing(start_python: StartPython, tmp_path: Path) -> None:
    facts = facts_of(start_python, tmp_path, AGAIN)
    assert [name["name"] for name in facts["lookups"]] == ["ProgressEngine"]
    assert [source["path"] for source in facts["sources"]] == [str(tmp_path / "old.py")]


def test_handles_and_where_they_were_made(start_python: StartPython, tmp_path: Path) -> None:
    """What comes of a handle was made where that was."""
    facts = facts_of(start_python, tmp_path, DYNAMIC)
    given = {
        (call["symbol"].rpartition("_")[2], handle["argument"], handle["kind"], handle["made"]["line"])
        for call in facts["calls"]
        for handle in call["handles"]
    }
    assert given == {
        ("destroy", 0, "Endpoint", 5),
        ("device", 0, "Endpoint", 4),
        ("device", "device", "Device", 8),
        ("open", 0, "DevInfo", 10),
    }


PEERS_THAT_DIE = """\
import os
import doca_comm_channel as cc
reads, writes = os.pipe()
for _ in range(2):
    if os.fork() == 0:
        os.read(reads, 1)
        client = cc.Endpoint()
        client.set_device(cc.open_device("b1:00.0"))
        peer = client.connect("svc")
        while cc.doca_comm_channel_peer_addr_update_info(peer) != cc.DOCA_SUCCESS: pass
        os._exit(0)
service, device = cc.Endpoint(), cc.open_device("03:00.0")
service.set_device(device)
service.set_device_rep(device.open_representor("b1:00.0"))
service.listen("svc")
os.write(writes, b"1")
code = cc.DOCA_ERROR_AGAIN
while code == cc.DOCA_ERROR_AGAIN: code, _, _, peer = cc.doca_comm_channel_ep_recvfrom(service, 99, 0)
service.disconnect(peer)
os.write(writes, b"2")
peer = None
while peer is None:
    try: service.recvfrom(99)
    except cc.DocaError as error: peer = error.connection
service.disconnect(peer)
"""


def test_peers_that_come_with_a_reset(start_python: StartPython, tmp_path: Path) -> None:
    facts = facts_of(start_python, tmp_path, PEERS_THAT_DIE)
    given = {
        (call["line"], handle["kind"], handle["made"]["line"])
        for call in facts["calls"]
        for handle in call["handles"]
        if call["symbol"] == "doca_comm_channel_ep_disconnect"
    }
    assert given == {(line, kind, 12) for line in (19, 25) for kind in ("Endpoint", "PeerAddr")}


CALLED_BACK = """\
import doca_cc as cc
engine, device = cc.ProgressEngine(), cc.open_device("03:00.0")
server = cc.Server(device, device.open_representor("b1:00.0"), "svc")
server.task_send_set_conf(print, print, 4)
server.event_msg_recv_register(print)
server.event_connection_register(print, print)
context = server.as_ctx()
def changed(data, context, old, new):
    engine.progress()
context.set_state_changed_cb(changed)
engine.connect_ctx(context)
context.start()
engine.progress()
"""


def test_calls_in_callbacks(start_python: StartPython, tmp_path: Path) -> None:
    facts = facts_of(start_python, tmp_path, CALLED_BACK)
    nested = {call["line"]: (call["count"], call["nested"]) for call in facts["calls"] if "progress" in call["symbol"]}
    assert nested == {9: (1, 1), 13: (1, 0)}


OF_C = {
    "cffi": """\
from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_dev_close(void *dev); int doca_dev_rep_close(void *rep); int strcmp(char *one, char *other);")
lib, libc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen(None)
for name in ("doca_dev_close", "doca_dev_rep_close", "doca_dev_close"):
    getattr(lib, name)(ffi.NULL)
print(hasattr(lib, "doca_nothing"), libc.strcmp(b"", b""))
lib.doca_dev_close(ffi.NULL)
""",
    "ctypes": """\
from ctypes import CDLL
from ctypes.util import find_library

lib, libc = CDLL(find_library("doca_common")), CDLL(None)
for name in ("doca_dev_close", "doca_dev_rep_close", "doca_dev_close"):
    getattr(lib, name)(None)
print(hasattr(lib, "doca_nothing"), libc.strcmp(b"", b""))
lib["doca_dev_close"](None)
""",
}


@pytest.mark.parametrize("spelling", OF_C)
def test_names_that_were_read_from_libraries_of_c(spelling: str, start_python: StartPython, tmp_path: Path) -> None:
    """Each time, though both packages find a function once; those of other libraries are none of the account's."""
    facts = facts_of(start_python, tmp_path, OF_C[spelling])
    assert [(name["line"], name["name"], name["exists"], name["count"]) for name in facts["lookups"]] == [
        (6, "doca_dev_close", True, 2),
        (6, "doca_dev_rep_close", True, 1),
        (7, "doca_nothing", False, 1),
        (8, "doca_dev_close", True, 1),
    ]


@pytest.mark.parametrize("spelling", OF_C)
def test_a_program_that_calls_c_does_the_same(spelling: str, start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(f"{OF_C[spelling]}lib.doca_nothing\n")
    watched, plain = (start_python(*launch, "old.py", cwd=tmp_path).finish() for launch in (LAUNCH, LAUNCH[:3]))
    assert (watched.returncode, watched.stdout) == (plain.returncode, plain.stdout) == (1, "False 0\n")
    assert watched.stderr.splitlines()[-1] == plain.stderr.splitlines()[-1]
