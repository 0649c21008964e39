"""`explain FILE:LINE` answers as a run over the whole project does, not as one over that file alone."""

from __future__ import annotations

from pathlib import Path

from tests.processes import StartPython

LINK = """\
import doca_comm_channel as cc

class Link:
    def __init__(self):
        self.peer = cc.Endpoint().connect("svc")
"""
USE = "from link import Link\nLink().peer.update_info()\n"


def test_a_handle_that_another_file_uses(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "link.py").write_text(LINK)
    (tmp_path / "use.py").write_text(USE)
    explained = start_python("-m", "migrate", "explain", "link.py:5", cwd=tmp_path).finish()
    assert (explained.returncode, explained.stderr) == (0, "")
    assert "becomes comch.Client(one_sided=True)" in explained.stdout
    assert "stays" not in explained.stdout
