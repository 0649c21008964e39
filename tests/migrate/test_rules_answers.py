"""What a rule answers beside its text: refusals, codes of what differs, and only names that exist."""

from __future__ import annotations

import ast
from typing import cast

import pytest

import comch_next
from migrate.facts.program import Facts
from migrate.old_api.generations import VOCABULARY
from migrate.rules._answers import Change
from migrate.rules._registry import load
from tests.migrate.fake_facts import FakeFacts, rewritten

EP = "doca_comm_channel_ep_"

# Refusals and differences


@pytest.mark.parametrize(
    ("before", "code"),
    [
        (f"{EP}sendto(*args)", "CCM038"),
        (f"{EP}create(attributes)", "CCM023"),
        (f"{EP}sendto(ep, data, n, flags, peer)", "CCM040"),
        ("ep.sendto(data, peer, 1)", "CCM040"),
        (f"{EP}sendto(ep, data, len(data), flags(), peer)", "CCM040"),
        (f"{EP}listen(name=f(), local_ep=ep)", "CCM070"),
        ("doca_devinfo_get_ibdev_name(info, size())", "CCM070"),
    ],
)
def test_refusals(before: str, code: str) -> None:
    assert rewritten(before) == code


@pytest.mark.parametrize(
    ("source", "observed", "code"),
    [
        (f"rc = {EP}listen(ep, n)", {"AGAIN", "value"}, ""),
        ("ep.listen(n)", {"text"}, "CCM071"),
        ("ep.listen(n)", {"printed"}, "CCM074"),
        ("ep = Endpoint()", set(), "CCM061"),
        ("r = doca_devinfo_get_ibdev_name(i, 8)", set(), "CCM072"),
        ("r = doca_devinfo_get_ibdev_name(i, n)", set(), "CCM072"),
    ],
)
def test_differences_have_a_code(source: str, observed: set[str], code: str) -> None:
    facts = FakeFacts(source, observed=frozenset(observed))
    answer = facts.answer()
    assert isinstance(answer, Change)
    assert answer.code == code


def test_a_rule_gives_only_the_parts_that_its_text_has() -> None:
    facts = FakeFacts(f"{EP}sendto(ep, data, len(data), 0, peer)")
    answer = load()[EP + "sendto"](facts.call(), cast(Facts, facts))
    assert isinstance(answer, Change)
    (template,) = answer.edits.expressions.values()
    assert set(template.parts) == {"local_ep", "msg", "peer_addr"}


# The other side


def _chains(text: str) -> set[str]:
    """Every `comch.a.b` of a program."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)]
    return {chain for node in nodes if (chain := ast.unparse(node)).startswith("comch.") and chain.isprintable()}


def _resolve(chain: str) -> object:
    found: object = comch_next
    for name in chain.split(".")[1:]:
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("role", ["Server", "Client", "Channel"])
@pytest.mark.parametrize("name", [name for name, row in VOCABULARY.flat.items() if name == row.name])
def test_what_a_rule_writes_exists(name: str, role: str) -> None:
    function = VOCABULARY.flat[name]
    names = [name if name in function.kinds else f"a{i}" for i, name in enumerate(function.inputs)]
    calls = {"Server": {"listen"}, "Client": {"connect"}, "Channel": set[str]()}[role] | {name.removeprefix(EP)}
    facts = FakeFacts(
        f"r = {name}({', '.join(names)})",
        none=frozenset(function.kinds),
        calls=frozenset(calls),
        constants=dict.fromkeys(names, 0),
    )
    text = facts.text(facts.answer())
    if text == "CCM022":
        return
    for chain in _chains(text):
        assert _resolve(chain) is not None, chain
