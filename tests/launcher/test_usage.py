"""What the launcher says to a command line that is not one."""

from __future__ import annotations

import pytest

from comm_channel_compat.__main__ import environment
from comm_channel_compat._launcher.python import interpreter_options
from tests.processes import StartPython

USAGE_ERROR = 64


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "a command is missing"),
        (["run"], "SCRIPT is missing"),
        (["walk", "x.py"], "unknown command 'walk'"),
        (["run", "-m", "module"], "'-m' is an option"),
        (["exec", "program"], "not available yet"),
    ],
)
def test_a_usage_error(start_python: StartPython, arguments: list[str], told: str) -> None:
    finished = start_python("-m", "comm_channel_compat", *arguments).finish()
    assert (finished.returncode, finished.stdout) == (USAGE_ERROR, "")
    assert told in finished.stderr
    assert "usage: python -m comm_channel_compat run SCRIPT" in finished.stderr


@pytest.mark.parametrize("option", ["-E", "-I"])
def test_options_that_hide_the_environment(start_python: StartPython, option: str) -> None:
    finished = start_python(option, "-m", "comm_channel_compat", "run", "x.py").finish()
    assert finished.returncode == USAGE_ERROR
    assert "-E and -I" in finished.stderr


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help(start_python: StartPython, option: str) -> None:
    finished = start_python("-m", "comm_channel_compat", option).finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith("usage: ")


@pytest.mark.parametrize(
    ("before", "options"),
    [
        (["-m", "comm_channel_compat"], []),
        (["-mcomm_channel_compat"], []),
        (["-Bm", "comm_channel_compat"], ["-B"]),
        (["-Bmcomm_channel_compat"], ["-B"]),
        (["-X", "dev", "-m", "comm_channel_compat"], ["-X", "dev"]),
        (["/somewhere/comm_channel_compat"], []),
        (["-O", "comm_channel_compat/"], ["-O"]),
    ],
)
def test_the_options_of_python(before: list[str], options: list[str]) -> None:
    arguments = ["run", "-m", "comm_channel_compat"]
    found = interpreter_options(["python", *before, *arguments], ["__main__.py", *arguments], "comm_channel_compat")
    assert found == options


@pytest.mark.parametrize(("had", "rest"), [({}, []), ({"PYTHONPATH": ""}, []), ({"PYTHONPATH": "a:b"}, ["a", "b"])])
def test_the_path_in_the_environment(had: dict[str, str], rest: list[str]) -> None:
    made = environment({**had, "HOME": "x"})
    assert made["HOME"] == "x"
    assert made["PYTHONPATH"].split(":")[1:] == rest
    assert made["PYTHONPATH"].split(":")[0].endswith("/comm_channel_compat/_shim")
