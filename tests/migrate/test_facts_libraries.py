"""A C library that is opened through cffi or ctypes: one code, and one place that everything of it follows from."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.outcome import FileOutcome, Level, Options
from migrate.rewriting import rewrite, rewrite_project
from tests.migrate.marked import Marked
from tests.processes import ROOT

OPENED, COMPILED, VALUE = "CCM089", "CCM097", "CCM092"
CDEF = "ffi.cdef('int doca_comm_channel_ep_create(void **ep);')\n"
DLOPEN = "lib = ffi.dlopen('libdoca_comm_channel.so.2')\n"
USE = "lib.doca_comm_channel_ep_create(ffi.new('struct doca_comm_channel_ep_t **'))\n"
VALUED = USE.replace("**'", "**', x")  # evaluated before the call
CFFI = "from cffi import FFI\nffi = FFI()\n"
CTYPES = "import ctypes\n"


def code_of(text: str) -> str:
    return COMPILED if "set_source" in text else OPENED


def places(**files: str) -> dict[str, set[tuple[str, int]]]:
    """By file: the files and lines that its uses of the library follow from, checked to have the one code."""
    code = code_of("".join(files.values()))
    found: dict[str, set[tuple[str, int]]] = {}
    for reference in Marked(files).facts.references:
        if reference.opened is not None:
            assert reference.code == code
            path, node, _ = reference.opened
            found.setdefault(reference.path.stem, set()).add((path.stem, getattr(node, "lineno", 0)))
    return found


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CFFI + CDEF + DLOPEN + USE, 4),
        (CFFI + CDEF + "lib = ffi.dlopen(None)\n" + USE, 3),
        (CFFI + "ffi.set_source('_cc', '#include <doca_comm_channel.h>', libraries=['doca_comm_channel'])\n" + CDEF, 3),
        (CTYPES + "lib = ctypes.CDLL('libdoca_comm_channel.so')\nlib.doca_comm_channel_ep_create()\n", 2),
        (CTYPES + "lib = ctypes.cdll.LoadLibrary('libdoca_comm_channel.so')\nlib['doca_comm_channel_ep_create']\n", 2),
        (CTYPES + "lib = ctypes.CDLL(path)\nlib.doca_comm_channel_ep_create()\nlib['doca_comm_channel_x']\n", 3),
        (CTYPES + "lib = ctypes.CDLL(path)\nlib.doca_comm_channel_ep_create.restype = None\n", 3),
        ("import ctypes.util\nname = ctypes.util.find_library('doca_comm_channel')\n" + USE, 2),
        (CTYPES + "NAME = '/opt/mellanox/doca/lib/libdoca_comm_channel.so.2'\nlib = ctypes.CDLL(NAME)\n" + USE, 2),
        (CTYPES + "if hasattr(lib, 'doca_comm_channel_ep_create'):\n    lib = ctypes.CDLL('libdoca_cc.so.2')\n", 3),
        (CTYPES + "lib = ctypes.CDLL('libdoca_cc.so.2')\nlib.doca_cc_server_create()\n", 2),
    ],
)  # fmt: skip
def test_one_place_in_a_file(text: str, line: int) -> None:
    assert places(main=text) == {"main": {("main", line)}}
    assert {code for _, code in Marked(main=text).codes()} == {code_of(text)}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (DLOPEN, ["CCM005"]),  # whose dlopen?
        ("wrapper.doca_comm_channel_ep_create()\n", ["CCM007"]),
        (CTYPES + "wrapper.doca_comm_channel_ep_create(ctypes.c_int())\n", ["CCM007"]),
        (CTYPES + "import doca_comm_channel as cc\ngetattr(cc, 'doca_comm_channel_' + x)\n", ["CCM005", "CCM005"]),
        (CTYPES + "import doca_cc\ndoca_cc.doca_cc_server_create(1)\n", ["CCM038"]),
        (CTYPES + "from unittest import mock\nmock.patch('doca_comm_channel.Endpoint')\n", ["CCM080"]),
        (CTYPES + "print('doca_comm_channel_ep_create failed')\n", []),
    ],
)  # fmt: skip
def test_what_is_none_of_a_library(text: str, codes: list[str]) -> None:
    assert [code for _, code in Marked(main=text).codes()] == codes


def test_what_files_import_from_each_other() -> None:
    """The file that opens the library explains those that take it from there, however far away."""
    files = {
        "native": CFFI + CDEF + DLOPEN,
        "middle": "from native import ffi, lib\n",
        "main": "import ctypes\nfrom middle import ffi, lib\n" + USE,
        "other": "from elsewhere import lib\n" + USE,
    }
    assert places(**files) == {"native": {("native", 4)}, "main": {("native", 4)}}
    assert ("doca_comm_channel_ep_create", "CCM007") in Marked(main=files["other"]).codes()


def test_a_module_that_cffi_compiles() -> None:
    build = CFFI + CDEF + "ffi.set_source('pkg._cc', '#include <doca_comm_channel.h>')\n"
    files = {"build_cc": build, "main": "from pkg._cc import ffi, lib\n" + USE}
    assert places(**files) == {"build_cc": {("build_cc", 4)}, "main": {("build_cc", 4)}}


def findings(outcome: FileOutcome) -> list[tuple[str, Level, bool]]:
    return [(finding.code, finding.level, finding.because is None) for finding in outcome.findings]


def test_one_comment_at_the_place() -> None:
    """The rest is in the report, with the place that it follows from."""
    outcome = rewrite((CFFI + CDEF + DLOPEN + VALUED).encode())
    lines = outcome.new.decode().splitlines()
    assert [number for number, line in enumerate(lines) if line.startswith("# CCM")] == [4]
    assert lines[4].startswith(f"# {VALUE}: migrate does not follow how this C value is used (")
    found = findings(outcome)
    assert {code for code, _, _ in found} == {VALUE}
    assert [is_cause for _, _, is_cause in found].count(True) == 1
    assert len(found) == 5
    assert rewrite(outcome.new).new == outcome.new


def test_one_comment_for_all_files_that_share_the_library() -> None:
    files = {
        Path("native.py"): (CFFI + DLOPEN).encode(),
        Path("main.py"): ("from native import ffi, lib\n" + VALUED).encode(),
    }
    main, native = rewrite_project(files)
    assert native.new == native.old
    assert main.new.count(b"# CCM") == 1
    assert {finding.because and finding.because[0] for finding in native.findings} == {Path("main.py")}


def test_the_rest_of_the_file_is_rewritten() -> None:
    text = (
        "import ctypes\nimport doca_comm_channel as cc\nlib = ctypes.CDLL('libdoca_comm_channel.so.2')\n"
        "def f():\n    return lib.doca_comm_channel_ep_create()\n"
        "def g():\n    return cc.open_device('b1:00.0').close()\n"
    )
    outcome = rewrite(text.encode(), options=Options())
    assert b"return comch.open_device" in outcome.new
    assert outcome.new.count(b"# CCM") == 1


def test_left_alone_on_request() -> None:
    text = CFFI + CDEF + DLOPEN.replace("\n", "  # migrate: skip\n") + USE
    outcome = rewrite(text.encode())
    assert outcome.new == outcome.old


def test_mode_shim_opens_another_library() -> None:
    outcome = rewrite((CFFI + CDEF + DLOPEN + USE).encode(), options=Options(mode="shim"))
    assert findings(outcome) == [("", Level.SAFE, True)]
    assert b"# CCM" not in outcome.new


def test_mode_shim_names_the_place_only() -> None:
    outcome = rewrite(
        (CFFI + CDEF + DLOPEN.replace("dlopen(", "dlopen(name=") + USE).encode(), options=Options(mode="shim")
    )
    assert findings(outcome) == [(OPENED, Level.MANUAL, True)]
    assert outcome.new.count(b"# CCM") == 1


def test_a_real_program() -> None:
    source = (ROOT / "tests/migrate/foreign/cffi_direct.py").read_bytes()
    assert b"ffi." not in rewrite(source).new
