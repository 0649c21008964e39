"""Which expressions are handles of what origin, and what keeps them old."""

from __future__ import annotations

import pytest

import comch_next
from migrate.facts.inspections import OF_MESSAGES
from tests.migrate.marked import Marked

CC = "import doca_comm_channel as cc\n"
FLAT = "from doca_comm_channel import *\n"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (CC + "at_x(cc.Endpoint())", {"endpoint"}),
        (CC + "at_x(cc.open_device('a'))", {"device"}),
        (CC + "with cc.open_device('a') as dev:\n    at_x(dev)", {"device"}),
        (CC + "at_x(cc.open_device('a').open_representor('b'))", {"representor"}),
        (CC + "at_x(cc.devices())", {"devinfo[]"}),
        (CC + "for info in cc.devices():\n    at_x(info.open())", {"device"}),
        (CC + "at_x([i for i in cc.devices() if i.is_equal_pci_addr('a')][0])", {"devinfo"}),
        (CC + "at_x(cc.Endpoint().connect('svc'))", {"peer"}),
        (CC + "msg, peer = cc.Endpoint().recvfrom(1)\nat_x(peer)", {"peer"}),
        (CC + "msg, peer = cc.Endpoint().recvfrom(1)\nat_x(msg)", set()),
        (CC + "at_x(cc.Endpoint().recvfrom(1))", {"peer[]"}),
        (CC + "at_x(cc.Endpoint().get_device())", {"device"}),
        (CC + "at_x(cc.Endpoint().get_peer_addr_list()[0])", {"peer"}),
        (CC + "def f(ep: cc.Endpoint):\n    at_x(ep)", {"endpoint"}),
        (CC + "def f(ep: 'cc.Endpoint | None'):\n    at_x(ep)", {"endpoint"}),
        (CC + "def f(ep):\n    ep.event_handle_arm_send()\n    at_x(ep.connect('a'))", {"peer"}),
        ("import doca_cc\ndef f(pe):\n    pe.progress()\n    at_x(pe)", {"engine"}),
        ("import doca_cc\ndef f(path):\n    path.progress()\n    path.text\n    at_x(path)", set()),
        (CC + "def f(ep):\n    ep.event_handle_arm_send()\n    ep.note\n    at_x(ep)", {"endpoint"}),
        (FLAT + "def f(peer):\n    doca_comm_channel_peer_addr_update_info(peer)\n    at_x(peer)", {"peer"}),
        (FLAT + "rc, ep = doca_comm_channel_ep_create()\nat_x(ep)", {"endpoint"}),
        (FLAT + "rc, ep = doca_comm_channel_ep_create()\nat_x(rc)", set()),
        (FLAT + "rc, ep = doca_comm_channel_ep_create()\nat_x(doca_error_get_name(ep))", set()),
        (FLAT + "r = doca_comm_channel_ep_create()\nat_x(r[1])", {"endpoint"}),
        (FLAT + "rc, infos, n = doca_devinfo_create_list()\nrc, dev = doca_dev_open(infos[0])\nat_x(dev)", {"device"}),
        (FLAT + "dev = open_device('a')\nat_x(doca_dev_as_devinfo(dev))", {"devinfo"}),
        (CC + "ep = cc.Endpoint()\ntry:\n    ep.recvfrom(1)\nexcept cc.ConnectionReset as e:\n    at_x(e.connection)",
         {"peer"}),
        (CC + "ep = cc.Endpoint()\ntry:\n    ep.recvfrom(1)\nexcept Exception as e:\n    at_x(e.connection)", {"peer"}),
        (CC + "def make():\n    return cc.Endpoint\nat_x(make()())", {"endpoint"}),
        (CC + "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Link:\n    ep: object\n"
         "at_x(Link(cc.Endpoint()).ep)", {"endpoint"}),
        (CC + "import functools\n@functools.lru_cache(maxsize=None)\ndef make():\n    return cc.Endpoint()\n"
         "at_x(make())", {"endpoint"}),
        ("import socket\nat_x(socket.socket())", set()),
    ],
)  # fmt: skip
def test_kinds(text: str, kinds: set[str]) -> None:
    program = Marked(main=text)
    assert program.facts.kinds(program["x"]) == kinds


def test_what_a_handle_gives_has_its_origin() -> None:
    program = Marked(
        main=CC + "ep = cc.Endpoint()\nother = cc.Endpoint()\nat_ep(ep)\nat_peer(ep.connect('a'))\nat_other(other)"
        "\nat_peers(other.get_peer_addr_list())\nat_dev(cc.open_device('a'))"
    )
    origins = {mark: program.facts.handles(node) for mark, node in program.expressions.items()}
    assert origins["ep"] == origins["peer"]
    assert origins["other"] == origins["peers"]
    assert len(origins["ep"] | origins["other"] | origins["dev"]) == 3


def test_the_connection_of_an_exception_may_be_of_any_endpoint() -> None:
    program = Marked(
        main=CC + "a, b = cc.Endpoint(), cc.Endpoint()\nat_both((a, b))\ntry:\n    a.recvfrom(1)\n"
        "except cc.DocaError as e:\n    at_x(e.connection)\n"
    )
    assert len(program.facts.handles(program["x"])) == 2


def test_handles_in_collections_are_seen() -> None:
    program = Marked(main=CC + "eps = {}\nfor n in range(3):\n    eps[n] = cc.Endpoint()\nat_x(eps)\nat_y(eps[1])")
    assert program.facts.handles(program["x"]) == program.facts.handles(program["y"]) != frozenset()
    assert program.facts.kinds(program["x"]) == {"endpoint[]"}


def test_fields_that_a_test_case_inherits() -> None:
    program = Marked(
        main=CC
        + "import unittest\nclass Case(unittest.TestCase):\n    def setUp(self):\n        self.ep = cc.Endpoint()\n"
        + "    def receive(self):\n        self.ep.recvfrom(1)\n"
        + "class Messages(Case):\n    def test_one(self):\n        self.receive()\n        self.ep.listen('a')\n"
    )
    assert program.obstacles() == set()


def test_calls_on_an_origin() -> None:
    program = Marked(
        main=CC + "server, client = cc.Endpoint(), cc.Endpoint()\nserver.listen('a')\n"
        "def dial(call):\n    call('a')\ndial(client.connect)\nat_s(server)\nat_c(client)"
    )
    (server,), (client,) = program.facts.handles(program["s"]), program.facts.handles(program["c"])
    assert program.facts.calls_on(server) == {"doca_comm_channel_ep_create", "doca_comm_channel_ep_listen"}
    assert program.facts.calls_on(client) == {"doca_comm_channel_ep_create", "doca_comm_channel_ep_connect"}


FIXTURE = "import pytest\n@pytest.fixture\ndef given():\n    return ep\n"
MAKE = CC + "ep = cc.Endpoint()\npeer = ep.connect('a')\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ep.listen('a')", set()),
        ("import queue\nq = queue.Queue()\nq.put(ep)\nq.get().listen('a')", set()),
        ("import threading\nthreading.Thread(target=ep.destroy).start()", set()),
        ("import weakref\nweakref.ref(ep)", set()),
        ("{ep: 1}[ep]", set()),
        ("ep is peer, ep == peer, bool(ep), len([ep])", set()),
        ("import telemetry\ntelemetry.register(ep)", {"CCM033"}),
        ("import telemetry\ntelemetry.register([ep])", {"CCM033"}),
        ("import telemetry\ntelemetry.register(ep.destroy)", {"CCM033"}),
        ("ep.name = 'a'", {"CCM082"}),
        ("try:\n    ep.recvfrom(64).data\nexcept AttributeError:\n    pass", {"CCM082"}),
        ("got = ep.recvfrom(64)\nprint(got.count(b''), got[0])", set()),
        ("class A:\n    def put(self, got):\n        self.data = got[0]\nA().put(ep.recvfrom(64))", set()),
        ("del ep.name", {"CCM082"}),
        ("ep.__dict__", {"CCM082"}),
        ("vars(ep)", {"CCM082"}),
        ("import copy\ncopy.copy(ep)", {"CCM082"}),
        ("import pickle\npickle.dumps([ep])", {"CCM082"}),
        ("setattr(ep, 'a', 1)", {"CCM082"}),
        ("ep.nothing", set()),
        ("links = [cc.open_device('a')]\nlinks.append(links[0].open_representor('b'))\nlinks.pop().close()", set()),
        ("devs, reps = [cc.open_device('a')], []\nfor opened in devs + reps:\n    opened.close()", set()),
        ("hasattr(ep, 'send')", {"CCM005"}),
        ("getattr(ep, name)()", {"CCM005"}),
        ("getattr(ep, 'listen')('a')", {"CCM005"}),
        ("eval('ep.listen(1)')", {"CCM005"}),
        ("def f(link):\n    return eval('link.listen(1)')\nf(ep)", {"CCM005"}),
        ("eval('1 + 1')", set()),
        ("globals()['ep'].listen('a')", {"CCM005"}),
        ("globals()[name].listen('a')", {"CCM005"}),
        ("globals()['other'] = 1", set()),
        ("print('%(peer)s' % globals())", set()),
        ("print(ep)", {"CCM081"}),
        ("print('peers', [peer])", {"CCM081"}),
        ("f'{peer}'", {"CCM081"}),
        ("print(peer if ep.get_device() else None)", {"CCM085"}),
        ("held = {'peer': peer}\nheld.pop('peer')\nprint(held)", {"CCM085"}),
        ("class Bag:\n    def __init__(self, **held):\n        self.__dict__.update(held)\nBag(peer=peer)", {"CCM033"}),
        ("'%s %d' % (peer, 1)", {"CCM081"}),
        ("import logging\nlogging.info('%s', peer)", {"CCM081"}),
        ("import logging\nlog = logging.getLogger('a')\nlog.info('%s', peer)", {"CCM081"}),
        ("print({'a': [(1, peer)]})", {"CCM081"}),
        ("print(*map(str, [peer, ep]))", {"CCM081"}),
        ("def show(*things):\n    print(*things)\nshow(1)\nshow('a', peer)", {"CCM081"}),
        ("def show(*things):\n    print(' '.join(map(str, things)))\nshow('a', peer)", {"CCM081"}),
        ("def show(*things):\n    print(*[str(each) for each in things])\nshow('a', peer)", {"CCM081"}),
        ("def show(*things):\n    for each in things:\n        print(each)\nshow('a', peer)", {"CCM081"}),
        ("def show(*things):\n    for each in things:\n        print(each)\nshow('a', 1)", set()),
        ("def show(*things):\n    for at in range(len(things)):\n        print(at)\nshow('a', peer)", set()),
        ("def show(**things):\n    print([f'{k} {v}' for k, v in things.items()])\nshow(a=1, b=peer)", {"CCM081"}),
        ("def show(**things):\n    print(['%s %s' % it for it in things.items()])\nshow(a=1, b=peer)", {"CCM081"}),
        ("def show(text, *things, **named):\n    text.format(*things, **named)\nshow('{} {}', 'a', peer)", {"CCM081"}),
        ("class A:\n    def __init__(self, peer):\n        self.peer = peer\nprint(A(peer))", set()),
        ("class A:\n    def __init__(self, peer):\n        self.peer = peer\nprint(vars(A(peer)))", {"CCM081"}),
        ("class A(Exception): ...\ntry:\n    raise A(peer)\nexcept A as error:\n    print(error)", {"CCM081"}),
        ("from typing import NamedTuple\nclass A(NamedTuple):\n    peer: object\nprint(A(peer))", {"CCM081"}),
        ("print(peer.get_recv_bytes())", set()),
        ("import typing\nclass Route(typing.TypedDict):\n    peer: cc.PeerAddr\n"
         "route = Route(peer=peer)\nroute['peer'].set_user_data(7)", set()),
        ("import typing\nclass Route(typing.TypedDict):\n    peer: cc.PeerAddr\nprint(Route(peer=peer))", {"CCM081"}),
        ("class A:\n    def __init__(self, peer):\n        self.peer = peer\n"
         "vars(A(peer))['peer'].set_user_data(7)", set()),
        ("class A:\n    def __init__(self, peer):\n        self.peer = peer\n    def get(self, name):\n"
         "        return self.__dict__.get(name)\nA(peer).get('peer').set_user_data(7)", set()),
        ("import other\nclass A(other.B):\n    def __init__(self, peer):\n        self.peer = peer\n"
         "vars(A(peer))['peer'].set_user_data(7)", {"CCM034"}),
        ("class Pair(tuple): ...\nPair((ep, peer))[1].set_user_data(7)", set()),
        ("import socket\nfor link in (ep, socket.socket()):\n    link.sendto(b'', peer)", {"CCM035"}),
        ("class Link:\n    def sendto(self, a, b): ...\nfor link in (ep, Link()):\n    link.sendto(b'', peer)",
         {"CCM035"}),
        ("class Link:\n    def other(self): ...\nfor link in (ep, Link()):\n    link.sendto(b'', peer)", set()),
        ("for link in (ep, None):\n    link.sendto(b'', peer)", set()),
        ("import sys\nlink = str(sys.argv) and ep\nif link:\n    link.sendto(b'', peer)", set()),
        ("import sys\nlink = ep if sys.argv else ''\nlink.sendto(b'', peer)", set()),
        ("import sys\nlink = str(sys.argv) or ep\nlink.sendto(b'', peer)", {"CCM035"}),
        ("import socket\nlink = str(sys.argv) and ep\nlink = socket.socket()\nlink.sendto(b'', peer)", {"CCM035"}),
        ("import other\nep.sendto(b'', other.peer())", {"CCM034"}),
        ("def one(given):\n    return given or cc.DOCA_ERROR_AGAIN\nfor to in one([peer]):\n    ep.sendto(b'', to)",
         set()),
        ("def one(given):\n    return given or cc.ErrorCode\nfor to in one([peer]):\n    ep.sendto(b'', to)",
         {"CCM034"}),
        ("import other\nfor link in (ep, other.link()):\n    link.sendto(b'', peer)", {"CCM033", "CCM034"}),
        ("def give():\n    return ep", {"CCM083"}),
        ("def give():\n    return ep\ngive()", set()),
        ("def give():\n    yield ep", {"CCM083"}),
        ("import operator\noperator.getitem([ep], 0).listen('a')", {"CCM033"}),
        ("import statistics\nstatistics.mode([ep]).listen('a')", {"CCM033"}),
        ("import random, statistics\nprint(statistics.mode([1]), random.random())\nep.listen('a')", set()),
        ("def f(link):\n    locals()['link'].listen('a')\nf(ep)", {"CCM005"}),
        ("def f(link):\n    size = 1\n    print(locals()['size'])\nf(ep)", set()),
        (FIXTURE, {"CCM083"}),
        (FIXTURE + "def test_it(given):\n    given.listen('a')", set()),
        (FIXTURE + "def test_it(given, request):\n    request.getfixturevalue('given').listen('a')", {"CCM083"}),
        (FIXTURE + "def test_it(given, request):\n    request.getfixturevalue(request.param).close()", {"CCM083"}),
        (FIXTURE + "def test_it(given, request):\n    request.getfixturevalue('other').close()", set()),
        ("def give():\n    return ep\nif __name__ == '__main__':\n    print('done')", {"CCM087"}),
        ("import sys, importlib\nimportlib.import_module(sys.argv[1])\ndef give():\n    return ep\n"
         "if __name__ == '__main__':\n    print('done')", {"CCM083"}),
        ("def take(ep: cc.Endpoint):\n    ep.listen('a')\nif __name__ == '__main__':\n    print('done')", {"CCM087"}),
        ("def _give():\n    return ep", set()),
        ("def take(ep: cc.Endpoint):\n    ep.listen('a')", {"CCM083"}),
        ("def take(ep: cc.Endpoint):\n    ep.listen('a')\ntake(ep)", set()),
        ("class Chan:\n    def __init__(self):\n        self.ep = ep\n    def send(self, msg):\n"
         "        self.ep.sendto(msg, peer)", set()),
    ],
)  # fmt: skip
def test_obstacles(text: str, expected: set[str]) -> None:
    assert Marked(main=MAKE + text).obstacles() == expected


CHANNEL = """import socket, sys
class A:
    def __init__(self, name):
        self.link = name and ep
    def send(self):
        if self.link:
            self.link.sendto(b'', peer)
a = A(str(sys.argv))
a.send()
"""


@pytest.mark.parametrize(
    ("before", "after", "text", "expected"),
    [
        ("", "", "", set()),
        ("", "", "a.link = str(sys.argv) and a.link", set()),
        ("", "", "a.link = socket.socket()", {"CCM035"}),
        ("", "", "setattr(a, 'link', socket.socket())", {"CCM035"}),
        ("", "", "vars(a).update(link=socket.socket())", {"CCM035"}),
        ("class A:", "class A:\n    link = socket.socket()", "", {"CCM035"}),
        ("class A:", "class B:\n    link = socket.socket()\nclass A(B):", "", {"CCM035"}),
        ("name and ep", "name and socket.socket() or ep", "", {"CCM035"}),
        ("name and ep", "name and (ep if len(name) > 1 else name)", "", {"CCM035"}),
    ],
)
def test_a_field_that_and_leaves_false(before: str, after: str, text: str, expected: set[str]) -> None:
    assert Marked(main=MAKE + CHANNEL.replace(before, after, 1) + text).obstacles() == expected


def test_a_file_that_was_not_given_keeps_its_handles_old() -> None:
    make = CC + "def make():\n    return cc.Endpoint()\n"
    use = "from make import make\nep = make()\nep.listen('a')\n"
    assert Marked(make=make, use=use).obstacles() == set()
    assert Marked(make=make, use=use, context=frozenset({"use"})).obstacles() == {"CCM049"}
    assert Marked(make=make, use=use, context=frozenset({"make"})).obstacles() == {"CCM049"}
    only = Marked(make=make, use="from make import make\nkept = make()\n", context=frozenset({"use"}))
    assert only.obstacles() == set()


def test_a_class_that_is_used_elsewhere_does_not_share_its_handles() -> None:
    chan = (
        CC
        + "class Chan:\n    def __init__(self):\n        self._ep = cc.Endpoint()\n"
        + "    def close(self):\n        self._ep.destroy()\n"
    )
    use = "from chan import Chan\nc = Chan()\nc.close()\n"
    assert Marked(chan=chan, use=use, context=frozenset({"use"})).obstacles() == set()


def test_the_attributes_of_a_message_that_no_tuple_has() -> None:
    names = {name for name in dir(comch_next.Message) if not name.startswith("_")}
    assert names - {*dir(tuple)} == OF_MESSAGES
