"""Log set-up that has no counterpart: the report says so, once in each file."""

from __future__ import annotations

from pathlib import Path

from migrate import rewrite_project

TEXT = b"""\
import doca_comm_channel as cc
def again():
    return cc.doca_log_backend_create_standard()
cc.doca_log_backend_create_standard()
for set_up in (again, cc.doca_log_backend_create_standard):
    print(set_up())
"""


def test_it_is_noted_once_in_a_file() -> None:
    outcomes = rewrite_project({Path("/project/a.py"): TEXT, Path("/project/b.py"): TEXT})
    for outcome in outcomes:
        noted = [(finding.span.line, finding.level.name) for finding in outcome.findings if finding.code == "CCM075"]
        assert noted == [(3, "SAFE")]
        assert b"cc." not in outcome.new
        assert b"CCM075" not in outcome.new
