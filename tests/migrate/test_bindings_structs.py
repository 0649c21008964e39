"""Programs of DOCA 1.2 to 1.4 through cffi and ctypes: their structs become objects of comch_next, or they stay."""

from __future__ import annotations

import pytest

from tests.migrate.test_bindings import SECOND_OF_CTYPES
from tests.migrate.test_bindings_of_ctypes import assert_stays, new

CFFI = """from cffi import FFI
ffi = FFI()
ffi.cdef('''
struct doca_comm_channel_init_attr { uint32_t cookie; uint32_t flags; uint32_t maxmsgs; uint32_t msgsize; };
struct doca_comm_channel_peer_addr_info {
    uint16_t vport; uint32_t msgsize; uint32_t maxmsgs; uint32_t curmsgs;
    uint64_t rx_msgs; uint64_t tx_msgs; uint64_t rx_bytes; uint64_t tx_bytes;
};
typedef struct doca_comm_channel_init_attr attributes;
enum { DONTWAIT = 1, ... };
int doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr, struct doca_comm_channel_ep_t **ep);
''')
lib = ffi.dlopen("libdoca_comm_channel.so.2")
ep, peer = ffi.new("struct doca_comm_channel_ep_t **"), ffi.new("struct doca_comm_channel_addr_t **")
"""
CTYPES = """import ctypes as c
class Attr(c.Structure):
    '''What an endpoint is made from.'''
    _fields_ = [("cookie", c.c_uint32), ("flags", c.c_uint)] + [(n, c.c_uint32) for n in "maxmsgs msgsize".split()]
class Info(c.Structure):
    _fields_ = [
        ("vport", c.c_uint16),
        *((name, c.c_uint32) for name in ("msgsize", "maxmsgs", "curmsgs")),
        *((name, c.c_ulong) for name in ("rx_msgs", "tx_msgs", "rx_bytes", "tx_bytes")),
    ]
lib = c.CDLL("libdoca_comm_channel.so.2")
ep, peer = c.c_void_p(), c.c_void_p()
"""
ATTR_OF_CFFI = 'attr = ffi.new("struct doca_comm_channel_init_attr *"{})\nlib.doca_comm_channel_ep_create(attr, ep)\n'
ATTR_OF_CTYPES = "attr = Attr({})\nlib.doca_comm_channel_ep_create(c.byref(attr), c.byref(ep))\n"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("", "comch.InitAttr()"),
        (', {"maxmsgs": 8, "flags": 1}', "comch.InitAttr(maxmsgs=8, flags=1)"),
        (", [7, 0, 8, 64]", "comch.InitAttr(cookie=7, flags=0, maxmsgs=8, msgsize=64)"),
    ],
)
def test_attributes_of_cffi(given: str, wanted: str) -> None:
    text = new(CFFI + ATTR_OF_CFFI.format(given))
    assert f"attr = {wanted}\n" in text
    assert "comch.store(comch.outcome(comch.BlockingChannel, attr), ep)\n" in text


def test_attributes_in_an_array_of_one_item() -> None:
    array = ATTR_OF_CFFI.replace("attr *", "attr[1]")
    assert "attr = comch.InitAttr(maxmsgs=8)\n" in new(CFFI + array.format(', [{"maxmsgs": 8}]'))
    assert "attr = comch.InitAttr()\n" in new(CFFI + array.format(""))
    assert_stays(CFFI + array.format(', {"maxmsgs": 8}'), "CCM092")


def test_attributes_whose_type_has_a_name_of_the_programs() -> None:
    text = new(CFFI + ATTR_OF_CFFI.format("").replace("struct doca_comm_channel_init_attr", "attributes"))
    assert "attr = comch.InitAttr()\n" in text


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("", "()"), ("maxmsgs=8, msgsize=64", "(maxmsgs=8, msgsize=64)"), ("0, 1, 8", "(0, 1, 8)")],
)
def test_attributes_of_ctypes(given: str, wanted: str) -> None:
    text = new(CTYPES + ATTR_OF_CTYPES.format(given))
    assert f"attr = comch.InitAttr{wanted}\n" in text
    assert "comch.outcome(comch.BlockingChannel, attr)" in text


@pytest.mark.parametrize("text", [CFFI + ATTR_OF_CFFI.format(""), CTYPES + ATTR_OF_CTYPES.format("")])
def test_fields_are_stored_and_read(text: str) -> None:
    text = new(text + "attr.maxmsgs = int(input())\nif attr.maxmsgs > 8:\n    attr.msgsize = 64\n")
    assert "attr.maxmsgs = int(input())\nif attr.maxmsgs > 8:\n    attr.msgsize = 64\n" in text


INFO = "rc = lib.doca_comm_channel_peer_addr_info_get({})\n"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("print(info.tx_msgs, info.rx_bytes)\n", "print(info[0].tx_msgs, info[0].rx_bytes)\n"),
        ("print(info[0].curmsgs)\n", "print(info[0].curmsgs)\n"),
        ("def show(it):\n    return it.vport\nprint(show(info))\n", "    return it[0].vport\n"),
    ],
)
def test_information_of_cffi_is_a_cell(lines: str, wanted: str) -> None:
    made = 'info = ffi.new("struct doca_comm_channel_peer_addr_info *")\n'
    text = new(CFFI + ATTR_OF_CFFI.format("") + made + INFO.format("peer[0], info") + lines)
    assert "info = [comch.PeerInfo()]\n" in text
    assert "comch.store(comch.outcome(comch.peer_info, peer[0]), info)\n" in text
    assert wanted in text


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("print(info.tx_msgs, info.rx_bytes)\n", "print(info[0].tx_msgs, info[0].rx_bytes)\n"),
        ("shown = c.pointer(info)\nprint(shown.contents.vport)\n", "shown = info\nprint(shown[0].vport)\n"),
        ("lib.f.argtypes = [c.POINTER(Info)]\n", "info = [comch.PeerInfo()]\n"),
    ],
)
def test_information_of_ctypes_is_a_cell(lines: str, wanted: str) -> None:
    text = CTYPES + ATTR_OF_CTYPES.format("") + "info = Info()\n" + INFO.format("peer, c.byref(info)") + lines
    text = new(text.replace("lib.f.", "lib.doca_comm_channel_ep_destroy."))
    assert "comch.store(comch.outcome(comch.peer_info, peer[0]), info)\n" in text
    assert wanted in text


OF_INFO = "info = Info()\n" + INFO.format("peer, c.byref(info)")


@pytest.mark.parametrize(
    "text",
    [
        CTYPES + ATTR_OF_CTYPES.format("maxmsgs=-1"),  # 4294967295 to C
        CTYPES + ATTR_OF_CTYPES.format("") + "attr.msgsize = 2 ** 32\n",
        CTYPES + ATTR_OF_CTYPES.format("*range(4)"),
        CTYPES + ATTR_OF_CTYPES.format("") + "print(bytes(attr))\n",
        CTYPES + ATTR_OF_CTYPES.format("") + "print(c.sizeof(Attr))\n",
        CTYPES + ATTR_OF_CTYPES.format("") + "print([n for n, _ in Attr._fields_])\n",
        CTYPES + OF_INFO + "kept = c.pointer(info).contents\nprint(kept.vport)\n",  # it shows what comes later
        CTYPES.replace("c.c_uint)", "c.c_uint16)") + ATTR_OF_CTYPES.format(""),  # no such struct
        CTYPES.replace("class Attr", "@print\nclass Attr") + ATTR_OF_CTYPES.format(""),
        CFFI + ATTR_OF_CFFI.format(', {"maxmsgs": -1}'),  # an OverflowError
        CFFI + ATTR_OF_CFFI.format(", given") + "given = dict(maxmsgs=8)\n",
        CFFI + ATTR_OF_CFFI.format("") + "attr.maxmsgs += 1\n",  # which C may refuse
        CFFI + ATTR_OF_CFFI.format("") + "print(ffi.buffer(attr)[:])\n",
    ],
)
def test_what_only_a_struct_of_c_does_stays(text: str) -> None:
    assert_stays(text)


@pytest.mark.parametrize("text", [CFFI, CTYPES])
def test_a_program_since_1_5_is_none_of_that_time(text: str) -> None:
    """It may have a number of that name."""
    body = text.split("lib = ", 1)
    since = body[0].split("ffi.cdef")[0].split("class Attr")[0] + "lib = " + body[1] + "maxmsgs = 8\n"
    given = "c.byref(ep)" if text is CTYPES else "ep"
    since += f"lib.doca_comm_channel_ep_create({given})\nrc = lib.doca_comm_channel_ep_set_device(ep, None)\n"
    if text is CFFI:
        since = since.replace("set_device(ep, None)", "set_device(ep[0], ffi.NULL)")
    assert "comch.Channel" in new(since)


def test_a_program_of_generation_2_is_none_of_that_time() -> None:
    assert "comch.Client" in new(SECOND_OF_CTYPES + "maxmsgs = 8\nprint(maxmsgs)\n")


def test_fields_may_be_set_several_at_once() -> None:
    made, lines = ATTR_OF_CFFI.format("").splitlines(), new(CFFI + ATTR_OF_CFFI.format("")).splitlines()
    several = "attr.msgsize, attr.maxmsgs = 64, 8"
    lines.insert(-1, several)
    assert new(CFFI + "\n".join([made[0], several, *made[1:]]) + "\n").splitlines() == lines
    for wrong in ("attr.msgsize, attr.maxmsgs = 64, 1 << 40", "attr.msgsize, attr.maxmsgs = input()"):
        assert_stays(CFFI + "\n".join([made[0], wrong, *made[1:]]) + "\n", "CCM092")
