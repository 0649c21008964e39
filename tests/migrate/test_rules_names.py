"""Names of the old module that are not called: constants, classes, errors, functions and methods as values."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import cast

import pytest

import comch_next
from migrate.facts.program import Facts, Reference
from migrate.old_api.generation_1 import GENERATION_1
from migrate.rewriting import rewrite
from migrate.rules.core.names import answer, constant
from tests.migrate.fake_facts import FakeFacts

EP = "doca_comm_channel_ep_"
LISTEN = frozenset({"listen"})


def named(source: str, text: str, name: str = "", **answers: object) -> str:
    facts = FakeFacts(source, **answers)  # type: ignore[arg-type]
    return facts.text(facts.answer_for_name(text, name, ["origin"]))


@pytest.mark.parametrize("name", GENERATION_1.constants)
def test_constants_keep_their_value(name: str) -> None:
    assert eval(constant(name).format(comch="comch_next"), {"comch_next": comch_next}) == GENERATION_1.constants[name]


@pytest.mark.parametrize(
    ("source", "text", "name", "after"),
    [
        ("x = DOCA_SUCCESS", "DOCA_SUCCESS", "", "x = comch.ErrorCode.SUCCESS"),
        ("x = cc.DOCA_ERROR_AGAIN", "cc.DOCA_ERROR_AGAIN", "DOCA_ERROR_AGAIN", "x = comch.ErrorCode.AGAIN"),
        ("x = DOCA_CC_MSG_FLAG_NONE", "DOCA_CC_MSG_FLAG_NONE", "", "x = 0"),
        ("x = DOCA_LOG_LEVEL_INFO", "DOCA_LOG_LEVEL_INFO", "", "x = 50"),
        ("raise cc.Again('no')", "cc.Again", "Again", "raise comch.Again('no')"),
        ("x = cc.ErrorCode", "cc.ErrorCode", "ErrorCode", "x = comch.ErrorCode"),
        ("x = cc is None", "cc", "", "x = comch is None"),
        ("x = PeerAddr", "PeerAddr", "", "x = comch.Connection"),
        ("w = LegacyCallWarning", "LegacyCallWarning", "", "CCM022"),
    ],
)
def test_names(source: str, text: str, name: str, after: str) -> None:
    reference = "" if text == "cc" else name or text
    facts = FakeFacts(source)
    node = next(node for node in ast.walk(facts.tree) if isinstance(node, ast.expr) and ast.unparse(node) == text)
    assert facts.text(answer(Reference(Path("x.py"), node, reference), cast(Facts, facts))) == after


# Classes


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("def f(ep: Endpoint): pass", "def f(ep: comch.Channel): pass"),
        ("ep: list[Endpoint | None] = []", "ep: list[comch.Channel | None] = []"),
        ("ok = isinstance(x, Endpoint)", "ok = isinstance(x, comch.Context)"),
        ("ok = isinstance(x, (int, Endpoint))", "ok = isinstance(x, (int, comch.Context))"),
        ("class Mine(Endpoint): pass", "CCM039"),
        ("make = Endpoint", "make = lambda: comch.Server(one_sided=True)"),
    ],
)
def test_an_endpoint_is_a_type_or_a_factory(source: str, after: str) -> None:
    assert named(source, "Endpoint", calls=LISTEN) == after


# Functions and methods as values


@pytest.mark.parametrize(
    ("source", "text", "after"),
    [
        ("f(ep.listen, n)", "ep.listen", "f(ep.listen, n)"),
        ("f(ep.destroy)", "ep.destroy", "f(ep.close)"),
        ("f(ep.disconnect, peer)", "ep.disconnect", "f(ep.disconnect, peer)"),
        ("f(peer.update_info)", "peer.update_info", "f(peer.update_info)"),
        (
            "f(ep.disconnect, peer_addr=peer)",
            "ep.disconnect",
            "f(lambda peer_addr, *, endpoint=ep: endpoint.disconnect(peer_addr), peer_addr=peer)",
        ),
        (
            "f(ep.sendto, m, peer)",
            "ep.sendto",
            "f(lambda msg, peer, flags=0, *, endpoint=ep: endpoint.send_to(msg, peer, timeout=0), m, peer)",
        ),
        (
            "f(make().ep.recvfrom, 64)",
            "make().ep.recvfrom",
            "f(lambda size, flags=0, *, endpoint=make().ep: endpoint.receive(size, timeout=0), 64)",
        ),
        ("f(ep.get_peer_addr_list)", "ep.get_peer_addr_list", "f(lambda *, endpoint=ep: endpoint.connections)"),
        (
            "f(ep.set_device)",
            "ep.set_device",
            "f(lambda device, *, endpoint=ep: endpoint.configure(device=device))",
        ),
        (
            "f(peer.get_send_bytes)",
            "peer.get_send_bytes",
            "f(lambda *, peer=peer: peer.get_counter(comch.Counter.SENT_BYTES))",
        ),
    ],
)
def test_bound_methods(source: str, text: str, after: str) -> None:
    owner, method = text.rsplit(".", 1)
    kind = {"peer": "peer"}.get(owner, "endpoint")
    assert named(source, text, GENERATION_1.methods[kind, method].name) == after


@pytest.mark.parametrize(
    ("name", "after"),
    [
        (EP + "listen", "lambda local_ep, name: comch.outcome(comch.Server.listen, local_ep, name)[0]"),
        (EP + "create", "lambda: comch.outcome(comch.Server, one_sided=True)"),
        (
            EP + "sendto",
            "lambda local_ep, msg, len, flags, peer_addr: comch.Server.try_send_to(local_ep, msg, length=len, "
            "connection=peer_addr) if flags == 0 else comch.ErrorCode.INVALID_VALUE",
        ),
        (
            EP + "recvfrom",
            "lambda local_ep, len, flags: comch.Server.try_receive(local_ep, len) if flags == 0 else "
            "(comch.ErrorCode.INVALID_VALUE, None, None, None)",
        ),
        (EP + "get_device", "lambda ep: comch.outcome(comch.Server.device.fget, ep)"),
        ("doca_get_error_string", "comch.describe"),
        ("DOCA_IS_ERROR", "lambda error: error != comch.ErrorCode.SUCCESS"),
        ("doca_devinfo_list_create", "lambda: comch.outcome_list(comch.devices)"),
        ("devices", "comch.devices"),
        ("open_device", "comch.open_device"),
        ("get_max_message_size", "lambda devinfo: devinfo.cap_get_max_msg_size()"),
    ],
)
def test_functions_take_what_they_took(name: str, after: str) -> None:
    assert named(f"f({name})", name, calls=LISTEN) == f"f({after})"


def test_methods_of_a_class() -> None:
    after = "f(lambda self, msg, peer, flags=0: self.send_to(msg, peer, timeout=0))"
    assert named("f(cc.Endpoint.sendto)", "cc.Endpoint.sendto", "Endpoint.sendto") == after


def test_annotations_in_quotes() -> None:
    head = "from doca_comm_channel import Endpoint, PeerAddr\nimport doca_comm_channel as cc\n"
    old = head + 'def f(peer: "PeerAddr | None", ends: list["cc.Endpoint"]) -> "dict[PeerAddr, cc.Again]": ...\n'
    new = rewrite(old.encode()).new.decode()
    assert '(peer: "comch.Connection | None", ends: list["comch.Channel"])' in re.sub(r"\s*([()])\s*", r"\1", new)
    assert '"dict[comch.Connection, comch.Again]"' in new


def test_annotations_in_quotes_that_are_left() -> None:
    old = b"import doca_comm_channel as cc\ndef f(peer: \"cc.PeerAddr['x']\"): ...\n"
    assert [finding.code for finding in rewrite(old).findings] == ["CCM002", "CCM045"]
