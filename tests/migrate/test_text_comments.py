"""Coded comments stand above their lines once; pragmas belong to logical lines."""

from __future__ import annotations

import pytest

from migrate.python.source import Source
from migrate.text.comments import Comments
from migrate.text.pieces import splice


def comment(code: str) -> str:
    return f"# {code}: why (python -m migrate explain {code})"


def commented(text: str, wanted: dict[int, str]) -> str:
    source = Source(text.encode())
    return splice(source.text, list(Comments(source).changes(wanted, comment)))


ONE = comment("CCM001") + "\n"
TWO = comment("CCM002") + "\n"


def test_a_comment_is_written_above_with_the_indentation_and_line_end() -> None:
    assert commented("if a:\r\n\tb\r\n", {2: "CCM001"}) == "if a:\r\n\t" + comment("CCM001") + "\r\n\tb\r\n"


def test_a_comment_is_written_once() -> None:
    once = commented("a\nb\n", {2: "CCM001"})
    assert once == f"a\n{ONE}b\n"
    assert commented(once, {3: "CCM001"}) == once


def test_a_comment_among_others_stays() -> None:
    text = f"{ONE}# because\nb\n"
    assert commented(text, {3: "CCM001"}) == text


def test_a_comment_goes_when_its_cause_is_gone_or_another() -> None:
    assert commented(f"a\n{ONE}b\n", {}) == "a\nb\n"
    assert commented(f"a\n{ONE}b\n", {3: "CCM002"}) == f"a\n{TWO}b\n"


def test_text_that_looks_like_a_comment_is_none() -> None:
    text = f'a = """\n{ONE}"""\nb = "migrate: skip"\n'
    assert commented(text, {}) == text
    assert Comments(Source(text.encode())).pragmas == {}


@pytest.mark.parametrize(
    ("text", "line", "codes"),
    [
        ("a\nb  # migrate: skip\n", 2, []),
        ("a\nb  # noqa  # migrate: skip[CCM012]\n", 2, ["CCM012"]),
        ("f(\n  a,  # migrate: skip[CCM012, CCM013]\n)\n", 1, ["CCM012", "CCM013"]),
        ("f(\n  a)  # migrate: skip\n", 1, []),
        ("# migrate: skip\n# and why\nb\n", 3, []),
        ("if a: b; c  # migrate: skip\n", 1, []),
    ],
)
def test_pragmas(text: str, line: int, codes: list[str]) -> None:
    ((where, (pragma,)),) = Comments(Source(text.encode())).pragmas.items()
    assert (where, pragma.codes) == (line, frozenset(codes))


def test_no_pragmas() -> None:
    assert Comments(Source(b"a  # migrate: skipping\n\n# migrate: skip\n\nb\n")).pragmas == {}
