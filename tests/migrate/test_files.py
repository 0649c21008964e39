"""Which files of a tree are looked at, and what is refused."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.files import FileError, find, is_installed, project_of, read
from tests.processes import ROOT, SOON_S


def tree(top: Path, *names: str) -> None:
    for name in names:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")


def names(top: Path, *, ignore: bool = True, packages_only: bool = False) -> list[str]:
    found = find([top], ignore=ignore, packages_only=packages_only)
    assert not found.errors
    return [str(path.relative_to(top)) for path in found.files.values()]


def test_folders_are_walked_in_order(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/z.pyw", "a/c/d.pyi", "c.txt", "a.py")
    assert names(tmp_path) == ["a.py", "b.py", "a/z.pyw", "a/c/d.pyi"]


@pytest.mark.parametrize(
    "folder",
    [".git", "__pycache__", ".venv", "venv", "env", "node_modules", "build", "dist", ".tox", ".nox", ".mypy_cache",
     "site-packages", "lib/site-packages", "tool.egg-info"],
)  # fmt: skip
def test_the_usual_folders_are_left_out(tmp_path: Path, folder: str) -> None:
    tree(tmp_path, "x.py", f"{folder}/y.py", f"{folder}/inner/y.py")
    assert names(tmp_path) == ["x.py"]


def test_an_environment_of_any_name_is_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "x.py", "py311/pyvenv.cfg", "py311/bin/y.py")
    assert names(tmp_path) == ["x.py"]


def test_a_package_called_env_is_the_programs_own(tmp_path: Path) -> None:
    tree(tmp_path, "env/__init__.py", "env/x.py")
    assert names(tmp_path) == ["env/__init__.py", "env/x.py"]


def test_a_folder_that_is_given_is_walked_whatever_its_name(tmp_path: Path) -> None:
    tree(tmp_path, "build/x.py")
    assert names(tmp_path / "build") == ["x.py"]


def test_our_own_packages_are_left_out(tmp_path: Path) -> None:
    ours = ("comm_channel_compat/peer_addr.py", "comch_next/driver/protocol/__init__.py", "migrate/old_api/__init__.py")
    assert all((ROOT / name).exists() for name in ours)
    tree(tmp_path, *ours)
    tree(tmp_path, "own/migrate/x.py")
    assert names(tmp_path) == ["own/migrate/x.py"]


def test_ignore_files_hold_from_the_top_of_the_repository_on(tmp_path: Path) -> None:
    tree(tmp_path, ".git/HEAD", "src/a.py", "src/gen_a.py", "src/keep/gen_b.py", "src/out/c.py", "src/local.py")
    (tmp_path / ".gitignore").write_text("gen_*.py\nout/\n")
    (tmp_path / "src/keep/.gitignore").write_text("!gen_b.py\n")
    (tmp_path / ".git/info").mkdir()
    (tmp_path / ".git/info/exclude").write_text("local.py\n")
    assert names(tmp_path / "src") == ["a.py", "keep/gen_b.py"]
    assert names(tmp_path / "src", ignore=False) == ["a.py", "gen_a.py", "local.py", "keep/gen_b.py", "out/c.py"]


def test_nothing_comes_back_from_a_folder_that_is_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "out/a.py")
    (tmp_path / ".gitignore").write_text("out/\n!out/a.py\n")
    assert names(tmp_path) == []


def test_a_repository_inside_of_another_has_its_own_rules(tmp_path: Path) -> None:
    tree(tmp_path, ".git/HEAD", "a.py", "inner/.git/HEAD", "inner/a.py")
    (tmp_path / ".gitignore").write_text("a.py\n")
    assert names(tmp_path) == ["inner/a.py"]


def test_a_file_that_is_given_is_taken_even_if_it_is_ignored(tmp_path: Path) -> None:
    tree(tmp_path, "tool")
    (tmp_path / ".gitignore").write_text("tool\n")
    assert list(find([tmp_path / "tool"]).files.values()) == [tmp_path / "tool"]


def test_a_script_without_a_suffix_is_a_source(tmp_path: Path) -> None:
    for name, first, mode in [("agent", "#!/usr/bin/env python3", 0o755), ("shell", "#!/bin/sh", 0o755)]:
        (tmp_path / name).write_text(f"{first}\n")
        (tmp_path / name).chmod(mode)
    (tmp_path / "notes").write_text("#!python\n")
    assert names(tmp_path) == ["agent"]


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    tree(tmp_path, "in/x.py", "out/y.py", "in/venv/z.py")
    (tmp_path / "in/file.py").symlink_to("../out/y.py")
    (tmp_path / "in/folder").symlink_to("../out")
    (tmp_path / "in/loop").symlink_to(".")
    (tmp_path / "in/dangling.py").symlink_to("nowhere.py")
    (tmp_path / "in/excluded.py").symlink_to("venv/z.py")
    assert names(tmp_path / "in") == ["x.py"]


def test_a_file_by_two_paths_comes_once_by_its_own_name(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "bin/tool")
    (tmp_path / "a.py").symlink_to("b.py")
    (tmp_path / "tool.py").symlink_to("bin/tool")
    os.link(tmp_path / "b.py", tmp_path / "c.py")
    assert names(tmp_path) == ["b.py", "tool.py"]
    both = find([tmp_path / "a.py", tmp_path])
    assert [path.name for path in both.files.values()] == ["a.py", "tool.py"]


def test_pipes_sockets_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.py")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "y.py"))
        assert names(tmp_path) == []
        for path in (tmp_path / "x.py", tmp_path / "y.py", Path("/dev/zero")):
            assert "not a regular file" in str(find([path]).errors[0])
            with pytest.raises(FileError, match="not a regular file"):
                read(path)


def test_a_pipe_called_gitignore_does_not_hang(tmp_path: Path) -> None:
    tree(tmp_path, "x.py")
    os.mkfifo(tmp_path / ".gitignore")
    assert names(tmp_path) == ["x.py"]


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert "No such file" in str(find([tmp_path / "x.py"]).errors[0])


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A folder that another user may enter, under none that pytest keeps to this one."""
    with tempfile.TemporaryDirectory(prefix="files-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder).resolve()


def test_folders_and_files_that_cannot_be_read_are_errors(open_path: Path) -> None:
    """As another user where this one may read everything."""
    tree(open_path, "shut/x.py", "y.py", "z.py", "ignoring/x.py", "ignoring/.gitignore")
    for name in ("shut", "y.py", "ignoring/.gitignore"):
        (open_path / name).chmod(0)
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom migrate.files import FileError, find, read\n"
        "os.getuid() or os.setuid(65534)\nfound = find([Path(sys.argv[1])])\nprint(*found.errors, sep='\\n')\n"
        "for path in found.files.values():\n    try:\n        read(path)\n"
        "    except FileError as error:\n        print(error)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", program, str(open_path)], capture_output=True, text=True, timeout=SOON_S, check=True
    ).stdout.splitlines()
    (open_path / "shut").chmod(0o755)
    assert out == [
        f"{open_path / name}: cannot be read: Permission denied" for name in ("ignoring/.gitignore", "shut", "y.py")
    ]


def test_a_project_is_the_nearest_folder_that_says_so(tmp_path: Path) -> None:
    tree(tmp_path, "outer/setup.cfg", "outer/inner/pyproject.toml", "outer/inner/src/x.py", "outer/y.py")
    assert project_of(tmp_path / "outer/inner/src/x.py") == tmp_path / "outer/inner"
    assert project_of(tmp_path / "outer/inner") == tmp_path / "outer/inner"
    assert project_of(tmp_path / "outer/y.py") == tmp_path / "outer"


def test_around_a_file_of_no_project_only_packages_are_entered(tmp_path: Path) -> None:
    tree(tmp_path, "x.py", "package/__init__.py", "package/y.py", "other/z.py")
    assert names(tmp_path, packages_only=True) == ["x.py", "package/__init__.py", "package/y.py"]


def test_deep_trees_are_walked(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 500)
    tree(deep, "x.py")
    assert len(names(tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "text", "installed"),
    [
        ("pyproject.toml", "[project]\nname = 'x'\n", True),
        ("pyproject.toml", "[build-system]\n", True),
        ("pyproject.toml", "[tool.poetry]\nname = 'x'\n", True),
        ("pyproject.toml", "[tool.migrate]\nidioms = true\n", False),
        ("setup.cfg", "[metadata]\nname = x\n", True),
        ("setup.cfg", "[flake8]\nmax-line-length = 100\n", False),
        ("setup.py", "from setuptools import setup\nsetup()\n", True),
        (".git", "", False),
    ],
)
def test_projects_that_can_be_installed(tmp_path: Path, name: str, text: str, installed: bool) -> None:
    (tmp_path / name).write_text(text)
    assert is_installed(tmp_path) is installed


def test_a_project_that_does_not_say_whether_it_can_be_installed(tmp_path: Path) -> None:
    (tmp_path / "setup.py").mkdir()
    assert is_installed(tmp_path)
