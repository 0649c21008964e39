"""Programs that call other libraries beside the old ones: what those need stays, in cffi's declarations, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.rewriting import rewrite
from tests.migrate.test_bindings import SECOND
from tests.migrate.test_bindings_questions import stays
from tests.processes import StartPython

CFFI = '''from cffi import FFI

ffi = FFI()
ffi.cdef("""
    /* libc */
    typedef int pid_t;
    struct timespec { long tv_sec; long tv_nsec; };
    pid_t getpid(void);  // of whom
    int clock_gettime(int clock, struct timespec *now);

    /* the channel */
    typedef enum { DOCA_SUCCESS = 0, DOCA_ERROR_AGAIN = 10 } doca_error_t;
    struct doca_comm_channel_ep_t;
    typedef struct doca_comm_channel_ep_t *ep_p;
    doca_error_t doca_comm_channel_ep_create(ep_p *ep);
    doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);

    long time(long *now);
    void qsort(void *base, size_t count, size_t size, int (*by)(const void *, const void *));
    char *getenv(const char *name);
    int gethostname(char *name, size_t size);
    size_t strlen(const char *text);
    long write(int fd, const void *data, size_t size);
""")
lib = ffi.dlopen("libdoca_comm_channel.so.2")
common = ffi.dlopen("libdoca_common.so.2")
libc = ffi.dlopen(None)
@ffi.callback("int(const void *, const void *)")
def by(a, b):
    return ffi.cast("int *", a)[0] - ffi.cast("int *", b)[0]
numbers = ffi.new("int[3]", [3, 1, 2])
libc.qsort(numbers, 3, ffi.sizeof("int"), by)
print(list(numbers))
now = ffi.new("struct timespec *")
print(libc.clock_gettime(1, now), now.tv_sec >= 0, libc.time(ffi.NULL) > 0)
name = ffi.new("char[]", 64)
libc.gethostname(name, 64)
print(len(ffi.string(name)) == libc.strlen(name), ffi.buffer(name, 64)[63:])
print(libc.getenv(b"NO_SUCH_THING") == ffi.NULL, libc.getenv(b"PATH") != ffi.NULL)
print(libc.write(1, ffi.from_buffer(b"ab"), 0))
ep = ffi.new("ep_p *")
assert lib.doca_comm_channel_ep_create(ep) == 0
print(libc.getpid() > 0, lib.doca_comm_channel_ep_destroy(ep[0]), lib.doca_comm_channel_ep_destroy(ffi.NULL))
'''
CTYPES = """import ctypes
lib = ctypes.CDLL("libdoca_comm_channel.so.2")
common = ctypes.CDLL("libdoca_common.so.2")
libc = ctypes.CDLL(None)
libc.qsort.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
Order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
@Order
def by(a, b):
    return a[0] - b[0]
def down(a, b):
    return b[0] - a[0]
numbers = (ctypes.c_int * 3)(3, 1, 2)
libc.qsort(numbers, 3, 4, by)
print(list(numbers))
libc.qsort(numbers, 3, 4, Order(down))
print(list(numbers))
name = ctypes.create_string_buffer(64)
libc.gethostname(name, 64)
size = ctypes.c_size_t(5)
print(len(name.value) == libc.strlen(name), libc.strnlen(b"1234567", size))
ep = ctypes.c_void_p()
assert lib.doca_comm_channel_ep_create(ctypes.byref(ep)) == 0
print(libc.getpid() > 0, lib.doca_comm_channel_ep_destroy(ep))
"""


@pytest.mark.parametrize("text", [CFFI, CTYPES], ids=["cffi", "ctypes"])
def test_a_program_does_what_it_did(text: str, tmp_path: Path, start_python: StartPython) -> None:
    new = rewrite(text.encode()).new.decode()
    assert "doca_" not in new
    assert "comch.Channel.close" in new
    old, written = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(text)
    written.write_text(new)
    shown = start_python("-m", "comm_channel_compat", "run", str(old)).finish()
    assert (shown.returncode, shown.stderr, shown.stdout[:10]) == (0, "", "[1, 2, 3]\n")
    assert start_python(str(written)).finish() == shown
    assert rewrite(new.encode()).new.decode() == new


def test_what_others_need_is_byte_for_byte_what_it_was() -> None:
    new = rewrite(CFFI.encode()).new.decode()
    before, behind = CFFI.index("    /* the channel */"), CFFI.index("    long time(")
    assert CFFI[CFFI.index("ffi.cdef") : before] + CFFI[behind : CFFI.index("lib = ")] in new
    assert CFFI[CFFI.index("libc = ") : CFFI.index("ep = ")] in new


# A program with a libc beside, whose declarations are given.
BESIDE = """from cffi import FFI
ffi = FFI()
{declared}
lib, libc = ffi.dlopen("libdoca_comm_channel.so.2"), ffi.dlopen(None)
ep = ffi.new("struct doca_comm_channel_ep_t **")
assert lib.doca_comm_channel_ep_create(ep) == 0
print(libc.getpid() > 0)
"""
CREATE = "int doca_comm_channel_ep_create(void **ep);"
GETPID = "int getpid(void);"


@pytest.mark.parametrize(
    ("declared", "left"),
    [
        (f'ffi.cdef("{CREATE} {GETPID}")', f'ffi.cdef(" {GETPID}")'),
        (f'ffi.cdef("{GETPID} {CREATE}")', f'ffi.cdef("{GETPID}")'),
        (f'ffi.cdef("{CREATE}")\nffi.cdef("{GETPID}")', f'ffi.cdef("{GETPID}")'),
        (f'ffi.cdef("{CREATE}\\n{GETPID}\\n")', f'ffi.cdef("{GETPID}\\n")'),
        (f'ffi.cdef(\n    "{CREATE}"  # theirs\n    "{GETPID}"  # ours\n)', f'ffi.cdef(\n    "{GETPID}"  # ours\n)'),
        (f'ffi.cdef("{GETPID}"\n         "{CREATE}")', f'ffi.cdef("{GETPID}")'),
        (f'ffi.cdef("{CREATE}"\n         "{GETPID}")', f'ffi.cdef("{GETPID}")'),
        (f'ffi.cdef("{CREATE}" + "{GETPID}")', f'ffi.cdef("" + "{GETPID}")'),
        (f'TEXT = r"""\n{CREATE}\n{GETPID}\n"""\nffi.cdef(TEXT)', f'TEXT = r"""\n{GETPID}\n"""\nffi.cdef(TEXT)'),
        (f'ffi.cdef("""\\\n{CREATE}\n{GETPID}\n""")', f'ffi.cdef("""\\\n{GETPID}\n""")'),
        (f'ffi.cdef("typedef int pid_t; {CREATE} pid_t getpid();")', 'ffi.cdef("typedef int pid_t; pid_t getpid();")'),
        # a type of both stays, one of the old function alone does not
        (
            'ffi.cdef("typedef int a_t; typedef int b_t; a_t doca_comm_channel_ep_create(b_t **); a_t getpid();")',
            'ffi.cdef("typedef int a_t; a_t getpid();")',
        ),
        (f'ffi.cdef("#define DOCA_X 1\\n#define MINE 2\\n{CREATE}{GETPID}")', f'ffi.cdef("#define MINE 2\\n{GETPID}")'),
        (f'ffi.cdef("enum doca_e {{ A, B }}; {CREATE}{GETPID}")', f'ffi.cdef("{GETPID}")'),
        (f'ffi.cdef("struct doca_s {{ struct {{ int a; }} b; }}; {CREATE}{GETPID}")', f'ffi.cdef("{GETPID}")'),
        (f'ffi.cdef("{CREATE}{GETPID} /* ; */ int doca_never_called(int);")', f'ffi.cdef("{GETPID}")'),
        (
            f'class Names:\n    C = "{CREATE}{GETPID}"\nffi.cdef(Names.C)',
            f'class Names:\n    C = "{GETPID}"\nffi.cdef(Names.C)',
        ),
        (f'ffi.cdef("{CREATE}{GETPID}", packed=True)', f'ffi.cdef("{GETPID}", packed=True)'),
    ],
)
def test_only_what_the_old_library_needs_is_cut_out(declared: str, left: str) -> None:
    new = rewrite(BESIDE.format(declared=declared).encode()).new.decode()
    assert new.split("ffi = FFI()\n")[1].split("\nlib")[0].split("\nlibc")[0].strip() == left
    assert "print(libc.getpid() > 0)\n" in new


@pytest.mark.parametrize(
    "declared",
    [
        f'ffi.cdef("{CREATE} struct mine {{{{ struct doca_dev *dev; }}}}; int helper(struct mine *); {GETPID}")',
        f'ffi.cdef("{CREATE} {GETPID} int helper(struct doca_dev *dev);")',
        f'ffi.cdef("typedef void *doca_p; {CREATE} {GETPID} int helper(doca_p p);")',
        f'ffi.cdef("{CREATE}" + open("libc.h").read())',
        f'ffi.cdef(f"{CREATE} int get{{input()}}(void);")',
        'ffi.cdef("int doca_comm_channel_ep_create(void **), getpid(void);")',
        f'TEXT = "{CREATE} {GETPID}"\nprint(TEXT)\nffi.cdef(TEXT)',
        f'print(ffi.cdef("{CREATE} {GETPID}"))',
    ],
)
def test_what_is_left_has_to_be_certain(declared: str) -> None:
    stays(BESIDE.format(declared=declared), "CCM094")


@pytest.mark.parametrize(
    "line",
    [
        "libc.puts(ep[0])",
        "libc.memset(ep, 0, 8)",
        "buf = ffi.new('char[]', 64)\nlibc.gets(buf)\nlib.doca_comm_channel_ep_sendto(ep[0], buf, 64, 0, ffi.NULL)",
        "mine = ffi.new('void *[2]')\nmine[0] = ep[0]",
        "nothing = ffi.NULL\nlibc.time(nothing)",
        "data = ffi.from_buffer(b'x')\nlibc.puts(data)\nlib.doca_comm_channel_ep_sendto(ep[0], data, 1, 0, ep[0])",
        "lib.doca_comm_channel_ep_sendto(ep[0], ffi.cast('char *', 5), 1, 0, ep[0])",
        "print(ffi.errno)",
    ],
)
def test_what_goes_to_both_stays(line: str) -> None:
    stays(BESIDE.format(declared=f'ffi.cdef("{CREATE} {GETPID}")') + line + "\n", "CCM092")


def test_a_callback_of_both_stays() -> None:
    stays(SECOND + "libc = ffi.dlopen(None)\nlibc.atexit(on_message)\n", "CCM092")


def test_an_old_library_that_is_never_used_goes() -> None:
    unused = 'NAME = "libdoca_common.so.2"\ncommon = ffi.dlopen(NAME)\n'
    declared = f'ffi.cdef("{CREATE}")\n{unused}'
    text = BESIDE.format(declared=declared).replace(", ffi.dlopen(None)", "").replace("lib, libc", "lib")
    new = rewrite(text.replace("print(libc.getpid() > 0)\n", "").encode()).new.decode()
    assert "ffi" not in new
    assert "doca_" not in new


MINE = """from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_comm_channel_ep_create(void **ep); struct mine { int n; };")
lib = ffi.dlopen("libdoca_comm_channel.so.2")
ep = ffi.new("struct doca_comm_channel_ep_t **")
assert lib.doca_comm_channel_ep_create(ep) == 0
mine, n, peer = ffi.new("struct mine *"), ffi.new("size_t *", 4), ffi.new("struct doca_comm_channel_addr_t **")
rc = lib.doca_comm_channel_ep_sendto(ep[0], mine, 4, 0, peer[0])
rc = lib.doca_comm_channel_ep_recvfrom(ep[0], mine, n, 0, peer)
"""


def test_structs_of_the_programs_own_are_sent_and_received() -> None:
    lines = rewrite(MINE.encode()).new.decode().splitlines()
    assert 'ffi.cdef(" struct mine { int n; };")' in lines
    assert lines[-2] == "rc = comch.Channel.try_send_to(ep[0], ffi.buffer(mine), length=4, connection=peer[0])"
    assert lines[-1] == "rc = comch.store(comch.Channel.try_receive(ep[0], n[0]), ffi.buffer(mine), n, peer)"


def test_an_ffi_object_without_a_name_that_is_seen_gives_no_view() -> None:
    inside = MINE.partition("mine, n, peer")[2]
    function = "def talk(ffi):\n    mine, n, peer" + inside.replace("\nrc", "\n    rc") + "talk(ffi)\n"
    stays(MINE.partition("mine, n, peer")[0] + function, "CCM092")


@pytest.mark.parametrize(
    "message",
    ["mine + 1", "mine[0]", "mine.text", "ffi.addressof(mine, 'text')", "ffi.addressof(mine[0])", "libc.malloc(4)"],
)
def test_other_memory_of_the_programs_own_stays(message: str) -> None:
    beside = MINE.replace("int n;", "char text[4];").replace("(void **ep);", "(void **ep); void *malloc(size_t size);")
    stays(
        beside + f"libc = ffi.dlopen(None)\nlib.doca_comm_channel_ep_sendto(ep[0], {message}, 4, 0, peer[0])\n",
        "CCM092",
    )


def test_null_in_what_stays() -> None:
    declared = MINE.replace("int n;", "void *p;")
    lines = """made = ffi.new("struct mine *", [ffi.NULL])
made.p = ffi.NULL
print(made.p == ffi.NULL, mine.p != ffi.NULL)"""
    assert rewrite((declared + lines + "\n").encode()).new.decode().endswith(lines + "\n")


@pytest.mark.parametrize(
    "line",
    [
        "made = ffi.new('struct mine *', [ep[0]])",
        "made = ffi.new('struct mine *', {'p': peer[0]})",
        "mine.p = ep[0]",
        "nothing = ffi.NULL\nprint(mine.p == nothing)",
        "found = mine if rc else ffi.NULL\nprint(found == ffi.NULL)",
    ],
)
def test_a_handle_or_null_beside_what_stays(line: str) -> None:
    stays(MINE.replace("int n;", "void *p;") + line + "\n", "CCM092")


STRUCTURE = """class Mine(ctypes.Structure):
    _fields_ = [("p", ctypes.c_void_p), ("n", ctypes.c_int)]
"""


@pytest.mark.parametrize("line", ["mine = Mine()\nmine.p = ep", "mine = Mine(ep, 3)", "Mine().p = ep.value"])
def test_a_handle_in_a_structure_of_ctypes_stays(line: str) -> None:
    stays(CTYPES + STRUCTURE + line + "\n", "CCM092")


def test_a_number_in_a_structure_of_ctypes() -> None:
    lines = STRUCTURE + "mine = Mine(None, 3)\nmine.n = 5\n"
    assert rewrite((CTYPES + lines).encode()).new.decode().endswith(lines)
