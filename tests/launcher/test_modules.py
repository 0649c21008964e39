"""`run -m` and `run -c` are those of Python: packages, unittest and pytest see nothing of the launcher."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import Finished, StartPython

LAUNCH = ("-m", "comm_channel_compat", "run")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package with a relative import, and tests, as its users have them."""
    package = tmp_path / "app"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "names.py").write_text("try: import doca_comm_channel as cc\nexcept ImportError: cc = None\n")
    (package / "__main__.py").write_text(
        "import sys\nfrom .names import cc\nprint(__name__, __package__, __spec__.name, sys.argv[1:], sys.path[0])\n"
    )
    (tmp_path / "test_app.py").write_text(
        "import unittest\nimport doca_comm_channel as cc\n"
        "class TestApp(unittest.TestCase):\n"
        "    def test_codes(self):\n        self.assertEqual(cc.DOCA_ERROR_AGAIN, 5)\n"
    )
    return tmp_path


def launched_and_plain(start_python: StartPython, project: Path, *arguments: str) -> tuple[Finished, Finished]:
    plain = start_python(*arguments, cwd=project).finish()
    return start_python(*LAUNCH, *arguments, cwd=project).finish(), plain


@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", "app", "--warn", "-m", "two words"),
        ("-mapp", "x"),
        ("-m", "app.names"),
        ("-m", "json.tool", "--help"),
        ("-m", "no_such_module"),
        ("-c", "import sys; print(sys.argv, __name__, sys.path[0])", "-c", "x"),
        ("-cimport sys; print(sys.argv)", "x"),
        ("-m",),
        ("-c",),
    ],
)
def test_it_does_what_python_does(start_python: StartPython, project: Path, arguments: tuple[str, ...]) -> None:
    launched, plain = launched_and_plain(start_python, project, *arguments)
    assert launched == plain


def test_a_package_finds_the_old_name(start_python: StartPython, project: Path) -> None:
    code = "import app.names; print(app.names.cc.__name__)"
    assert start_python(*LAUNCH, "-c", code, cwd=project).finish() == (0, "comm_channel_compat\n", "")


@pytest.mark.parametrize("runner", ["unittest", "pytest"])
def test_a_test_runner(start_python: StartPython, project: Path, runner: str) -> None:
    arguments = ["-p", "no:cacheprovider", "test_app.py"] if runner == "pytest" else ["test_app"]
    launched, plain = launched_and_plain(start_python, project, "-m", runner, *arguments)
    assert "No module named 'doca_comm_channel'" in plain.stdout + plain.stderr
    assert launched.returncode == 0, launched
    assert "1 passed" in launched.stdout or "Ran 1 test" in launched.stderr
