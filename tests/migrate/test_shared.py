"""Files that share a handle stay old together."""

from __future__ import annotations

from pathlib import Path

from migrate.cli import Exit, main

MAKER = """import doca_comm_channel as cc


def make_ep():
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.connect("svc")
    return ep


ep = make_ep()
"""
USER = "from maker import ep\n\nprint(ep.recvfrom(64))\n"


def test_a_handle_that_another_file_imports_stays(tmp_path: Path) -> None:
    (tmp_path / "maker.py").write_text(MAKER)
    (tmp_path / "user.py").write_text(USER)
    assert main(["--write", str(tmp_path)]) == Exit.MANUAL
    assert "# CCM049" in (tmp_path / "maker.py").read_text()
    assert "comch_next" not in (tmp_path / "maker.py").read_text()
    assert (tmp_path / "user.py").read_text() == USER


def test_a_file_of_its_own_is_rewritten(tmp_path: Path) -> None:
    (tmp_path / "maker.py").write_text(MAKER)
    assert main(["--write", str(tmp_path)]) == Exit.CLEAN
    assert "comch.Client" in (tmp_path / "maker.py").read_text()


WRAPPER = """import doca_comm_channel as cc


class Channel:
    def __init__(self):
        self.dev = cc.open_device("b1:00.0")
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = self.ep.connect("svc")
"""


def test_a_class_that_another_file_imports_keeps_its_handles(tmp_path: Path) -> None:
    (tmp_path / "maker.py").write_text(WRAPPER)
    assert main(["--check", str(tmp_path)]) == Exit.PENDING
    (tmp_path / "user.py").write_text("from maker import Channel\n\nprint(Channel().ep.recvfrom(64))\n")
    assert main(["--write", str(tmp_path)]) == Exit.MANUAL
    assert "# CCM049" in (tmp_path / "maker.py").read_text()
    assert "comch_next" not in (tmp_path / "maker.py").read_text()
