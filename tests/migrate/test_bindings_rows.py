"""Programs that call the C library: loops over functions with their arguments, and which callback is of which type."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.rewriting import rewrite, rewrite_project
from tests.migrate.test_bindings import CFFI, SECOND
from tests.migrate.test_bindings_finders import rewritten
from tests.migrate.test_bindings_questions import stays

TYPES = 'ffi.cdef("typedef void (*heard_t)(void *e, uint8_t *data, uint32_t n, void *connection);'
TYPES += ' typedef void (*state_t)(uint64_t data, void *ctx, int old, int new);")\n'
ROWS = (
    TYPES
    + """@ffi.callback("heard_t")
def heard(event, data, size, connection):
    print(ffi.buffer(data, size)[:])
@ffi.callback("state_t")
def changed(data, ctx, old, new):
    print(data, new)
def setup(client, ctx):
    for call, *args in (
        (core.doca_ctx_set_state_changed_cb, ctx, changed),
        (lib.doca_cc_client_event_msg_recv_register, client, heard),
        (lib.doca_cc_client_set_max_msg_size, client, 64),
    ):
        rc = call(*args)
        print(rc)
setup(client[0], ctx)
"""
)


def test_a_loop_over_calls() -> None:
    new = rewritten(SECOND + ROWS)
    assert "    for call in (\n" in new
    assert "        rc = call()\n" in new
    assert "        lambda: comch.outcome(comch.Client.configure, client, max_msg_size=64)[0],\n" in new
    assert "    print(bytes(data[:size]))" in new.splitlines()
    assert "    print((data or 0), int(new))" in new.splitlines()


def test_a_loop_of_one_statement_is_written_out() -> None:
    """So that it is seen in which order handles are destroyed."""
    loop = """end, device = client[0], dev[0]
for function, what in ((lib.doca_cc_client_destroy, end), (core.doca_dev_close, device)):
    print(function(what))
"""
    new = rewritten(SECOND + loop)
    lines = [
        "print(comch.outcome(comch.Client.destroy, end)[0])",
        "print(comch.outcome(comch.Device.close, device)[0])",
    ]
    assert new.splitlines()[-2:] == lines


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        rc = call(*args)", "        client = None\n        rc = call(*args)"),
        ("        rc = call(*args)", "        rc = call(*args), args"),
        ("        rc = call(*args)", "        rc = call(*args[1:])"),
        ("        rc = call(*args)", "        rc = (lambda: call(*args))()"),
        ("setup(client[0], ctx)\n", "setup(client[0], ctx)\ndef other():\n    global heard\n    heard = None\n"),
        ("(lib.doca_cc_client_set_max_msg_size, client, 64)", "(lib.doca_cc_client_set_max_msg_size, client, int(64))"),
    ],
)
def test_a_loop_that_does_more_is_no_loop_over_calls(old: str, new: str) -> None:
    """Nothing is moved that could be another thing later; without it the loop is not understood, and stays."""
    text = (SECOND + ROWS).replace(old, new)
    assert text != SECOND + ROWS
    assert b"lambda: " not in rewrite(text.encode()).new.replace(b"(lambda: call(*args))", b"")


def test_what_a_callback_changes_is_not_moved() -> None:
    rows = ROWS.replace("client, 64)", "client, session.size)").replace(
        "    print(data, new)", "    session.size = new"
    )
    assert b"lambda: " not in rewrite((SECOND + rows).encode()).new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (TYPES, ""),  # nobody declares them, so each may be either
        (TYPES, TYPES + TYPES.replace("uint8_t *data, uint32_t n", "int data, int n")),  # declared twice
    ],
)
def test_callbacks_of_types_that_are_not_known_stay(old: str, new: str) -> None:
    """As both are kept in one list, each may be called for the other."""
    kept = (
        ROWS.partition("def setup")[0].replace(old, new)
        + """kept = [heard, changed]
print(lib.doca_cc_client_event_msg_recv_register(client[0], kept[0 if input() else 1]))
print(core.doca_ctx_set_state_changed_cb(ctx, kept[1 if input() else 0]))
"""
    )
    stays(SECOND + kept, "CCM092")


def test_a_name_like_one_of_c_that_another_file_has_made() -> None:
    files = {Path("names.py"): b"DOCA_SUCCESS = 0\ndef doca_error_get_descr(rc):\n    return rc\n",
             Path("main.py"): b"from names import *\n" + CFFI.encode()
             + b"print(rc == DOCA_SUCCESS, doca_error_get_descr(rc))\n"}  # fmt: skip
    main, _ = rewrite_project(files)
    assert b"ffi" not in main.new
    assert main.new.endswith(b"print(rc == DOCA_SUCCESS, doca_error_get_descr(rc))\n")


SHOWN = """ffi.cdef("typedef void (*up_t)(void *event, void *connection, bool ok);")
@ffi.callback("up_t")
def up(event, connection, ok):
    print(connection != ffi.NULL, ok)
print(lib.doca_cc_server_event_connection_register(server, up, up))
"""
SERVER = (
    SECOND
    + """made = ffi.new("struct doca_cc_server **")
print(lib.doca_cc_server_create(dev[0], ffi.NULL, b"svc", made))
server = made[0]
"""
)


def test_a_bool_of_a_callback_is_one() -> None:
    assert "    print(connection != None, bool(ok))" in rewritten(SERVER + SHOWN).splitlines()
    as_call = SHOWN.replace('@ffi.callback("up_t")\n', "").replace("up, up)", "call, call)")
    as_call = as_call.replace("print(lib", 'call = ffi.callback("void(void *, void *, _Bool)", up)\nprint(lib')
    assert "    print(connection != None, bool(ok))" in rewritten(SERVER + as_call).splitlines()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bool ok)", "char ok)"),
        ("connection, ok):\n    print(connection != ffi.NULL, ok)", "*ok):\n    print(ok)"),
        ("    print(conn", "    ok = input() or ok\n    print(conn"),
        ('@ffi.callback("up_t")', 'KINDS = ["up_t"]\n@ffi.callback(KINDS[0])'),
    ],
)
def test_what_a_callback_is_shown_otherwise_stays(old: str, new: str) -> None:
    stays(SERVER + SHOWN.replace(old, new).replace("connection != ffi.NULL", "event"), "CCM092")


def test_a_bool_that_the_library_gives_stays() -> None:
    """True and False would be shown as numbers."""
    declared = SECOND.replace('ffi.cdef("', 'ffi.cdef("bool doca_pe_progress(void *); ')
    pe = "pe = ffi.new('struct doca_pe **')\nassert core.doca_pe_create(pe) == 0\n"
    stays(declared + pe + "print(core.doca_pe_progress(pe[0]))\n", "CCM092")
    assert "while comch" not in rewritten(declared + pe + "while core.doca_pe_progress(pe[0]):\n    pass\n")
    stays(
        SECOND + "is_it = ffi.new('bool *')\ncore.doca_devinfo_is_equal_pci_addr(devs[0][0], b'x', is_it)\n", "CCM092"
    )
