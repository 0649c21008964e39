"""Where the native driver looks for the libraries, and what it says when it finds none that it can use."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from comch_next import NotSupported, devices
from comch_next.api import functions
from comch_next.driver import load
from comch_next.driver.native._find import GENERATIONS
from comch_next.driver.native._library import ffi
from tests.native.conftest import Log
from tests.native.stub import build
from tests.processes import StartPython

NOT_HERE = "libdoca_common.so.2"
DEVICES = """
from comch_next import NotSupported, devices
try:
    print(len(devices()))
except NotSupported as error:
    print(error)
"""


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    monkeypatch.setenv("COMCH_DRIVER", "native")


def fake_pkg_config(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pkg-config answer that, for every module."""
    command = folder / "pkg-config"
    command.write_text(f"#!/bin/sh\n{text}\n")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def in_a_process_of_its_own(start_python: StartPython) -> str:
    """What a process prints of its devices: here, a library that another test has loaded would answer to its name."""
    ended = start_python("-c", DEVICES).finish()
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_everything_that_was_tried_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    fake_pkg_config(tmp_path, 'echo "no module $2" >&2; exit 1', monkeypatch)
    first, *tried = in_a_process_of_its_own(start_python).splitlines()
    assert first == f"driver 'native' cannot be loaded: {NOT_HERE} was not found; tried:"
    assert [attempt.partition(": ")[0].strip() for attempt in tried] == [
        NOT_HERE,
        "pkg-config --variable=libdir doca-common",
        "pkg-config --variable=libdir doca",
    ]
    assert tried[1].endswith("no module doca-common")


def test_only_the_place_that_is_asked_for_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_DOCA_LIB", str(tmp_path))
    with pytest.raises(NotSupported) as refused:
        devices()
    tried = [attempt.partition(": ")[0].strip() for attempt in str(refused.value).splitlines()[1:]]
    assert tried == [str(tmp_path / NOT_HERE), str(tmp_path / "libdoca_common.so")]


def test_an_empty_place_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython
) -> None:
    """Nor is it the program itself. What pkg-config prints may be in any encoding."""
    monkeypatch.setenv("COMCH_DOCA_LIB", "")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    fake_pkg_config(tmp_path, "printf 'gibt es nicht: \\344' >&2; exit 1", monkeypatch)
    first, *tried = in_a_process_of_its_own(start_python).splitlines()
    assert first == f"driver 'native' cannot be loaded: {NOT_HERE} was not found; tried:"
    assert tried[1].endswith("gibt es nicht: \ufffd")


def test_a_file(stub: Log) -> None:
    assert [info.pci_addr_str for info in devices()] == ["0000:b1:00.0"]
    assert load().name == "native"
    assert stub()[0] == "doca_devinfo_create_list"


@pytest.mark.parametrize("suffix", [".so.2", ".so"])
def test_a_directory(stub_library: Path, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("libdoca_common", "libdoca_comch"):
        (tmp_path / f"{name}{suffix}").symlink_to(stub_library)
    monkeypatch.setenv("COMCH_DOCA_LIB", str(tmp_path))
    assert len(devices()) == 1


def test_pkg_config_knows_the_directory(
    stub_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython
) -> None:
    for name in ("libdoca_common.so.2", "libdoca_comch.so.2"):
        (tmp_path / name).symlink_to(stub_library)
    fake_pkg_config(tmp_path, f'test "$2" = doca && echo {tmp_path}', monkeypatch)  # as before the split of modules
    assert in_a_process_of_its_own(start_python) == "1\n"


def test_a_file_that_is_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tmp_path / "libdoca_comch.so.2"
    text.write_text("no library")
    monkeypatch.setenv("COMCH_DOCA_LIB", str(text))
    with pytest.raises(NotSupported, match=f"tried:\n  {text}: "):
        devices()


def test_a_release_before_comch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_DOCA_LIB", str(build(tmp_path, "2.5")))
    with pytest.raises(NotSupported, match=r"is of DOCA 2\.5\.85; Comch begins with 2\.7"):
        devices()


def test_nothing_is_parsed_when_it_is_loaded(start_python: StartPython) -> None:
    """The declarations were, at installation: all functions of the tables are among them."""
    load_it = "import sys, comch_next.driver.native; print({'cffi', 'pycparser'} & {*sys.modules})"
    assert start_python("-c", load_it, fresh=True).finish() == (0, "set()\n", "")
    assert not hasattr(ffi, "cdef")
    both = ffi.dlopen(None)
    assert {row.name for generation in GENERATIONS for row in functions(generation)} <= set(dir(both))
