"""Where a handle may be None, or destroyed."""

from __future__ import annotations

import pytest

from tests.migrate.marked import Marked

FLAT = """
from doca_comm_channel import *
import sys
def check(rc):
    if rc != DOCA_SUCCESS:
        sys.exit(1)
def logged(rc):
    if rc != DOCA_SUCCESS:
        print(rc)
def unwrap(result):
    rc, value = result
    if rc:
        raise RuntimeError(rc)
    return value
"""


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("rc, ep = doca_comm_channel_ep_create()\nat_x(ep)", True),
        ("rc, ep = doca_comm_channel_ep_create()\nif rc != DOCA_SUCCESS:\n    sys.exit(1)\nat_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nif rc != 0:\n    raise OSError\nat_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nif DOCA_SUCCESS == rc:\n    at_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nif rc == DOCA_ERROR_AGAIN:\n    at_x(ep)", True),
        ("rc, ep = doca_comm_channel_ep_create()\nif rc:\n    at_x(ep)", True),
        ("rc, ep = doca_comm_channel_ep_create()\nif not rc:\n    at_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nif DOCA_IS_ERROR(rc):\n    sys.exit()\nat_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nassert rc == DOCA_SUCCESS\nat_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nif rc != DOCA_SUCCESS:\n    print(rc)\nat_x(ep)", True),
        ("rc, ep = doca_comm_channel_ep_create()\nrc = 0\nif rc == 0:\n    at_x(ep)", True),
        ("rc, ep = doca_comm_channel_ep_create()\nif ep is None:\n    sys.exit(1)\nat_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nif ep:\n    at_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nif ep is not None and at_x(ep):\n    pass", False),
        ("rc, ep = doca_comm_channel_ep_create()\ncheck(rc)\nat_x(ep)", False),
        ("rc, ep = doca_comm_channel_ep_create()\nlogged(rc)\nat_x(ep)", True),
        ("ep = unwrap(doca_comm_channel_ep_create())\nat_x(ep)", False),
        ("r = doca_comm_channel_ep_create()\nif r[0] != DOCA_SUCCESS:\n    sys.exit(1)\nat_x(r[1])", False),
        ("r = doca_comm_channel_ep_create()\nat_x(r[1])", True),
        ("r = doca_comm_channel_ep_create()\nif r[0]:\n    sys.exit(1)\nep = r[1]\nat_x(ep)", False),
        ("while True:\n    rc, m, n, p = doca_comm_channel_ep_recvfrom(unwrap(doca_comm_channel_ep_create()), 1, 0)\n"
         "    if rc == DOCA_ERROR_AGAIN:\n        continue\n    if rc != DOCA_SUCCESS:\n        break\n    at_x(p)",
         False),
        ("def send(ep):\n    at_x(ep)\nrc, ep = doca_comm_channel_ep_create()\nif not rc:\n    send(ep)", False),
        ("def send(ep):\n    at_x(ep)\nrc, ep = doca_comm_channel_ep_create()\nsend(ep)", True),
        ("def make():\n    rc, ep = doca_comm_channel_ep_create()\n    check(rc)\n    return ep\nat_x(make())", False),
        ("def make():\n    rc, ep = doca_comm_channel_ep_create()\n    return ep\nat_x(make())", True),
        ("at_x(Endpoint())", False),
        ("ep = None\ndef go():\n    at_x(ep)\nep = Endpoint()\ngo()", True),
        ("ep = None\nep = Endpoint()\nat_x(ep)", False),
        ("ep = 0\nrc, ep = doca_comm_channel_ep_create()\nif rc == 0:\n    at_x(ep)", True),  # 0 is not followed
        ("rc, ep = doca_comm_channel_ep_create()\nif not ep:\n    at_x(ep)", True),
        ("rc, ep = doca_comm_channel_ep_create()\nif not ep:\n    print(rc)\nat_x(ep)", True),
        ("rc, ep = doca_comm_channel_ep_create()\nprint('a' if ep else 'b')\nat_x(ep)", True),
        ("rc, ep = doca_comm_channel_ep_create()\nif ep == 0:\n    at_x(ep)", True),
        ("eps = [Endpoint(), None]\nif eps[0]:\n    at_x(eps[0])", False),
        ("eps = [Endpoint(), None]\nif eps[1]:\n    eps[1] = None\n    at_x(eps[1])", True),
        ("eps = [Endpoint(), None]\nif eps[1]:\n    eps[-1] = None\n    at_x(eps[1])", True),
        ("eps = [Endpoint(), None]\nif eps[1]:\n    eps[0] = None\n    at_x(eps[1])", False),
        ("eps = [Endpoint(), None]\nif eps[1]:\n    del eps[0]\n    at_x(eps[1])", True),
        ("a, b = None, Endpoint()\nif b:\n    x, a, b = 0, b, a\n    at_x(b)", True),
        ("a, b = None, Endpoint()\nif b:\n    x, a, b = 0, b, a\n    at_x(a)", True),  # not followed
        ("a, b = None, Endpoint()\nif b:\n    x, a = 0, b\n    at_x(a)", False),
        ("a, b = None, None\nc = [Endpoint(), None]\na, b = *c[:1], Endpoint()\nat_x(a)", True),
        ("ep = None\nep, n = Endpoint(), 1\nat_x(ep)", False),
        ("eps = [None, Endpoint()]\nif eps[1]:\n    eps.reverse()\n    at_x(eps[1])", True),
        ("eps = [None, Endpoint()]\nif eps[1]:\n    eps.append(None)\n    at_x(eps[1])", False),
        ("eps = [Endpoint(), None]\ndef drop():\n    eps[0] = None\nif eps[0]:\n    drop()\n    at_x(eps[0])", True),
        ("eps = [Endpoint(), None]\ndef drop(ends):\n    ends[:] = [None]\nif eps[0]:\n    drop(eps)\n    at_x(eps[0])",
         True),
        ("eps, o = [Endpoint(), None], [1]\ndef drop():\n    o[0] = None\nif eps[0]:\n    drop()\n    at_x(eps[0])",
         False),
        ("class A:\n    def drop(self):\n        self.eps[0] = None\n    def go(self):\n        if self.eps[0]:\n"
         "            self.drop()\n            at_x(self.eps[0])\na = A()\na.eps = [Endpoint()]\na.go()", True),
        ("r = doca_comm_channel_ep_create()\neps = {}\ndef keep(ep):\n    eps[0] = ep\nif not r[0]:\n    keep(r[1])\n"
         "    at_x(r[1])", False),
        ("rc, ep = doca_comm_channel_ep_create()\ncheck(rc)\nmatch [None]:\n    case [ep]:\n        at_x(ep)", True),
    ],
)  # fmt: skip
def test_variables(text: str, answer: bool) -> None:
    program = Marked(main=FLAT + text)
    assert program.facts.may_be_none(program["x"]) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("def need(rc):\n    if rc:\n        print(rc)\nneed(rc)", True),
        ("def need(rc):\n    if not rc:\n        print(rc)\nneed(rc)", True),
        ("def need(rc):\n    code = rc\n    if code:\n        sys.exit()\nneed(rc)", True),
        (
            "def need(rc):\n    rc = doca_comm_channel_ep_destroy(None)\n    if rc:\n        sys.exit()\nneed(rc)",
            True,
        ),
        ("def need(rc):\n    if rc:\n        sys.exit()\n    yield\nneed(rc)", True),
        ("async def need(rc):\n    if rc:\n        sys.exit()\nneed(rc)", True),
        ("async def need(rc):\n    if rc:\n        sys.exit()\nawait need(rc)", False),
        ("def need(what, /, rc):\n    if rc:\n        sys.exit()\nneed(rc, 0)", True),
        ("def need(what, /, rc):\n    if rc:\n        sys.exit()\nneed(0, rc)", False),
        ("def need(rc, what):\n    if rc:\n        sys.exit(what)\nneed(what='a', rc=rc)", False),
        ("def need(a, b):\n    if a:\n        sys.exit()\nneed(*[], rc)", True),
        ("def need(ep):\n    if ep is None:\n        sys.exit()\nneed(ep)", False),
        ("def need(ep):\n    if ep:\n        return\n    sys.exit()\nneed(ep)", False),
        ("def need(ep):\n    if not ep:\n        ep = Endpoint()\nneed(ep)", True),
        ("def need(rc):\n    if rc:\n        sys.exit()\n(need if ep else logged)(rc)", True),
    ],
)
def test_what_a_function_has_checked(text: str, answer: bool) -> None:
    program = Marked(main=f"{FLAT}rc, ep = doca_comm_channel_ep_create()\n{text}\nat_x(ep)")
    assert program.facts.may_be_none(program["x"]) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("send(ep, peer)", True),
        ("send(peer, ep)", False),
        ("send(peer=ep, ep=peer)", False),
        ("ThreadPoolExecutor().submit(send, ep, peer)", True),
        ("ThreadPoolExecutor().submit(send, peer, ep)", False),
        ("ThreadPoolExecutor().submit(send, ep, peer=peer)", True),
        ("ThreadPoolExecutor().submit(Chan().send, ep, peer)", True),
        ("ThreadPoolExecutor().submit(Chan().send, peer, ep)", False),
        ("asyncio.get_running_loop().run_in_executor(None, send, ep, peer)", True),
        ("asyncio.get_running_loop().run_in_executor(None, send, peer, ep)", False),
        ("asyncio.to_thread(send, ep, peer)", True),
        ("contextlib.ExitStack().callback(send, ep, peer)", True),
        ("functools.partial(send, ep)(peer)", True),
        ("functools.partial(send, peer=peer)(ep)", True),
        ("list(map(send, [ep], [peer]))", True),
        ("Chan.send(None, ep, peer)", True),
        ("Chan.send(None, peer, ep)", False),
        ("Chan().send(peer, ep)", False),
        ("Chan.fixed(ep, peer)", True),
        ("Chan()(ep, peer)", True),
        ("Chan()(peer, ep)", False),
        ("Made(ep, peer)", True),
        ("Made(peer, ep)", False),
    ],
)
def test_what_calls_pass(text: str, answer: bool) -> None:
    program = Marked(
        main=f"{FLAT}import asyncio, contextlib, functools\nfrom concurrent.futures import ThreadPoolExecutor\n"
        + "def send(ep, peer):\n    at_a(peer)\nclass Chan:\n    def send(self, ep, peer):\n        at_b(peer)\n"
        + "    def __call__(self, ep, peer):\n        at_c(peer)\n"
        + "    @staticmethod\n    def fixed(ep, peer):\n        at_d(peer)\n"
        + "class Made:\n    def __init__(self, ep, peer):\n        at_e(peer)\n"
        + f"rc, ep = doca_comm_channel_ep_create()\ncheck(rc)\nrc, peer = doca_comm_channel_ep_connect(ep, 'a')\n{text}"
    )
    assert any(program.facts.may_be_none(program[mark]) for mark in "abcde") is answer


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("self.rc, self.ep = doca_comm_channel_ep_create()\n        check(self.rc)", False),
        ("rc, self.ep = doca_comm_channel_ep_create()\n        check(rc)", False),
        ("rc, self.ep = doca_comm_channel_ep_create()", True),
        ("self.ep = None", True),
        ("self.ep = unwrap(doca_comm_channel_ep_create())", False),
    ],
)
def test_fields(body: str, answer: bool) -> None:
    text = f"class Chan:\n    def __init__(self):\n        {body}\n    def send(self):\n        at_x(self.ep)\n"
    text += "Chan().send()\n"
    extra = "Chan().ep = unwrap(doca_comm_channel_ep_create())\n" if "None" in body else ""
    program = Marked(main=FLAT + text + extra)
    assert program.facts.may_be_none(program["x"]) is answer


@pytest.mark.parametrize(
    ("head", "made"),
    [
        ("class Chan:\n    ep = None\n", "Chan()"),
        ("class Base:\n    ep = None\nclass Chan(Base):\n", "Chan()"),
        ("@dataclass\nclass Chan:\n    ep: object = None\n", "Chan()"),
        ("@dataclass\nclass Chan:\n    ep: object\n", "Chan(None)"),
        ("class Chan:\n    ep = None\n    def __init__(self):\n        self.open()\n", "Chan()"),
        ("class Chan:\n", "Chan()\nsetattr(chan, 'ep', None)"),
        ("class Chan:\n", "Chan()\nvars(chan).update(ep=None)"),
        ("class Chan:\n", "Chan()\nchan.__dict__['ep'] = None"),
        ("class Chan:\n    def __init__(self, **kw):\n        self.__dict__.update(kw)\n", "Chan(ep=None)"),
        ("class Chan:\n    def __getattr__(self, name):\n        return None\n", "Chan()"),
        ("class Chan:\n    def __getattr__(self, name):\n        pass\n", "Chan()"),
    ],
)
def test_a_field_that_is_none_before_a_method_sets_it(head: str, made: str) -> None:
    program = Marked(
        main=f"{FLAT}from dataclasses import dataclass\n{head}"
        + "    def open(self):\n        self.ep = Endpoint()\n"
        + f"    def send(self):\n        at_x(self.ep)\nchan = {made}\nchan.send()\nchan.open()\n"
    )
    assert program.facts.may_be_none(program["x"])


@pytest.mark.parametrize(
    "text",
    [
        "    def __getattr__(self, name):\n        return getattr(self.ep, name)\n",
        "    def __getattr__(self, name):\n        raise AttributeError(name)\n",
        "    def __str__(self):\n        return ', '.join(f'{k}={v}' for k, v in vars(self).items())\n",
        "    def __eq__(self, other):\n        return self.__dict__.get('a') == 1\n",
    ],
)
def test_a_field_that_only_methods_set(text: str) -> None:
    program = Marked(
        main=f"{FLAT}class Chan:\n    def __init__(self):\n        rc, self.ep = doca_comm_channel_ep_create()\n"
        + f"        check(rc)\n    def send(self):\n        at_x(self.ep)\n{text}Chan().send()\n"
    )
    assert not program.facts.may_be_none(program["x"])


@pytest.mark.parametrize("made", ["types.SimpleNamespace(ep=None)", "conf"])
def test_a_field_of_no_object_of_the_program(made: str) -> None:
    text = f"import conf, types\n{FLAT}state = {made}\ndef open():\n    state.ep = Endpoint()\n"
    program = Marked({"conf": "ep = None\n"}, main=text + "def send():\n    at_x(state.ep)\nsend()\nopen()\n")
    assert program.facts.may_be_none(program["x"])


def test_a_field_that_another_method_may_lose() -> None:
    program = Marked(
        main=FLAT
        + "class Chan:\n    def __init__(self):\n        self.ep = Endpoint()\n        self.peer = None\n"
        + "    def dial(self):\n        self.peer = self.ep.connect('a')\n"
        + "    def send(self):\n        at_a(self.peer)\n"
        + "        if self.peer is not None:\n            at_b(self.peer)\n"
        + "            self.drop()\n            at_c(self.peer)\n"
        + "    def drop(self):\n        self.peer = None\nc = Chan()\nc.dial()\nc.send()\n"
    )
    answers = [program.facts.may_be_none(program[mark]) for mark in "abc"]
    assert answers == [True, False, True]


@pytest.mark.parametrize(
    ("meanwhile", "answer"),
    [
        ("time.sleep(1)", True),
        ("input()", True),
        ("select.select([0], [], [])", True),
        ("threading.Thread(target=print).join()", True),
        ("queue.Queue().get()", True),
        ("await asyncio.sleep(1)", True),
        ("await self.other", True),
        ("yield 1", True),
        ("with self.lock: pass", True),
        ("async for _ in self.other: pass", True),
        ("pe.progress()", True),
        ("ctx.stop()", True),
        ("print(time.monotonic(), len('a'), isinstance(self, str), repr(1))", False),
        ("logging.info('a')", False),
        ("struct.pack('I', 1)", False),
        ("ctx.get_num_inflight_tasks()", False),
    ],
)
def test_a_field_that_others_may_lose_meanwhile(meanwhile: str, answer: bool) -> None:
    program = Marked(
        main="import asyncio, logging, queue, select, struct, threading, time\nfrom doca_cc import *\n"
        + "pe, ctx = ProgressEngine(), Client(open_device('a'), 'b').as_ctx()\n"
        + "class Chan:\n    def __init__(self):\n        self.lock, self.other = threading.Lock(), None\n"
        + "        self.client = Client(open_device('a'), 'b')\n"
        + f"    async def send(self):\n        if self.client is not None:\n            {meanwhile}\n"
        + "            at_x(self.client)\n    def drop(self):\n        self.client = None\n"
        + "c = Chan()\nc.send()\nc.drop()\n"
    )
    assert program.facts.may_be_none(program["x"]) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("at_x(ep)\nep.destroy()", False),
        ("ep.destroy()\nat_x(ep)", True),
        ("if now:\n    ep.destroy()\nat_x(ep)", True),
        ("if now:\n    ep.destroy()\nelse:\n    at_x(ep)", False),
        ("ep.destroy()\nep = Endpoint()\nat_x(ep)", False),
        ("for _ in range(3):\n    at_x(ep)\n    ep.destroy()", True),
        ("for _ in range(3):\n    ep = Endpoint()\n    at_x(ep)\n    ep.destroy()", False),
        ("doca_comm_channel_ep_destroy(ep)\nat_x(ep)", True),
        ("def close(ep):\n    ep.destroy()\nclose(ep)\nat_x(ep)", True),
        ("def send(ep):\n    at_x(ep)\nep.destroy()\nsend(ep)", True),
        ("def send(ep):\n    at_x(ep)\nsend(ep)\nep.destroy()", False),
        ("other = Endpoint()\nother.destroy()\nat_x(ep)", False),
        ("ep.disconnect(None)\nat_x(ep)", False),
        ("def close(ep):\n    ep.destroy()\nother = Endpoint()\nclose(other)\nat_x(ep)", False),
        ("def close():\n    ep.destroy()\nclose()\nat_x(ep)", True),
        ("def close(ep):\n    ep.destroy()\nfor ep in [ep, Endpoint()]:\n    at_x(ep)\n    close(ep)", False),
        ("try:\n    ep.destroy()\nexcept InUse:\n    at_x(ep)", False),
        ("while doca_comm_channel_ep_destroy(ep) == DOCA_ERROR_IN_USE:\n    at_x(ep)", False),
        ("while doca_comm_channel_ep_destroy(ep) != DOCA_SUCCESS:\n    at_x(ep)", False),
        ("if doca_comm_channel_ep_destroy(ep) == DOCA_SUCCESS:\n    at_x(ep)", True),
        ("if doca_comm_channel_ep_destroy(ep):\n    at_x(ep)", False),
        ("def close(rest):\n    ep.destroy()\n    if rest:\n        close(rest[1:])\nclose([1])\nat_x(ep)", True),
    ],
)
def test_endings(text: str, answer: bool) -> None:
    program = Marked(main="from doca_comm_channel import *\nep = Endpoint()\n" + text)
    assert program.facts.may_be_closed(program["x"]) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("ctx = doca_cc_client_as_ctx(client)\nat_x(ctx)", True),
        ("at_x(doca_cc_client_as_ctx(client))", True),
        ("if rc == DOCA_SUCCESS:\n    ctx = doca_cc_client_as_ctx(client)\n    at_x(ctx)", False),
        ("if rc:\n    raise SystemExit\nat_x(doca_cc_client_as_ctx(client))", False),
        ("ctx = doca_cc_client_as_ctx(None)\nat_x(ctx)", True),
        ("ctx = doca_cc_client_as_ctx('a text')\nat_x(ctx)", True),
        ("ctx = doca_cc_client_as_ctx(client)\nif ctx:\n    at_x(ctx)", False),
        ("if not rc:\n    rc, c = doca_cc_client_get_connection(client)\n    if not rc:\n"
         "        owner = doca_cc_server_get_server_ctx(c)\n        at_x(owner)", True),  # it may be a client's
    ],
)  # fmt: skip
def test_a_call_without_a_code_gives_none_for_none(text: str, answer: bool) -> None:
    program = Marked(main=f"from doca_cc import *\nrc, client = doca_cc_client_create(dev(), 'svc')\n{text}")
    assert program.facts.may_be_none(program["x"]) is answer


CHANNEL = """
from doca_comm_channel import *
class Channel:
    def __init__(self):
        self.ep = Endpoint()
    def close(self):
        at_x(self.ep)
        self.ep.destroy()
    def close_once(self):
        if self.ep is not None:
            at_y(self.ep)
            self.ep.destroy()
        self.ep = None
"""


@pytest.mark.parametrize(
    ("text", "mark", "answer"),
    [
        ("a = Channel()\na.close()", "x", False),
        ("a = Channel()\na.close()\na.close()", "x", True),
        ("a, b = Channel(), Channel()\na.close()\nb.close()", "x", False),
        ("for _ in range(2):\n    a = Channel()\n    a.close()", "x", False),
        ("for a in [Channel(), Channel()]:\n    a.close()", "x", False),
        ("a = Channel()\na.close_once()\na.close_once()", "y", False),
        ("class App:\n    def __init__(self):\n        self.a, self.b = Channel(), Channel()\n"
         "    def end(self):\n        self.a.close()\n        self.b.close()\nApp().end()", "x", False),
        ("class App:\n    def __init__(self):\n        self.a = Channel()\n"
         "    def end(self):\n        self.a.close()\napp = App()\napp.end()\napp.a.close()", "x", True),
    ],
)  # fmt: skip
def test_endings_of_fields(text: str, mark: str, answer: bool) -> None:
    program = Marked(main=CHANNEL + text)
    assert program.facts.may_be_closed(program[mark]) is answer
