"""Type comments: where they stand, to which statement they belong, and what becomes of the old names in them."""

from __future__ import annotations

import ast

import pytest

from migrate import Options, rewrite
from migrate.facts.type_comments import type_comments
from migrate.python.source import Source

TEXT = '''\
é = []  # type: List[cc.Endpoint]
def f(a,  # type: int
      b):
    # type: (...) -> None
    """
    # type: no comment
    """
    for x in a:  # type: ignore
        g = (
            x)  # type: str  # noqa
'''


def test_comments_stand_where_they_are_written_and_belong_to_the_innermost_statement() -> None:
    source = Source(TEXT.encode())
    found = [(source.slice(comment), type(statement)) for comment, statement in type_comments(source)]
    assert found == [
        ("# type: List[cc.Endpoint]", ast.Assign),
        ("# type: int", ast.FunctionDef),
        ("# type: (...) -> None", ast.FunctionDef),
        ("# type: str  # noqa", ast.Assign),
    ]


HEAD = "import doca_comm_channel as cc\nfrom doca_comm_channel import PeerAddr\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("peers = []  # type: list[PeerAddr]\n", "peers = []  # type: list[comch.Connection]\n"),
        ("def f(peer):\n    # type: (cc.PeerAddr) -> str\n    return 'x'\n",
         "def f(peer):\n    # type: (comch.Connection) -> str\n    return 'x'\n"),
        ("def f(peer,  # type: cc.PeerAddr\n      n=1,  # type: int\n      ):\n"
         "    # type: (...) -> cc.Again\n    pass\n",
         "def f(peer,  # type: comch.Connection\n      n=1,  # type: int\n      ):\n"
         "    # type: (...) -> comch.Again\n    pass\n"),
        ("x = 1  # type: cc.Device  # noqa\n", "x = 1  # type: comch.Device  # noqa\n"),
        ("text = '# type: cc.Device'\nprint(cc.DocaError)\n", "text = '# type: cc.Device'\nprint(comch.DocaError)\n"),
    ],
)  # fmt: skip
def test_old_names_in_comments_change(old: str, new: str) -> None:
    written = rewrite((HEAD + old).encode()).new.decode()
    assert "doca_comm_channel" not in written
    assert written.endswith(new)


def test_a_text_that_reads_as_the_comment_stays() -> None:
    old = "first = cc.open_device('# type: cc.Device is the longest')  # type: cc.Device\n"
    new = "first = comch.open_device(\n    '# type: cc.Device is the longest'\n)  # type: comch.Device\n"
    other = "second = {}.open_device('# type: cc.Device')\n"
    outcome = rewrite((HEAD + old + other.format("cc")).encode(), options=Options(width=60))
    assert outcome.new.decode().endswith(new + other.format("comch"))


@pytest.mark.parametrize("comment", ["cc.open_device", "cc.PeerAddr  # {}"])
def test_comments_that_are_left(comment: str) -> None:
    outcome = rewrite(f"{HEAD}x = None  # type: {comment}\n".encode())
    assert f"x = None  # type: {comment}\n" in outcome.new.decode()
    assert "CCM045" in [finding.code for finding in outcome.findings]


@pytest.mark.parametrize(
    "text",
    [
        "def count(peer):\n    # type: (cc.PeerAddr) -> int\n    return peer.get_user_data()\n",
        "class A:\n    def count(self, n, peer):\n        # type: (int, cc.PeerAddr) -> int\n"
        "        return peer.get_user_data()\n",
        "def count(n,  # type: int\n          peer,  # type: PeerAddr\n          ):\n    return peer.get_user_data()\n",
    ],
)
def test_a_comment_says_what_unseen_callers_pass(text: str) -> None:
    outcome = rewrite((HEAD + text).encode())
    assert {finding.code for finding in outcome.findings} >= {"CCM083"}  # unseen callers
    assert outcome.new.decode().count("doca_comm_channel") == 2
    assert "peer.user_data" in rewrite((HEAD + text).encode(), options=Options(unsafe=True)).new.decode()
