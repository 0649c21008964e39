"""python -m migrate: exit bits, files, what is printed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from migrate import cli
from migrate.cli import Exit, main

PENDING = "import doca_comm_channel as cc\n\nprint(len(cc.devices()))\n"
DONE = "import comch_next as comch\n\nprint(len(comch.devices()))\n"
MANUAL = "import doca_comm_channel as cc\n\nprint(vars(cc))\n"
PYTHON_2 = "import doca_comm_channel as cc\nprint 1\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "old.py"
    path.write_text(PENDING)
    return path


def test_the_report_changes_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file)]) == Exit.PENDING
    assert file.read_text() == PENDING
    assert "to be rewritten" in capsys.readouterr().out


def test_check_says_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", str(file)]) == Exit.PENDING
    assert capsys.readouterr().out == ""


def test_diff_shows_both_sides(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--diff", str(file)]) == Exit.PENDING
    out = capsys.readouterr().out
    assert "-import doca_comm_channel as cc" in out
    assert "+import comch_next as comch" in out
    assert file.read_text() == PENDING


def test_write_is_clean_and_the_second_run_idle(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--write", str(file)]) == Exit.CLEAN
    assert file.read_text() == DONE
    assert main(["--write", str(file)]) == Exit.CLEAN
    assert "nothing" in capsys.readouterr().out


def test_manual_work_stays_manual(file: Path) -> None:
    file.write_text(MANUAL)
    assert main(["--check", str(file)]) == Exit.PENDING | Exit.MANUAL
    assert main(["--write", str(file)]) == Exit.MANUAL
    assert main(["--check", str(file)]) == Exit.MANUAL


def test_other_files_go_on_after_one_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(PYTHON_2)
    (tmp_path / "b.py").write_text(PENDING)
    (tmp_path / "template.py").write_text("import doca_comm_channel as {{ name }}\n")
    assert main(["--write", str(tmp_path), str(tmp_path / "missing.py")]) == Exit.FILES
    assert (tmp_path / "b.py").read_text() == DONE
    errors = capsys.readouterr().err
    assert errors.count("CCM001") == 2
    assert "missing.py" in errors


def test_a_fault_of_migrate_is_told_and_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("on purpose")

    (tmp_path / "a.py").write_text(PENDING)
    monkeypatch.setattr(cli, "rewrite", broken)
    assert main([str(tmp_path)]) == Exit.INTERNAL


@pytest.mark.parametrize(
    "arguments", [[], ["--what", "x.py"], ["--diff", "--write", "x.py"], ["verify", "x"], ["--mode", "shim", "x.py"],
                  ["explain"], ["explain", "CCM999"]]
)  # fmt: skip
def test_wrong_usage_is_64(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(arguments)
    except SystemExit as leave:
        status = int(str(leave.code))
    assert status == 64
    assert capsys.readouterr().err


def test_explain_prints_a_page_with_its_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "ccm031"]) == 0
    out = capsys.readouterr().out
    assert "CCM031" in out
    assert "self.ep" in out


def test_unsafe_rewrites_what_needs_evidence(tmp_path: Path) -> None:
    text = (
        "from doca_comm_channel import *\nrc, devs, n = doca_devinfo_create_list()\nrc, dev = doca_dev_open(devs[0])\n"
        "rc, ep = doca_comm_channel_ep_create()\nrc = doca_comm_channel_ep_set_device(ep, dev)\n"
        "rc = doca_comm_channel_ep_set_max_msg_size(ep, int(input()))\n"
        "rc, peer = doca_comm_channel_ep_connect(ep, 'svc')\n"
    )
    path = tmp_path / "x.py"
    path.write_text(text)
    assert main(["--write", str(path)]) == Exit.MANUAL
    assert "CCM044" in path.read_text()
    assert main(["--write", "--unsafe", str(path)]) == Exit.CLEAN
    assert "CCM" not in path.read_text()
    assert "max_msg_size=int(input())" in path.read_text()


def test_mode_and_links_are_kept(file: Path, tmp_path: Path) -> None:
    file.chmod(0o750)
    link = tmp_path / "link.py"
    link.symlink_to(file.name)
    assert main(["--write", str(link)]) == Exit.CLEAN
    assert link.is_symlink()
    assert file.read_text() == DONE
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.py", "old.py"]


def test_one_file_by_two_paths_is_edited_once(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "link.py").symlink_to(file.name)
    assert main(["--write", str(tmp_path), str(file)]) == Exit.CLEAN
    assert capsys.readouterr().out.count(": 2 rewritten\n") == 1


def test_hard_links_are_refused(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.link(file, tmp_path / "other.txt")
    assert main(["--write", str(file)]) == Exit.FILES | Exit.PENDING
    assert file.read_text() == PENDING
    assert "hard links" in capsys.readouterr().err


def test_read_only_files_are_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.chmod(0o444)
    assert main(["--write", str(file)]) == Exit.FILES | Exit.PENDING
    assert file.read_text() == PENDING
    assert "read-only" in capsys.readouterr().err


def test_the_report_names_causes_in_places_without_an_old_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.py"
    path.write_text(
        "from doca_comm_channel import *\nrc, devs, n = doca_devinfo_create_list()\nrc, dev = doca_dev_open(devs[0])\n"
        "rc, ep = doca_comm_channel_ep_create()\nrc = doca_comm_channel_ep_set_device(ep, dev)\n"
        "rc, peer = doca_comm_channel_ep_connect(ep, 'svc')\nprint(rc, peer)\n"
    )
    assert main([str(path)]) == Exit.PENDING | Exit.MANUAL
    out = capsys.readouterr().out
    assert ":7: CCM033 peer:" in out
    assert "CCM033" in out.splitlines()[-1]
    shown = sum(f"{path}:" in line for line in out.splitlines()) - 1
    assert f" {shown} left to you" in out
    assert main(["--write", str(path)]) == Exit.MANUAL
    assert "# CCM033" in path.read_text()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_diff_keeps_the_bytes(end: bytes, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = ["# coding: latin-1", "import doca_comm_channel as cc", "print('ä', cc.Again)  # ü"]
    data = (end or b"\n").join(each.encode("latin-1") for each in lines) + end
    path = tmp_path / "x.py"
    path.write_bytes(data)
    assert main(["--diff", str(path)]) == Exit.PENDING
    shown = capfdbinary.readouterr().out
    ending = end or b"\n\\ No newline at end of file\n"
    assert b"-print('\xe4', cc.Again)  # \xfc" + ending in shown
    assert b"+print('\xe4', comch.Again)  # \xfc" + ending in shown
