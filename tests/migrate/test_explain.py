"""What `explain` prints about codes, old names and lines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from migrate import explain
from migrate.cli import main
from migrate.codes import CODES
from tests.migrate.fake_command import install


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "migrate.rewriting", install())
    monkeypatch.chdir(tmp_path)


def test_every_code_has_a_page() -> None:
    for code, entry in CODES.items():
        page = explain.page(code)
        assert all(part in page for part in (code, entry.title, entry.level, entry.explanation, entry.advice))


CASE = """# case: a handle in a strange place
ep.send()
# output
ep.send()  # CCM031: a title (python -m migrate explain CCM031)
"""


def test_a_page_shows_an_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gen1").mkdir()
    monkeypatch.setattr(explain, "FOLDER", tmp_path)
    code = next(iter(CODES))
    (tmp_path / "gen1/send.case.py").write_text(CASE.replace("CCM031", code))
    assert main(["explain", code.lower()]) == 0
    out = capsys.readouterr().out
    assert "Example (a handle in a strange place):\n\n    ep.send()\n\nbecomes\n\n    ep.send()  # CCM" in out


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("doca_comm_channel_ep_sendto", "generation 1"),
        ("sendto", "doca_comm_channel_ep_sendto (generation 1)"),
        ("Endpoint.recvfrom", "doca_comm_channel_ep_recvfrom"),
        ("doca_comm_channel_ep_rcvfrom", "is another spelling of doca_comm_channel_ep_recvfrom"),
        ("doca_cc_server_create", "generation 2"),
        ("doca_get_error_string", "doca_error_get_descr"),
    ],
)
def test_old_names_have_a_fate(name: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    assert told in capsys.readouterr().out


def test_unknown_names_have_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "frobnicate"]) == 64
    assert "explain does not know frobnicate" in capsys.readouterr().err


def test_the_example_of_a_name_is_one_of_its_own_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "doca_comm_channel_ep_sendto"]) == 0
    example = capsys.readouterr().out.partition("Example (")[2].partition(")")[0]
    assert example in {case.title for case in explain.cases() if case.rule == "gen1.sendto"}


def test_a_line_shows_the_chain_of_its_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "x.py").write_text("import doca_comm_channel as cc\nuse(ep)  # manual\nuse(ep)  # follows\n")
    assert main(["explain", "x.py:3", "x.py:1"]) == 0
    assert capsys.readouterr().out == (
        "x.py:3: ep stays CCM003: the reason of CCM003\n"
        "  because x.py:2: ep stays CCM033: the reason of CCM033\n\n"
        "x.py:1: cc becomes comch: import\n"
    )
    assert main(["explain", "x.py:4"]) == 0
    assert "nothing here uses the old API; it does at 1, 2, 3" in capsys.readouterr().out
    assert main(["explain", "missing.py:4"]) == 4
    assert "cannot be read" in capsys.readouterr().out
