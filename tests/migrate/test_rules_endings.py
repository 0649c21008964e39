"""What may be ended twice by the names of two holders fails the second time, as it did; other ends stay as they are."""

from __future__ import annotations

import pytest

from migrate.rewriting import rewrite

MADE = """
import contextlib
import doca_cc as cc
def made():
    return cc.Client(cc.open_device("b1:00.0"), "x")
def attempt(call):
    try:
        call()
    except cc.DocaError as error:
        print(error.name)
class Node:
    def __init__(self, client):
        self.client = client
    def close(self):
        self.client.destroy()
class Owner:
    def __init__(self):
        self.client = made()
    def close(self):
        self.client.destroy()
"""

FLAT = """
from doca_comm_channel import *
def opened():
    rc, infos, n = doca_devinfo_create_list()
    for info in infos:
        rc, dev = doca_dev_open(info)
        if doca_devinfo_is_equal_pci_addr(info, "b1:00.0")[1]:
            return dev
        doca_dev_close(dev)
    raise SystemExit(1)
"""


def strict(text: str) -> int:
    """Return how many ends of a program are strict when it has been rewritten as a whole."""
    new = rewrite(text.encode()).new.decode()
    assert "import doca_" not in new
    return new.count("strict=True")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("a = made()\nb = a\na.destroy()\nb.destroy()", 2),
        ("a = b = made()\na.destroy()\nb.destroy()", 2),
        ("a = made()\nb = a\nattempt(a.destroy)\nattempt(b.destroy)", 2),
        ("a = made()\nattempt(a.destroy)\nattempt(a.destroy)", 2),
        ("a = made()\na.destroy()\nattempt(a.destroy)", 2),
        ("@contextlib.contextmanager\ndef using():\n    a = made()\n    try:\n        yield a\n"
         "    finally:\n        a.destroy()\nwith using() as b:\n    b.destroy()", 2),
        ("class Session:\n    def __init__(self):\n        self.client = made()\n"
         "    def __enter__(self):\n        return self.client\n"
         "    def __exit__(self, *exc):\n        self.client.destroy()\nwith Session() as b:\n    b.destroy()", 2),
        ("def made_once():\n    a = made()\n    yield a\n    a.destroy()\nfor b in made_once():\n    b.destroy()", 2),
        ("def pair():\n    a = made()\n    return a, a.destroy\nb, end = pair()\nattempt(end)\nattempt(b.destroy)", 2),
        ("a = made()\nnodes = Node(a), Node(a)\nnodes[0].close()\nnodes[1].close()", 1),
        ("a = made()\nfor _ in range(2):\n    Node(a).close()", 1),
        ("a = made()\nnode = Node(a)\nnode.close()\na.destroy()", 2),
        ("o = Owner()\nother = Owner()\nother.client = o.client\nattempt(o.close)\nattempt(other.close)", 1),
        ("class Heir(Owner):\n    def close(self):\n        super().close()\nh = Heir()\nh.close()\nh.close()", 1),
        ("o = Owner()\nattempt(o.close)\nattempt(o.close)", 1),
        ("a = made()\nattempt(lambda: cc.Client.destroy(a))\nb = [a]\nfor c in b:\n    c.destroy()", 2),
        ("a = made()\nserver_of = {'a': a}\ndef end(key):\n    server_of[key].destroy()\nend('a')\na.destroy()", 2),
    ],
)  # fmt: skip
def test_two_holders(text: str, ends: int) -> None:
    assert strict(MADE + text) == ends


@pytest.mark.parametrize(
    "text",
    [
        "a, b = made(), made()\na.destroy()\nb.destroy()",
        "a = made()\nb = a\nb.destroy()",
        "a = made()\ntry:\n    print(a.get_max_msg_size())\nfinally:\n    a.destroy()",
        "nodes = Node(made()), Node(made())\nfor node in nodes:\n    node.close()",
        "a, b = made(), made()\nfor end in (a, b):\n    end.destroy()",
        "for _ in range(2):\n    a = made()\n    Node(a).close()",
        "o = Owner()\no.close()",
        "def checked():\n    a = made()\n    if not a.get_max_msg_size():\n        a.destroy()\n        return None\n"
        "    return a\nb = checked()\nb.destroy()",
        "class Safe:\n    def __init__(self):\n        a = made()\n        try:\n            a.set_max_msg_size(64)\n"
        "        except cc.DocaError:\n            a.destroy()\n            raise\n        self.client = a\n"
        "    def close(self):\n        self.client.destroy()\nSafe().close()",
        "def end(a):\n    a.destroy()\na, b = made(), made()\nend(a)\nend(b)",
        "def use(a):\n    print(a.get_max_msg_size())\na = made()\nuse(a)\nuse(a)\na.destroy()",
        "a = cc.Client(cc.open_device('b1:00.0'), 'y')\nwith contextlib.ExitStack() as stack:\n"
        "    stack.callback(a.destroy)",
        "pool = [made() for _ in range(3)]\nfor a in pool:\n    a.destroy()",
        "class Heir(Owner):\n    def close(self):\n        super().close()\nHeir().close()\nHeir().close()",
    ],
)
def test_one_holder_after_another(text: str) -> None:
    assert strict(MADE + text) == 0


LEFT = """
import atexit, signal
class Left(Owner):
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        self.close()
class Direct:
    def __init__(self):
        self.client = made()
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        self.client.destroy()
class Guarded:
    def __init__(self):
        self.client = made()
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        self.close()
    def close(self):
        if self.client is not None:
            self.client.destroy()
            self.client = None
"""


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("with Left() as a:\n    a.close()", 1),
        ("with Direct() as a:\n    a.client.destroy()", 2),
        ("a = Direct()\nwith a:\n    pass\na.client.destroy()", 2),
        ("a = Left()\nwith a:\n    pass\nwith a:\n    pass", 1),
        ("a = Direct()\nfor _ in range(2):\n    with a:\n        pass", 1),
        ("def use(a):\n    with a:\n        pass\na = Direct()\nuse(a)\nuse(a)", 1),
        ("with contextlib.ExitStack() as stack:\n    stack.enter_context(Left()).close()", 1),
        ("a = made()\n@atexit.register\ndef bye():\n    attempt(lambda: a.destroy())\na.destroy()", 2),
        ("a = made()\ndef bye():\n    a.destroy()\natexit.register(bye)\na.destroy()", 2),
        ("a = made()\ndef bye(*of):\n    a.destroy()\nsignal.signal(signal.SIGTERM, bye)", 1),
        ("class Kept(Owner):\n    def __del__(self):\n        self.close()\na = Kept()\na.close()", 1),
    ],
)
def test_an_end_that_no_call_shows(text: str, ends: int) -> None:
    """What `with`, an exit or a signal ends may have been ended by a call, or by another of them."""
    assert strict(MADE + LEFT + text) == ends


@pytest.mark.parametrize(
    "text",
    [
        "with Left() as a:\n    print(a)",
        "with Left() as a, Direct() as b:\n    print(a, b)\nwith Left() as a:\n    print(a)",
        "for _ in range(2):\n    with Direct() as a:\n        print(a)",
        "with Guarded() as a:\n    a.close()\na.close()",
        "a = made()\natexit.register(lambda: a.destroy())",
        "def run():\n    a = made()\n    a.destroy()\natexit.register(run)\natexit.register(run)",
    ],
)
def test_one_end_that_no_call_shows(text: str) -> None:
    assert strict(MADE + LEFT + text) == 0


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("dev = opened()\nother = dev\nprint(doca_dev_close(dev), doca_dev_close(other))", 2),
        ("class Ctx: pass\nctx = Ctx()\nctx.dev = opened()\ndev = ctx.dev\n"
         "def end(ctx):\n    print(doca_dev_close(ctx.dev))\ndoca_dev_close(dev)\nend(ctx)", 2),
        ("def guarded(call, *args):\n    print(int(call(*args)))\ndev = opened()\n"
         "guarded(doca_dev_close, dev)\nguarded(doca_dev_close, dev)", 2),
        ("dev = opened()\nprint(doca_dev_close(dev))", 0),
        ("a, b = opened(), opened()\nprint(doca_dev_close(a), doca_dev_close(b))", 0),
        ("class Open:\n    def __init__(self):\n        self.dev = opened()\n"
         "    def __enter__(self):\n        return self\n"
         "    def __exit__(self, *exc):\n        print(self.close())\n    def close(self):\n"
         "        return doca_dev_close(self.dev)\nwith Open() as a:\n    print(a.close())", 1),
        ("state = {'dev': opened(), 'rc': 0}\nrc, dev = state['rc'], state['dev']\nprint(rc, doca_dev_close(dev))", 0),
    ],
)  # fmt: skip
def test_flat(text: str, ends: int) -> None:
    assert strict(FLAT + text) == ends


def test_a_function_that_a_helper_calls_with_any_arguments() -> None:
    """The helper is one place, whatever it is given."""
    head = "from doca_cc import DOCA_SUCCESS, doca_mmap_create, doca_mmap_destroy\ndef guarded(call, *args):\n"
    head += "    print(call(*args) == DOCA_SUCCESS)\nrc, map = doca_mmap_create()\n"
    assert strict(head + "guarded(doca_mmap_destroy, map)\nguarded(doca_mmap_destroy, map)") == 2
    assert strict(head + "guarded(doca_mmap_destroy, map)") == 0


OBJECTS = """
import doca_cc as cc
def attempt(call):
    try:
        call()
    except cc.DocaError as error:
        print(error.name)
"""


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("def end(a):\n    attempt(a.destroy)\na = cc.Mmap()\nend(a)\nend(a)", 1),
        ("def end(a):\n    call = a.destroy\n    attempt(call)\na = cc.Mmap()\nend(a)\nend(a)", 1),
        ("a = cc.Mmap()\nfor _ in range(2):\n    attempt(a.destroy)", 1),
        ("a = cc.Mmap()\nend = a.destroy\nfor _ in range(2):\n    end()", 1),
        ("class App:\n    def __init__(self, a):\n        self.end = a.destroy\napp = App(cc.Mmap())\n"
         "attempt(app.end)\nattempt(app.end)", 1),
        ("class App:\n    def __init__(self):\n        self.a = cc.Mmap()\n"
         "    def end(self):\n        attempt(self.a.destroy)\napp = App()\napp.end()\napp.end()", 1),
        ("class App:\n    def __init__(self):\n        self.a = cc.Mmap()\n"
         "    def __enter__(self):\n        return self\n    def __exit__(self, *of):\n        self.end()\n"
         "    def end(self):\n        attempt(self.a.destroy)\n"
         "with App() as app:\n    app.end()", 1),
        ("import threading\na = cc.Mmap()\n"
         "threads = [threading.Thread(target=attempt, args=(a.destroy,)) for _ in range(2)]", 1),
        ("import contextlib\nwith contextlib.ExitStack() as stack:\n    a = cc.Mmap()\n"
         "    stack.callback(a.destroy)\n    b = cc.ProgressEngine()\n    stack.callback(b.destroy)", 0),
        ("a = cc.Mmap()\nattempt(a.start)\nattempt(a.start)\nattempt(a.destroy)", 0),
        ("def end(a):\n    attempt(a.destroy)\nend(cc.Mmap())\nb = cc.Mmap()\nend(b)", 0),
        ("for _ in range(2):\n    a = cc.Mmap()\n    end = a.destroy\n    attempt(end)", 0),
        ("class App:\n    def __init__(self):\n        self.end = cc.Mmap().destroy\napp = App()\napp.end()", 0),
    ],
)  # fmt: skip
def test_a_method_as_a_value_in_one_place(text: str, ends: int) -> None:
    """It is strict where it is made again for one handle, or may be called again."""
    assert strict(OBJECTS + text) == ends


FUNCTIONS = """
from doca_cc import doca_mmap_create, doca_mmap_destroy, doca_mmap_start
def guarded(call, *args):
    print(int(call(*args)))
rc, a = doca_mmap_create()
"""


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("def end(a):\n    guarded(doca_mmap_destroy, a)\nend(a)\nend(a)", 1),
        ("class Held: pass\nheld = Held()\nheld.a = a\ndef end():\n    guarded(doca_mmap_destroy, held.a)\n"
         "end()\nend()", 1),
        ("def end(a, destroy=doca_mmap_destroy):\n    print(int(destroy(a)))\nend(a)\nend(a)", 1),
        ("guarded(doca_mmap_destroy, a)\nprint(int(doca_mmap_destroy(a)))", 2),
        ("guarded(doca_mmap_start, a)\nguarded(doca_mmap_start, a)\nguarded(doca_mmap_destroy, a)", 0),
        ("def end(a):\n    guarded(doca_mmap_destroy, a)\nend(a)\nrc, a = doca_mmap_create()\nend(a)", 0),
        ("def end(a, destroy=doca_mmap_destroy):\n    print(int(destroy(a)))\nend(a)", 0),
    ],
)  # fmt: skip
def test_a_function_as_a_value_in_one_place(text: str, ends: int) -> None:
    """It is strict where it is given one handle again."""
    assert strict(FUNCTIONS + text) == ends
