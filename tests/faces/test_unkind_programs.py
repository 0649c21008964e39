"""C programs that do what none should: they get codes, and what others have stays whole."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from comch_next.errors import ErrorCode
from tests.faces.conftest import MODULES, Start
from tests.faces.support import FOLDERS, PROGRAMS, compiled, run, settings
from tests.processes import SOON_S, Finished

TOLD = {
    "alive": ["echoed"],
    "fork": ["the child echoed", "the child has the parent's: no", "the parent echoed, the child 0"],
    "threads": ["4 threads echoed"],
    "unlocked": ["the other endpoint echoed"],
    "logging": ["50 children logged"],
    "another": ["doca_dev_close(NULL): DOCA_ERROR_INVALID_VALUE", "the child ended: well"],
    "beside": ["the children ended: well"],
    "flushing": ["the child logged: yes", "flushed: often, the last is there"],
    "cancelled": [
        *["cancelled: 1"] * 3,
        "the last is there",
        "doca_comch_client_destroy(client): DOCA_ERROR_IN_USE",
    ],
    "nested": [
        "doca_ctx_start(doca_comch_client_as_ctx(client)): DOCA_ERROR_IN_PROGRESS",
        "progress in a callback: 0",
        "doca_comch_server_destroy(server): DOCA_ERROR_IN_USE",
        "doca_pe_destroy(engine): DOCA_ERROR_IN_USE",
        "doca_comch_client_destroy(client): DOCA_ERROR_IN_USE",
    ],
}


@pytest.mark.parametrize("deed", TOLD)
def test_an_unkind_program_comes_to_its_end(deed: str, start: Start) -> None:
    ended = start("unkind", deed).finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == TOLD[deed]


@pytest.mark.parametrize("way", ["throw", "end"])
def test_a_call_that_the_program_leaves_is_its_last(way: str, tmp_path: Path) -> None:
    """By an exception of C++, or the end of the thread, out of a callback: no later call hangs."""
    ended = run(compiled(tmp_path, [PROGRAMS / "leaving.cc"], "doca-comch", compiler="g++"), way).finish()
    refused = ["stop", "tasks", "client"]
    assert ended.returncode == 0
    assert ended.stdout.splitlines() == [
        *(["caught: out of a callback"] if way == "throw" else []),
        *(f"{call}: DOCA_ERROR_UNEXPECTED" for call in refused),
        "the end",
    ]
    assert ended.stderr.startswith("doca: doca_ctx_start was left by an exception of C++ or the end of its thread")
    assert ended.stderr.count("\n") == 1


def _event_channel_of_14(folder: Path, **env: str) -> Finished:
    program = compiled(folder, [PROGRAMS / "event_channel_of_14.c"], "doca-comm-channel", doca="1.4")
    return run(program, env={**settings("1.4"), **env}).finish()


def test_an_event_channel_is_no_descriptor_after_the_last_call(tmp_path: Path) -> None:
    """0 would be standard input."""
    ended = _event_channel_of_14(tmp_path)
    assert ended.returncode == 0
    begun = ["create: DOCA_SUCCESS", "listen: DOCA_SUCCESS", "before: a descriptor"]
    assert ended.stdout.splitlines() == [*begun, "after: -1"]
    assert ended.stderr.startswith("doca: doca_comm_channel_ep_recvfrom was left by ")


def test_an_event_channel_is_no_descriptor_after_a_defect(tmp_path: Path) -> None:
    ended = _event_channel_of_14(tmp_path, COMCH_CALL_SINK="operator:not_")  # which takes no call
    assert ended.returncode == 0
    refused = ["create: DOCA_ERROR_UNEXPECTED", "listen: DOCA_ERROR_UNEXPECTED"]
    assert ended.stdout.splitlines() == [*refused, "before: -1", "after: -1"]
    assert "takes exactly one argument (4 given)" in ended.stderr


def test_a_receive_ends_when_another_thread_destroys_its_endpoint(tmp_path: Path) -> None:
    """Python knows of no thread of the program's."""
    program = compiled(tmp_path, [PROGRAMS / "destroyed_meanwhile_of_14.c"], "doca-comm-channel", doca="1.4")
    ended = run(program, env=settings("1.4")).finish()
    assert (ended.returncode, ended.stdout) == (0, "recvfrom: DOCA_ERROR_NOT_CONNECTED\n")


@pytest.mark.parametrize("name", ["libdoca_comm_channel.so.2", "libdoca_comm_channel.so"])
def test_a_library_opened_privately_works(name: str, start: Start) -> None:
    ended = start("opened_at_run_time", name).finish()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0 an endpoint\n", "")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("COMCH_FAULTS", "sned=1", "COMCH_FAULTS: 'sned=1' is not a fault"),
        ("COMCH_COMPAT_WARN", "no", "COMCH_COMPAT_WARN is 'no'; legal are 0, 1 and empty"),
    ],
)
def test_a_wrong_setting_is_named_without_a_traceback(start: Start, name: str, value: str, told: str) -> None:
    ended = start("opened_at_run_time", "libdoca_comm_channel.so.2", **{name: value}).finish()
    assert (ended.returncode, ended.stdout) == (0, f"{int(ErrorCode.INITIALIZATION)} none\n")
    assert ended.stderr.startswith(f"doca: {told}\n")
    assert "Traceback" not in ended.stderr


def test_an_interpreter_without_the_project_is_no_success(start: Start, tmp_path: Path) -> None:
    """The libraries alone, in an installation whose Python cannot import what they stand on."""
    (tmp_path / "bin").mkdir()
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    (tmp_path / "bin" / f"python{version}").symlink_to(os.path.realpath(sys.executable))
    packages = tmp_path / "lib" / f"python{version}" / "site-packages"
    for folder in FOLDERS:
        copied = packages / folder.parent.name / "capi" / "lib"
        shutil.copytree(folder / "lib", copied, symlinks=True)
    places = os.pathsep.join(map(str, packages.glob("*/capi/lib")))
    ended = start("opened_at_run_time", "libdoca_comm_channel.so.2", LD_LIBRARY_PATH=places).finish()
    assert (ended.returncode, ended.stdout) == (0, f"{int(ErrorCode.INITIALIZATION)} none\n")
    assert "No module named" in ended.stderr


@pytest.mark.parametrize("deed", ["alive", "nested"])
def test_address_sanitizer_finds_nothing(deed: str, tmp_path: Path) -> None:
    """What the libraries write into a program's buffers, and what they read from them, lies in these."""
    program = compiled(
        tmp_path, [PROGRAMS / "unkind.c", PROGRAMS / "common.c"], *MODULES, flags=("-fsanitize=address,undefined",)
    )
    ended = run(
        program, deed, env={"ASAN_OPTIONS": "detect_leaks=0"}
    ).finish()  # the interpreter keeps what it has until the end
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == TOLD[deed]


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_valgrind_finds_nothing(program: Callable[[str], Path]) -> None:
    command = ["-q", "--error-exitcode=9", "--leak-check=no", str(program("unkind")), "nested"]
    ended = run("valgrind", *command, deadline_s=4 * SOON_S).finish()
    assert (ended.returncode, ended.stderr) == (0, "")
