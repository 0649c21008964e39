"""The table of codes: what a run settles is rewritten when it showed that, and stays when it showed otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from migrate.codes import CODES
from migrate.evidence.proofs import _JUDGES
from migrate.explain import page
from migrate.outcome import Finding, Level
from migrate.report.run import stays
from tests.evidence.conftest import Recorded

LOG = """\
import sys
from ctypes import CDLL, CFUNCTYPE, POINTER, byref, c_uint32, c_uint64, c_void_p
core, cc = CDLL("libdoca_common.so.2"), CDLL("libdoca_cc.so.2")
Done = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)
@Done
def done(task, task_user_data, ctx_user_data):
    pass
infos, count, dev, client = POINTER(c_void_p)(), c_uint32(), c_void_p(), c_void_p()
core.doca_devinfo_create_list(byref(infos), byref(count))
core.doca_dev_open(c_void_p(infos[count.value - 1]), byref(dev))
core.doca_devinfo_destroy_list(infos)
cc.doca_cc_client_create(dev, b"svc", byref(client))
print(cc.doca_cc_client_send_task_set_conf(client, done, done, int(sys.argv[1])))
"""

SIZE = """\
import sys
import doca_comm_channel as cc
code, infos, number = cc.doca_devinfo_create_list()
code, name = cc.doca_devinfo_get_iface_name(infos[0], int(sys.argv[1]))
print(code)
"""

INSIDE = """\
import sys
import doca_cc as cc
device, engine = cc.open_device("03:00.0"), cc.ProgressEngine()
server = cc.Server(device, device.open_representor("b1:00.0"), "svc")
def drain():
    while cc.doca_pe_progress(engine):
        pass
def changed(data, context, old, new):
    if sys.argv[1] == "inside":
        drain()
server.task_send_set_conf(print, print, 4)
server.event_msg_recv_register(print)
server.event_connection_register(print, print)
cc.doca_ctx_set_state_changed_cb(server.as_ctx(), changed)
engine.connect_ctx(server.as_ctx())
server.as_ctx().start()
drain()
"""

ELSE = """\
import sys
import doca_comm_channel as cc
made = {"endpoint": cc.Endpoint(), "none": None}
try:
    cc.Endpoint.set_max_msg_size(made[sys.argv[1]], 100)
except (cc.InvalidValue, AttributeError):
    print("none")
"""

NAMED = """\
import sys
import doca_comm_channel as cc
end = cc.Endpoint()
try:
    print(getattr(cc, "doca_error_get_" + sys.argv[1])(5))
except AttributeError:
    print("no such name")
"""

KINDS = """\
import sys
import doca_comm_channel as cc
from importlib import import_module
end, device = cc.Endpoint(), cc.open_device("b1:00.0")
kept = [end, device] if sys.argv[1] == "both" else [end]
for handle in import_module("js" + "on").JSONDecoder(object_hook=lambda _: kept).decode("{}"):
    try:
        cc.doca_comm_channel_ep_set_max_msg_size(handle, 100)
    except cc.DocaError:
        pass
device.close()
"""

# code -> a program, an argument with which a run settles the code, and one with which it shows the contrary
SETTLED = {
    "CCM005": (NAMED, "name", "title"),
    "CCM034": (KINDS, "one", "both"),
    "CCM072": (SIZE, "256", "1"),
    "CCM088": (ELSE, "endpoint", "none"),
    "CCM110": (LOG, "3", "40"),
    "CCM113": (INSIDE, "outside", "inside"),
}
OF_2_5 = {"CCM110": "2.5"}


def of(code: str, found: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in found if finding.code == code]


@pytest.mark.parametrize("code", SETTLED)
def test_a_run_settles(code: str, recorded: Callable[..., Recorded]) -> None:
    program, good, _ = SETTLED[code]
    outcome = recorded(program, good, doca=OF_2_5.get(code, "2.6")).migrated()
    assert {finding.level for finding in of(code, outcome.findings)} == {Level.EVIDENCE}
    assert all("run.json" in finding.evidence for finding in of(code, outcome.findings))
    assert all(finding.evidence in finding.message for finding in of(code, outcome.findings))
    assert not any(map(stays, outcome.findings))
    assert outcome.changed
    assert b"# CCM" not in outcome.new


@pytest.mark.parametrize("code", SETTLED)
def test_a_run_that_shows_the_contrary_does_not(code: str, recorded: Callable[..., Recorded]) -> None:
    program, _, bad = SETTLED[code]
    outcome = recorded(program, bad, doca=OF_2_5.get(code, "2.6")).migrated()
    left = [finding for finding in of(code, outcome.findings) if stays(finding)]
    assert any("run.json" in finding.evidence for finding in left)
    assert f"# {code}".encode() in outcome.new


UNCONNECTED = """\
import doca_cc as cc
client = cc.Client(cc.open_device("b1:00.0"), "svc")
try:
    client.as_ctx().start()
except cc.NotConnected:
    print("no engine")
"""


def test_a_start_that_failed_for_want_of_an_engine(recorded: Callable[..., Recorded]) -> None:
    (cause,) = of("CCM112", recorded(UNCONNECTED).migrated().findings)
    assert (cause.level, cause.evidence) == (Level.NEEDS_EVIDENCE, "run.json: line 4 answered NOT_CONNECTED")


def test_every_code_that_a_run_settles_is_tried() -> None:
    settled = {code for code, entry in CODES.items() if entry.evidence.settles}
    elsewhere = {"CCM033", "CCM083", "CCM112"}  # where handles go: test_handles.py; and above
    assert settled == {*SETTLED, *elsewhere}
    assert all(not entry.evidence.settles or entry.level != "safe" for entry in CODES.values())


def test_every_observation_has_a_judge_and_a_page() -> None:
    assert {entry.evidence.observation for entry in CODES.values() if entry.evidence.settles} == {*_JUDGES}
    for code, entry in CODES.items():
        assert ("A recorded run" in page(code)) == bool(entry.evidence.observation)
