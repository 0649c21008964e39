"""`comm_channel_compat.libraries.find`: scripts that open C libraries need no launcher."""

from __future__ import annotations

import ctypes
import os

import pytest

from comch_next import InvalidValue
from comm_channel_compat import libraries
from comm_channel_compat._launcher import faces

NAMES = ("libdoca_{}.so.2", "libdoca_{}.so", "/opt/mellanox/doca/lib/x86_64-linux-gnu/libdoca_{}.so.2", "doca_{}")


@pytest.mark.parametrize("library", ["common", "comch", "argp", "dpa", "comm_channel", "cc"])
@pytest.mark.parametrize("name", NAMES)
def test_a_library_is_found_by_every_name(library: str, name: str) -> None:
    path = libraries.find(name.format(library))
    assert os.path.basename(path) == f"libdoca_{library}.so.2"
    assert libraries.find(path) == path
    assert ctypes.CDLL(path)._name == path


@pytest.mark.parametrize(
    "name", [None, "libc.so.6", "c", "libdoca_rdma.so.2", "/somewhere/else.so", b"libdoca_cc.so", ""]
)
def test_anything_else_is_given_back(name: object) -> None:
    assert libraries.find(name) == name


@pytest.mark.parametrize(("release", "folder"), [(None, "cc-2.6"), ("2.6", "cc-2.6"), ("2.5", "cc-2.5")])
def test_the_environment_chooses_the_release(monkeypatch: pytest.MonkeyPatch, release: str | None, folder: str) -> None:
    monkeypatch.delenv("COMCH_COMPAT_DOCA", raising=False)
    if release:
        monkeypatch.setenv("COMCH_COMPAT_DOCA", release)
    assert folder in libraries.find("doca_cc").split("/")


def test_generation_1_before_1_5(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_COMPAT_DOCA", "1.4")
    assert "comm_channel-1.4" in libraries.find("libdoca_comm_channel.so").split("/")


def test_another_release_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_COMPAT_DOCA", "3.0")
    with pytest.raises(InvalidValue, match=r"COMCH_COMPAT_DOCA: '3.0' is not one of 1.4, 2.5, 2.6"):
        libraries.find("libdoca_cc.so.2")


def test_libraries_that_have_not_been_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "folders", lambda kind, release: [])
    with pytest.raises(OSError, match=r"libdoca_cc\.so\.2: the C libraries have not been built"):
        libraries.find("libdoca_cc.so.2")
