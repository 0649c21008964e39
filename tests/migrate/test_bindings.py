"""Programs that call the C library: what each use of a C value becomes, and which uses keep all of it as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.outcome import Options
from migrate.rewriting import rewrite, rewrite_project
from tests.processes import StartPython

CFFI = """from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_comm_channel_ep_create(void **ep);")
lib = ffi.dlopen("libdoca_comm_channel.so.2")
ep = ffi.new("struct doca_comm_channel_ep_t **")
peer = ffi.new("struct doca_comm_channel_addr_t **")
assert lib.doca_comm_channel_ep_create(ep) == 0
assert lib.doca_comm_channel_ep_connect(ep[0], b"x", peer) == 0
buf, n = ffi.new("char[]", 64), ffi.new("size_t *", 64)
rc = lib.doca_comm_channel_ep_recvfrom(ep[0], buf, n, 0, peer)
"""
CTYPES = """import ctypes
from ctypes import byref
lib = ctypes.CDLL("libdoca_comm_channel.so.2")
ep, peer = ctypes.c_void_p(), ctypes.c_void_p()
assert lib.doca_comm_channel_ep_create(byref(ep)) == 0
assert lib.doca_comm_channel_ep_connect(ep, b"x", byref(peer)) == 0
buf, n = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
rc = lib.doca_comm_channel_ep_recvfrom(ep, buf, byref(n), 0, byref(peer))
"""


SECOND_OF_CTYPES = """import ctypes
lib = ctypes.CDLL("libdoca_cc.so.2")
Received = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)
client = ctypes.c_void_p()
lib.doca_cc_client_create(None, b"svc", ctypes.byref(client))
@Received
def on_message(event, data, size, connection):
    print(ctypes.string_at(data, size))
rc = lib.doca_cc_client_event_msg_recv_register(client, on_message)
rc = lib.doca_cc_client_event_msg_recv_register(client, Received(on_message))
"""


def last_lines(text: str, count: int = 1) -> str:
    """The last lines of a text, rewritten; checked to be whole."""
    outcome = rewrite(text.encode())
    assert not [name for name in (b"cffi", b"ctypes", b"doca") if name in outcome.new], outcome.new
    return "\n".join(outcome.new.decode().splitlines()[-count:])


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("print(ffi.buffer(buf, n[0])[:])", "print(bytes(buf[:n[0]]))"),
        ("print(bytes(ffi.buffer(buf, n[0])))", "print(bytes(buf[:n[0]]))"),
        ("print(ffi.buffer(buf)[2:4])", "print(bytes(buf[2:4]))"),
        ("print(len(ffi.buffer(buf, n[0])))", "print(len(memoryview(buf)[:n[0]]))"),
        ("print(ffi.string(buf))", 'print(bytes(buf).partition(b"\\0")[0])'),
        ("print(ffi.string(buf, 5).decode())", 'print(bytes(buf[:5]).partition(b"\\0")[0].decode())'),
        ("print(ffi.unpack(buf, 3))", "print(bytes(buf[:3]))"),
        ("data = ffi.new('uint8_t[]', 4)\nprint(ffi.unpack(data, 3))", "print(list(data[:3]))"),  # numbers
        (
            "data = ffi.new('uint8_t[]', 4)\nprint(ffi.unpack(data + 1, 3))",
            "print(list(comch.arguments.offset(data, 1)[:3]))",
        ),
        ("data = ffi.new('unsigned char[]', 4)\nprint(ffi.unpack(data, 3))", "print(list(data[:3]))"),
        ("data = ffi.new('int8_t[]', 4)\nprint(ffi.unpack(data, 3))", 'print(list(memoryview(data)[:3].cast("b")))'),
        ("data = ffi.new('uint8_t[]', 4)\nprint(bytes(ffi.unpack(data, 3)))", "print(bytes(bytes(data[:3])))"),
        ("print(ffi.sizeof(buf), len(buf))", "print(len(buf), len(buf))"),
        ('ffi.memmove(buf, b"abc", 3)', 'buf[:3] = memoryview(b"abc")[:3]'),
        ("n[0] = 64", "n[0] = 64"),
        ("print(peer[0] == ffi.NULL)", "print(peer[0] == None)"),
        ("print(ffi.string(lib.doca_error_get_name(rc)).decode())", "print(comch.code_name(rc))"),
        ("print(ffi.string(lib.doca_error_get_name(rc)))", "print(comch.code_name(rc).encode())"),
        ('data = ffi.new("char[]", b"xyz")', 'data = bytearray(b"xyz" + b"\\0")'),
        ('data = ffi.new("uint8_t[16]")', "data = bytearray(16)"),
        ('data = ffi.new(f"char[{8 * 2}]")', "data = bytearray(8 * 2)"),
        ('info = ffi.cast("struct doca_dev *", peer[0])', "info = peer[0]"),
    ],
)
def test_of_cffi(line: str, new: str) -> None:
    assert last_lines(CFFI + line + "\n") == new


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("print(buf.raw[:n.value])", "print(bytes(buf[:n[0]]))"),
        ("print(buf.raw)", "print(bytes(buf))"),
        ("print(buf.value)", 'print(bytes(buf).partition(b"\\0")[0])'),
        ("print(buf[:n.value])", "print(bytes(buf[:n[0]]))"),
        ("print(ctypes.string_at(buf, n.value))", "print(bytes(buf[:n[0]]))"),
        ("print(ctypes.sizeof(buf))", "print(len(buf))"),
        ("n.value = 64", "n[0] = 64"),
        ("print(1 if not peer else peer.value is None)", "print(1 if not peer[0] else peer[0] is None)"),
    ],
)
def test_of_ctypes(line: str, new: str) -> None:
    assert last_lines(CTYPES + line + "\n") == new


@pytest.mark.parametrize(
    "line",
    [
        "print(peer[0] is None)",  # NULL is no None to cffi
        "nobody = ffi.NULL\nprint(nobody == None)",
        "print(ep[0] + 1)",
        "print(ffi.errno)",
        "print(isinstance(ep, ffi.CData))",
        "view = ffi.buffer(buf, n[0])\nprint(view[0])",
        "items = []\nitems[:] = ffi.buffer(buf, 4)",
        "view, items = ffi.buffer(buf, 4), [1, 2]\nitems[1:] = view",
        "print(ffi.from_buffer(b'abc')[0])",
        "out = bytearray(4)\nffi.buffer(ffi.from_buffer(out))[:] = ffi.buffer(buf, 4)[:]",
        "shown = ffi.from_buffer(bytearray(4))\nprint(ffi.sizeof(shown))",
        "print(ffi.unpack(ffi.from_buffer(b'abc'), 2), ffi.string(ffi.from_buffer(b'abc')))",
        "n[0] = -1",
        "size = ffi.new('uint32_t *', 1 << 32)\nlib.doca_comm_channel_ep_get_device(ep[0], size)",
        "lib.doca_comm_channel_ep_set_max_msg_size(ep[0], 2**16)",
        "try:\n    lib.doca_comm_channel_ep_set_max_msg_size(ep[0], int(input()))\nexcept OverflowError:\n    pass",
    ],
)
def test_what_only_cffi_shows_stays(line: str) -> None:
    outcome = rewrite((CFFI + line + "\n").encode())
    assert {finding.code for finding in outcome.findings} >= {"CCM092"}
    assert b"ffi.dlopen" in outcome.new


@pytest.mark.parametrize(
    "use",
    [
        *("b'a' in view", "view < b'a'", "b'a' <= view", "b'a' == view > b''", "b'a' not in view"),
        *(
            f"{name}(view)"
            for name in ("any", "all", "next", "reversed", "sorted", "frozenset", "dict", "list", "deque")
        ),
        *(
            "[*view]",
            "b''.join(view)",
            "[].extend(view)",
            "joined(view)",
            "{1}.update(view)",
            "open('x').writelines(view)",
        ),
        *("itertools.chain(b'', view)", "reduce(max, view)", "array('B', view)", "print(view)", "heapq.merge(view)"),
        *("input.all_of.extendleft(view)", "numpy.char.join(view)"),
        *("0\nfirst, *rest = view", "0\n[first] = view", "[]\nused[1:] = view"),
    ],
)
def test_what_takes_the_items_of_a_buffer_stays(use: str) -> None:
    names = "import heapq, itertools, numpy\nfrom array import array\nfrom collections import deque\n"
    names += "from functools import reduce\njoined = b'-'.join\n"
    stored = f"{names}{CFFI}view = ffi.buffer(buf, n[0])\nused = {use}\n"
    for text in (stored, f"{names}{CFFI}used = {use.replace('view', 'ffi.buffer(buf, n[0])')}\n"):
        outcome = rewrite(text.encode())
        assert "CCM092" in {finding.code for finding in outcome.findings}
        assert b"ffi.dlopen" in outcome.new


@pytest.mark.parametrize(
    "use",
    [
        *("view == b'a'", "b'a' != view", "view in [b'a', b'b']", "view is None", "len(view)", "bool(view)"),
        *("hashlib.sha256(view)", "hashlib.sha256().update(view)", "zlib.crc32(view)", "int.from_bytes(view, 'big')"),
        *("bytearray().extend(view)", "[].append(view)", "open('x', 'wb').write(view)", "numpy.frombuffer(view)"),
        *("b'ab'.find(view)", "b'-'.join([view, view])", "struct.unpack_from('<I', view)", "re.search(b'a', view)"),
        "bytearray(9)\nused[1:4] = view",
    ],
)
def test_what_reads_a_buffer_as_bytes(use: str) -> None:
    names = "import hashlib, numpy, re, struct, zlib\n"
    assert last_lines(f"{names}{CFFI}view = ffi.buffer(buf, n[0])\nused = {use}\n") == f"used = {use}".splitlines()[-1]


@pytest.mark.parametrize(
    "line",
    [
        "print(hex(ep.value))",
        "lib.doca_comm_channel_ep_get_event_channel(ctypes.c_void_p(int(input())), None, None)",
        "n.value = -1",
        "size = ctypes.c_uint16(1 << 16)\nlib.doca_comm_channel_ep_set_max_msg_size(ep, size)",
        "lib.doca_comm_channel_ep_listen.restype = ctypes.c_bool",
        "lib.doca_comm_channel_ep_listen.restype = None",
        "def check(code):\n    return code\nlib.doca_comm_channel_ep_listen.restype = check",
        "lib.doca_error_get_name.restype = ctypes.c_void_p\nprint(lib.doca_error_get_name(rc))",
        "@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32)\ndef f(e, data, n):\n    return 0",
        "call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(('doca_comm_channel_ep_destroy', lib))\ncall(ep)",
        "data = ctypes.create_string_buffer(bytes(9), 5)\nlib.doca_comm_channel_ep_sendto(ep, data, 5, 0, peer)",
        "text = input().encode()\ndata = ctypes.create_string_buffer(text, len(input()))\n"
        "lib.doca_comm_channel_ep_sendto(ep, data, 5, 0, peer)",
    ],
)
def test_what_only_ctypes_shows_stays(line: str) -> None:
    outcome = rewrite((CTYPES + line + "\n").encode())
    assert {finding.code for finding in outcome.findings} >= {"CCM092"}
    assert b"ctypes.CDLL" in outcome.new


@pytest.mark.parametrize(
    ("kind", "given", "cell"),
    [
        ("size_t[1]", "[64]", "[64]"),
        ("int[1]", "(64,)", "[64]"),
        ("size_t[1]", "[]", "[0]"),
        ("struct doca_comm_channel_addr_t *[1]", "[peer[0]]", "[peer[0]]"),
        ("struct doca_comm_channel_addr_t *[1]", "[ffi.NULL]", "[None]"),
        ("size_t[1]", "given", ""),
        ("size_t[1]", "[*given]", ""),
        ("size_t[1]", "[-1]", ""),
    ],
)
def test_an_array_of_one_item_is_a_cell(kind: str, given: str, cell: str) -> None:
    outcome = rewrite(f"{CFFI}given = [64]\nlate = ffi.new('{kind}', {given})\n".encode())
    last = outcome.new.decode().splitlines()[-1]
    assert last == (f"late = {cell}" if cell else f"late = ffi.new('{kind}', {given})")
    assert ("CCM092" in {finding.code for finding in outcome.findings}) is not bool(cell)


def test_a_handle_of_the_number_0_is_none() -> None:
    assert last_lines(CFFI + "late = ffi.cast('struct doca_comm_channel_addr_t *', 0)\n") == "late = None"


def test_a_buffer_of_the_length_of_its_bytes() -> None:
    line = """text = input().encode()
data = ctypes.create_string_buffer(text, len(text))
lib.doca_comm_channel_ep_sendto(ep, data, len(data), 0, peer)
"""
    assert b'data = bytearray(text.ljust(len(text), b"\\0"))\n' in rewrite((CTYPES + line).encode()).new


def test_a_text_without_restype_stays() -> None:
    outcome = rewrite((CTYPES + "print(lib.doca_error_get_name(rc))\n").encode())
    assert {finding.code for finding in outcome.findings} >= {"CCM093"}


def test_errno_of_a_library_stays() -> None:
    line = "print(ctypes.get_errno())\n"
    assert b"CDLL" not in rewrite((CTYPES + line).encode()).new
    kept = rewrite((CTYPES.replace('so.2")', 'so.2", use_errno=True)') + line).encode())
    assert {finding.code for finding in kept.findings} >= {"CCM092"}


@pytest.mark.parametrize(
    ("lines", "new"),
    [
        ("view = ffi.buffer(buf, n[0])\nprint(view[:4])", "print(bytes(view[:4]))"),
        ("new = ffi.new\nmore = new('char[]', 8)", "more = bytearray(8)"),
        (
            "def copied(data):\n    return ffi.new('char[]', data)",
            '    return bytearray(data + b"\\0" if isinstance(data, bytes) else data)',
        ),
        (
            "def sized(n):\n    return ffi.new('char[]', n())",
            '    return bytearray(size + b"\\0" if isinstance(size := n(), bytes) else size)',
        ),
        (
            "import struct\nsplit = struct.Struct('<I')\nprint(split.unpack(ffi.buffer(buf, 4)))",
            "print(split.unpack(memoryview(buf)[:4]))",
        ),
        ("def sized(data: int):\n    return ffi.new('char[]', data)", "    return bytearray(data)"),
        ("print(ep[0] == ffi.NULL, bool(peer[0]))", "print(ep[0] == None, bool(peer[0]))"),
        (
            "out = bytearray(9)\nfor at in range(2):\n    print(out[: at + 1])\nout[2:6] = ffi.buffer(buf, 4)",
            "out[2:6] = memoryview(buf)[:4]",
        ),
        ("out = memoryview(bytearray(9))\nout[:4] = view = ffi.buffer(buf, 4)", "out[:4] = view = memoryview(buf)[:4]"),
        (
            "print(lib.doca_comm_channel_ep_get_event_channel(ep[0], ffi.NULL, ffi.NULL))",
            "print(comch.ErrorCode.INVALID_VALUE)",
        ),
    ],
)
def test_views_and_sizes(lines: str, new: str) -> None:
    assert last_lines(CFFI + lines + "\n") == new


def test_one_of_two_event_channels_may_be_null() -> None:
    line = "fd = ffi.new('int *')\nprint(lib.doca_comm_channel_ep_get_event_channel(ep[0], ffi.NULL, fd))\n"
    new = rewrite((CFFI + line).encode(), options=Options(width=200)).new.decode()
    assert "ep[0].recv_fd)" in new
    assert new.endswith(", None, fd))\n")


def test_a_slice_of_numbers_stays() -> None:
    received = SECOND_OF_CTYPES.replace(
        "ctypes.c_void_p, ctypes.c_uint32", "ctypes.POINTER(ctypes.c_uint8), ctypes.c_uint32"
    )
    listed = received.replace("ctypes.string_at(data, size)", "data[:size]")
    assert {finding.code for finding in rewrite(listed.encode()).findings} >= {"CCM092"}
    copied = received.replace("ctypes.string_at(data, size)", "bytes(data[:size])")
    assert b"print(bytes(bytes(data[:size])))" in rewrite(copied.encode()).new


SIDES = """class Side:
    def __init__(self, side):
        self.side = side
    def f(self, name):
        return getattr(lib, f"doca_cc_{self.side}_{name}")
"""


def test_computed_names_are_written_out() -> None:
    use = 'for side in ("server", "client"):\n    print(getattr(lib, "doca_cc_%s_as_ctx" % side)(client[0]))\n'
    new = rewrite((SECOND + use).encode(), options=Options(unsafe=True, width=120)).new.decode()
    assert '"server": lambda cc_server: cc_server, "client": lambda cc_client: cc_client' in new
    assert "}[side](client[0])" in new
    assert "ffi" not in new


def test_names_that_objects_compute() -> None:
    sides = SIDES.replace("        return getattr(", "        self.last = name\n        return getattr(")
    text = SECOND + sides + 'side = Side("client")\nside.f("as_ctx")(client[0])\nside.f("destroy")(client[0])\n'
    new = rewrite(text.encode(), options=Options(width=200)).new.decode()
    assert '("client", "as_ctx"): ' in new
    assert "}[self.side, name]" in new


def test_names_that_cannot_be_seen_stay() -> None:
    text = SECOND + SIDES + 'Side(input()).f("as_ctx")(client[0])\n'
    assert "ffi.dlopen" in rewrite(text.encode()).new.decode()


def test_computed_types_are_written_out() -> None:
    helper = """def new(function, *args, kind="void *"):
    cell = ffi.new(kind + " *")
    print(function(*args, cell))
    return cell[0]
"""
    lines = (
        "new(lib.doca_comm_channel_ep_create)\nnew(lib.doca_comm_channel_ep_get_max_msg_size, ep[0], kind='uint16_t')\n"
    )
    new = rewrite((CFFI + helper + lines).encode()).new.decode()
    assert '    cell = ([None] if kind + " *" in ("void * *", ) else [0])' in new or "[None] if kind" in new
    assert "ffi" not in new


def test_makers_of_prototypes_go() -> None:
    maker = """def function(lib, name, restype, *argtypes):
    f = getattr(lib, name)
    f.restype, f.argtypes = restype, argtypes
    return f

name_of = function(lib, "doca_error_get_name", ctypes.c_char_p, ctypes.c_int)
listen = function(lib, "doca_comm_channel_ep_listen", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
print(listen(ep, b"y"), name_of(rc).decode())
"""
    new = rewrite((CTYPES + maker).encode()).new.decode()
    assert "def function" not in new
    assert "ctypes" not in new
    raising = maker.replace(
        '"doca_comm_channel_ep_listen", ctypes.c_int', '"doca_comm_channel_ep_listen", ctypes.c_bool'
    )
    assert "ctypes.CDLL" in rewrite((CTYPES + raising).encode()).new.decode()


def test_one_helper_for_many_functions() -> None:
    helper = """def new(function, *args):
    cell = ffi.new("void **")
    print(function(*args, cell))
    return cell[0]
"""
    lines = "new(lib.doca_comm_channel_ep_create)\nnew(lib.doca_comm_channel_ep_connect, ep[0], b'y')\n"
    outcome = rewrite((CFFI + helper + lines).encode())
    assert b"    cell = [None]\n    print(comch.store(function(*args), cell))\n    return cell[0]\n" in outcome.new
    assert b"ffi" not in outcome.new


def test_cells_of_ctypes_among_arguments_with_a_star() -> None:
    helper = """def new(function, *args):
    cell = ctypes.c_void_p()
    print(function(*args, byref(cell)))
    return cell
"""
    outcome = rewrite((CTYPES + helper + "new(lib.doca_comm_channel_ep_connect, ep, b'y')\n").encode())
    assert b"function(*(value[0] if isinstance(value, list) else value for value in args))" in b"".join(
        line.strip() for line in outcome.new.splitlines()
    )


def test_a_function_that_is_kept_takes_the_bytes_of_c() -> None:
    text = SECOND + "create, again = lib.doca_cc_client_create, ffi.new('struct doca_cc_client **')\n"
    new = rewrite((text + "print(create(dev[0], b'svc', again))\n").encode()).new.decode()
    assert "name and name.decode()" in new
    assert "ffi" not in new


def test_a_call_over_several_lines() -> None:
    text = CFFI + "rc = lib.doca_comm_channel_ep_recvfrom(\n    ep[0],  # ours\n    buf, n,\n    0, peer,\n)\n"
    new = rewrite(text.encode(), options=Options(width=200)).new.decode()
    assert "# ours" in new
    text = " ".join(new.split()).replace("( ", "(")
    assert "comch.store(comch.Client.try_receive(ep[0], n[0]), buf, n, peer)" in text


def test_prototypes_go() -> None:
    text = CTYPES + "lib.doca_comm_channel_ep_listen.argtypes = [ctypes.c_void_p, ctypes.c_char_p]\nprint(rc)\n"
    assert last_lines(text, 2) == ")\nprint(rc)"


@pytest.mark.parametrize(
    "loop",
    [
        "    getattr(lib, name).argtypes = types\n",
        "    function = getattr(lib, name)\n    function.argtypes = types\n    function.restype = ctypes.c_int\n",
    ],
)
def test_tables_of_prototypes_go(loop: str) -> None:
    table = 'TABLE = {"doca_comm_channel_ep_listen": [ctypes.c_void_p, ctypes.c_char_p]}\n'
    text = CTYPES + table + "for name, types in TABLE.items():\n" + loop
    assert last_lines(text) == ")"


def test_a_table_that_does_more_is_kept() -> None:
    text = CTYPES + 'for name in ("doca_comm_channel_ep_listen",):\n    getattr(lib, name)(ep, b"x")\n'
    outcome = rewrite(text.encode())
    assert b'_ep_listen",):\n    comch.outcome(comch.Channel.listen, ep[0], "x")\n' in outcome.new


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("print(buf)", "CCM092"),  # the text of a C value
        ("print(n)", "CCM092"),
        ("other = ep == peer", "CCM092"),
        ("print(buf[0])", "CCM092"),  # b"x" of a char[], a number of a bytearray
        ("print(*buf)", "CCM092"),
        ("import copy\nother = copy.copy(n)", "CCM092"),
        ("print(ep + 1)", "CCM092"),
        ("print(ep[1])", "CCM092"),
        ("ep[0] = ffi.gc(ep[0], lib.doca_comm_channel_ep_destroy)", "CCM095"),
        ("print(int(ffi.cast('uintptr_t', ep[0])))", "CCM092"),
        ("args = (ep[0], buf, n, 0, peer)\nlib.doca_comm_channel_ep_recvfrom(*args)", "CCM093"),
        ("lib.doca_comm_channel_ep_listen(ep[0])", "CCM093"),
        ("lib.getpid()", "CCM094"),
        ("getattr(lib, 'doca_comm_channel_ep_' + input())(ep[0])", "CCM033"),  # what the rules refuse stays in C, too
    ],
)
def test_what_stays(line: str, code: str) -> None:
    text = CFFI + line + "\n"
    outcome = rewrite(text.encode())
    assert outcome.new.count(b"# CCM") == 1
    kept = [each for each in outcome.new.decode().splitlines(keepends=True) if not each.startswith("# CCM")]
    assert "".join(kept) == text
    assert code in {finding.code for finding in outcome.findings}


def test_findings_stand_where_the_old_text_has_them() -> None:
    text = CFFI + "lib.doca_comm_channel_ep_destroy(ep[0])\n"
    lines = text.splitlines()
    outcome = rewrite(text.encode())
    for finding in outcome.findings:
        if finding.name.startswith("doca_comm_channel_ep_"):
            start, end = finding.span.column, finding.span.end_column
            assert finding.name in lines[finding.span.line - 1]
            assert finding.name == lines[finding.span.line - 1][start:end]
    assert outcome.old == text.encode()


def test_a_file_that_is_not_given_keeps_the_others() -> None:
    files = {Path("main.py"): b"from native import ffi, lib\nep = ffi.new('struct doca_comm_channel_ep_t **')\n"
             b"print(lib.doca_comm_channel_ep_create(ep))\n"}  # fmt: skip
    native = CFFI.partition("ep = ")[0].encode()
    (main,) = rewrite_project(files, context={Path("native.py"): native})
    assert {finding.code for finding in main.findings} == {"CCM049"}
    main, native_too = rewrite_project({**files, Path("native.py"): native})
    assert b"cffi" not in native_too.new
    assert b"ffi" not in main.new


def test_two_programs_of_one_folder_are_two() -> None:
    files = {Path("a.py"): CFFI, Path("b.py"): CFFI + "print(buf)\n", Path("c.py"): CFFI + "lib.getpid()\n"}
    first, second, third = rewrite_project({path: text.encode() for path, text in files.items()})
    assert b"ffi" not in first.new
    assert b"CCM092" in second.new
    assert b"# CCM094" in third.new


def test_other_uses_of_ctypes_stay() -> None:
    libc = "libc = ctypes.CDLL(None)\nsize = ctypes.c_long(5)\nprint(libc.labs(size), size.value)\n"
    new = rewrite((CTYPES + libc).encode(), options=Options()).new.decode()
    assert new.endswith(libc)
    assert "import ctypes\n" in new
    assert "byref" not in new


SECOND = """from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_cc_client_create(void *, const char *, void **);")
lib = ffi.dlopen("libdoca_cc.so.2")
core = ffi.dlopen("libdoca_common.so.2")
class Session:
    count = 0
session = Session()
handle = ffi.new_handle(session)
@ffi.callback("doca_cc_event_msg_recv_cb_t")
def on_message(event, data, size, connection):
    print(ffi.buffer(data, size)[:])
@ffi.callback("void(void *, uint64_t, uint64_t)")
def on_sent(task, task_data, ctx_data):
    ffi.from_handle(ffi.cast("void *", ctx_data)).count += 1
client, devs, n = ffi.new("struct doca_cc_client **"), ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
dev = ffi.new("struct doca_dev **")
assert core.doca_devinfo_create_list(devs, n) == 0
assert core.doca_dev_open(devs[0][0], dev) == 0
assert lib.doca_cc_client_create(dev[0], b"svc", client) == 0
assert lib.doca_cc_client_event_msg_recv_register(client[0], on_message) == 0
assert lib.doca_cc_client_task_send_set_conf(client[0], on_sent, on_sent, 8) == 0
ctx = lib.doca_cc_client_as_ctx(client[0])
assert core.doca_ctx_set_user_data(ctx, int(ffi.cast("uintptr_t", handle))) == 0
"""


def test_callbacks_and_user_data() -> None:
    lines = rewrite(SECOND.encode()).new.decode().splitlines()
    assert "def on_message(event, data, size, connection):" in lines
    assert "    print(bytes(data[:size]))" in lines
    assert "    ctx_data.count += 1" in lines
    assert "handle = session" in lines
    assert [line for line in lines if line.startswith("@")] == ["@comch.unraisable"] * 2
    assert not [line for line in lines if "ffi" in line]


@pytest.mark.parametrize(
    ("kind", "new"),
    [
        ("void(void *, uint8_t *, uint32_t, void *)", "list(data[:size])"),
        ("void(void *, const char *data, uint32_t, void *)", "bytes(data[:size])"),
        ("void(void *, int8_t *, uint32_t, void *)", 'list(memoryview(data)[:size].cast("b"))'),
        ("doca_cc_event_msg_recv_cb_t", "list(data[:size])"),  # as the header has it
    ],
)
def test_a_message_that_is_unpacked(kind: str, new: str) -> None:
    made = f'ffi.callback("{kind}")'
    text = SECOND.replace("ffi.buffer(data, size)[:]", "ffi.unpack(data, size)")
    text = text.replace('ffi.callback("doca_cc_event_msg_recv_cb_t")', made)
    plain = text.replace(f"@{made}\n", "")
    given = (f"{made}(on_message)", made.replace(")", ", on_message)"))
    for each in (text, *(plain.replace("], on_message", f"], {callback}") for callback in given)):
        assert f"    print({new})\n" in rewrite(each.encode()).new.decode()


def test_a_callback_that_cannot_raise_needs_no_guard() -> None:
    quiet = "@ffi.callback('doca_cc_event_msg_recv_cb_t')\ndef on_quit(event, data, size, connection):\n    return 1\n"
    rest = "assert lib.doca_cc_client_event_msg_recv_register(client[0], on_quit) == 0\n"
    lines = rewrite((SECOND + quiet + rest).encode()).new.decode().splitlines()
    assert lines[lines.index("def on_quit(event, data, size, connection):") - 1] != "@comch.unraisable"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('number = int(ffi.cast("uintptr_t", handle))', "CCM092"),
        ("call = ffi.callback('void(void)')", "CCM092"),
        ('data = ffi.new("union doca_data *")\ndata.ptr = handle', "CCM094"),
        ('core.doca_ctx_set_user_data(ctx, ffi.new("struct mine *"))', "CCM096"),
        ('mine = ffi.new("struct mine *")\ncore.doca_ctx_set_user_data(ctx, ffi.cast("uintptr_t", mine))', "CCM096"),
    ],
)
def test_what_stays_of_generation_2(line: str, code: str) -> None:
    outcome = rewrite((SECOND + line + "\n").encode())
    assert outcome.new.count(b"# CCM") == 1
    assert code in {finding.code for finding in outcome.findings}


def test_user_data_that_was_never_set() -> None:
    text = SECOND.replace('ffi.from_handle(ffi.cast("void *", ctx_data)).count += 1', "print(task_data, ctx_data.u64)")
    assert "    print((task_data or 0), (ctx_data or 0))" in rewrite(text.encode()).new.decode().splitlines()


def test_callbacks_of_ctypes() -> None:
    lines = rewrite(SECOND_OF_CTYPES.encode()).new.decode().splitlines()
    assert "    print(bytes(data[:size]))" in lines
    assert lines[lines.index("def on_message(event, data, size, connection):") - 1] == "@comch.unraisable"
    assert "comch.unraisable(on_message)" in "".join(lines[-4:])
    assert not [line for line in lines if "ctypes" in line or "Received" in line]


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("for name in ('doca_comm_channel_ep_destroy',):\n    f = getattr(lib, name)\n    f.restype = ctypes.c_int\n"
         "del f", ""),
        ("for name in ('doca_comm_channel_ep_destroy',):\n    f = getattr(lib, name)\n    f.restype = ctypes.c_int\n"
         "x = 1\ndel f, x, name", "del x"),
        ("TABLE = {'doca_comm_channel_ep_destroy': ctypes.c_int}\nfor name, kind in TABLE.items():\n"
         "    getattr(lib, name).restype = kind\ndel TABLE, name, kind", ""),
    ],
)  # fmt: skip
def test_what_unbinds_the_names_of_declarations_goes_with_them(lines: str, left: str) -> None:
    new = rewrite((CTYPES + lines + "\n").encode()).new.decode()
    assert [line for line in new.splitlines() if line.startswith("del")] == [left] * bool(left)
    compile(new, "new", "exec")


def test_constants_that_cffi_is_told_by_definitions() -> None:
    defined = 'ffi.cdef("""\n#define MOST 5\nstatic const int MORE = 0x10;\n""")\nlib ='
    text = CFFI.replace("lib =", defined, 1)
    assert b"print(5, 16)\n" in rewrite((text + "print(lib.MOST, lib.MORE)\n").encode()).new


@pytest.mark.parametrize(
    "read", ["print(event)", "if event:\n        pass", "hex(event)", "kept = event\n    print(kept)"]
)
def test_a_callback_that_looks_at_its_event_stays(read: str) -> None:
    text = EVENTS.replace("pass  # event", read)
    assert {finding.code for finding in rewrite(text.encode()).findings} >= {"CCM082"}


@pytest.mark.parametrize("read", ["pass", "_ = event", "event", "passed_on(event)"])
def test_a_callback_that_ignores_its_event_changes(read: str) -> None:
    assert b"CDLL" not in rewrite(EVENTS.replace("pass  # event", read).encode()).new


EVENTS = """import ctypes
cc = ctypes.CDLL("libdoca_cc.so.2")
Received = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)
server = ctypes.c_void_p()
def passed_on(event):
    return 5
@Received
def received(event, data, size, connection):
    pass  # event
print(cc.doca_cc_server_event_msg_recv_register(server, received))
"""


OWNER = """from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_comm_channel_ep_create(void **ep);")
lib = ffi.dlopen("libdoca_comm_channel.so.2")
"""
USER = """from {home} import ffi, lib
def make():
    ep = ffi.new("struct doca_comm_channel_ep_t **")
    return lib.doca_comm_channel_ep_create(ep)
"""


@pytest.mark.parametrize(
    "others",
    [
        {"unused.py": "from owner import ffi, lib\nimport user\nprint(user.make())"},
        {"unused.py": "import user\ndef later():\n    from owner import ffi as _ffi\nlater()\nprint(user.make())"},
        {"relay.py": USER.format(home="owner"), "unused.py": "from relay import ffi\nimport user\nprint(user.make())"},
        {"pack/__init__.py": "from owner import ffi, lib\nfrom user import make\n__all__ = ['make', 'ffi', 'lib']",
         "unused.py": "from pack import *\nprint(make())"},
    ],
)  # fmt: skip
def test_an_object_of_cffi_that_others_import_is_still_there(
    others: dict[str, str], tmp_path: Path, start_python: StartPython
) -> None:
    files = {"owner.py": OWNER, "user.py": USER.format(home="owner"), **others}
    outcomes = rewrite_project({tmp_path / name: text.encode() for name, text in files.items()})
    for outcome in outcomes:
        outcome.path.parent.mkdir(exist_ok=True)
        outcome.path.write_bytes(outcome.new)
    assert not any(b"dlopen" in outcome.new for outcome in outcomes)
    assert start_python(str(tmp_path / "unused.py")).succeed() == "0\n"


def test_states_are_numbers_to_callbacks_of_c() -> None:
    lines = """Changed = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
trail = []
@Changed
def changed(user_data, ctx, before, after):
    trail.append(after)
cc = ctypes.CDLL("libdoca_common.so.2")
print(cc.doca_ctx_set_state_changed_cb(cc.doca_cc_client_as_ctx(None), changed))
"""
    assert b"int(old), int(new)" in rewrite(("import ctypes\n" + lines).encode()).new
