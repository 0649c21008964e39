"""Which handles and functions a program tells apart in a way that may come out differently."""

from __future__ import annotations

import pytest

from tests.migrate.marked import Marked

MAKE = """
import doca_comm_channel as cc
dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
again = cc.open_device("0000:03:00.0")
ep = cc.Endpoint()
ep.set_device(host)
peer = ep.connect("svc")
"""
EQUAL, INSPECTED = {"CCM086"}, {"CCM082"}

CONTEXTS = """
import doca_cc as cc
client = cc.Client(cc.open_device("b1:00.0"), "svc")
other = cc.Client(cc.open_device("b1:00.0"), "svc")
ctx = client.as_ctx()
task = client.task_send_alloc_init(client.get_connection(), b"x", 1)
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ctx == client", INSPECTED),
        ("client is not client.as_ctx()", INSPECTED),
        ("client in [ctx]", INSPECTED),
        ("{client: 1, ctx: 2}", INSPECTED),
        ("(1, ctx) == (1, client)", INSPECTED),
        ("task == task.as_task()", INSPECTED),
        ("ctx == client.as_ctx(), client == client, task == task", set()),
        ("ctx == other, other == client", set()),
        ("{client: 1}, {ctx: 2}", set()),
        ("task == ctx, task.as_task() == client", set()),
        ("ctx is None", set()),
    ],
)
def test_objects_that_have_become_one(text: str, expected: set[str]) -> None:
    assert Marked(main=f"{CONTEXTS}{text}\n").obstacles() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dpu == again", EQUAL),
        ("dpu != host", set()),
        ("dpu == dpu", set()),
        ("dpu is again", set()),
        ("dpu in [again]", EQUAL),
        ("dpu in [host]", set()),
        ("dpu == None", set()),
        ("{dpu, host, again}", EQUAL),
        ("{host: 1, dpu: 2}", set()),
        ("{}[dpu] = again in {}", set()),
        ("for address in 'ab':\n    {}.setdefault(cc.open_device(address), 1)", EQUAL),
        ("[dpu].index(again)", set()),
        ("dpu == ep.get_device()", EQUAL),
        ("peer == peer, {peer: 1}, peer in []", set()),
        ("ep == ep, {ep: 1}, ep in []", set()),
        ("ep.sendto == ep.sendto", INSPECTED),
        ("ep.sendto is None", set()),
        ("{ep.sendto: 1}", INSPECTED),
        ("iter(ep)", INSPECTED),
        ("iter([ep])", set()),
        ("import typing\nclass Sends(typing.Protocol):\n    def sendto(self): ...\nisinstance(ep, Sends)", INSPECTED),
        ("class Sends:\n    def sendto(self): ...\nisinstance(ep, Sends)", set()),
    ],
)
def test_handles_that_are_told_apart(text: str, expected: set[str]) -> None:
    used = "ep.event_handle_arm_send(); [one.close() for one in (dpu, host, again)]\n"
    assert Marked(main=MAKE + used + text).obstacles() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{cc.doca_dev_close: 1}", [("doca_dev_close", "CCM082")]),
        ("call = cc.doca_dev_close\ncall == cc.doca_dev_open",
         [("doca_dev_close", "CCM082"), ("doca_dev_open", "CCM082")]),
        ("call = cc.doca_dev_close\ncall is None", []),
        ("isinstance(dpu, (cc.Device, cc.Endpoint))", []),
        ("class Own(cc.Endpoint): ...\nisinstance(Own(), cc.Endpoint)", [("Endpoint", "CCM039")]),
    ],
)  # fmt: skip
def test_functions_and_classes(text: str, expected: list[tuple[str, str]]) -> None:
    assert Marked(main=MAKE + text).codes() == expected


def test_a_test_of_a_class_goes_with_what_it_tests() -> None:
    facts = Marked(main=MAKE + "isinstance(ep, cc.Endpoint)\nisinstance(5, cc.Device)").facts
    origins = {reference.name: reference.origins for reference in facts.references if not reference.call}
    assert origins["Endpoint"]
    assert not origins["Device"]
