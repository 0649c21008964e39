"""What the library calls back, and with which handles; what comes back as user data."""

from __future__ import annotations

import pytest

from tests.migrate.marked import Marked

CC = "import doca_cc as cc\ndev = cc.open_device('a')\nclient = cc.Client(dev, 'svc')\n"
SERVER = "import doca_cc as cc\ndev = cc.open_device('a')\nserver = cc.Server(dev, dev.open_representor('b'), 'svc')\n"
FLAT = "from doca_cc import *\nrc, client = doca_cc_client_create(open_device('a'), 'svc')\n"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (CC + "client.event_msg_recv_register(lambda event, data, size, peer: at_x(peer))", {"connection"}),
        (CC + "client.event_msg_recv_register(lambda event, data, size, peer: at_x(data))", set()),
        (CC + "def f(event, data, size, peer):\n    at_x(peer.get_client_ctx())\nclient.event_msg_recv_register(f)",
         {"client"}),
        (CC + "def f(*args):\n    at_x(args[0])\nclient.task_send_set_conf(f, None, 4)", {"send_task"}),
        (CC + "def f(task, *_):\n    at_x(task.as_task().get_ctx())\nclient.task_send_set_conf(None, f, 4)", {"ctx"}),
        (CC + "class A:\n    def f(self, data, ctx, old, new):\n        at_x(ctx)\n"
         "client.as_ctx().set_state_changed_cb(cb=A().f)", {"ctx"}),
        (SERVER + "def f(event, peer, ok):\n    at_x(peer)\nserver.event_connection_register(f, f)", {"connection"}),
        (SERVER + "import functools\ndef f(n, event, peer, id):\n    at_x(peer)\n"
         "server.event_consumer_register(functools.partial(f, 1), print)", {"connection"}),
        (FLAT + "def f(event, data, size, peer):\n    at_x(peer)\n"
         "doca_cc_client_event_msg_recv_register(client, f)", {"connection"}),
        (FLAT + "def f(task, data, own):\n    at_x(doca_cc_send_task_as_task(task))\n"
         "doca_cc_client_send_task_set_conf(client, f, f, 4)", {"task"}),
    ],
)  # fmt: skip
def test_callbacks_get_handles(text: str, kinds: set[str]) -> None:
    program = Marked(main=text)
    assert program.facts.kinds(program["x"]) == kinds


@pytest.mark.parametrize(
    "text",
    [
        CC + "client.as_ctx().set_user_data(client)\nat_x(client.as_ctx().get_user_data())",
        CC + "client.as_ctx().set_user_data(client)\ndef f(data, ctx, old, new):\n    at_x(data)\n"
        "client.as_ctx().set_state_changed_cb(f)",
        CC + "def f(task, data, own):\n    at_x(own)\nclient.task_send_set_conf(f, f, 4)\n"
        "client.as_ctx().set_user_data(client)",
        CC + "def f(task, data, own):\n    at_x(data)\nclient.task_send_set_conf(f, f, 4)\n"
        "task = client.task_send_alloc_init(client.get_connection(), b'')\ntask.as_task().set_user_data(client)",
        CC + "client.get_connection().set_user_data(user_data=client)\n"
        "client.event_msg_recv_register(lambda event, data, size, peer: at_x(peer.get_user_data()))",
        CC + "class A:\n    def __init__(self):\n        self.client = client\nclient.as_ctx().set_user_data(A())\n"
        "at_x(client.as_ctx().get_user_data().client)",
        FLAT + "doca_ctx_set_user_data(doca_cc_client_as_ctx(client), client)\n"
        "rc, own = doca_ctx_get_user_data(doca_cc_client_as_ctx(client))\nat_x(own)",
    ],
)
def test_user_data_comes_back(text: str) -> None:
    program = Marked(main=text)
    assert program.facts.kinds(program["x"]) == {"client"}


def test_a_callback_that_nobody_sees_keeps_its_handles_old() -> None:
    assert Marked(main=CC + "import other\nclient.event_msg_recv_register(other.received)").obstacles() == {"CCM033"}


def test_what_only_other_generations_have_is_none_of_a_program() -> None:
    """A method that handles of generation 2 have, too, still tells of an endpoint where doca_cc is not used."""
    text = "import doca_comm_channel as cc\ndef f(ep):\n    ep.set_max_msg_size(4080)\n    at_x(ep)"
    program = Marked(main=text)
    assert program.facts.kinds(program["x"]) == {"endpoint"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("from conf import SIZE\nat_x(SIZE)", 8),
        ("from conf import *\nat_x(SIZE + 1)", 9),
        ("import conf\nat_x(conf.SIZE)", 8),
        ("import conf\nat_x(conf.Config.DEPTH)", 4),
        ("from conf import Config\nclass Mine(Config):\n    OWN = 3\nat_x(Mine().OWN)", 3),
        ("from conf import Config\nat_x(Config().field)", None),
        ("import conf\nconf.SIZE = 9\nat_x(conf.SIZE)", None),
        ("from conf import changed\nat_x(changed)", None),
    ],
)
def test_constants_of_other_files_and_classes(text: str, value: object) -> None:
    conf = "SIZE = 8\nchanged = 1\nchanged = 2\nclass Config:\n    DEPTH = 4\n    field: int = 5\n"
    program = Marked(main="import doca_cc\n" + text, conf=conf)
    assert program.facts.constant(program["x"]) == value


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("def f(): ...\nat_x(f)", True),
        ("def g(f):\n    at_x(f)", True),
        ("import other\nat_x(other.f)", True),
        ("f = print\nat_x(f)", False),
        ("for f in fs:\n    at_x(f)", False),
        ("while x:\n    def f(): ...\n    at_x(f)", False),
        ("class A:\n    def f(self): ...\n    def g(self):\n        at_x(self.f)", True),
        ("class A:\n    def g(self):\n        self.f = print\n        at_x(self.f)", False),
        ("at_x(make())", False),
    ],
)
def test_what_means_the_same_later(text: str, fixed: bool) -> None:
    program = Marked(main=text)
    assert program.facts.is_fixed(program["x"]) is fixed


NODE = """
import functools
class Node:
    {member}
    def handler(self, data): ...
    def listen(self, end):
        at_x(self.handler)
        at_p(self.part)
        {after}
Node().listen(None)
"""


@pytest.mark.parametrize(
    "member",
    [
        "@property\n    def part(self): ...",
        "@functools.cached_property\n    def part(self): ...",
        "part = property(print)",
        "def __getattr__(self, name): ...",
        "def __getattribute__(self, name): ...",
        "def _part(self): ...\nNode.part = property(Node._part)\nclass Node(Node):",
    ],
)
def test_what_is_computed_means_something_else_later_and_is_not_simple(member: str) -> None:
    program = Marked(main=NODE.format(member=member, after=""))
    assert not program.facts.is_fixed(program["p"])
    assert not program.facts.is_simple(program["p"])


@pytest.mark.parametrize(
    "member",
    [
        "@staticmethod\n    def part(): ...",
        "@classmethod\n    def part(cls): ...",
        "def __init__(self):\n        self.part = 1\n    def __getattr__(self, name): ...",
        "part = None\n    def __getattr__(self, name): ...",
    ],
)
def test_what_is_read_without_running_anything_is_simple(member: str) -> None:
    program = Marked(main=NODE.format(member=member, after=""))
    assert program.facts.is_simple(program["p"])


@pytest.mark.parametrize(
    ("after", "fixed"),
    [
        ("", True),
        ("setattr(self, 'handler', print)", False),
        ("setattr(self, 'other', print)", True),
        ("object.__setattr__(self, 'handler', print)", False),
        ("delattr(self, name)", False),
        ("setattr(self, name, print)", False),
        ("monkeypatch.setattr('main.Node.handler', print)", False),
        ("vars(self)['handler'] = print", False),
        ("self.__dict__.update(handler=print)", False),
        ("print(self.__dict__)", True),
        ("self.__class__ = Other", False),
    ],
)
def test_a_method_that_may_be_replaced_is_not_the_same_later(after: str, fixed: bool) -> None:
    program = Marked(main=NODE.format(member="part = 1", after=after))
    assert program.facts.is_fixed(program["x"]) is fixed


def test_a_function_that_the_dictionary_of_its_file_may_replace_is_not_the_same_later() -> None:
    program = Marked(main="def f(): ...\nat_x(f)\nglobals()['f'] = print")
    assert not program.facts.is_fixed(program["x"])


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("def f(): ...\ndef swap():\n    global f\n    f = print", False),
        ("def f(): ...\ndel f", False),
        ("def make():\n    global f\n    def f(): ...\nmake()", False),
        ("from conf import *\ndef f(): ...", True),
        ("def f(): ...\nfrom conf import *", False),
        ("def f(): ...\nfrom doca_cc import *", True),
        ("def f(): ...\nexec('f = print')", False),
        ("def f(): ...\nexec('import os')", True),
        ("def f(): ...\nexec(open('more').read())", False),
        ("def f(): ...\nexec('f = print', {})", True),
        ("def f(): ...\nclass A:\n    f = f\n    f = print", True),
    ],
)
def test_a_function_of_another_file_means_the_same_later_if_that_binds_it_once(text: str, fixed: bool) -> None:
    program = Marked(main="import doca_cc\nimport other\nat_x(other.f)", other=text, conf="f = print")
    assert program.facts.is_fixed(program["x"]) is fixed


@pytest.mark.parametrize(
    ("after", "fixed"),
    [
        ("from conf import *", False),
        ("from conf import SIZE", True),
        ("exec('f = print')", False),
        ("exec('from conf import *')", False),
        ("exec('g = print')", True),
    ],
)
def test_a_function_that_is_bound_again_afterwards_is_not_the_same_later(after: str, fixed: bool) -> None:
    program = Marked(main=f"import doca_cc\ndef f(): ...\nat_x(f)\n{after}", conf="f = print\nSIZE = 1")
    assert program.facts.is_fixed(program["x"]) is fixed
