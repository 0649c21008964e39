"""What `--keep-spelling` makes of programs that call doca_cc in C, question by question."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.outcome import FileOutcome, Level, Options
from migrate.rewriting import level, rewrite_project

KEPT = Options(keep_spelling=True)
CFFI = """\
from cffi import FFI

ffi = FFI()
ffi.cdef('''
%s
''')
cc = ffi.dlopen("libdoca_cc.so.2")
"""
CTYPES = 'from ctypes import *\n\ncc = CDLL("libdoca_cc.so.2")\n'


def kept(text: str) -> FileOutcome:
    return rewrite_project({Path("program.py"): text.encode()}, options=KEPT)[0]


def new(text: str) -> str:
    """What becomes of a text that nothing keeps."""
    outcome = kept(text)
    assert [finding for finding in outcome.findings if finding.level is not Level.SAFE] == []
    again = rewrite_project({Path("program.py"): outcome.new}, options=KEPT)[0]
    assert not again.changed
    return outcome.new.decode()


def of_cffi(declared: str, *lines: str) -> str:
    """The new declarations and lines of a program of cffi."""
    text = new(CFFI % declared + "\n".join(lines) + "\n")
    head, _, rest = (CFFI % "\0").replace("libdoca_cc", "libdoca_comch").partition("\0")
    assert text.startswith(head)
    assert rest in text
    declarations, _, code = text.removeprefix(head).partition(rest)
    return "\n".join(filter(None, [declarations, code.rstrip("\n")]))


def of_ctypes(*lines: str) -> str:
    """The new lines of a program of ctypes."""
    head = CTYPES.replace("libdoca_cc", "libdoca_comch")
    text = new(CTYPES + "\n".join(lines) + "\n")
    assert text.startswith(head)
    return text.removeprefix(head).rstrip("\n")


def codes(text: str) -> set[str]:
    """The codes of what stays; nothing of such a program has changed."""
    outcome = kept(text)
    assert [line for line in outcome.new.decode().splitlines() if "# CCM" not in line] == text.splitlines()
    return {finding.code for finding in outcome.findings if level(finding.code) is not Level.SAFE}


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        ("cc.doca_cc_client_create(dev, name, out)", "cc.doca_comch_client_create(dev, name, out)"),
        ("cc.doca_cc_send_task_as_task(task)", "cc.doca_comch_task_send_as_task(task)"),
        ("cc.doca_cc_cap_is_producer_supported(info)", "cc.doca_comch_producer_cap_is_supported(info)"),
        ("cc.doca_cc_server_get_device_repr(server, out)", "cc.doca_comch_server_get_device_rep(server, out)"),
        (
            "cc.doca_cc_server_event_connection_register(server, up, down)",
            "cc.doca_comch_server_event_connection_status_changed_register(server, up, down)",
        ),
        ('getattr(cc, f"doca_cc_{side}_create")', 'getattr(cc, f"doca_comch_{side}_create")'),
        ('getattr(cc, "doca_cc_" + ["client_create"][0])', 'getattr(cc, "doca_comch_" + ["client_create"][0])'),
        ('getattr(cc, "doca_" + ["cc_client_create"][0])', 'getattr(cc, "doca_" + ["comch_client_create"][0])'),
        ('cc["doca_cc_%s_create" % side]', 'cc["doca_comch_%s_create" % side]'),
        (
            'getattr(cc, "doca_cc_server_" + ["event_connection_register"][0])',
            'getattr(cc, "doca_comch_server_" + ["event_connection_status_changed_register"][0])',
        ),
        ("# doca_cc_client_create makes it", "# doca_comch_client_create makes it"),
    ],
)
def test_every_name_changes(old: str, expected: str) -> None:
    start = 'side = "client"\n'
    assert of_ctypes(start + old) == start + expected


@pytest.mark.parametrize(
    "line",
    [
        'core = CDLL("libdoca_common.so.2")',
        "core.doca_ctx_start(ctx)",
        "cc = doca_cc_thing = 1",
        'service = b"doca_cc"',
        'print("DOCA_CC_MSG_FLAG_NONE")',
    ],
)
def test_other_names_stay(line: str) -> None:
    assert of_ctypes(line) == line


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        ('CDLL(find_library("doca_cc") or "libdoca_cc.so")', 'CDLL(find_library("doca_comch") or "libdoca_comch.so")'),
        ('CDLL("/opt/mellanox/doca/lib/libdoca_cc.so.2")', 'CDLL("/opt/mellanox/doca/lib/libdoca_comch.so.2")'),
        (
            '[CDLL(f"lib{name}.so.2") for name in ("doca_common", "doca_cc")]',
            '[CDLL(f"lib{name}.so.2") for name in ("doca_common", "doca_comch")]',
        ),
    ],
)
def test_the_library_is_opened_by_its_new_name(old: str, expected: str) -> None:
    start = "from ctypes import *\nfrom ctypes.util import find_library\n"
    assert new(start + old + "\n") == start + expected + "\n"


def test_what_a_program_is_compiled_and_linked_with() -> None:
    assert (
        new("""\
import subprocess
from cffi import FFI

flags = subprocess.check_output(["pkg-config", "--cflags", "doca-cc"], text=True).split()
builder = FFI()
builder.cdef("doca_error_t doca_cc_client_destroy(struct doca_cc_client *client);")
builder.set_source(
    "_doca_cc",
    "#include <doca_cc.h>\\n#include <doca_cc_producer.h>",
    libraries=["doca_cc", "doca_common"],
    extra_link_args=["-ldoca_cc"],
)
""")
        == """\
import subprocess
from cffi import FFI

flags = subprocess.check_output(["pkg-config", "--cflags", "doca-comch"], text=True).split()
builder = FFI()
builder.cdef("doca_error_t doca_comch_client_destroy(struct doca_comch_client *client);")
builder.set_source(
    "_doca_cc",
    "#include <doca_comch.h>\\n#include <doca_comch_producer.h>",
    libraries=["doca_comch", "doca_common"],
    extra_link_args=["-ldoca_comch"],
)
"""
    )


def test_a_setup_file_follows() -> None:
    text = (
        'from setuptools import Extension, setup\n\nsetup(ext_modules=[Extension("_x", ["x.c"], libraries=["%s"])])\n'
    )
    assert new(text % "doca_cc") == text % "doca_comch"


# ---------------------------------------------------------------- declarations


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        (
            "int doca_cc_server_set_max_msg_size(struct doca_cc_server *, size_t size);",
            "int doca_comch_server_set_max_msg_size(struct doca_comch_server *, uint32_t size);",
        ),
        (
            "int doca_cc_client_send_task_set_conf(void *, cb_t, cb_t, uint8_t log_num_tasks);",
            "int doca_comch_client_task_send_set_conf(void *, cb_t, cb_t, uint32_t log_num_tasks);",
        ),
        (
            "int doca_cc_producer_task_send_alloc_init(void *, struct doca_buf *buf, uint32_t, void **);",
            "int doca_comch_producer_task_send_alloc_init("
            "void *, const struct doca_buf *buf, uint8_t *, uint32_t, uint32_t, void **);",
        ),
        (
            "struct doca_buf *doca_cc_producer_task_send_get_buf(void *);",
            "const struct doca_buf *doca_comch_producer_task_send_get_buf(void *);",
        ),
        (
            "typedef void (*got)(struct doca_cc_event_msg_recv *, uint8_t *, size_t n, void *);",
            "typedef void (*got)(struct doca_comch_event_msg_recv *, uint8_t *, uint32_t n, void *);",
        ),
        (
            "typedef void got(void *, uint8_t *, size_t, void *);\n"
            "int doca_cc_client_event_msg_recv_register(void *, got *);",
            "typedef void got(void *, uint8_t *, uint32_t, void *);\n"
            "int doca_comch_client_event_msg_recv_register(void *, got *);",
        ),
        (
            "int doca_cc_producer_task_send_alloc_init(void *, // of the DPU, (or not\n"
            "    struct doca_buf *buf, /* one, or more (\n a chain */ uint32_t, void **);",
            "int doca_comch_producer_task_send_alloc_init(void *, // of the DPU, (or not\n"
            "    const struct doca_buf *buf, uint8_t *, uint32_t, /* one, or more (\n a chain */ uint32_t, void **);",
        ),
        (
            "int doca_cc_cap_get_max_msg_size(const void *, /* in, never NULL, no size_t */ size_t *size);",
            "int doca_comch_cap_get_max_msg_size(const void *, /* in, never NULL, no size_t */ uint32_t *size);",
        ),
        (
            "enum doca_cc_counter { DOCA_CC_COUNTER_SENT_BYTES = 2 };",
            "enum doca_comch_counter { DOCA_COMCH_COUNTER_SENT_BYTES = 2 };",
        ),
    ],
)
def test_what_is_declared_is_what_comch_declares(old: str, expected: str) -> None:
    assert of_cffi(old) == expected


def test_comments_of_declarations_in_texts_of_one_line() -> None:
    """What follows a written newline is declared again."""
    declared = r"ffi.cdef('// of (\nint doca_cc_cap_get_max_msg_size(const void *, // in, (\n size_t *);')"
    assert of_cffi("", declared) == declared.replace("_cc_", "_comch_").replace("size_t", "uint32_t")


def test_functions_that_are_declared_with_other_parameters_keep_the_program() -> None:
    for name in ("doca_cc_producer_task_send_alloc_init", CONF, "doca_cc_cap_get_max_msg_size"):
        assert codes(CFFI % f"int {name}(void *);") == {"CCM122"}
    told = "print('doca_cc_cap_get_max_msg_size() has failed')"
    assert of_cffi("", told) == told.replace("_cc_", "_comch_")


def test_other_declarations_of_the_text_stay() -> None:
    others = """\
typedef void (*freed)(void *addr, size_t len, void *cookie);
struct doca_dma; struct doca_ctx;
int doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num);
int doca_dma_create(void *, struct doca_dma **); size_t strlen(const char *);"""
    assert of_cffi(f"{others}\nint doca_cc_client_destroy(void *);") == (
        f"{others}\nint doca_comch_client_destroy(void *);"
    )


# ---------------------------------------------------------------- arguments

CONF = "doca_cc_server_send_task_set_conf"
NEW_CONF = "doca_comch_server_task_send_set_conf"


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        (f"cc.{CONF}(s, a, b, 4)", f"cc.{NEW_CONF}(s, a, b, 16)"),
        (f"cc.{CONF}(s, a, b, 0)", f"cc.{NEW_CONF}(s, a, b, 1)"),
        (f"cc.{CONF}(s, a, b, n)", f"cc.{NEW_CONF}(s, a, b, 1 << n)"),
        (f"cc.{CONF}(s, a, b, n + 1)", f"cc.{NEW_CONF}(s, a, b, 1 << (n + 1))"),
        (f"conf = cc.{CONF}\nconf(s, a, b, 4)", f"conf = cc.{NEW_CONF}\nconf(s, a, b, 16)"),
        (f'getattr(cc, "{CONF}")(s, a, b, 4)', f'getattr(cc, "{NEW_CONF}")(s, a, b, 16)'),
        (
            f"def ok(call, *args):\n    assert call(*args) == 0\nok(cc.{CONF}, s, a, b, 4)",
            f"def ok(call, *args):\n    assert call(*args) == 0\nok(cc.{NEW_CONF}, s, a, b, 16)",
        ),
        (
            f"for call, *args in ((cc.{CONF}, s, a, b, 4),):\n    call(*args)",
            f"for call, *args in ((cc.{NEW_CONF}, s, a, b, 16),):\n    call(*args)",
        ),
        (
            f"def conf(log):\n    return cc.{CONF}(s, a, b, log)\nconf(4)",
            f"def conf(log):\n    return cc.{NEW_CONF}(s, a, b, 1 << log)\nconf(4)",
        ),
        (
            f'def check(rc, what):\n    print(what)\ncheck(cc.{CONF}(s, a, b, 4), "{CONF}")',
            f'def check(rc, what):\n    print(what)\ncheck(cc.{NEW_CONF}(s, a, b, 16), "{NEW_CONF}")',
        ),
        (
            "cc.doca_cc_producer_task_send_alloc_init(p, buf, number, byref(task))",
            "cc.doca_comch_producer_task_send_alloc_init(p, buf, None, 0, number, byref(task))",
        ),
        (
            f"cc.{CONF}.argtypes = [c_void_p, CB, CB, c_uint8]",
            f"cc.{NEW_CONF}.argtypes = [c_void_p, CB, CB, c_uint32]",
        ),
        (
            "cc.doca_cc_server_set_max_msg_size.argtypes = [c_void_p, c_size_t]",
            "cc.doca_comch_server_set_max_msg_size.argtypes = [c_void_p, c_uint32]",
        ),
        (
            'TYPES = {"doca_cc_producer_send_task_alloc_init": (c_int, [P, P, c_int, P])}',
            'TYPES = {"doca_comch_producer_task_send_alloc_init": (c_int, [P, P, c_void_p, c_uint32, c_int, P])}',
        ),
        (
            "size = c_size_t()\ncc.doca_cc_cap_get_max_msg_size(info, byref(size))",
            "size = c_uint32()\ncc.doca_comch_cap_get_max_msg_size(info, byref(size))",
        ),
        (
            "GOT = CFUNCTYPE(None, P, P, c_size_t, P)\n"
            "cc.doca_cc_client_event_msg_recv_register.argtypes = [c_void_p, GOT]",
            "GOT = CFUNCTYPE(None, P, P, c_uint32, P)\n"
            "cc.doca_comch_client_event_msg_recv_register.argtypes = [c_void_p, GOT]",
        ),
    ],
)
def test_arguments_and_types_are_those_of_the_successor(old: str, expected: str) -> None:
    assert of_ctypes(old) == expected


@pytest.mark.parametrize(
    ("declared", "old", "expected"),
    [
        (
            "int doca_cc_producer_task_send_alloc_init(void *, void *, uint32_t, void **);",
            "cc.doca_cc_producer_task_send_alloc_init(p, buf, number, task)",
            "int doca_comch_producer_task_send_alloc_init(void *, void *, uint8_t *, uint32_t, uint32_t, void **);\n"
            "cc.doca_comch_producer_task_send_alloc_init(p, buf, ffi.NULL, 0, number, task)",
        ),
        (
            "int doca_cc_cap_get_max_msg_size(void *, size_t *);",
            'size = ffi.new("size_t *")\ncc.doca_cc_cap_get_max_msg_size(info, size)',
            "int doca_comch_cap_get_max_msg_size(void *, uint32_t *);\n"
            'size = ffi.new("uint32_t *")\ncc.doca_comch_cap_get_max_msg_size(info, size)',
        ),
    ],
)
def test_arguments_of_cffi(declared: str, old: str, expected: str) -> None:
    assert of_cffi(declared, old) == expected


def test_an_import_brings_the_type_that_it_lacks() -> None:
    assert (
        new(f"""\
from ctypes import CDLL, c_uint8, c_void_p as P

cc = CDLL("libdoca_cc.so.2")
cc.{CONF}.argtypes = [P, P, P, c_uint8]
""")
        == f"""\
from ctypes import CDLL, c_uint8, c_void_p as P, c_uint32

cc = CDLL("libdoca_comch.so.2")
cc.{NEW_CONF}.argtypes = [P, P, P, c_uint32]
"""
    )


ROWS = f"""\
from ctypes import CDLL, c_int, c_uint8, c_uint32, c_void_p as P

cc = CDLL("libdoca_cc.so.2")
for library, name, result, types in [(cc, "{CONF}", c_int, [P, P, P, c_uint8])]:
    function = getattr(library, name)
    function.restype, function.argtypes = result, types
"""


def test_rows_of_libraries_names_and_types() -> None:
    assert f'(cc, "{NEW_CONF}", c_int, [P, P, P, c_uint32])' in new(ROWS)
    named = ROWS.replace("[(cc", "ROWS = [(cc").replace("for library, name, result, types in ", "")
    head, _, body = named.partition("    function")
    text = f"{head}for library, name, result, types in ROWS:\n    function{body}"
    assert f'(cc, "{NEW_CONF}", c_int, [P, P, P, c_uint32])' in new(text.replace(")]:", ")]"))


# ---------------------------------------------------------------- what stays


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('getattr(cc, "doca_cc_cap_" + ["is_producer_supported"][0])', "CCM121"),
        ('getattr(cc, "doca_cc_" + "client_create")', "CCM121"),
        ('getattr(cc, "doca_cc_" "client_create")', "CCM121"),
        ('prefix = "doca_cc"\ngetattr(cc, prefix + "_client_create")', "CCM121"),
        ("cc.doca_cc_client_create(*given)\nffi = FFI()\nffi.cdef(open('cc.h').read())", "CCM121"),
        ("import sys\nname = sys.argv[1]\ngetattr(cc, name)(client)\ncc.doca_cc_client_destroy(client)", "CCM121"),
        ("import sys\ngetattr(cc, sys.stdin.readline())(client)\ncc.doca_cc_client_destroy(client)", "CCM121"),
        (f"@prototype\ndef {CONF}(s: P, a: CB, b: CB, log: c_uint8): ...\n{CONF}(s, a, b, 4)", "CCM122"),
        (f"cc.{CONF}(*given)", "CCM122"),
        (f"calls.append(cc.{CONF})", "CCM122"),
        (f'for name in ("{CONF}",):\n    getattr(cc, name)(s, a, b, 4)', "CCM122"),
        (f"cc.{CONF}.argtypes = TYPES", "CCM122"),
        (f"cc.{CONF}.argtypes = []", "CCM122"),
        ("cc.doca_cc_producer_task_send_alloc_init(p, *rest)", "CCM122"),
        (f"code = '''{CONF}(s, a, b, 4);'''", "CCM122"),
        (f"cc.{CONF}(s, a, b, 32)", "CCM111"),
        (f'for name, types in [("{CONF}", [P])]:\n    getattr(cc, name)(*types)', "CCM122"),
        (f"cc.{CONF}(s, a, b, c_uint8(4))", "CCM110"),
        (f"cc.{CONF}(s, a, b, 4) if old else cc.doca_cc_server_task_send_set_conf(s, a, b, 16)", "CCM123"),
        ('CDLL("libdoca_comch.so.2")\ncc.doca_cc_client_create(dev, name, out)', "CCM123"),
        ("import doca_cc\ncc.doca_cc_client_create(dev, name, out)", "CCM123"),
        ("cc.doca_cc_producer_cap_get_max_log_num_tasks(info, byref(number))", "CCM124"),
    ],
)
def test_what_cannot_be_seen_keeps_the_program_whole(line: str, code: str) -> None:
    assert codes(f"{CTYPES}{line}\n") == {code}


NAMED = """\
def call(part, name, *given):
    return getattr(cc, f"doca_{part}_{name}")(*given)


%s
call("cc", "client_destroy", client)"""


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess\nsubprocess.run(['cc', '-o', 'x'])",
        "import shutil\nshutil.which('cc')",
        "COMPILE = ['cc', '-o', 'x']",
        "print('cc', 5)",
        "print('cc client gone')",
        "getattr(options, 'cc')",
        "print(f'{x} cc')",
        "print(open('x/cc'))",
    ],
)
def test_a_word_for_other_things_than_names_keeps_the_program(line: str) -> None:
    """The part of names would change, and so would these."""
    assert codes(f"{CTYPES}{NAMED % line}\n") == {"CCM121"}


@pytest.mark.parametrize(
    "line",
    [
        "print(f'{cc}')",
        "PARTS = ('cc', 'pe')",
        "getattr(cc, 'doca_' + ('cc' if x else 'pe') + '_client_destroy')",
        "'''In cc.'''",
        "call(name='client_create', part='cc')",
    ],
)
def test_a_word_for_names_alone_changes(line: str) -> None:
    assert of_ctypes(NAMED % line) == (NAMED % line).replace("'cc'", "'comch'").replace('"cc"', '"comch"')


def test_a_library_of_which_no_name_is_seen_keeps_the_program() -> None:
    assert codes("import sys\nfrom ctypes import *\n\nCDLL(sys.argv[1]).doca_cc_client_destroy(None)\n") == {"CCM121"}


def test_a_cell_that_others_fill_with_eight_bytes_keeps_the_program() -> None:
    text = """\
core = CDLL("libdoca_common.so.2")
size = c_size_t()
cc.doca_cc_cap_get_max_msg_size(info, byref(size))
core.doca_ctx_get_num_inflight_tasks(ctx, byref(size))
"""
    assert codes(CTYPES + text) == {"CCM092"}


def test_generation_1_stays_with_a_code() -> None:
    text = 'from ctypes import *\n\nlib = CDLL("libdoca_comm_channel.so.2")\nlib.doca_comm_channel_ep_destroy(ep)\n'
    assert codes(text) == {"CCM120"}


def test_generation_1_stays_beside_generation_2() -> None:
    outcome = kept(f"""\
{CTYPES}old = CDLL("libdoca_comm_channel.so.2")
cc.doca_cc_client_destroy(client)
""")
    assert {finding.code for finding in outcome.findings} == {"", "CCM120"}
    assert "cc.doca_comch_client_destroy(client)" in outcome.new.decode()


def test_generation_1_has_one_comment_where_its_library_is_opened() -> None:
    user = b"from library import lib\n\nlib.doca_comm_channel_ep_destroy(None)\n"
    library = b'from ctypes import *\n\nlib = CDLL("libdoca_comm_channel.so.2")\n'
    files = {Path("a_user.py"): user, Path("library.py"): library}
    first, second = rewrite_project(files, options=KEPT)
    assert not first.changed
    assert [finding.because and finding.because[0] for finding in first.findings] == [Path("library.py")]
    assert second.new.decode().splitlines()[2].startswith("# CCM120")


def test_what_is_no_call_of_c_is_rewritten_as_without_the_option() -> None:
    text = b"import ctypes.util\nimport doca_comm_channel as cc\n\nep = cc.Endpoint()\nep.set_max_msg_size(64)\n"
    files = {Path("program.py"): text}
    assert rewrite_project(files, options=KEPT)[0].new == rewrite_project(files)[0].new != text


def test_files_that_share_the_library_change_together_or_stay() -> None:
    library, user = Path("library.py"), Path("user.py")
    texts = {library: CTYPES.encode(), user: b"from library import cc\n\ncc.doca_cc_client_destroy(None)\n"}
    for outcome in rewrite_project(texts, options=KEPT):
        assert b"comch" in outcome.new
    (alone,) = rewrite_project({user: texts[user]}, context={library: texts[library]}, options=KEPT)
    assert b"comch" not in alone.new
    assert {finding.code for finding in alone.findings} == {"CCM049"}


def test_a_user_of_a_compiled_module_changes_with_the_file_that_builds_it() -> None:
    build = 'from cffi import FFI\nffi = FFI()\nffi.cdef("int doca_cc_client_destroy(void *);")\n'
    build += 'ffi.set_source("_chan", "#include <doca_cc.h>", libraries=["doca_cc"])\n'
    user = "from _chan import ffi, lib\n\nlib.doca_cc_client_destroy(ffi.NULL)\n"
    files = {Path("build.py"): build.encode(), Path("user.py"): user.encode()}
    for outcome in rewrite_project(files, options=KEPT):
        assert b"doca_comch_client_destroy" in outcome.new


def test_a_file_that_asks_to_be_left_alone_is() -> None:
    outcome = kept(CTYPES.replace(")\n", ")  # migrate: skip\n") + "cc.doca_cc_client_destroy(client)\n")
    assert b"comch_client" not in outcome.new
