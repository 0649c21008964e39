"""Programs that call the C library: memory behind an offset of a buffer, and at an address that the library gave."""

from __future__ import annotations

import pytest

from comch_next import InvalidValue
from comch_next.arguments import address, offset
from migrate.rewriting import rewrite
from tests.migrate.test_bindings import CFFI, CTYPES, SECOND, SECOND_OF_CTYPES, last_lines
from tests.migrate.test_bindings_questions import stays

MEMORY = (
    SECOND
    + """memory, cell, slot = ffi.new("uint8_t[]", 64), ffi.new("struct doca_buf **"), 1
core.doca_buf_inventory_buf_get_by_addr(ffi.NULL, ffi.NULL, memory, 8, cell)
"""
)


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("print(ffi.buffer(buf + 8, 4)[:])", "print(bytes(comch.arguments.offset(buf, 8)[:4]))"),
        ("part = buf + n[0]\nprint(ffi.unpack(part + 1, 2))", "print(bytes(comch.arguments.offset(part, 1)[:2]))"),
        (
            "data = b'abc'\nffi.memmove(buf + 8, data, len(data))",
            "comch.arguments.offset(buf, 8)[:len(data)] = memoryview(data)[:len(data)]",
        ),
    ],
)
def test_behind_an_offset(line: str, new: str) -> None:
    assert last_lines(CFFI + line + "\n") == new


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("lib.doca_comm_channel_ep_sendto(ep, byref(buf, 4), 7, 0, peer)", "try_send_to(ep[0], BUF, "),
        (
            "lib.doca_comm_channel_ep_recvfrom(ep, byref(buf, 4), byref(n), 0, byref(peer))",
            "(ep[0], n[0]), BUF, n, peer",
        ),
        ("part = byref(buf, 4)\nlib.doca_comm_channel_ep_sendto(ep, part, 7, 0, peer)", "try_send_to(ep[0], part, "),
        ("ctypes.memmove(byref(buf, 4), b'hello', 5)", "BUF[:5] = memoryview(b'hello')[:5]"),
        ("lib.doca_comm_channel_ep_sendto(ep, ctypes.addressof(buf) + 4, 7, 0, peer)", "try_send_to(ep[0], BUF, "),
        ("ctypes.memmove(ctypes.addressof(buf) + 4, b'hello', 5)", "BUF[:5] = memoryview(b'hello')[:5]"),
        ("print(ctypes.string_at(ctypes.addressof(buf) + 4, 7))", "print(bytes(BUF[:7]))"),
    ],
)
def test_behind_an_offset_of_ctypes(line: str, new: str) -> None:
    text = " ".join(last_lines(CTYPES + line + "\n", 5).split()).replace("( ", "(")
    assert new.replace("BUF", "comch.arguments.offset(buf, 4)") in text


@pytest.mark.parametrize("late", ["ctypes.c_void_p(ctypes.addressof(out) + 4)", "where"])
def test_an_address_in_a_cell_is_the_memory(late: str) -> None:
    lines = f"""out = ctypes.create_string_buffer(64)
where = ctypes.c_void_p(ctypes.addressof(out) + 4)
lib.doca_comm_channel_ep_sendto(ep, {late}, 7, 0, peer)
"""
    text = last_lines(CTYPES + lines, 10)
    assert "out = bytearray(64)" in text
    assert "where = [comch.arguments.offset(out, 4)]" in text


def test_an_offset_goes_where_the_memory_goes() -> None:
    call = "core.doca_buf_inventory_buf_get_by_addr(ffi.NULL, ffi.NULL, memory + slot * 8, 8, cell)\n"
    assert "comch.arguments.offset(memory, slot * 8)" in last_lines(MEMORY + call, 5)
    helper = "def get(function, *args):\n    print(function(*args, cell))\n    return cell[0]\n"
    call = "get(core.doca_buf_inventory_buf_get_by_addr, ffi.NULL, ffi.NULL, memory + slot, 8)\n"
    assert "comch.arguments.offset(memory, slot)" in last_lines(MEMORY + helper + call, 9)


def test_bytes_at_an_address() -> None:
    lines = """where, size = ffi.new("void **"), ffi.new("size_t *")
core.doca_buf_get_data(cell[0], where)
core.doca_buf_get_data_len(cell[0], size)
print(ffi.buffer(where[0], size[0])[:])
"""
    assert last_lines(MEMORY + lines) == "print(bytes(comch.arguments.span(where[0], size[0])))"


@pytest.mark.parametrize(
    "line",
    [
        "print(buf + 1)",
        "print(len(buf + 1))",
        "print(ffi.sizeof(buf + 1))",
        "print(ffi.buffer(buf + 1)[:])",
        "print(buf - 1)",
        "print(1 + buf)",
        "buf += 1",
        "print((buf + 1)[0])",
        "print(buf + 1 == buf)",
        "print(int(ffi.cast('uintptr_t', buf + 1)))",
        "libc = ffi.dlopen(None)\nlibc.memset(buf + 1, 0, 1)",
        "ffi.memmove(buf + 1, b'abc', len(input()))",
        "lib.doca_comm_channel_ep_sendto(ep[0], buf - 4, 7, 0, peer[0])",
        "lib.doca_comm_channel_ep_sendto(ep[0], 4 + buf, 7, 0, peer[0])",
        "lib.doca_comm_channel_ep_sendto(ep[0], buf[0], 7, 0, peer[0])",
        "view = ffi.from_buffer('char[]', bytearray(4), True)\n"
        "lib.doca_comm_channel_ep_sendto(ep[0], view, 4, 0, peer[0])",
    ],
)
def test_what_else_an_address_does_stays(line: str) -> None:
    stays(CFFI + line + "\n", "CCM092")


@pytest.mark.parametrize(
    "line",
    [
        "print(ctypes.addressof(buf))",
        "print(ctypes.addressof(buf) == 5)",
        "print(ctypes.pointer(peer).contents.value)",
        "ctypes.memmove(4 + ctypes.addressof(buf), b'hello', 5)",
        "lib.doca_comm_channel_ep_sendto(ep, ctypes.addressof(buf) - 4, 7, 0, peer)",
        "lib.doca_comm_channel_ep_disconnect(ep, byref(peer, 4))",
    ],
)
def test_what_else_an_address_of_ctypes_does_stays(line: str) -> None:
    stays(CTYPES + line + "\n", "CCM092")


PUT = """def put(data, text):
    size, least = len(data), 4
    length = len(data)
    if length < 64:
        ffi.memmove(buf, data, SIZE)
put(b"abc", b"abcd")
"""


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("ffi.memmove(buf, b'abc', 4)", "memoryview(buf)[:4] = (bytes(b'abc') + b\"\\0\")[:4]"),
        (
            "data = input().encode()\nffi.memmove(buf, data, len(data))",
            "buf[:len(data)] = memoryview(data)[:len(data)]",
        ),
        ("ffi.memmove(buf, ffi.buffer(buf, n[0])[:], 4)", '(bytes(bytes(buf[:n[0]])) + b"\\0")[:4]'),
        ("data = ffi.unpack(buf, 4)[1:]\nffi.memmove(buf, data, 3)", '= (bytes(data) + b"\\0")[:3]'),
        ("ffi.memmove(buf, ffi.from_buffer(b'abc'), 4)", "= (bytes(b'abc') + b\"\\0\")[:4]"),
        ("ffi.memmove(buf, ffi.buffer(buf, 4), 4)", "memoryview(buf)[:4] = memoryview(memoryview(buf)[:4])[:4]"),
        (PUT.replace("SIZE", "len(data)"), "buf[:len(data)] = bytes(data)[:len(data)]"),
        (PUT.replace("SIZE", "length"), "buf[:length] = bytes(data)[:length]"),
        (
            PUT.replace("length = len(data)", "length = min(64, len(data))").replace("SIZE", "length"),
            "= bytes(data)[:le",
        ),
    ],
)
def test_a_copy_is_as_long_as_it_was(line: str, new: str) -> None:
    assert new in last_lines(CFFI + line + "\n", 3)


AGAIN = PUT.replace("    length = len(data)", "    if not size:\n        length = len(data)").replace("SIZE", "length")
OTHER = PUT.replace("SIZE", "length").replace("    if length", "    data = text\n    if length")
SIZES = [*(PUT.replace("SIZE", size) for size in ("least", "4", "len(text)")), AGAIN, OTHER]
KEEP = """class Keeper:
    def __init__(self, data):
        self.data = data
        self.size = len(data)
    def put(self):
        size = len(self.data)
        if size > 64:
            size = 64
        ctypes.memmove(buf, self.data, SIZE)
Keeper(b"abc").put()
"""
PASSED = """def put(data, size=3):
    ctypes.memmove(buf, data, size)
def pass_on(data):
    rest = data[1:]
    rest += b"d"
    put(size=len(rest), data=rest)
"""


@pytest.mark.parametrize("lines", SIZES)
def test_a_copy_of_what_all_callers_pass_as_bytes(lines: str) -> None:
    size = lines.partition("ffi.memmove(buf, data, ")[2].partition(")\n")[0]
    new = last_lines(CFFI + lines, 2)
    assert f'memoryview(buf)[:{size}] = (bytes(data) + b"\\0")[:{size}]\n' in new


@pytest.mark.parametrize("size", ["size", "self.size"])
def test_a_copy_of_what_an_object_keeps(size: str) -> None:
    wanted = f'memoryview(buf)[:{size}] = (bytes(self.data) + b"\\0")[:{size}]\n'
    assert wanted in last_lines(CTYPES + KEEP.replace("SIZE", size), 2)


def test_a_copy_of_what_is_passed_on() -> None:
    text = rewrite((CTYPES + PASSED + "pass_on(input().encode())\n").encode()).new.decode()
    assert 'memoryview(buf)[:size] = (bytes(data) + b"\\0")[:size]\n' in text


def test_a_copy_is_as_long_as_what_an_object_had() -> None:
    once = KEEP.replace("        if size > 64:\n            size = 64\n", "").replace("SIZE", "size")
    new = last_lines(CTYPES + once.replace('b"abc"', 'open(0, "rb").read()'), 2)
    assert "memoryview(buf)[:size] = bytes(self.data)[:size]\n" in new


@pytest.mark.parametrize(
    "lines",
    [
        KEEP.replace('b"abc"', 'open(0, "rb").read()'),
        KEEP.replace("        self.size", "        vars(self).update(data=5)\n        self.size"),
        KEEP.replace("        self.size", '        setattr(self, "data", 5)\n        self.size'),
        KEEP.replace("    def put", "    data = 5\n    def put"),
        KEEP.replace("    def put", "    def __getattribute__(self, name):\n        return 5\n    def put"),
        KEEP + "for Keeper(b'').data in (5, 6):\n    pass\n",
        KEEP + "Keeper(5)\n",
        KEEP + "Keeper(*[5])\n",
        KEEP + "print(list(map(Keeper, [5])))\n",
        KEEP.replace('Keeper(b"abc").put()\n', ""),
        KEEP.replace("self.data, SIZE", "given.data, SIZE")
        .replace("put(self", "put(self, given")
        .replace("(self.d", "(given.d"),
        PASSED,
        PASSED + "put(b'abc')\nput()\n",
        PASSED + "pass_on(b'abc')\nput(5)\n",
        PASSED + "pass_on(b'abc')\nimport atexit\natexit.register(put, 5)\n",
        PASSED + "    pass_on(rest)\n",
        PASSED + "def begin(data):\n    pass_on(data)\n    begin(data)\n",
    ],
)
def test_a_copy_of_what_may_come_from_elsewhere_stays(lines: str) -> None:
    stays(CTYPES + lines.replace("SIZE", "size"), "CCM092")


@pytest.mark.parametrize(
    "line",
    [
        *(lines.replace('put(b"abc"', 'put(open(0, "rb").read()') for lines in SIZES),
        "ffi.memmove(buf, n, 8)",
        "ffi.memmove(buf, ep[0], 8)",
        "data = ffi.new('uint32_t[2]')\nffi.memmove(buf, data, 8)",
        "data = ffi.new('uint32_t[2]')\nffi.memmove(buf, data, len(data))",
        "data = ffi.new('struct header *', [1, 2])\nffi.memmove(buf, data, 8)",
    ],
)
def test_a_copy_of_what_may_be_no_bytes_stays(line: str) -> None:
    stays(CFFI + line + "\n", "CCM092")


@pytest.mark.parametrize(
    "line",
    [
        "ctypes.memmove(buf, b'abc', n)",
        "ctypes.memmove(buf, ctypes.c_char_p(b'abc'), 4)",
        "word = ctypes.c_uint32(5)\nctypes.memmove(buf, byref(word), 4)",
        "ctypes.memmove(buf, ctypes.addressof(head), 4)",
        "ctypes.memmove(buf, byref(head), ctypes.sizeof(head))",
        "size = ctypes.sizeof(head)\nctypes.memmove(buf, byref(head), size)",
        "words = (ctypes.c_uint32 * 4)()\nctypes.memmove(buf, words, 8)",
    ],
)
def test_a_copy_of_what_ctypes_has_for_itself_stays(line: str) -> None:
    head = "class Head(ctypes.Structure):\n    _fields_ = [('kind', ctypes.c_uint32)]\nhead = Head(1)\n"
    stays(CTYPES + head + line + "\n", "CCM092")


def test_a_message_is_copied() -> None:
    lines = "    ctypes.memmove(kept, data, size)\n"
    kept = """kept = ctypes.create_string_buffer(64)
task = ctypes.c_void_p()
lib.doca_cc_client_send_task_alloc_init(client, None, kept, 4, ctypes.byref(task))
"""
    text = SECOND_OF_CTYPES.replace("    print(ctypes.string_at(data, size))\n", lines)
    assert b"    kept[:size] = memoryview(data)[:size]\n" in rewrite((text + kept).encode()).new


def test_offset() -> None:
    memory = bytearray(b"abcdef")
    assert offset(memory, 2) == b"cdef"
    assert offset(offset(memory, 2), 1) == b"def"
    assert offset(b"abc", 3) == b""
    assert [offset(memory, count) - address(memory, "memory") for count in (-1, 7)] == [-1, 7]
    assert address(offset(memory, 2), "addr") == address(memory, "memory") + 2
    with pytest.raises(InvalidValue, match="memory is b'abc'"):
        offset(b"abc", 4)


# One helper gives back what C has put into a cell: an endpoint, a peer, or a number.
OUT = """from cffi import FFI
ffi = FFI()
lib = ffi.dlopen("libdoca_comm_channel.so.2")
def out(ctype, call, *args):
    cell = ffi.new(ctype + " *")
    assert call(*args, cell) == 0
    return cell[0]
ep = out("struct doca_comm_channel_ep_t *", lib.doca_comm_channel_ep_create)
peer = out("struct doca_comm_channel_addr_t *", lib.doca_comm_channel_ep_connect, ep, b"x")
sent = out("uint64_t", lib.doca_comm_channel_peer_addr_get_send_bytes, peer)
"""


@pytest.mark.parametrize(
    "line", ["print(sent + 1)", "total = 2 * sent - 1", "print('%d bytes' % sent)", "print(sent % 8)"]
)
def test_what_is_computed_with_is_a_number(line: str) -> None:
    new = rewrite(f"{OUT}{line}\n".encode()).new.decode()
    assert new.endswith(f"\n{line}\n")
    assert "ffi" not in new


@pytest.mark.parametrize("line", ["print('%s bytes' % sent)", "text = '%s'\nprint(text % sent)", "print(int(sent))"])
def test_what_may_be_the_text_or_the_number_of_an_address_stays(line: str) -> None:
    stays(f"{OUT}{line}\n", "CCM092")
