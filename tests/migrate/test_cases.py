"""Every golden case: the new text, the same again on a second run, and no old reference without a trace."""

from __future__ import annotations

import pkgutil

import pytest

from migrate import rewrite
from migrate._codes import CODES
from migrate._explain import FOLDER, Case, cases, page
from migrate.rules import load

CASES = list(cases())


def _id(case: Case) -> str:
    return f"{case.rule}: {case.title}"


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_gives_the_text_of_the_case(case: Case) -> None:
    expected = case.before if case.after is None else case.after
    assert rewrite(case.before.encode()).new.decode() == expected


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_a_second_run_edits_nothing(case: Case) -> None:
    once = rewrite(case.before.encode())
    again = rewrite(once.new)
    assert (again.new, again.edits) == (once.new, ())


def test_cases_that_leave_alone_come_first() -> None:
    for rule in {case.rule for case in CASES}:
        changed = [case.after is not None for case in CASES if case.rule == rule]
        assert changed == sorted(changed), rule


def test_every_rule_has_cases() -> None:
    load()
    rules = {each.name for each in pkgutil.iter_modules([str(FOLDER)])}
    assert rules == {case.rule for case in CASES}


def test_every_code_has_a_page() -> None:
    assert all(CODES[code].title in page(code) for code in CODES)
