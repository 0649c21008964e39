"""Programs that call the C library: what they declare for cffi, enums and names of types, and where they do so."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.rewriting import rewrite, rewrite_project
from tests.migrate.test_bindings import CFFI, SECOND
from tests.migrate.test_bindings_finders import rewritten

ENUM = CFFI.replace("(void **ep);", "(void **ep); enum { MINE = 7, OTHER }; typedef enum { OK, BAD = 5 } rc_t;")
BUILD = b"""from cffi import FFI
builder = FFI()
builder.set_source("_cc", None)
builder.cdef("int doca_comm_channel_ep_create(void **ep); typedef struct doca_comm_channel_ep_t *ep_p;")
if __name__ == "__main__":
    builder.compile(verbose=True)
"""
MAIN = b"""from _cc import ffi
import build
lib = ffi.dlopen("libdoca_comm_channel.so.2")
ep = ffi.new("ep_p *")
print(lib.doca_comm_channel_ep_create(ep))
"""
HELPER = """def get(kind, function, *args):
    cell = ffi.new(kind)
    print(function(*args, cell))
    return cell[0]
size = get("uint16_t *", lib.doca_comm_channel_ep_get_max_msg_size, ep[0])
again = get("struct doca_dev **", lib.doca_comm_channel_ep_get_device, ep[0])
"""


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("print(lib.MINE, lib.OTHER)", "print(7, 8)"),
        ("print(getattr(lib, 'MI' + 'NE'))", "print(7)"),
        ("for which in ('MINE', 'OTHER'): print(getattr(lib, which))", '{"MINE": 7, "OTHER": 8}[which]'),
        ("print(ffi.string(ffi.cast('rc_t', rc)))", 'print({0: "OK", 5: "BAD"}.get(rc, str(int(rc))))'),
    ],
)
def test_enums(line: str, new: str) -> None:
    assert new in rewritten(ENUM + line + "\n")


@pytest.mark.parametrize(
    "line",
    [
        "print(ffi.string(ffi.cast('rc_t', input())))",
        "print(ffi.string(ffi.cast('int', rc)))",
        "more = 'enum { MINE = 8 };'\nprint(lib.MINE)",  # nobody sees which of the two is declared
        "print(getattr(lib, 'MINE' + input()))",
    ],
)
def test_enums_that_are_not_seen_stay(line: str) -> None:
    assert b"ffi.dlopen" in rewrite((ENUM + line + "\n").encode()).new


def test_names_of_types() -> None:
    named = CFFI.replace("(void **ep);", "(void **ep); typedef struct doca_comm_channel_ep_t *ep_p; typedef ep_p mine;")
    assert rewritten(named + "more = ffi.new('mine *')\n").endswith("more = [None]\n")
    own = named.replace("typedef ep_p mine", "typedef struct mine { int n; } mine") + "m = ffi.new('mine *')\n"
    lines = rewrite(own.encode()).new.decode().splitlines()
    assert 'ffi.cdef(" typedef struct mine { int n; } mine;")' in lines
    assert lines[-1] == "m = ffi.new('mine *')"


def test_a_module_that_cffi_writes() -> None:
    build, main = rewrite_project({Path("build.py"): BUILD, Path("main.py"): MAIN})
    assert not [name for name in (b"cffi", b"builder", b"_cc") if name in build.new + main.new]
    assert b"ep = [None]\n" in main.new


@pytest.mark.parametrize(
    ("build", "main"),
    [
        (BUILD, MAIN.replace(b"import build\n", b"")),  # nobody sees that this is the module
        (BUILD.replace(b"None)", b"'#include <doca_comm_channel.h>')"), MAIN),
        (BUILD.replace(b"builder = FFI()\n", b"builder = FFI()\nbuilder = FFI()\n"), MAIN),
        (BUILD, MAIN + b"print(ep)\n"),
    ],
)
def test_a_module_that_cffi_writes_otherwise_stays(build: bytes, main: bytes) -> None:
    for outcome in rewrite_project({Path("build.py"): build, Path("main.py"): main}):
        kept = [line for line in outcome.new.splitlines() if not line.lstrip().startswith(b"# CCM")]
        assert kept == outcome.old.splitlines()


def test_a_helper_is_given_the_cell() -> None:
    new = rewritten(CFFI + HELPER)
    assert "    cell = kind\n" in new
    assert "again = get([None], " in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("get(kind,", "get(kind='uint16_t *',"),
        ("    return cell[0]", "    return cell[0], kind"),
        ("    cell = ffi.new(kind)", "    for n in (1, 2):\n        cell = ffi.new(kind)"),
        ('get("uint16_t *"', 'get("uint16_t *" if rc else "uint16_t*"'),
    ],
)
def test_a_helper_that_does_more_makes_its_cell(old: str, new: str) -> None:
    """A cell that is made once would be one for several calls."""
    text = HELPER.replace(old, new).replace("*args):", "function=None, *args):" if "get(kind=" in new else "*args):")
    assert text != HELPER
    assert b"cell = kind\n" not in rewrite((CFFI + text.replace("function, function", "function")).encode()).new


def test_pointers_are_compared_as_pointers() -> None:
    """Two devices that are opened for one address are two."""
    lines = "other = ffi.new('struct doca_dev **')\ncore.doca_dev_open(devs[0][0], other)\n"
    assert "print(other[0] is not dev[0])" in rewritten(SECOND + lines + "print(other[0] != dev[0])\n")
    buf = "buf = ffi.new('struct doca_buf **')\ncore.doca_buf_inc_refcount(buf[0], ffi.NULL)\n"
    assert b"print(other[0] != dev[0])" in rewrite((SECOND + lines + buf + "print(other[0] != dev[0])\n").encode()).new


def test_a_module_that_is_compiled_from_c_has_a_code_of_its_own() -> None:
    text = BUILD.replace(b"None)", b"'#include <doca_cc.h>', libraries=['doca_cc'])")
    text += b"from _cc import ffi, lib\nprint(lib.doca_cc_client_as_ctx(ffi.NULL))\n"
    assert {finding.code for finding in rewrite(text).findings if finding.code} == {"CCM097"}
