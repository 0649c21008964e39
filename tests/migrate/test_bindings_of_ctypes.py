"""Programs through ctypes in other people's manner: what of each is made flat, and what keeps it as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.outcome import Options
from migrate.rewriting import rewrite, rewrite_project
from tests.migrate.test_bindings import CFFI, CTYPES, SECOND_OF_CTYPES

TALK = SECOND_OF_CTYPES


def new(text: str) -> str:
    """A text rewritten whole."""
    outcome = rewrite(text.encode(), options=Options(width=200))
    assert not [name for name in (b"cffi", b"CDLL", b"doca_", b"CCM") if name in outcome.new], outcome.new.decode()
    return outcome.new.decode()


def assert_stays(text: str, *codes: str) -> None:
    """A text stays as it is, with codes."""
    outcome = rewrite(text.encode())
    kept = [line for line in outcome.new.decode().splitlines() if not line.lstrip().startswith("# CCM")]
    assert kept == text.splitlines()
    assert {finding.code for finding in outcome.findings} >= {*codes}


# ------------------------------------------------------------------ truth

LATE = """late = None if rc else ctypes.c_void_p(peer.value)
if late:
    print(rc)
rc = lib.doca_comm_channel_ep_disconnect(ep, late)
"""
UNTIL = """def until(condition):
    while not condition():
        pass
until(lambda: rc == 0)
until(lambda: peer)
"""


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("if peer and rc == 0:\n    print(rc)\n", "if peer[0] and rc == 0:"),
        ("print(bool(peer), rc)\n", "print(bool(peer[0]), rc)"),
        ("print([rc for _ in range(2) if not peer])\n", "if not peer[0]]"),
        ("for end in (ep, peer):\n    print(end.value is None)\n", "    print(end[0] is None)"),
        (LATE, "if (late and late[0]):"),
        (UNTIL, "until(lambda: peer[0])"),
    ],
)
def test_a_cell_is_as_true_as_what_is_in_it(lines: str, wanted: str) -> None:
    assert wanted in new(CTYPES + lines)


@pytest.mark.parametrize(
    "lines",
    [
        "chosen = peer or ep\nlib.doca_comm_channel_ep_disconnect(ep, chosen)\n",  # a list is always true
        "def ready():\n    return peer\nif ready():\n    print(ready().value)\n",
        "print(any([peer, ep]))\n",
        "def ready():\n    return peer\nprint(list(filter(None, [ready()])))\n",
        "if [peer][0]:\n    print(rc)\n",
    ],
)
def test_truth_that_is_not_all_that_is_asked_stays(lines: str) -> None:
    assert_stays(CTYPES + lines, "CCM092")


def test_a_function_that_is_kept_refuses_no_callback() -> None:
    text = new(TALK + "register = lib.doca_cc_client_event_msg_recv_register\nprint(register(client, None))\n")
    assert "(lambda call: (lambda connection, data: call(" in text
    assert " if callable(call) else call)" in text


# ------------------------------------------------------------------ pointers to bytes

POINTED = """text = ctypes.c_char_p(b"held")
print(rc)
def send(message):
    return lib.doca_comm_channel_ep_sendto(ep, message, 4, 0, peer)
"""
OF_AN_OBJECT = """class Side:
    def __init__(self, name):
        self.name = ctypes.c_char_p(name.encode())
print(lib.doca_comm_channel_ep_connect(ep, Side("svc").name, byref(peer)))
"""


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("print(send(text))\n", 'text = b"held"'),
        ("print(send(text), send(b'else'))\n", 'text = b"held"'),
        ("print(send(text), text.value)\n", "text)"),
        ("def made(given):\n    return ctypes.c_char_p(given)\nprint(send(made(b'held')))\n", "return given"),
        ("print(send(ctypes.c_char_p(b'held')))\n", "send(b'held')"),
        (OF_AN_OBJECT, "self.name = name.encode()"),
    ],
)
def test_a_pointer_to_bytes_is_the_bytes(lines: str, wanted: str) -> None:
    assert wanted in new(CTYPES + (lines if lines is OF_AN_OBJECT else POINTED + lines))


def test_a_name_in_a_variable_is_decoded() -> None:
    create = "print(lib.doca_cc_client_create(None, NAME, ctypes.byref(client)))\n"
    text = new(TALK + 'NAME = ctypes.c_char_p(b"svc")\n' + create)
    assert 'NAME = b"svc"' in text
    assert "NAME.decode()" in text


@pytest.mark.parametrize(
    "line",
    [
        'text.value = b"else"',
        "print(text)",
        "print(bool(text))",
        "print(text is None)",
        "print(text or 1)",
        "print(any([text]))",
        "print(ctypes.cast(text, ctypes.c_void_p).value)",
        "rc = lib.doca_comm_channel_ep_recvfrom(ep, text, byref(n), 0, byref(peer))",
        "send(list(map(ctypes.c_char_p, [b'else']))[0])",
    ],
)
def test_what_only_a_pointer_to_bytes_does_stays(line: str) -> None:
    assert_stays(CTYPES + POINTED + f"send(text)\n{line}\n", "CCM092")


# ------------------------------------------------------------------ the NUL behind bytes

TELL = """def tell(message, size):
    return lib.doca_comm_channel_ep_sendto(ep, message, size, 0, peer)
"""


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("tell(b'hello', 6)\n", 'ep[0], message + b"\\0", length=size'),
        ("tell(ctypes.c_char_p(b'hello'), 6)\n", 'ep[0], message + b"\\0", length=size'),
        ("def ask(text):\n    return tell(text.encode(), len(text) + 1)\nask('x')\n", 'message + b"\\0", length=size'),
        ("def ask(text, size):\n    return tell(text, size)\nask('x'.encode(), size=2)\n", 'message + b"\\0", length'),
        ("tell(b'hello', 5), tell(buf, 6)\n", "ep[0], message, length=size"),
        ("tell(buf, len(buf) + 1)\n", "ep[0], message, length=size"),
        ("tell(bytes(3), n.value)\n", "ep[0], message, length=size"),
    ],
)
def test_a_length_may_count_the_nul(lines: str, wanted: str) -> None:
    assert wanted in new(CTYPES + TELL + lines)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("tell(m, ctypes.c_size_t(len(m) + 1))\n", 'message + b"\\0", length=size'),
        ("size_t = ctypes.c_size_t\nsendto(ep, m, size_t(6), 0, peer)\n", 'm + b"\\0", length=6'),
        ("sendto(ep, m, ctypes.c_size_t(len(m) + 1), 0, peer)\n", 'm + b"\\0", length=len(m) + 1'),
        (
            "held = ctypes.c_char_p(b'hello')\nsendto(ep, held, len(held.value) + 1, 0, peer)\n",
            'held + b"\\0", length=len(held)',
        ),
        ("size = len(m)\nsendto(ep, m, size + 1, 0, peer)\n", 'm + b"\\0", length=size + 1'),
        ("text, size = b'hello', 6\nsendto(ep, text, size, 0, peer)\n", 'text + b"\\0", length=size'),
        ("end = 1\nsize = len(m)\nsendto(ep, m, end + size, 0, peer)\n", 'm + b"\\0", length=end + size'),
        ("sendto(ep, m, (k := len(m) + 1), 0, peer)\n", 'm + b"\\0", length=(k := len(m) + 1)'),
        ("sendto(ep, b'a' if rc else b'bc', 3, 0, peer)\n", "(b'a' if rc else b'bc') + b\"\\0\", length=3"),
        (
            "def send(d, size=0):\n    sendto(ep, d, size or len(d), 0, peer)\nsend(m, len(m) + 1)\n",
            'd + b"\\0", length',
        ),
        ("def send(d, size=6):\n    sendto(ep, d, size, 0, peer)\nsend(b'hello')\n", 'd + b"\\0", length=size'),
        ("def send(d, /, *, size):\n    sendto(ep, d, size, 0, peer)\nsend(m, size=6)\n", 'd + b"\\0", length=size'),
        ("tell(b'hello', 5), tell(b'hell', 4), tell(b'hellos', 6)\n", "ep[0], message, length=size"),
        ("tell(m, *[6])\n", "ep[0], message, length=size"),
    ],
)
def test_a_length_that_counts_the_nul_is_written_in_many_forms(lines: str, wanted: str) -> None:
    lines = lines.replace("sendto(", "lib.doca_comm_channel_ep_sendto(")
    assert wanted in new(f"{CTYPES}{TELL}m = b'hello'\n{lines}")


def test_the_nul_of_a_message_of_generation_2() -> None:
    lines = "m, made = b'hello', ctypes.c_void_p()\n"
    lines += "def send(connection, m):\n"
    lines += "    allocate(client, connection, m, ctypes.c_uint32(len(m) + 1), ctypes.byref(made))\n"
    lines += "send(ctypes.c_void_p(), b'hello')\n"
    text = new(TALK + lines.replace("allocate(", "lib.doca_cc_client_send_task_alloc_init("))
    assert '(client[0], connection[0], m + b"\\0", len(m) + 1)' in text


def test_the_nul_of_a_message_of_cffi() -> None:
    lines = "given = b'hello'\nend = 1 + len(given)\nlib.doca_comm_channel_ep_sendto(ep[0], given, end, 0, peer[0])\n"
    assert 'given + b"\\0", length=end' in new(CFFI + lines)


CHECK = """from functools import partial
from threading import Thread
def check(function, *args):
    rc = function(*args)
    if rc != 0:
        raise RuntimeError(rc)
m = b"hello"
"""


@pytest.mark.parametrize(
    "line",
    [
        "check(lib.doca_comm_channel_ep_sendto, ep, m, len(m) + 1, 0, peer)\n",
        "sendto = lib.doca_comm_channel_ep_sendto\ncheck(sendto, ep, m, ctypes.c_size_t(6), 0, peer)\n",
        "partial(lib.doca_comm_channel_ep_sendto, ep)(m, 6, 0, peer)\n",
        "Thread(target=lib.doca_comm_channel_ep_sendto, args=(ep, m, 6, 0, peer)).start()\n",
        "sendto = lib.doca_comm_channel_ep_sendto\npartial(sendto, ep)(m, 6, 0, peer)\n",
        "sends = [lib.doca_comm_channel_ep_sendto]\nsend = partial(sends[0], ep)\nsend(m, 6, 0, peer)\n",
        "partial(lib.doca_comm_channel_ep_sendto, ep, m)(6, 0, peer)\n",
        "partial(partial(lib.doca_comm_channel_ep_sendto, ep), m)(6, 0, peer)\n",
        "given = (ep, m, 6, 0, peer)\nThread(target=lib.doca_comm_channel_ep_sendto, args=given).start()\n",
        "given = (m, 6, 0, peer)\npartial(lib.doca_comm_channel_ep_sendto, ep)(*given)\n",
    ],
)
def test_the_nul_behind_what_is_passed_on_stays(line: str) -> None:
    assert_stays(CTYPES + CHECK + line, "CCM092")
    assert "try_send_to" in new(CTYPES + CHECK + line.replace("+ 1", "+ 0").replace("6", "5"))


@pytest.mark.parametrize(
    "line",
    [
        "partial(lib.doca_comm_channel_ep_sendto, ep[0])(m, 6, 0, peer[0])\n",
        "sendto = lib.doca_comm_channel_ep_sendto\npartial(sendto, ep[0])(m, 6, 0, peer[0])\n",
    ],
)
def test_the_nul_behind_what_is_passed_on_through_cffi_stays(line: str) -> None:
    assert_stays(CFFI + CHECK + line, "CCM092")
    assert "try_send_to" in new(CFFI + CHECK + line.replace("6", "5"))


@pytest.mark.parametrize(
    "line",
    [
        'partial(lib.doca_comm_channel_ep_listen, ep)(b"svc\\0")\n',
        'listen, name = lib.doca_comm_channel_ep_listen, b"svc\\0"\nThread(target=listen, args=(ep, name)).start()\n',
    ],
)
def test_the_nul_of_a_name_that_is_passed_on_stays(line: str) -> None:
    assert_stays(CTYPES + CHECK + line, "CCM092")
    assert "Channel.listen" in new(CTYPES + CHECK + line.replace("\\0", ""))


@pytest.mark.parametrize("more", ["tell(ctypes.addressof(buf) + 1, 2)\n", "tell(None, 0)\n"])
def test_the_nul_of_what_may_be_no_bytes_stays(more: str) -> None:
    assert_stays(CTYPES + TELL + "tell(b'hello', 6)\n" + more, "CCM092")


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ('listen(ep, b"svc\\0")\n', 'listen, ep[0], "svc")'),
        ('NAME = b"svc\\0"\nlisten(ep, NAME)\n', 'NAME.partition(b"\\0")[0])'),
        ('listen(ep, ctypes.c_char_p(b"svc\\0"))\n', 'b"svc\\0".partition(b"\\0")[0])'),
        ('def serve(name):\n    listen(ep, name)\nserve("svc".encode() + b"\\0")\n', 'name.partition(b"\\0")[0])'),
        ('def serve(name):\n    listen(ep, name.encode())\nserve("svc")\n', "ep[0], name)"),
        ('def serve(name):\n    listen(ep, name.encode())\nserve("svc\\0")\n', 'name.encode().partition(b"\\0")[0])'),
        ('def serve(*, name):\n    listen(ep, name)\nserve(name=b"svc\\0")\n', 'name.partition(b"\\0")[0])'),
        ('def serve(name=b"svc\\0"):\n    listen(ep, name)\nserve()\n', 'name.partition(b"\\0")[0])'),
    ],
)
def test_the_nul_of_a_name_ends_it(lines: str, wanted: str) -> None:
    assert wanted in new(CTYPES + lines.replace("listen(", "lib.doca_comm_channel_ep_listen("))


def test_the_nul_of_a_name_of_generation_2() -> None:
    create = "def made(name):\n    return lib.doca_cc_client_create(None, name, ctypes.byref(client))\n"
    text = new(TALK + create + 'print(made(b"svc\\0"))\n')
    assert 'name.partition(b"\\0")[0].decode()' in text


# ------------------------------------------------------------------ functions that Python calls, or a class keeps

HELD = "[0] if isinstance(local_ep, list) else local_ep"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("partial(lib.doca_comm_channel_ep_destroy, ep)()\n", HELD),
        ("Thread(target=lib.doca_comm_channel_ep_destroy, args=(ep,)).start()\n", HELD),
        ("print(list(map(lib.doca_comm_channel_ep_destroy, [ep])))\n", HELD),
        ("end = lib.doca_comm_channel_ep_destroy\npartial(partial(end), ep)()\n", HELD),
        ("def begin(function, *args):\n    Thread(target=function, args=args).start()\n"
         "begin(lib.doca_comm_channel_ep_destroy, ep)\n", HELD),
        ("class Runner(Thread):\n    pass\nRunner(target=lib.doca_comm_channel_ep_destroy, args=[ep]).start()\n", HELD),
        ("size = ctypes.c_uint16()\npartial(lib.doca_comm_channel_ep_get_max_msg_size, ep)(byref(size))\n",
         "if isinstance(ep, list) else ep), max_msg_size)"),
        ("partial(lib.doca_comm_channel_ep_listen, ep)(ctypes.c_char_p(b'y'))\n", "ep)(b'y')"),
        ("ends = [lib.doca_comm_channel_ep_destroy]\nprint(ends[0](ep))\n", "print(ends[0](ep[0]))"),
        ("ends = list((lib.doca_comm_channel_ep_destroy,))\nprint(ends[0](ep))\n", "print(ends[0](ep[0]))"),
    ],
)  # fmt: skip
def test_a_function_that_python_calls_takes_what_is_in_a_cell(lines: str, wanted: str) -> None:
    assert wanted in new("from functools import partial\nfrom threading import Thread\n" + CTYPES + lines)


def test_a_function_of_cffi_that_fills_is_called_with_the_cell() -> None:
    lines = "from functools import partial\nagain = ffi.new('void **')\n"
    text = new(CFFI + lines + "print(partial(lib.doca_comm_channel_ep_create, again)())\n")
    assert "partial(lambda ep: comch.store(" in text


KEPT = """class Functions:
    end = lib.doca_comm_channel_ep_destroy
    def close(self):
        return self.end(ep)
print(Functions().close())
"""


@pytest.mark.parametrize(
    ("old", "changed"),
    [
        ("", ""),
        ("    end = lib.doca_comm_channel_ep_destroy\n", "    end, other = lib.doca_comm_channel_ep_destroy, 1\n"),
        ("    end = ", "    end = lib.doca_comm_channel_ep_destroy if rc else "),
        (KEPT, KEPT.replace("    end = lib.doca_comm_channel_ep_destroy\n", "")
         .replace("print(", "Functions.end = lib.doca_comm_channel_ep_destroy\nprint(")),
    ],
)  # fmt: skip
def test_a_function_of_c_is_no_method(old: str, changed: str) -> None:
    assert "staticmethod(lambda local_ep: " in new(CTYPES + KEPT.replace(old, changed, 1))


BEFORE = """end = destroy = lib.doca_comm_channel_ep_destroy
ends = [lib.doca_comm_channel_ep_destroy]
class Others:
    end = lib.doca_comm_channel_ep_destroy
def made():
    return destroy
def own(self, *args):
    return 0
"""


@pytest.mark.parametrize(
    ("taken", "wanted"),
    [
        ("destroy", "end = staticmethod(destroy)\n"),
        ("end", "end = staticmethod(end)\n"),
        ("ends[0]", "end = staticmethod(ends[0])\n"),
        ("Others.end", "end = staticmethod(Others.end)\n"),
        ("(destroy if rc else ends[0])", "end = (staticmethod(destroy) if rc else staticmethod(ends[0]))\n"),
        ("destroy\n    other = end", "other = staticmethod(end)\n"),
        ("destroy\n    if rc:\n        end = ends[0]", "        end = staticmethod(ends[0])\n"),
    ],
)
def test_a_function_with_a_name_of_its_own_is_no_method_either(taken: str, wanted: str) -> None:
    text = new(CTYPES + BEFORE + KEPT.replace("lib.doca_comm_channel_ep_destroy", taken))
    assert wanted in text
    assert "self.end(ep[0])" in text


def test_a_function_that_a_class_is_given_later_is_no_method_either() -> None:
    give = "def give(function):\n    Functions.end = function\n"
    text = KEPT.replace("end = lib.doca_comm_channel_ep_destroy", "pass").replace("print(", "give(destroy)\nprint(")
    assert "Functions.end = staticmethod(function)" in new(CTYPES + BEFORE + give + text)


@pytest.mark.parametrize("taken", ["made()", "destroy or None", "own if rc else destroy", "[own, destroy][rc]"])
def test_a_function_that_may_be_another_stays(taken: str) -> None:
    assert_stays(CTYPES + BEFORE + KEPT.replace("lib.doca_comm_channel_ep_destroy", taken), "CCM092")


@pytest.mark.parametrize(
    "given",
    [
        "for end in (destroy,):\n        pass",
        "for end in (lib.doca_comm_channel_ep_destroy,):\n        pass",
        "end, other = [destroy, 1]",
        "(end, other), more = ends * 2, 1",
        "[end] = [lib.doca_comm_channel_ep_destroy]",
        "(end := destroy)",
        "with nullcontext(destroy) as end:\n        pass",
        "match destroy:\n        case end:\n            pass",
    ],
)
def test_a_function_that_a_class_gets_without_an_assignment_stays(given: str) -> None:
    before = "from contextlib import nullcontext\n" + CTYPES + BEFORE
    assert_stays(before + KEPT.replace("end = lib.doca_comm_channel_ep_destroy", given), "CCM092")


@pytest.mark.parametrize(
    "given",
    [
        "for Functions.end in (destroy,):\n    pass\n",
        "setattr(Functions, 'end', destroy)\n",
        "Functions = type('More', (Functions,), {'end': destroy})\n",
    ],
)
def test_a_function_that_a_class_is_given_without_an_assignment_stays(given: str) -> None:
    text = KEPT.replace("end = lib.doca_comm_channel_ep_destroy", "pass").replace("print(", given + "print(")
    assert_stays(CTYPES + BEFORE + text, "CCM092")


def test_a_function_that_a_property_gives_is_no_method() -> None:
    given = "@property\n    def end(self):\n        return destroy"
    text = KEPT.replace("end = lib.doca_comm_channel_ep_destroy", given)
    assert "self.end(ep[0])" in new(CTYPES + BEFORE + text)


ASKED = """def call(function, *args):
    rc = function(*args)
    if rc:
        print(function.__name__)
call(lib.doca_comm_channel_ep_create, byref(peer))
call(lib.doca_comm_channel_ep_destroy, ep)
"""


def test_a_function_keeps_its_name_beside_other_uses_of_ctypes() -> None:
    text = rewrite((CTYPES + ASKED + "print(ctypes.sizeof(ctypes.c_int))\n").encode(), options=Options(width=200)).new
    assert b'comch.named("doca_comm_channel_ep_create", lambda ep: comch.store(' in text


@pytest.mark.parametrize("read", ["function.__name__", 'getattr(function, "__name__", "?")'])
def test_a_function_keeps_its_name_where_that_is_read(read: str) -> None:
    text = rewrite((CTYPES + ASKED.replace("function.__name__", read)).encode(), options=Options(width=200)).new
    assert b'comch.named("doca_comm_channel_ep_create", lambda ep: comch.store(' in text
    assert b'comch.named("doca_comm_channel_ep_destroy", lambda local_ep: ' in text


IN_A_CLASS = """class Functions:
    end = lib.doca_comm_channel_ep_destroy
    ALL = [end]
    def close(self):
        return self.end(ep)
print(Functions().close(), [function.__name__ for function in Functions.ALL])
"""


@pytest.mark.parametrize(
    "taken", ["lib.doca_comm_channel_ep_destroy", "staticmethod(lib.doca_comm_channel_ep_destroy)"]
)
@pytest.mark.parametrize(
    "more", ["", "Functions.other = Functions.end\n", "from functools import partial\npartial(Functions.end, ep)()\n"]
)
def test_a_function_keeps_its_name_in_a_class(taken: str, more: str) -> None:
    text = CTYPES + IN_A_CLASS.replace("lib.doca_comm_channel_ep_destroy", taken) + more
    wanted = b'    end = staticmethod(comch.named("doca_comm_channel_ep_destroy", lambda local_ep: '
    assert wanted in rewrite(text.encode(), options=Options(width=200)).new


CHECKING = """from functools import partial
class Checking:
    def ok(self, code):
        if code:
            raise OSError(code)
        return code
    __call__ = ok
lib.doca_comm_channel_ep_event_handle_arm_recv.restype = Checking.ok
print(lib.doca_comm_channel_ep_event_handle_arm_recv(ep))
"""


@pytest.mark.parametrize("check", ["Checking().ok", "Checking()", "partial(Checking.ok, None)", "lambda code: code"])
def test_what_checks_a_result_for_ctypes_stays(check: str) -> None:
    assert_stays(CTYPES + CHECKING.replace("restype = Checking.ok", f"restype = {check}"), "CCM092")


# ------------------------------------------------------------------ first contents

NOBODY = "print(lib.doca_comm_channel_ep_disconnect(ep, {}))\n"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("late = ctypes.c_void_p(0)\n" + NOBODY.format("late"), "late = [None]"),
        ("zero = 0\nlate = ctypes.c_void_p(zero)\n" + NOBODY.format("late"), "late = [None]"),
        (NOBODY.format("ctypes.c_void_p(0)"), "Client.disconnect, ep[0], None)"),
        (NOBODY.format("0"), "Client.disconnect, ep[0], None)"),
        ("peer.value = 0\n", "peer[0] = None"),
        ("peer.value, n.value = 0, 0\n", "peer[0], n[0] = None, 0"),
        ("print(lib.doca_comm_channel_ep_set_max_msg_size(ep, ctypes.c_uint16(0)))\n", "max_msg_size=0)"),
        (
            "size = ctypes.c_size_t(0)\nlib.doca_comm_channel_ep_recvfrom(ep, buf, byref(size), 0, byref(peer))\n",
            "= [0]",
        ),
    ],
)
def test_no_handle_is_none(lines: str, wanted: str) -> None:
    assert wanted in new(CTYPES + lines)


@pytest.mark.parametrize(
    "lines",
    [
        "peer.value = n.value = 0\n",
        "def make(kind, *args):\n    return kind(*args)\n" + NOBODY.format("make(ctypes.c_void_p)"),
        "data = ctypes.create_string_buffer(b'abc', size=8)\nlib.doca_comm_channel_ep_sendto(ep, data, 8, 0, peer)\n",
    ],
)
def test_other_first_contents_stay(lines: str) -> None:
    assert_stays(CTYPES + lines, "CCM092")


# ------------------------------------------------------------------ types that something else calls

LINK = """from dataclasses import dataclass, field
@dataclass
class Link:
    ep: object = field(default_factory=ctypes.c_void_p)
    size: object = field(repr=False, default_factory=ctypes.c_size_t)
link = Link()
print(lib.doca_comm_channel_ep_create(byref(link.ep)))
print(lib.doca_comm_channel_ep_recvfrom(link.ep, buf, byref(link.size), 0, byref(peer)))
"""


def test_a_type_is_the_default_of_a_field() -> None:
    text = new(CTYPES + LINK)
    assert "ep: object = field(default_factory=lambda: [None])" in text
    assert "size: object = field(repr=False, default_factory=lambda: [0])" in text


@pytest.mark.parametrize(
    "line",
    [
        "import collections\ncells = collections.defaultdict(ctypes.c_void_p)\ncell = cells['a']",
        "cell, = list(map(ctypes.c_void_p, [None]))",
        "import functools\nmake = functools.partial(ctypes.c_void_p, None)\ncell = make()",
        "class Link:\n    cell = property(ctypes.c_void_p)\ncell = Link().cell",
    ],
)
def test_a_type_that_is_not_called_where_it_is_written_stays(line: str) -> None:
    assert_stays(f"{CTYPES}{line}\nprint(lib.doca_comm_channel_ep_create(byref(cell)))\n", "CCM092")


# ------------------------------------------------------------------ loops that declare

TABLES = """NAMES = {
    lib: {"doca_comm_channel_ep_listen": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]),
          **{f"doca_comm_channel_ep_{verb}": (ctypes.c_int, [ctypes.c_void_p]) for verb in ("destroy", "get_info")
             if verb != "get_info"}},
}
for name in ("error_get_name",):
    NAMES[lib]["doca_" + name] = ctypes.c_char_p, [ctypes.c_int]
for library, functions in NAMES.items():
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
"""


def test_a_library_is_the_key_of_a_table() -> None:
    text = new(CTYPES + TABLES + "print(lib.doca_error_get_name(rc).decode())\n")
    assert "NAMES" not in text
    assert "for " not in text


@pytest.mark.parametrize(
    ("old", "changed"),
    [
        ('_listen": (ctypes.c_int', '_listen": (ctypes.c_void_p'),  # NULL for 0
        ('_listen": (ctypes.c_int', '_listen": (check'),
        ("function.restype, function", "print(name)\n        function.restype, function"),
        ("result, arguments\n", "result, arguments\n        function.errcheck = check\n"),
        ("result, arguments\n", "result, arguments\nprint(NAMES)\n"),
        ("result, arguments\n", "result, arguments\nprint(name)\n"),
        ("for library, functions in", "NAMES.update(more)\nfor library, functions in"),
    ],
)
def test_loops_and_tables_that_do_more_stay(old: str, changed: str) -> None:
    assert old in TABLES
    head = "def check(code, *others):\n    return code or None\nmore = {}\n"
    assert_stays(head + CTYPES + TABLES.replace(old, changed))


def test_a_library_is_given_its_function_back() -> None:
    loop = """for library, name in ((lib, "doca_error_get_name"), (lib, "doca_error_get_descr")):
    function = library[name]
    function.restype = ctypes.c_char_p
    setattr(library, name, function)
"""
    text = new(CTYPES + loop + "print(lib.doca_error_get_name(rc).decode())\n")
    assert "for " not in text
    own = loop.replace("    setattr(library, name, function)\n", "")  # of another object each time
    assert_stays(CTYPES + own + "print(lib.doca_error_get_name(rc))\n", "CCM093")


# ------------------------------------------------------------------ functions that pass on

FORWARDED = """class Side:
    def __init__(self, name, end):
        self.name, self.end = name, end
    def call(self, verb, *args):
        return getattr(lib, f"doca_cc_{self.name}_{verb}")(self.end, *args)
    def close(self):
        return self.call("destroy")
    def limit(self, size):
        return self.call("set_max_msg_size", size)
side = Side("client", client)
print(side.limit(512), side.close())
"""
OVERRIDDEN = """class Other(Side):
    def call(self, verb, *args):
        return 0
Other("client", client).close()
"""


def test_a_function_that_passes_on_is_written_out() -> None:
    text = new(TALK + FORWARDED)
    assert "self.call(" not in text
    assert "verb" not in text


@pytest.mark.parametrize(
    ("old", "changed"),
    [
        ('self.call("destroy")', 'self.call(verb="destroy")'),
        ("side = Side", f"{OVERRIDDEN}side = Side"),
        ("side = Side", "kept = Side.call\nside = Side"),
        ('size", size)', 'size", size.pop())'),
    ],
)
def test_what_passes_on_otherwise_is_kept(old: str, changed: str) -> None:
    assert old in FORWARDED
    text = new(TALK + FORWARDED.replace(old, changed))
    assert "def call(self, verb, *args):" in text


def test_a_name_that_cannot_be_seen_stays() -> None:
    assert_stays(TALK + FORWARDED.replace('self.call("destroy")', "self.call(input())"), "CCM092")


# ------------------------------------------------------------------ user data, and what callbacks are told

DATA = """class doca_data(ctypes.Structure):
    _fields_ = [("u64", ctypes.c_uint64)]
Changed = ctypes.CFUNCTYPE(None, doca_data, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
lib.doca_cc_client_as_ctx.restype = ctypes.c_void_p
ctx = lib.doca_cc_client_as_ctx(client)
core = ctypes.CDLL("libdoca_common.so.2")
core.doca_ctx_set_user_data(ctx, doca_data(7))
states = []
@Changed
def changed(data, ctx, before, after):
    states.append(after)
    if after == 2:
        print(data.u64, states)
core.doca_ctx_set_state_changed_cb(ctx, changed)
"""
CONNECTED = """server = ctypes.c_void_p()
lib.doca_cc_server_create(None, None, b"svc", ctypes.byref(server))
Connected = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_bool)
@Connected
def connected(event, peer, fine):
    print(fine, fine is True, fine == 1)
    if fine:
        print(peer)
lib.doca_cc_server_event_connection_register(server, connected, connected)
"""


def test_a_structure_of_its_own_is_user_data() -> None:
    text = new(TALK + DATA.replace("doca_data", "Data"))
    assert '"user_data", 7)' in text
    assert "Structure" not in text
    assert "print((data or 0), states)" in text
    assert "states.append(int(after))" in text
    assert "if after == 2:" in text


@pytest.mark.parametrize("items", ["(1, 2)", "range(2)", "enumerate('ab')", "[part for part in 'ab']"])
def test_a_loop_uses_the_name_of_a_cell(items: str) -> None:
    text = new(CTYPES + f"print(rc)\nfor n in {items}:\n    print(n)\n")
    assert "buf, n = bytearray(64), [64]\n" in text
    assert f"for n in {items}:\n    print(n)\n" in text


def test_a_loop_that_may_use_the_name_for_a_cell_is_the_cause() -> None:
    outcome = rewrite((CTYPES + "print(rc)\nfor n in __import__('sys').argv:\n    print(n)\n").encode())
    assert [finding.span.line for finding in outcome.findings if finding.because is None] == [10]


def test_what_refers_to_a_value_of_another_library_under_the_same_name_stays() -> None:
    text = CTYPES + "libc = ctypes.CDLL('libc.so.6')\nn = ctypes.c_long()\nlibc.time(byref(n))\nprint(n.value)\n"
    assert_stays(text, "CCM092")


OF_BOTH = '[("ptr", ctypes.c_void_p), ("u64", ctypes.c_uint64)]'


@pytest.mark.parametrize(
    ("fields", "given"),
    [
        ('[("u64", ctypes.c_uint64)]', "u64=7"),
        (OF_BOTH, "ptr=7"),
        (OF_BOTH.replace("[", "(").replace("]", ")"), "ptr=7"),
    ],
)
@pytest.mark.parametrize("kind", ["Structure", "Union"])
def test_user_data_that_names_its_field(kind: str, fields: str, given: str) -> None:
    made = DATA.replace("Structure", kind).replace('[("u64", ctypes.c_uint64)]', fields)
    text = new(TALK + made.replace("doca_data(7)", f"doca_data({given})"))
    assert '"user_data", 7)' in text
    assert kind not in text


IN_A_VARIABLE = "kept = doca_data({})\n{}\nprint(core.doca_ctx_set_user_data(ctx, kept))\n"
FILLED = "print(core.doca_ctx_get_user_data(ctx, ctypes.byref(kept)), kept.u64)\n"


@pytest.mark.parametrize("kind", ["Structure", "Union"])
@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (IN_A_VARIABLE.format("", "kept.u64 = 5\nprint(kept.u64)"), "kept = 0\nkept = 5\nprint(kept)\n"),
        (IN_A_VARIABLE.format("5", ""), "kept = 5\n"),
        (IN_A_VARIABLE.format("u64=rc", ""), "kept = rc\n"),
        (IN_A_VARIABLE.format("", "") + FILLED, "kept = [0]\n"),
        (IN_A_VARIABLE.format("", "kept.u64 = 5") + FILLED, "kept = [0]\nkept[0] = 5\n"),
        ("def put(kept):\n    core.doca_ctx_set_user_data(ctx, doca_data(kept))\nput(5)\n", '"user_data", kept)'),
    ],
)
def test_a_variable_with_user_data(kind: str, lines: str, wanted: str) -> None:
    made = DATA.replace("Structure", kind)
    text = new(TALK + made + lines)
    assert wanted in text
    assert kind not in text


def test_user_data_that_a_call_gives_is_in_the_cell() -> None:
    text = new(TALK + DATA + "kept = doca_data()\n" + FILLED)
    assert "kept = [0]\n" in text
    assert "kept[0])\n" in text


@pytest.mark.parametrize(
    "lines",
    [
        IN_A_VARIABLE.format("", "kept.u64 = -1"),  # 18446744073709551615 to C
        IN_A_VARIABLE.format("-1", ""),
        IN_A_VARIABLE.format("", "kept.u64 = ctypes.c_uint64(5)"),
        IN_A_VARIABLE.format("", "kept.u64 += 1"),
        IN_A_VARIABLE.format("", "kept.ptr = 5"),  # any object has one
        IN_A_VARIABLE.format("", "print(kept)"),
        IN_A_VARIABLE.format("", "other = kept\nother.u64 = 5"),
        IN_A_VARIABLE.format("", "class Side:\n    data = doca_data(5)\ncore.doca_ctx_set_user_data(ctx, Side.data)"),
    ],
)
def test_other_uses_of_a_variable_with_user_data_stay(lines: str) -> None:
    assert_stays(TALK + DATA + lines, "CCM092")


def test_a_field_of_a_union_is_at_its_start_but_not_the_second_of_a_structure() -> None:
    made = DATA.replace('[("u64", ctypes.c_uint64)]', OF_BOTH).replace("doca_data(7)", "doca_data(u64=7)")
    assert '"user_data", 7)' in new(TALK + made.replace("Structure", "Union"))
    assert_stays(TALK + made, "CCM092")


@pytest.mark.parametrize(
    ("old", "changed"),
    [
        ('("u64", ctypes.c_uint64)]', '("u64", ctypes.c_uint64), ("more", ctypes.c_uint64)]'),
        ('("u64", ctypes.c_uint64)]', '("u64", ctypes.c_uint32)]'),
        ("doca_data(7))", "print(kept) or kept)"),
        ("doca_data(7))", "doca_data(ptr=7))"),  # it sets no field
        ("doca_data(7))", "doca_data(u64=-1))"),
        ("doca_data(7))", "doca_data(**{'u64': 7}))"),
        ("doca_data(7))", "doca_data(-1))"),
        ("data.u64", "data.value"),
        ("(data, ctx, before, after)", "(data, ctx, before, *after)"),
    ],
)
def test_other_structures_stay(old: str, changed: str) -> None:
    assert old in DATA
    made = DATA.replace(old, changed).replace("Changed =", "kept = doca_data(7)\nChanged =")
    assert_stays(TALK + made, "CCM092")


def test_a_flag_is_a_truth_where_the_program_says_so() -> None:
    text = new(TALK + CONNECTED)
    assert "print(bool(fine), bool(fine) is True, fine == 1)" in text
    assert "    if fine:" in text
    assert "print(fine, fine is True, fine == 1)" in new(TALK + CONNECTED.replace("c_bool", "c_uint8"))


def test_what_is_behind_a_header() -> None:
    behind = TALK.replace("ctypes.string_at(data, size)", "ctypes.string_at(data + 4, size - 4)")
    assert "print(bytes(data[(4):][:size - 4]))" in new(behind)
    assert_stays(TALK.replace("ctypes.string_at(data, size)", "data + 4"), "CCM092")


# ------------------------------------------------------------------ addresses

MEMORY = """raw = ctypes.create_string_buffer(64)
start = ctypes.addressof(raw)
core = ctypes.CDLL("libdoca_common.so.2")
memory = ctypes.c_void_p()
core.doca_mmap_create(ctypes.byref(memory))
core.doca_mmap_set_memrange(memory, start + 16, 48)
ctypes.memmove(start, b"abc", 3)
"""


def test_an_address_is_the_memory_there() -> None:
    text = new(TALK + MEMORY)
    assert "start = raw" in text
    assert "comch.arguments.offset(start, 16)" in text
    assert 'start[:3] = memoryview(b"abc")[:3]' in text


@pytest.mark.parametrize("line", ["print(start)", "print(start - 1)", "print(start == 5)", "print(hex(start + 4))"])
def test_what_only_an_address_is_stays(line: str) -> None:
    assert_stays(TALK + MEMORY + line + "\n", "CCM092")


@pytest.mark.parametrize(
    "lines",
    [
        "slots = (ctypes.c_void_p * 2)()\nslots[0] = ep.value\n",
        "slots = (ctypes.c_void_p * 2)()\nslots[0:1] = [ep.value]\n",
        "Pair = ctypes.c_void_p * 2\npair = Pair()\npair[1] = ep.value\n",
        "import struct\nraw = struct.pack('P', ep.value)\n",
        "import array\nnumbers = array.array('Q')\nnumbers.append(ep.value)\n",
        "late = ctypes.cast(ep.value, ctypes.c_void_p)\n",
        "handle = ep.value\nprint(f'{handle:#x}')\n",
        "print('{:x}'.format(ep.value))\n",
        "print(ep.value.to_bytes(8, 'little'))\n",
        "print(-ep.value)\n",
        "import os\nos.environb.setdefault(b'EP', ep.value)\n",
        "assert isinstance(ep.value, int)\n",
        "handle = ep.value\nprint(isinstance(handle, (bytes, int)))\n",
        "print(isinstance(ep.value, int | bytes))\n",
        "import numbers\nprint(isinstance(ep.value, numbers.Integral))\n",
        "match ep.value:\n    case None:\n        pass\n    case int():\n        print('made')\n",
    ],
)
def test_an_address_that_is_needed_as_a_number_stays(lines: str) -> None:
    assert_stays(CTYPES + lines, "CCM092")


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("known = {}\nknown[ep.value] = [ep.value]\nprint(known)\n", "known[ep[0]] = [ep[0]]"),
        ("known = [0]\nknown[:1] = [ep.value]\nprint(known.index(ep.value))\n", "known.index(ep[0])"),
        (
            "late = ctypes.c_void_p()\nlate.value = ep.value\nprint(lib.doca_comm_channel_ep_destroy(late))\n",
            "late[0] = ep[0]",
        ),
        ("import logging\nlogging.getLogger().info('%s', ep.value)\n", "info('%s', ep[0])"),
        ("import types\nstate = types.SimpleNamespace(ep=ep.value)\n", "SimpleNamespace(ep=ep[0])"),
        ("import queue\nwaiting = queue.Queue()\nwaiting.put(ep.value)\n", "waiting.put(ep[0])"),
        ("print(f'{ep.value}', not ep.value)\n", "print(f'{ep[0]}', not ep[0])"),
    ],
)
def test_an_address_that_is_kept_is_the_object(lines: str, wanted: str) -> None:
    assert wanted in new(CTYPES + lines)


COUNTS = """Done = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
@Done
def done(task, data, ctx):
    pass
conf = lib.doca_cc_client_send_task_set_conf
KEPT, LOG = 0, 3
conf(client, done, done, LOG)
"""


def test_a_log2_count_of_a_function_that_is_looked_up() -> None:
    assert "1 << log_num_tasks" in new(TALK + COUNTS)
    assert_stays(TALK + COUNTS.replace("done, LOG", "done, int(input())"), "CCM110")


# ------------------------------------------------------------------ ended twice

OPENED = """
core = ctypes.CDLL("libdoca_common.so.2")
infos, n, dev = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_uint32(), ctypes.c_void_p()
core.doca_devinfo_create_list(ctypes.byref(infos), ctypes.byref(n))
core.doca_dev_open(ctypes.c_void_p(infos[0]), ctypes.byref(dev))
"""
BY_HELPER = """
def give_back(end):
    return core.doca_dev_close(end)
print(give_back(dev), give_back(dev))
"""
BY_METHOD = """
class End:
    def __init__(self):
        self.pe = ctypes.c_void_p()
        core.doca_pe_create(ctypes.byref(self.pe))
    def close(self):
        return core.doca_pe_destroy(self.pe)
end = End()
print(end.close(), end.close())
"""
STRICT = "comch.outcome(comch.{}, {}[0], strict=True)[0]"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("print([core.doca_dev_close(end) for end in (dev, dev)])\n", STRICT.format("Device.close", "end")),
        ("core.doca_dev_close(dev)\nprint(core.doca_dev_close(dev))\n", STRICT.format("Device.close", "dev")),
        (BY_HELPER, STRICT.format("Device.close", "end")),
        (BY_METHOD, STRICT.format("ProgressEngine.destroy", "self.pe")),
    ],
)
def test_what_c_refuses_to_end_twice_is_refused(lines: str, wanted: str) -> None:
    assert wanted in new(TALK + OPENED + lines)


def test_what_is_ended_once_is_not_strict() -> None:
    assert "strict" not in new(TALK + OPENED + "print(core.doca_dev_close(dev))\n")


# ------------------------------------------------------------------ calls with nothing left to do

LISTED = """lst, n = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_uint32()
lib.doca_devinfo_create_list(ctypes.byref(lst), ctypes.byref(n))
try:
    print(n.value)
finally:
    print(2)
    lib.doca_devinfo_destroy_list(lst)
"""


def test_a_list_in_a_cell_is_destroyed_without_a_trace() -> None:
    assert new(SECOND_OF_CTYPES + LISTED).endswith("print(2)\n")


@pytest.mark.parametrize(("made", "is_left"), [("input()", True), ("[doca_devinfo_create_list()[1]]", False)])
def test_what_has_an_effect_is_still_evaluated_where_a_call_goes(made: str, is_left: bool) -> None:
    text = f"from doca_cc import *\nlists = {made}\ndoca_devinfo_destroy_list(lists[0])\n"
    assert rewrite(text.encode()).new.endswith(b"\nlists[0]\n") is is_left


# ------------------------------------------------------------------ star imports

STARRED = """from ctypes import *
lib = CDLL("libdoca_comm_channel.so.2")
ep = c_void_p()
print(lib.doca_comm_channel_ep_create(byref(ep)))
"""


def starred(files: dict[str, str]) -> bytes:
    """The file lib.py of a project, rewritten."""
    given = {Path(name): text.encode() for name, text in {"lib.py": STARRED, **files}.items()}
    return next(outcome.new for outcome in rewrite_project(given) if outcome.path.name == "lib.py")


@pytest.mark.parametrize(
    "user",
    [
        "",
        "from lib import ep\nif not ep: raise SystemExit\n",
        "import lib\nif not lib.ep: raise SystemExit\n",
        "from ctypes import c_int\nc_int()\n",
    ],
)
def test_a_star_import_of_ctypes_goes_with_the_last_use(user: str) -> None:
    assert starred({"user.py": user}).startswith(b"import comch_next as comch\n")


@pytest.mark.parametrize(
    "user", ["from lib import *\nprint(c_int())\n", "from lib import c_int\nc_int()\n", "import lib\nlib.c_int()\n"]
)
def test_a_star_import_of_ctypes_stays_for_other_files(user: str) -> None:
    assert b"from ctypes import *\n" in starred({"user.py": user})


@pytest.mark.parametrize("line", ["print(sizeof(c_int))\n", "print(eval(input()))\n"])
def test_a_star_import_of_ctypes_stays_for_what_is_left(line: str) -> None:
    assert b"from ctypes import *\n" in starred({"lib.py": STARRED + line})


# ------------------------------------------------------------------ names of Python's own

RECEIVING = """def receive(peer):
    buf = ctypes.create_string_buffer(4080)
    len = ctypes.c_size_t(ctypes.sizeof(buf))
    rc = lib.doca_comm_channel_ep_recvfrom(ep, buf, byref(len), 0, byref(peer))
    return rc, buf.raw[:len.value]
print(receive(peer))
"""
COUNTING = """bytes = 0
print(buf.raw[:n.value])
bytes += n.value
"""
METHODS = """class Talk:
    len = bytes = 0
    def show(self):
        self.bytes += n.value
        print(buf.raw, ctypes.sizeof(buf), self.len)
Talk().show()
"""


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (RECEIVING, "    len = [buf.__len__()]"),
        (RECEIVING, "    return rc, bytes(buf[:len[0]])"),
        (COUNTING, 'print(b"".__class__(buf[:n[0]]))'),
        (METHODS, "        print(bytes(buf), len(buf), self.len)"),
        ("import builtins\nbuiltins.len = id\nprint(ctypes.sizeof(buf))\n", "print(buf.__len__())"),
    ],
)
def test_names_of_pythons_own_that_the_program_has_are_not_called(lines: str, wanted: str) -> None:
    assert wanted in new(CTYPES + lines).splitlines()


def test_a_star_import_of_the_project_brings_them_too() -> None:
    program = CTYPES + "from counts import *\nprint(ctypes.sizeof(buf), buf.raw)\n"
    files = {Path("counts.py"): b"len = 3\n", Path("program.py"): program.encode()}
    assert b"print(buf.__len__(), bytes(buf))\n" in rewrite_project(files)[1].new


def test_a_buffer_has_no_other_class() -> None:
    assert_stays(f"bytearray = 3\n{CTYPES}", "CCM051")


def test_the_number_of_an_enum_that_has_no_name() -> None:
    program = """from cffi import FFI
ffi = FFI()
ffi.cdef("typedef enum { DOCA_SUCCESS } doca_error_t; doca_error_t doca_comm_channel_ep_create(void **ep);")
lib = ffi.dlopen("libdoca_comm_channel.so.2")
def show(rc, str):
    print(ffi.string(ffi.cast("doca_error_t", rc)), str)
show(lib.doca_comm_channel_ep_create(ffi.new("void **")), "created")
"""
    assert '    print({0: "DOCA_SUCCESS"}.get(rc, "".__class__(int(rc))), str)' in new(program)
