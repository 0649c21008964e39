"""Deprecation warnings: silent, unless COMCH_COMPAT_WARN asks for one per call, file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.processes import ROOT, StartPython

LAUNCH = ("-m", "comm_channel_compat", "run")

SCRIPT = """\
import helper
from doca_comm_channel import *
for _ in range(3):
    ep = Endpoint()
    ep.set_max_msg_size(100)
    rc = doca_comm_channel_ep_get_max_msg_size(ep)[0]; ep.get_max_msg_size()
doca_comm_channel_ep_set_rcv_queue_size(ep, 8)
helper.use(ep)
class Mine(Endpoint):
    def destroy(self):
        super().destroy()
Mine().destroy()
"""
HELPER = "def use(ep):\n    ep.set_max_msg_size(200)\n"

EXPECTED = [
    ("old.py", 4, "doca_comm_channel_ep_create"),
    ("old.py", 5, "doca_comm_channel_ep_set_max_msg_size"),
    ("old.py", 6, "doca_comm_channel_ep_get_max_msg_size"),
    ("old.py", 7, "doca_comm_channel_ep_set_recv_queue_size"),
    ("helper.py", 2, "doca_comm_channel_ep_set_max_msg_size"),
    ("old.py", 12, "doca_comm_channel_ep_create"),
    ("old.py", 11, "doca_comm_channel_ep_destroy"),
]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    path = tmp_path / "old.py"
    path.write_text(SCRIPT)
    return path


def test_silent_unless_asked(start_python: StartPython, script: Path) -> None:
    assert start_python(*LAUNCH, str(script)).finish() == (0, "", "")
    assert start_python("-W", "error", *LAUNCH, str(script)).finish() == (0, "", "")
    assert start_python(*LAUNCH, str(script), env={"COMCH_COMPAT_WARN": "0"}).finish() == (0, "", "")


@pytest.mark.parametrize("module", ["doca_comm_channel", "doca_cc", "comm_channel_compat.blocking"])
@pytest.mark.parametrize("value", ["no", "true", "2"])
def test_another_value_is_refused(start_python: StartPython, module: str, value: str) -> None:
    finished = start_python(*LAUNCH, "-c", f"import {module}", env={"COMCH_COMPAT_WARN": value}).finish()
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.endswith(f"InvalidValue: COMCH_COMPAT_WARN is {value!r}; legal are 0, 1 and empty\n")


def test_one_for_each_call_file_and_line(start_python: StartPython, script: Path) -> None:
    finished = start_python(*LAUNCH, str(script), env={"COMCH_COMPAT_WARN": "1"}).finish()
    assert (finished.returncode, finished.stdout) == (0, "")
    told = [line for line in finished.stderr.splitlines() if "LegacyCallWarning" in line]
    assert told == [
        f"{script.parent / file}:{line}: LegacyCallWarning: {name} belongs to an API that DOCA has removed; "
        f"see docs/symbols.md#{name}"
        for file, line, name in EXPECTED
    ]


def test_filters_of_ones_own_are_respected(start_python: StartPython, script: Path) -> None:
    ask = {"COMCH_COMPAT_WARN": "1"}
    finished = start_python("-W", "ignore", *LAUNCH, str(script), env=ask).finish()
    assert finished == (0, "", "")
    finished = start_python("-W", "error::DeprecationWarning", *LAUNCH, str(script), env=ask).finish()
    assert finished.returncode == 1
    assert f'{script}", line 4' in finished.stderr


OF_THE_CORE = """\
import comm_channel_compat.cc as cc
device = cc.open_device("b1:00.0")
engine = cc.ProgressEngine()
client = cc.Client(device, "svc")
engine.connect_ctx(client.as_ctx())
"""


def test_what_is_not_of_a_channel_is_not_reported(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OF_THE_CORE)
    finished = start_python(*LAUNCH, str(tmp_path / "old.py"), env={"COMCH_COMPAT_WARN": "1"}).finish()
    told = [line for line in finished.stderr.splitlines() if "LegacyCallWarning" in line]
    assert len(told) == 2
    assert all(
        f"see docs/symbols.md#doca_cc_client_{name}" in line
        for name, line in zip(("create", "as_ctx"), told, strict=True)
    )


WARNED = """\
import gc, types
import comm_channel_compat.blocking, comm_channel_compat.cc
from comm_channel_compat import _old_calls
for found in gc.get_objects():
    if isinstance(found, types.FunctionType) and _old_calls._is_wrapper(found.__code__):
        name = dict(zip(found.__code__.co_freevars, found.__closure__))["code"].cell_contents
        if name.startswith(_old_calls._CHANNELS):
            print(name)
"""


def test_each_warning_leads_to_a_place_that_exists(start_python: StartPython) -> None:
    names = set(start_python("-c", WARNED, env={"COMCH_COMPAT_WARN": "1"}, fresh=True).finish().stdout.split())
    assert {"doca_comm_channel_ep_sendto", "doca_comm_channel_ep_event_channel_get", "doca_cc_client_create"} <= names
    places = re.findall(r'<a id="([^"]+)">', (ROOT / "docs" / "symbols.md").read_text(encoding="utf-8"))
    assert sorted({name.lower() for name in names} - set(places)) == []
    assert len(places) == len(set(places))
