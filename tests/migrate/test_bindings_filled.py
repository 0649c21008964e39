"""Programs of cffi that compare handles with None: NULL is another thing there, and None in the new program."""

from __future__ import annotations

import pytest

from migrate.rewriting import rewrite
from tests.migrate.test_bindings import CFFI

HELPERS = """import sys
def check(rc, what=""):
    if rc != 0:
        raise OSError(rc, what)
def ok(rc, *, also=()):
    if rc and rc not in also:
        raise OSError(rc)
def strict(rc, quiet=False):
    if quiet:
        return rc
    check(rc)
def call(function, *args):
    check(function(*args), "call")
def later(rc):
    check(rc)
    yield rc
async def soon(rc):
    check(rc)
"""
FILL = """def fill(cell):
    check(lib.doca_comm_channel_ep_connect(ep[0], b"x", cell))
"""
PROGRAM = """def connect():
    who = ffi.new("struct doca_comm_channel_addr_t **")
BODY
    return who[0]
late = None
if len(sys.argv) > 1:
    late = connect()
if late is not None:
    lib.doca_comm_channel_ep_disconnect(ep[0], late)
"""
CALL = "lib.doca_comm_channel_ep_connect(ep[0], b'x', who)"


def rewritten(body: str, program: str = PROGRAM) -> bool:
    """Whether a program is rewritten whose function fills a cell in some way; checked to be refused otherwise."""
    lines = "".join(f"    {line}\n" for line in body.replace("CALL", CALL).splitlines())
    helpers = HELPERS + (FILL if "fill(" in body else "")
    outcome = rewrite((CFFI + helpers + program.replace("BODY\n", lines)).encode())
    is_kept = b"ffi.dlopen" in outcome.new
    assert is_kept is ("CCM092" in {finding.code for finding in outcome.findings})
    return not is_kept


@pytest.mark.parametrize(
    "body",
    [
        "check(CALL)",
        "check(CALL, 'connect')",
        "check(what='connect', rc=CALL)",
        "ok(CALL)",
        "strict(CALL)",
        "assert CALL == 0",
        "assert not CALL",
        "rc = CALL\nif rc:\n    return None",
        "rc = CALL\nif 0 != rc:\n    return None",
        "rc = CALL\ncode = rc\nprint(rc)\ncheck(code)",
        "if (rc := CALL) != 0:\n    sys.exit(rc)",
        "DOCA_SUCCESS = 0\nif CALL != DOCA_SUCCESS:\n    raise LookupError",
        "while CALL:\n    pass",
        "fill(who)",
        "same = who\nfill(same)\nwho = same",
        "call(lib.doca_comm_channel_ep_connect, ep[0], b'x', who)",
        "try:\n    check(CALL)\nexcept OSError:\n    return None",
        "for text in sys.argv:\n    if text:\n        check(CALL)\n        return who[0]\nraise LookupError",
        "check(CALL)\nprint(who[0] == ffi.NULL)",
    ],
)
def test_a_handle_that_is_certainly_there_is_compared_with_none(body: str) -> None:
    assert rewritten(body)


@pytest.mark.parametrize(
    "body",
    [
        "CALL",
        "print('connect', CALL)",
        "rc = CALL\nif rc:\n    print(rc)",
        "rc = CALL\nrc = 0\ncheck(rc)",
        "if sys.argv:\n    check(CALL)",
        "for text in sys.argv:\n    if text:\n        check(CALL)\n        break",
        "ok(CALL, also=(5,))",
        "strict(CALL, True)",
        "strict(CALL, quiet=True)",
        "strict(*[CALL, True])",
        "later(CALL)",
        "soon(CALL)",
        "try:\n    check(CALL)\nexcept OSError:\n    pass",
        "check(CALL)\nwho[0] = ffi.NULL",
        "check(CALL)\nwho = ffi.new('struct doca_comm_channel_addr_t **')",
        "check(-CALL)",
        "assert CALL",
        "if CALL == 0:\n    return None",
    ],
)
def test_a_handle_that_may_be_null_is_not_compared_with_none(body: str) -> None:
    assert not rewritten(body)


@pytest.mark.parametrize(
    "test",
    [
        "if None is late:",
        "if late != None:",
        "if late not in (None, peer[0]):",
        "match late:\n  case None:\n    sys.exit()\nif sys.argv:",
    ],
)
def test_ways_to_compare_with_none(test: str) -> None:
    program = PROGRAM.replace("if late is not None:", test)
    assert not rewritten("print(CALL)", program)
    assert rewritten("check(CALL)", program)


@pytest.mark.parametrize(
    "program",
    [
        PROGRAM.replace("late = None\nif len(sys.argv) > 1:\n    late = ", "late = None if sys.argv else "),
        "def close(late=None):\n    if late is not None:\n"
        "        lib.doca_comm_channel_ep_disconnect(ep[0], late)\n"
        + PROGRAM.partition("late = None")[0]
        + "close()\nclose(connect())\n",
        PROGRAM.partition("late = None")[0] + "class Side:\n    late = None\n    def open(self):\n"
        "        self.late = connect()\n    def close(self):\n        return self.late is None\n"
        "side = Side()\nside.open()\nside.close()\n",
    ],
)
def test_places_of_none(program: str) -> None:
    assert not rewritten("print(CALL)", program)
    assert rewritten("check(CALL)", program)


def test_what_a_callback_gets_is_never_null() -> None:
    text = """from cffi import FFI
ffi = FFI()
lib, core = ffi.dlopen("libdoca_cc.so.2"), ffi.dlopen("libdoca_common.so.2")
known = None
@ffi.callback("void(void *, uint8_t *, uint32_t, struct doca_cc_connection *)")
def on_message(event, data, size, connection):
    global known
    known = connection
client = ffi.new("struct doca_cc_client **")
assert lib.doca_cc_client_create(ffi.NULL, b"svc", client) == 0
assert lib.doca_cc_client_event_msg_recv_register(client[0], on_message) == 0
print(known is None)
"""
    assert b"ffi" not in rewrite(text.encode()).new


def test_a_list_of_devices_may_be_null() -> None:
    call = "core.doca_devinfo_create_list(infos, count)"
    program = """core = ffi.dlopen("libdoca_common.so.2")
def listed():
    infos, count = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
BODY
    return infos[0]
late = listed() if sys.argv else None
if late is not None:
    core.doca_devinfo_destroy_list(late)
"""
    assert not rewritten(call, program)
    assert not rewritten(f"{call}\nprint(infos[0] is None)\nassert {call} == 0", program)
    assert rewritten(f"check({call})", program)
