"""Every place that names the old API: which are found, and which of them cannot change."""

from __future__ import annotations

import pytest

from tests.migrate.marked import Marked

CC = "import doca_comm_channel as cc\n"


def names(text: str, **files: str) -> list[str]:
    return [name for name, _ in Marked(files, main=text).references()]


def codes(text: str, **files: str) -> list[tuple[str, str]]:
    return Marked(files, main=text).codes()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CC + "ep = cc.Endpoint()\nep.listen('svc')", ["doca_comm_channel", "Endpoint", "doca_comm_channel_ep_listen"]),
        ("from doca_comm_channel import Endpoint as E\nE()", ["Endpoint", "Endpoint"]),
        ("import doca_comm_channel.flat\ndoca_comm_channel.flat.DOCA_SUCCESS",
         ["doca_comm_channel.flat", "DOCA_SUCCESS"]),
        ("from doca_comm_channel import flat\nflat.DOCA_SUCCESS", ["flat", "DOCA_SUCCESS"]),
        ("from doca_comm_channel import *\nDOCA_IS_ERROR(5)", ["*", "DOCA_IS_ERROR"]),
        ("from doca_comm_channel import *\ndoca_log_level_get_global_lower_limit()",
         ["*", "doca_log_level_get_global_lower_limit"]),
        ("def f():\n    import doca_comm_channel as cc\n    return cc.Again", ["doca_comm_channel", "Again"]),
        ("if 1:\n    import doca_comm_channel as cc\ncc.Again", ["doca_comm_channel", "Again"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import doca_comm_channel as cc\n"
         "def f(ep: cc.Endpoint): ...", ["doca_comm_channel", "Endpoint"]),
        (CC + "def f(ep: cc.Endpoint | None = None) -> list[cc.PeerAddr]: ...",
         ["doca_comm_channel", "Endpoint", "PeerAddr"]),
        (CC + "x: cc.Endpoint", ["doca_comm_channel", "Endpoint"]),
        (CC + "def f(cc):\n    cc.Endpoint()", ["doca_comm_channel"]),
        (CC + "[cc.close() for cc in ()]", ["doca_comm_channel"]),
        (CC + "match 5:\n    case cc.DOCA_SUCCESS: pass", ["doca_comm_channel", "DOCA_SUCCESS"]),
        (CC + "@cc.outcome\ndef f(): ...", ["doca_comm_channel", "outcome"]),
        (CC + "with cc.open_device('a') as dev:\n    dev.close()",
         ["doca_comm_channel", "open_device", "doca_dev_close"]),
        (CC + "class C:\n    state = cc.DOCA_SUCCESS\nprint(C.state, C().state)",
         ["doca_comm_channel", "DOCA_SUCCESS"]),
        (CC + "codes = cc.ErrorCode\nprint(codes.AGAIN)", ["doca_comm_channel", "ErrorCode"]),
        ("from doca_comm_channel import ErrorCode\nprint(ErrorCode.AGAIN)", ["ErrorCode", "ErrorCode", "AGAIN"]),
        (CC + "print(cc.ErrorCode.AGAIN)", ["doca_comm_channel", "AGAIN", "ErrorCode"]),
        ("import socket\nsocket.socket().sendto(b'', 1)", []),
        ("from .vendor import doca_comm_channel\ndoca_comm_channel.run()", []),
        ("from .vendor import doca_comm_channel_ep_create\ndoca_comm_channel_ep_create()", []),
    ],
)  # fmt: skip
def test_references(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("try:\n    import comch_next as cc\nexcept ImportError:\n    import doca_comm_channel as cc\ncc.Again",
         [("Again", "CCM004")]),
        ("try:\n    import doca_comm_channel as cc\nexcept ImportError:\n    cc = None\n"
         "if cc is not None:\n    cc.Again", []),
        (CC + "if hasattr(cc, 'Endpoint'):\n    cc.Endpoint()", []),
        (CC + "if hasattr(cc, 'Server'):\n    cc.Endpoint()", [("", "CCM006"), ("Endpoint", "CCM006")]),
        (CC + "getattr(cc, name)", [("", "CCM005")]),
        (CC + "use(cc)", [("", "CCM009")]),
        (CC + "print(cc)", [("", "CCM009")]),
        (CC + "print(f'{cc}')", [("", "CCM009")]),
        (CC + "other = cc\nother.Endpoint()", []),
        (CC + "other = cc\nother.__name__", [("__name__", "CCM022")]),
        (CC + "def get(): return cc\nget().Endpoint()", []),
        (CC + "import fake\nother = cc if x else fake\nother.Endpoint()", [("Endpoint", "CCM004")]),
        (CC + "cc.nothing()", [("nothing", "CCM012")]),
        (CC + "cc.Endpoint(1)", [("Endpoint", "CCM023")]),
        (CC + "ep = cc.Endpoint()\nep.listen(*args)", [("doca_comm_channel_ep_listen", "CCM038")]),
        (CC + "ep = cc.Endpoint()\nname = ('svc',) if ep else None\nif name:\n    ep.listen(*name)", []),
        (CC + "f'{cc.get_max_service_name_len()=}'", [("get_max_service_name_len", "CCM005")]),
        (CC + "f'length={cc.get_max_service_name_len()}'", []),
        ("import doca_cc\ndoca_cc.Endpoint()", [("Endpoint", "CCM012")]),
        (CC + "import doca_cc\nhasattr(cc, 'doca_cc_server_create')",
         [("", "CCM006"), ("doca_cc_server_create", "CCM006")]),
        ("import doca_comm_channel.extra", [("doca_comm_channel.extra", "CCM012")]),
        ("from doca_comm_channel import *\nimport other\ndoca_comm_channel_ep_listen(other.ep(), 'a')",
         [("doca_comm_channel_ep_listen", "CCM034")]),
        ("from doca_comm_channel import *\ndoca_comm_channel_ep_listen(None, 'a')", []),
        ("def f(lib):\n    lib.doca_comm_channel_ep_create(ep)", [("doca_comm_channel_ep_create", "CCM007")]),
        ("def f(lib):\n    lib.doca_cc_server_create(ep)", [("doca_cc_server_create", "CCM007")]),
        ("from wrapper import lib\nlib.doca_comm_channel_ep_create()", [("doca_comm_channel_ep_create", "CCM007")]),
        ("import wrapper\nwrapper.doca_comm_channel_ep_create()", [("doca_comm_channel_ep_create", "CCM007")]),
        ("import ctypes\nlib = ctypes.CDLL(x)\nlib.doca_comm_channel_ep_create()",
         [("doca_comm_channel_ep_create", "CCM089")]),
        ("from .wrapper import lib\nlib.doca_comm_channel_ep_create()", []),
        ("import wrapper\nwrapper.doca_comm_channel.run()", []),
        ("doca_comm_channel_ep_create()", [("doca_comm_channel_ep_create", "CCM007")]),
        ("def doca_comm_channel_ep_create(): ...\ndoca_comm_channel_ep_create()", []),
        ("class Lib:\n    def doca_comm_channel_ep_create(self): ...\nLib().doca_comm_channel_ep_create()", []),
        (CC + "class E(cc.Endpoint):\n    def go(self):\n        self.sendto(b'', None)\nE().go()",
         [("sendto", "CCM039")]),
    ],
)  # fmt: skip
def test_what_cannot_change(text: str, expected: list[tuple[str, str]]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import importlib\nimportlib.import_module('doca_comm_channel')", []),
        ("import importlib\nimportlib.import_module('doca_comm_channel', 'here')", [("doca_comm_channel", "CCM005")]),
        ("module = __import__('doca_comm_channel')\nmodule.Endpoint()", []),
        ("import pytest\npytest.importorskip('doca_comm_channel').Endpoint", []),
        ("import_module('doca_comm_channel')", [("doca_comm_channel", "CCM005")]),
        ("from importlib.util import find_spec\nif find_spec('doca_comm_channel'): pass", []),
        ("from importlib.util import find_spec\nprint(find_spec('doca_comm_channel'))",
         [("doca_comm_channel", "CCM006")]),
        ("lib.dlopen('libdoca_comm_channel.so.2')", [("libdoca_comm_channel", "CCM005")]),
        ("ffi.cdef('int doca_comm_channel_ep_create(void);')", [("doca_comm_channel_ep_create", "CCM005")]),
        ("getattr(lib, 'doca_comm_channel_ep_create')", [("doca_comm_channel_ep_create", "CCM005")]),
        ("lib['doca_comm_channel_ep_create']", [("doca_comm_channel_ep_create", "CCM005")]),
        ("import comch_next\ncomch_next.code_names()['DOCA_ERROR_AGAIN']\ngetattr(thing, name)", []),
        ("pkgutil.resolve_name('doca_comm_channel:Endpoint')", [("doca_comm_channel", "CCM005")]),
        ("print('doca_comm_channel_ep_create failed')", []),
        ("error.name == 'DOCA_ERROR_AGAIN'", []),
        (CC + "eval('cc.Endpoint()')", [("cc", "CCM005")]),
        (CC + "import timeit\nep = cc.Endpoint()\ntimeit.timeit('ep.sendto(b\"\", None)', globals=globals())",
         [("ep", "CCM005")]),
        (CC + "eval('1 + 1')", []),
        ("def f():\n    '''\n    >>> import doca_comm_channel\n    '''", [("doca_comm_channel", "CCM005")]),
        ("def f():\n    '''Uses doca_comm_channel.'''", []),
        (CC + "def f(ep: 'cc.Endpoint'): ...", []),
        (CC + "def f(eps: list['cc.Endpoint']): ...", []),
        (CC + "def f(ep):\n    # type: (cc.Endpoint) -> None\n    pass", []),
        (CC + "def f(n):  # type: ignore\n    pass", []),
    ],
)  # fmt: skip
def test_text_that_is_read_at_run_time(text: str, expected: list[tuple[str, str]]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("test", "patched"),
    [
        ("from unittest import mock\n@mock.patch('doca_comm_channel.Endpoint')\ndef test(): ...", True),
        ("from unittest import mock\n@mock.patch('chan.cc.Endpoint')\ndef test(): ...", True),
        ("from unittest import mock\n@mock.patch('chan.cc')\ndef test(): ...", True),
        ("import doca_comm_channel as cc\ndef test(monkeypatch):\n    monkeypatch.setattr(cc, 'Endpoint', int)", True),
        ("import chan\ndef test(monkeypatch):\n    monkeypatch.setattr(chan.cc, 'Endpoint', int)", True),
        ("import chan\ndef test(monkeypatch):\n    monkeypatch.setattr(chan, 'cc', int)", True),
        ("import doca_comm_channel as cc\ncc.Endpoint = int", True),
        ("import sys\nsys.modules['doca_comm_channel'] = object()", True),
        (
            "import sys\ndef test(monkeypatch):\n    monkeypatch.setitem(sys.modules, 'doca_comm_channel', object())",
            True,
        ),
        ("import sys\nprint('doca_comm_channel' in sys.modules)", False),
        ("from unittest import mock\n@mock.patch('chan.other')\ndef test(): ...", False),
        ("import doca_comm_channel as cc\ncc.PeerAddr = int", False),
    ],
)
def test_what_is_replaced_on_the_old_module_stays_old_everywhere(test: str, patched: bool) -> None:
    chan = "import doca_comm_channel as cc\ndef make():\n    return cc.Endpoint()\nother = 1\n"
    program = Marked(chan=chan, test=test)
    code = next(code for name, code in program.references() if name == "Endpoint")
    assert code == ("CCM080" if patched else "")


def test_names_that_other_files_take_are_references() -> None:
    chan = "import doca_comm_channel as cc\nfrom doca_comm_channel import Endpoint\n"
    assert names("from chan import cc\ncc.Again", chan=chan)[-2:] == ["cc", "Again"]
    assert names("import chan\nchan.cc.Again\nchan.Endpoint()", chan=chan)[-2:] == ["Again", "Endpoint"]
    assert names("from chan import *\ncc.Again\nEndpoint()", chan=chan)[-2:] == ["Again", "Endpoint"]


def test_a_module_of_the_project_is_not_the_library() -> None:
    assert names("import doca_comm_channel as cc\ncc.Endpoint()", doca_comm_channel="class Endpoint: ...") == []


def test_a_method_as_a_value_knows_the_handles_it_is_called_on() -> None:
    program = Marked(
        main=CC + "ep = cc.Endpoint()\nat_ep(ep)\ndef retry(call, *args):\n    call(*args)\nretry(ep.listen, 'a')"
    )
    reference = next(each for each in program.facts.references if each.name == "doca_comm_channel_ep_listen")
    assert reference.call is None
    assert reference.origins == program.facts.handles(program["ep"])


def test_a_function_as_a_value_knows_the_handles_it_is_called_with() -> None:
    program = Marked(
        main="from doca_comm_channel import *\nrc, ep = doca_comm_channel_ep_create()\nat_ep(ep)\n"
        "TABLE = {'a': doca_comm_channel_ep_listen}\nTABLE['a'](ep, 'svc')\n"
    )
    reference = next(each for each in program.facts.references if each.name == "doca_comm_channel_ep_listen")
    assert reference.call is None
    assert reference.origins == program.facts.handles(program["ep"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CC + "def f(thing):\n    thing.event_handle_arm_recv(1, 2)", []),  # a parameter that can be an endpoint only
        (CC + "import other\nother.thing().event_handle_arm_recv()", [("event_handle_arm_recv", "CCM034")]),
        ("import other\nother.thing().event_handle_arm_recv()", []),
        (CC + "import other\nother.thing().sendto(b'', 1)", []),  # no endpoint was made
        (CC + "import other\ncc.Endpoint()\nother.thing().sendto(b'', 1)", [("sendto", "CCM034")]),
        (CC + "import other\ncc.Endpoint()\nother.thing().listen(5)", []),
        (CC + "import other\ncc.Endpoint()\nother.thing().connect(('host', 1))", []),
        (CC + "import other\ncc.Endpoint()\nother.thing().close()", []),
        (CC + "import socket\ncc.Endpoint()\nsocket.socket().sendto(b'', 1)", []),
        (CC + "import socket\ncc.Endpoint()\ndef f(s):\n    s.sendto(b'', 1)\nf(socket.socket())", []),
        (CC + "cc.Endpoint()\nclass Link:\n    def sendto(self, a, b): ...\nLink().sendto(b'', 1)", []),
    ],
)  # fmt: skip
def test_methods_of_unknown_objects(text: str, expected: list[tuple[str, str]]) -> None:
    found = [(name, code) for name, code in codes(text) if code != "CCM038"]
    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        "[ep].sendto(b'', 1)",
        "for each in [[ep]]:\n    each.sendto(b'', 1)",
        "for link in [[ep]]:\n    link.end.sendto(b'', 1)",
        "class Link: ...\nLink.sendto(b'', 1)",
        "class Link: ...\nLink().sendto(b'', 1)",
        "class Link: ...\nlink = Link()\nend = link.end\nend.sendto(b'', 1)",
        "class Link:\n    end = None\nLink().end.sendto(b'', 1)",
        "class Link:\n    end = ep\nimport calendar\ncalendar.thing().end.sendto(b'', 1)",
        "for each in []:\n    each.sendto(b'', 1)",
    ],
)
def test_what_nothing_is_known_to_have_is_a_handle_that_was_lost(text: str) -> None:
    program = Marked(main=f"{CC}ep = cc.Endpoint()\n{text}\n")
    assert ("sendto", "CCM034") in program.codes()
    assert "CCM034" in program.obstacles()


@pytest.mark.parametrize(
    "text",
    [
        "end = None\nend.sendto(b'', 1)",
        "class Link:\n    end = 1\nimport calendar\ncalendar.thing().end.sendto(b'', 1)",
        "class Link:\n    def __init__(self):\n        self.sock = socket.socket()\nLink().sock.sendto(b'', 1)",
        "class Link(socket.socket): ...\nLink().sendto(b'', 1)",
        "class Link(socket.socket):\n    def sendto(self, *a):\n        super().sendto(*a)\nLink().sendto(b'', 1)",
        "class Link:\n    sock = socket.socket()\nLink.sock.sendto(b'', 1)",
        "from types import SimpleNamespace\nlink = SimpleNamespace(sock=socket.socket())\nlink.sock.sendto(b'', 1)",
        "def link(): ...\nlink.sock = socket.socket()\nlink.sock.sendto(b'', 1)",
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\nprint(args.sendto, args.start, args.progress)",
    ],
)
def test_what_may_have_a_method_of_that_name_is_no_handle(text: str) -> None:
    program = Marked(main=f"import socket\n{CC}ep = cc.Endpoint()\n{text}\n")
    assert ("sendto", "CCM034") not in program.codes()
    assert "CCM034" not in program.obstacles()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("other.thing().get_user_data()", ["get_user_data"]),
        ("other.thing().set_user_data(7)", ["set_user_data"]),
        ("other.thing().get_device()", ["get_device"]),
        ("other.thing().set_device(other.device())", ["set_device"]),
        ("[peer].get_user_data()", ["get_user_data"]),
        ("import calendar\ncalendar.thing().get_user_data()", ["get_user_data"]),
        ("typing.cast(cc.PeerAddr, other.thing()).get_user_data()", ["get_user_data"]),
        ("def show(peer: cc.PeerAddr):\n    print(peer.get_user_data())\nother.register(show)", ["get_user_data"]),
        ("def show(peer):\n    print(peer.get_user_data())\nother.register(show)", ["get_user_data"]),
        ("other.thing().get_user_data(1)", []),
        ("other.thing().set_device(0)", []),
        ("other.thing().set_device('cuda:0')", []),
        ("other.thing().set_device(f'cuda:{1}')", []),
        ("other.set_device(other.device())", []),
        ("import other.a.b.c.d\nother.a.b.c.d.set_device(other.device())", []),
        ("class Thing:\n    def get_user_data(self): ...\nThing().get_user_data()", []),
        ("other.thing().get_name()", []),
        ("other.thing().open()", []),
    ],
)  # fmt: skip
def test_methods_of_unknown_objects_whose_names_are_not_of_endpoints_alone(text: str, expected: list[str]) -> None:
    program = Marked(main=f"{CC}import typing, other\nep = cc.Endpoint()\npeer = ep.connect('a')\n{text}\n")
    assert [name for name, code in program.codes() if code == "CCM034"] == expected


def test_a_class_that_is_named_shows_that_there_are_such_handles() -> None:
    text = "import doca_comm_channel as cc, other\n{}other.thing().get_user_data()\n"
    assert Marked(main=text.format("")).codes() == []
    assert Marked(main=text.format("peer: cc.PeerAddr = other.thing()\n")).codes() == [("get_user_data", "CCM034")]


QUOTED = "from doca_comm_channel import Endpoint, PeerAddr\n"


@pytest.mark.parametrize(
    "text",
    [
        "import enum\nclass Kind(str, enum.Enum):\n    PeerAddr = 'p'\nKind['PeerAddr']",
        "class Meta(type): ...\nclass Types(dict, metaclass=Meta): ...\nclass Sub(Types): ...\nSub['PeerAddr']",
        "Base = object\nclass A(Base): ...\nclass B(A): ...\nBase = B\nA['PeerAddr']",
        "class C0: ...\n" + "".join(f"class C{n + 1}(C{n}): ...\n" for n in range(40)) + "C40['PeerAddr']",
    ],
)
def test_a_text_in_brackets_that_is_no_type(text: str) -> None:
    assert names(QUOTED + text) == ["Endpoint", "PeerAddr"]


def test_a_text_in_brackets_that_is_a_type() -> None:
    assert names(QUOTED + "class List(list): ...\nList['PeerAddr']") == ["Endpoint", "PeerAddr", "PeerAddr"]
