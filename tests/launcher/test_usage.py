"""What the launcher says to a command line that is not one."""

from __future__ import annotations

import os

import pytest

from comm_channel_compat._launcher.command_line import UsageError, split_options
from comm_channel_compat._launcher.python import interpreter_options
from comm_channel_compat._launcher.settings import settings
from tests.processes import ROOT, StartPython

USAGE_ERROR = 64


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "a command is missing"),
        (["run"], "SCRIPT is missing"),
        (["walk", "x.py"], "unknown command 'walk'"),
        (["run", "-O", "x.py"], "'-O' is not an option of run; options for Python itself stand before -m"),
        (["run", "--warn"], "SCRIPT is missing"),
        (["run", "--warn=1", "x.py"], "--warn has no value"),
        (["run", "--trace"], "--trace: FILE is missing"),
        (["run", "--report=", "x.py"], "--report: '' is not the name of a file"),
        (["run", "--report", "/", "x.py"], "--report: '/' is not the name of a file"),
        (["exec"], "PROGRAM is missing"),
        (["exec", "-x", "program"], "'-x' is not an option of exec"),
        (["env", "program"], "'program' was not expected"),
        (["paths", "bin"], "'bin' was not expected"),
        (["paths", "lib", "include"], "'include' was not expected"),
        (["paths", "--warn"], "'--warn' was not expected"),
    ],
)
def test_a_usage_error(start_python: StartPython, arguments: list[str], told: str) -> None:
    finished = start_python("-m", "comm_channel_compat", *arguments).finish()
    assert (finished.returncode, finished.stdout) == (USAGE_ERROR, "")
    assert told in finished.stderr
    command = arguments[0] if arguments and arguments[0] != "walk" else "run"
    assert f"usage: python -m comm_channel_compat {command}" in finished.stderr


@pytest.mark.parametrize("option", ["-E", "-I"])
def test_options_that_hide_the_environment(start_python: StartPython, option: str) -> None:
    finished = start_python(option, "-m", "comm_channel_compat", "run", "x.py").finish()
    assert finished.returncode == USAGE_ERROR
    assert "-E and -I" in finished.stderr


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("command", [[], ["run"], ["exec"], ["env"], ["paths"]])
def test_help(start_python: StartPython, command: list[str], option: str) -> None:
    finished = start_python("-m", "comm_channel_compat", *command, option).finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith(" ".join(["usage: python -m comm_channel_compat", *command]))


@pytest.mark.parametrize("before", [["run", "--doca", "1.4"], ["exec", "--force"], ["env", "--warn"]])
@pytest.mark.parametrize(
    ("option", "shown"), [("-h", "usage: "), ("--help", "usage: "), ("--version", "comm_channel_c")]
)
def test_help_and_version_behind_other_options(
    start_python: StartPython, before: list[str], option: str, shown: str
) -> None:
    finished = start_python("-m", "comm_channel_compat", *before, option).finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith(shown)


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
        (["-m", "comm_channel_compat.__main__"], []),
        (["-Bmcomm_channel_compat.__main__"], ["-B"]),
    ],
)
def test_the_options_of_python(before: list[str], options: list[str]) -> None:
    arguments = ["run", "-m", "comm_channel_compat"]
    found = interpreter_options(["python", *before, *arguments], ["__main__.py", *arguments], "comm_channel_compat")
    assert found == options


@pytest.mark.parametrize("before", [[], ["-B"], ["-X", "frozen_modules=off"]], ids=str)
@pytest.mark.parametrize("place", ["comm_channel_compat", "comm_channel_compat/__main__.py"])
def test_the_folder_itself_is_run(start_python: StartPython, before: list[str], place: str) -> None:
    code = "import sys; print(sys.orig_argv[1:])"
    finished = start_python(*before, place, "run", "-c", code, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}).finish()
    assert finished == (0, f"{[*before, '-c', code]}\n", "")


@pytest.mark.parametrize("shape", [["-m", "comm_channel_compat"], ["-m", "comm_channel_compat.__main__"]], ids=str)
def test_the_module_is_run(start_python: StartPython, shape: list[str]) -> None:
    code = "import sys; print(sys.orig_argv[1:])"
    finished = start_python("-B", *shape, "run", "-c", code, cwd=ROOT).finish()
    assert finished == (0, f"{['-B', '-c', code]}\n", "")


@pytest.mark.parametrize(
    ("words", "given", "rest"),
    [
        ([], {}, []),
        (["x", "--warn"], {}, ["x", "--warn"]),
        (["--warn", "--trace", "t", "x"], {"--warn": "", "--trace": "t"}, ["x"]),
        (["--trace=a=b", "--trace", "c"], {"--trace": "c"}, []),
        (["--trace=a=b"], {"--trace": "a=b"}, []),
        (["--warn", "--", "--warn"], {"--warn": ""}, ["--warn"]),
        (["--other=1", "x"], {}, ["--other=1", "x"]),
    ],
)
def test_options_of_a_command(words: list[str], given: dict[str, str], rest: list[str]) -> None:
    assert split_options(words, {"--warn": "", "--trace": "FILE"}) == (given, rest)


def test_an_option_without_its_value() -> None:
    with pytest.raises(UsageError, match="--trace: FILE is missing"):
        split_options(["--trace"], {"--trace": "FILE"})


@pytest.mark.parametrize(("had", "rest"), [({}, []), ({"PYTHONPATH": ""}, []), ({"PYTHONPATH": "a:b"}, ["a", "b"])])
def test_the_path_in_the_environment(had: dict[str, str], rest: list[str]) -> None:
    made = settings({**had, "HOME": "x"}, {}, stand_in=False)
    assert list(made) == ["PYTHONPATH", "COMCH_COMPAT_DOCA"]
    assert made["PYTHONPATH"].split(":")[1:] == rest
    assert made["PYTHONPATH"].split(":")[0].endswith("/comm_channel_compat/_shim")
    assert settings(made, {}, stand_in=False) == made


def test_a_trace_file_is_named_from_where_the_launcher_ran() -> None:
    made = settings({}, {"--trace": "t.jsonl", "--faults": "x", "--warn": ""}, stand_in=False)
    assert made["COMCH_TRACE"] == os.path.abspath("t.jsonl")
    assert (made["COMCH_FAULTS"], made["COMCH_COMPAT_WARN"]) == ("x", "1")
