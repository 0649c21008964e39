"""Idioms: a program prints the same with them, and no program changes by them unless they are asked for."""

from __future__ import annotations

import ast
import sys

import pytest

from migrate import rewriting
from migrate.codes import CODES
from migrate.explain import Case, cases
from migrate.outcome import Level, Options
from migrate.rewriting import rewrite
from migrate.rules.idioms import load
from tests.migrate.idioms.contexts import CONTEXTS, REFUSED
from tests.migrate.idioms.leaves import LEAVES
from tests.migrate.idioms.program import ENDS, PROGRAMS
from tests.migrate.idioms.waits import ONCE, WAITS
from tests.migrate.runner import Runner

CASES = [case for case in cases() if case.rule.startswith("idioms.")]
IDIOMS = Options(idioms=True)
JOINED = {idiom.code for idioms in load().values() for idiom in idioms}


@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_the_same(runner: Runner, name: str) -> None:
    text = PROGRAMS[name]
    plain, joined = rewrite(text.encode()), rewrite(text.encode(), options=IDIOMS)
    assert {finding.level for outcome in (plain, joined) for finding in outcome.findings} == {Level.SAFE}
    assert not [node for node in ast.walk(ast.parse(joined.new)) if isinstance(node, ast.While)]
    old = runner.run(text, launched=True)
    assert "Error" not in old, old
    assert runner.run(plain.new.decode(), launched=False) == old
    assert runner.run(joined.new.decode(), launched=False) == old


@pytest.mark.parametrize("name", WAITS)
def test_waits_print_the_same(runner: Runner, name: str) -> None:
    joined = rewrite(WAITS[name].encode(), options=IDIOMS)
    assert {"CCM102", "CCM103", "CCM104"} <= {finding.code for finding in joined.findings}
    old = runner.run(WAITS[name], launched=True)
    assert old
    assert "Traceback" not in old
    assert runner.run(joined.new.decode(), launched=False) == old


@pytest.mark.parametrize("name", ONCE)
def test_single_waits_print_the_same(runner: Runner, name: str) -> None:
    joined = rewrite(ONCE[name].encode(), options=IDIOMS)
    assert "CCM106" in {finding.code for finding in joined.findings}
    assert b"arm_recv" not in joined.new
    old = runner.run(ONCE[name], launched=True)
    assert old.count("message 3") == 2, old
    assert "ConnectionReset" in old
    assert runner.run(joined.new.decode(), launched=False) == old


@pytest.mark.parametrize("name", LEAVES)
def test_checks_leave_the_same(runner: Runner, name: str) -> None:
    plain, joined = rewrite(LEAVES[name].encode()), rewrite(LEAVES[name].encode(), options=IDIOMS)
    assert plain.new.count(b"outcome") - joined.new.count(b"outcome") >= 8
    old = runner.run(LEAVES[name], launched=True)
    assert "Traceback" not in old
    assert runner.run(plain.new.decode(), launched=False) == old
    assert runner.run(joined.new.decode(), launched=False) == old


@pytest.mark.parametrize("name", CONTEXTS)
def test_nothing_is_joined_where_it_can_be_told(runner: Runner, name: str) -> None:
    codes, text = CONTEXTS[name]
    joined = rewrite(text.encode(), options=IDIOMS)
    found = {finding.code for finding in joined.findings if finding.span.line > ENDS.count("\n")}
    assert {code for code in found if code in JOINED} == codes
    assert runner.run(joined.new.decode(), launched=False) == runner.run(text, launched=True)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_option_looks_the_same(runner: Runner, name: str) -> None:
    joined = rewrite(REFUSED[name].encode(), options=IDIOMS).new.decode()
    assert runner.run(joined, launched=False) == runner.run(REFUSED[name], launched=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.title}")
def test_only_what_is_kept_is_as_without_idioms(case: Case) -> None:
    assert (rewrite(case.before.encode()).new.decode() == case.after) == case.title.startswith("kept: ")


def test_what_is_kept_comes_first() -> None:
    for rule in {case.rule for case in CASES}:
        joined = [not case.title.startswith("kept: ") for case in CASES if case.rule == rule]
        assert joined == sorted(joined), rule


def test_nothing_loads_them_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [rewrite(text.encode()).new for text in PROGRAMS.values()]
    monkeypatch.setitem(sys.modules, "migrate._idioms", None)
    monkeypatch.setitem(sys.modules, "migrate.rules.idioms", None)
    assert [rewrite(text.encode()).new for text in PROGRAMS.values()] == before
    with pytest.raises(ImportError):
        rewrite(b"import doca_comm_channel\n", options=IDIOMS)


def test_a_finding_names_the_idiom() -> None:
    (case,) = (case for case in CASES if case.title == "loops over codes")
    findings = [finding for finding in rewrite(case.before.encode(), options=IDIOMS).findings if finding.code]
    joined = [finding for finding in findings if finding.code == "CCM100"]
    assert [finding.span.line for finding in joined] == [6, 18, 20, 23]
    assert {finding.level for finding in joined} == {Level.SAFE}
    assert joined[0].message == CODES["CCM100"].title
    assert joined[0].change == "comch.outcome(ep.send_to, msg, peer)[0]"


def test_a_failed_check_costs_the_idioms_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = PROGRAMS["echo: break"].encode()
    plain = rewrite(text).new
    monkeypatch.setattr(rewriting, "complaints", lambda old, made, **more: [] if b"while" in made.data else ["lost"])
    assert rewrite(text, options=IDIOMS).new == plain
