"""Every golden case of the rules: its text, the same again on a second run, and a page for every code it shows."""

from __future__ import annotations

import pkgutil
import re

import pytest

from migrate.codes import CODES
from migrate.explain import FOLDER, Case, cases
from migrate.outcome import Options
from migrate.rewriting import rewrite

CASES = [case for case in cases() if "." in case.rule]


def _id(case: Case) -> str:
    return f"{case.rule}: {case.title}"


def _rewritten(case: Case, text: str) -> str:
    options = Options(idioms=case.rule.startswith("idioms."))
    return rewrite(text.encode(), options=options).new.decode()


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_gives_the_text_of_the_case(case: Case) -> None:
    expected = case.before if case.after is None else case.after
    assert _rewritten(case, case.before) == expected


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_a_second_run_edits_nothing(case: Case) -> None:
    once = case.before if case.after is None else case.after
    assert _rewritten(case, once) == once


def test_cases_that_leave_alone_come_first() -> None:
    for rule in {case.rule for case in CASES}:
        changed = [case.after is not None for case in CASES if case.rule == rule]
        assert changed == sorted(changed), rule


def test_titles_are_unique() -> None:
    assert len({_id(case) for case in CASES}) == len(CASES)


def test_every_rule_has_cases() -> None:
    names = ("core", "gen1", "gen1x", "gen2", "idioms")
    folders = [(folder, pkgutil.iter_modules([str(FOLDER / folder)])) for folder in names]
    rules = {f"{folder}.{info.name}" for folder, found in folders for info in found if not info.name.startswith("_")}
    assert rules <= {case.rule for case in CASES}


def test_every_code_that_is_shown_has_a_page() -> None:
    shown = {code for case in CASES for code in re.findall(r"# (CCM\d+):", case.after or "")}
    assert shown <= set(CODES)
