"""Programs that call the C library through objects and helpers of their own: libraries as one, results looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.outcome import Options
from migrate.rewriting import rewrite, rewrite_project
from tests.migrate.test_bindings import CFFI, SECOND, SECOND_OF_CTYPES
from tests.migrate.test_bindings_questions import stays

OPENED = 'lib = ffi.dlopen("libdoca_comm_channel.so.2")\n'
NAMES = '"libdoca_common.so.2", "libdoca_comm_channel.so.2"'
LOOP = """class Libraries:
    '''Whichever has it.'''
    def __init__(self, *names):
        self._all = [ffi.dlopen(name) for name in names]
    def __getattr__(self, name):
        for one in self._all:
            try:
                return getattr(one, name)
            except AttributeError:
                pass
        raise AttributeError(name)
"""
ASKING = LOOP.replace(
    """            try:
                return getattr(one, name)
            except AttributeError:
                pass
""",
    """            if hasattr(one, name):
                return getattr(one, name)
""",
)
TWO = """class Native:
    def __init__(self, common, channel):
        self.common, self.channel = ffi.dlopen(common), ffi.dlopen(channel)
    def __getattr__(self, symbol):
        try:
            return getattr(self.channel, symbol)
        except AttributeError:
            return getattr(self.common, symbol)
"""
NEXT = """class Joined:
    def __init__(self, names):
        self.libs = tuple(ffi.dlopen(name) for name in names)
    def __getattr__(self, name):
        return next(getattr(lib, name) for lib in self.libs if hasattr(lib, name))
"""
FORMS = {
    LOOP: f"lib = Libraries({NAMES})\n",
    ASKING: f"lib = Libraries({NAMES})\n",
    TWO: f"lib = Native({NAMES})\n",
    NEXT: f"lib = Joined([{NAMES}])\n",
}


def joined(form: str, making: str = "") -> str:
    """A program whose library is an object."""
    return CFFI.replace(OPENED, form + (making or FORMS[form]))


def new(text: str) -> str:
    """A program, rewritten; checked to be whole."""
    text = rewrite(text.encode(), options=Options(width=200)).new.decode()
    assert "ffi" not in text
    return text


@pytest.mark.parametrize("form", FORMS)
def test_an_object_over_several_libraries_is_one(form: str) -> None:
    assert new(joined(form)) == new(CFFI)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        raise", "        print(name)\n        raise"),  # it tells of what is missing
        ("return getattr(one, name)", "return getattr(one, 'doca_' + name)"),
        ("return getattr(one, name)", "return lambda *args: getattr(one, name)(*args)"),
        ("        for one", "        self.asked = name\n        for one"),
        ("return getattr(one, name)", "setattr(self, name, getattr(one, name))"),
        ("        self._all", "        print(names)\n        self._all"),
        ("class Libraries:", "class Libraries(dict):"),
        ("    def __init__", "    def close(self):\n        pass\n    def __init__"),
    ],
)
def test_an_object_that_does_more_stays(before: str, after: str) -> None:
    assert before in LOOP
    text = joined(LOOP.replace(before, after, 1), FORMS[LOOP])
    assert "Libraries(" in rewrite(text.encode()).new.decode()


def test_libraries_that_are_looked_at_themselves_stay() -> None:
    text = joined(LOOP) + "print(len(lib._all))\n"
    assert "ffi.dlopen(name)" in rewrite(text.encode()).new.decode()


CHECK = """class Failed(Exception):
    pass
def call(name, *args):
    rc = getattr(core, name)(*args)
    if rc != 0:
        raise Failed(name, rc)
"""
VALUE = """def value(name, kind, *args):
    '''What a function of C fills.'''
    cell = ffi.new(kind + " *")
    call(name, *args, cell)
    return cell[0]
"""
USES = 'call("doca_ctx_stop", ctx)\nprint(value("doca_ctx_get_state", "enum doca_ctx_states", ctx))\n'


def test_a_helper_that_looks_at_a_result_is_given_it() -> None:
    text = new(SECOND + CHECK + 'call("doca_ctx_stop", ctx)\n')
    assert "def call(name, rc):\n    if rc != 0:\n        raise Failed(name, rc)\n" in text
    assert 'call("doca_ctx_stop", comch.Context.try_stop(ctx))' in text


def test_a_helper_that_makes_a_cell_is_given_that_too() -> None:
    lines = new(SECOND + CHECK + VALUE + USES)
    assert "def value(name, cell, rc):\n    '''What a function of C fills.'''\n    call(name, rc)\n" in lines
    assert '"doca_ctx_get_state", cell_2 := [0], comch.store(' in " ".join(lines.split())


@pytest.mark.parametrize(
    ("helper", "use", "shown"),
    [
        (
            "def ok(name, *given):\n    return getattr(core, name)(*given) == 0\n",
            'print(ok("doca_ctx_stop", ctx))\n',
            "print(ok(comch.Context.try_stop(ctx)))",
        ),
        (
            "def must(name, *given):\n    if getattr(core, name)(*given):\n        raise SystemExit(name)\n",
            'must("doca_ctx_stop", ctx)\n',
            'must("doca_ctx_stop", comch.Context.try_stop(ctx))',
        ),
        (
            "class Side:\n    def call(self, name, *given):\n"
            "        self.last = getattr(core, f'doca_{name}')(*given)\n        return self.last == 0\n",
            'side = Side()\nprint(side.call("ctx_stop", ctx))\n',
            "print(side.call(comch.Context.try_stop(ctx)))",
        ),
        (
            "def check(rc):\n    assert rc == 0\n    return True\n"
            "def call(name, *given):\n    check(getattr(core, name)(*given))\n    return name\n",
            'print(call("doca_ctx_stop", ctx))\n',
            'print(call("doca_ctx_stop", comch.Context.try_stop(ctx)))',
        ),
    ],
    ids=["returned", "tested", "kept", "passed on"],
)
def test_helpers_of_other_forms(helper: str, use: str, shown: str) -> None:
    assert shown in new(SECOND + helper + use)


@pytest.mark.parametrize(
    "change",
    [
        ("    rc = getattr", "    print(name)\n    rc = getattr"),  # which is before the call
        ("def call(name, *args):\n", "def call(name, *args):\n    global rc\n"),
        ("        raise", "        print(args)\n        raise"),
        ("    rc = getattr", "    rc = 1\n    rc += getattr"),
    ],
)
def test_a_helper_that_does_something_else_first_keeps_its_arguments(change: tuple[str, str]) -> None:
    text = rewrite((SECOND + CHECK.replace(*change) + 'call("doca_ctx_stop", ctx)\n').encode()).new.decode()
    assert "def call(name, *args):" in text


def test_a_helper_that_is_passed_on_stays() -> None:
    stays(SECOND + CHECK + "for function in (call,):\n    function(input(), ctx)\n", "CCM033")


def test_helpers_of_another_module(tmp_path: Path) -> None:
    """The library is imported beside the helper, where the helper is called."""
    native, user = tmp_path / "native.py", tmp_path / "user.py"
    native.write_text('from cffi import FFI\nffi = FFI()\ncore = ffi.dlopen("libdoca_cc.so.2")\n' + CHECK + VALUE)
    made = 'value("doca_cc_client_create", "struct doca_cc_client *", ffi.NULL, b"svc")'
    user.write_text(f"from native import ffi, value\nprint({made})\n")
    library, caller = rewrite_project({path: path.read_bytes() for path in (native, user)})
    assert b"ffi" not in library.new
    assert b"cell := [None]" in caller.new


def test_a_name_of_a_base_that_is_never_made_finds_no_function() -> None:
    found = "getattr(lib, f'doca_cc_{self.side}_destroy')"
    classes = f"class End:\n    side = ''\n    def stop(self, end):\n        {found}(end)\n"
    text = SECOND + classes + "class Guest(End):\n    side = 'client'\nGuest().stop(client[0])\n"
    assert "comch.Client.destroy" in new(text)
    stays(text + "End().stop(client[0])\n", "CCM033")


def test_what_takes_the_errors_of_a_callback() -> None:
    maker = '@ffi.callback("doca_cc_event_msg_recv_cb_t"'
    text = new(SECOND.replace(maker, maker + ", onerror=lambda *error: print(error[1])"))
    assert "@comch.unraisable(onerror=lambda *error: print(error[1]))\ndef on_message" in text


def test_a_message_shown_as_chars() -> None:
    shown = "ffi.buffer(data, size)[:]"
    assert new(SECOND.replace(shown, 'ffi.unpack(ffi.cast("char *", data), size)')) == new(SECOND)
    stays(SECOND.replace(shown, 'ffi.cast("char *", data)[0]'), "CCM092")


OF_CTYPES = """def check(name, rc):
    assert rc == 0, name
def value(name, *given):
    cell = ctypes.c_void_p()
    check(name, getattr(lib, name)(*given, ctypes.byref(cell)))
    return cell
class Side:
    noun = "client"
    def call(self, name, *given):
        code = getattr(lib, f"doca_cc_{self.noun}_{name}")(*given)
        if code:
            raise RuntimeError(name)
second = value("doca_cc_client_create", None, b"other")
side = Side()
side.call("event_msg_recv_register", second, on_message)
"""
BOTH = """class Both:
    def __init__(self):
        self.a, self.b = ctypes.CDLL("libdoca_common.so.2"), ctypes.CDLL("libdoca_cc.so.2")
    def __getattr__(self, name):
        return getattr(self.b if hasattr(self.b, name) else self.a, name)
lib = Both()
"""


def test_helpers_of_ctypes() -> None:
    text = rewrite((SECOND_OF_CTYPES + OF_CTYPES).encode()).new.decode()
    assert "ctypes" not in text
    assert "def value(name, cell, rc):\n    check(name, rc)\n    return cell\n" in text
    assert "    def call(self, name, code):\n        if code:\n" in text


def test_an_object_over_libraries_of_ctypes() -> None:
    opened = 'lib = ctypes.CDLL("libdoca_cc.so.2")\n'
    assert rewrite(SECOND_OF_CTYPES.replace(opened, BOTH).encode()).new == rewrite(SECOND_OF_CTYPES.encode()).new


def test_a_method_of_what_has_no_name_keeps_its_arguments() -> None:
    """The object would be made twice."""
    text = SECOND_OF_CTYPES + OF_CTYPES + 'Side().call("destroy", second)\n'
    assert "def call(self, name, *given):" in rewrite(text.encode()).new.decode()
