"""The work grows as a program does: calls of Python functions are counted, not seconds."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from migrate.python.modules import Project
from migrate.python.source import Source
from migrate.python.values import Values
from migrate.rewriting import rewrite, rewrite_project
from tests.migrate.counting import calls, is_linear, lines
from tests.migrate.values_knowledge import Library

PART = """

class Link{number}:
    def __init__(self, service):
        self.ep = cc.Endpoint()
        self.ep.set_device(cc.open_device("03:00.0"))
        self.peer = self.ep.connect(service)

    def exchange(self, messages):
        while messages:
            try:
                self.ep.sendto(messages.pop(), self.peer)
            except cc.Again:
                continue


def run{number}(messages):
    Link{number}(SERVICE).exchange(messages)


run{number}([b"one", b"two"])
"""
HEAD = "import doca_comm_channel as cc\n\nSERVICE = 'linear'\n"


def one_file(parts: int) -> dict[Path, bytes]:
    return {Path("large.py"): (HEAD + "".join(PART.format(number=number) for number in range(parts))).encode()}


def many_files(parts: int) -> dict[Path, bytes]:
    return {Path(f"part{number}.py"): (HEAD + PART.format(number=number)).encode() for number in range(parts)}


@pytest.mark.parametrize("made", [one_file, many_files])
def test_calls_grow_as_the_program_does(made: Callable[[int], Mapping[Path, bytes]]) -> None:
    rewrite_project(made(1))  # tables are read once
    assert is_linear(lambda parts: rewrite_project(made(parts)))


def one_name_each(names: int) -> bytes:
    lines = [f"from doca_comm_channel import doca_comm_channel_ep_listen as listen{at}\n" for at in range(names)]
    calls = [f"        lambda: listen{at}(endpoint, *given),\n" for at in range(names)]
    return "".join([*lines, "\n\ndef steps(endpoint, given):\n    return [\n", *calls, "    ]\n"]).encode()


def test_imports_of_one_name_each_are_linear_work() -> None:
    assert b"import comch_next" not in rewrite(one_name_each(1)).new  # every name stays
    assert is_linear(lambda names: rewrite(one_name_each(names)))


SENDING = """import ctypes
lib = ctypes.CDLL("libdoca_comm_channel.so.2")
ep, peer = ctypes.c_void_p(), ctypes.c_void_p()
lib.doca_comm_channel_ep_create(ctypes.byref(ep))
lib.doca_comm_channel_ep_connect(ep, b"linear", ctypes.byref(peer))


def send(message, size=None):
    if size is None:
        size = len(message)
    return lib.doca_comm_channel_ep_sendto(ep, message, size, 0, peer)


def ask(message, size=0):
    return send(message, size or len(message))


"""


@pytest.mark.parametrize("call", ["send(b'message {at}')", "send(b'message {at}', 8)", "ask(b'message {at}')"])
def test_callers_of_a_function_that_sends_are_asked_once(call: str) -> None:
    def program(callers: int) -> bytes:
        return (SENDING + "".join(f"{call.format(at=at)}\n" for at in range(callers))).encode()

    assert b"import comch_next" in rewrite(program(1)).new  # tables are read once
    assert is_linear(lambda callers: rewrite(program(callers)))


def star_imports(levels: int) -> dict[Path, bytes]:
    texts = {f"{side}0": "from doca_comm_channel import *\n" for side in "ab"}
    for level in range(1, levels):
        texts |= {f"{side}{level}": f"from a{level - 1} import *\nfrom b{level - 1} import *\n" for side in "ab"}
    return {Path(f"{name}.py"): text.encode() for name, text in texts.items()}


def classes(levels: int) -> dict[Path, bytes]:
    text = "import doca_comm_channel as cc\n\n\nclass Link0:\n    def end(self, link):\n        link.destroy()\n"
    for level in range(1, levels):
        text += f"class Left{level}(Link{level - 1}): pass\nclass Right{level}(Link{level - 1}): pass\n"
        text += f"class Link{level}(Left{level}, Right{level}): pass\n"
    return {Path("classes.py"): f"{text}Link{levels - 1}().end(cc.Endpoint())\n".encode()}


@pytest.mark.parametrize("made", [star_imports, classes])
def test_what_is_reached_on_many_ways_is_read_once(made: Callable[[int], Mapping[Path, bytes]]) -> None:
    rewrite_project(made(1))  # tables are read once
    few, more, many = (calls(partial(rewrite_project, made(levels))) for levels in (5, 10, 20))
    assert more < 5 * few
    assert many < 5 * more


def test_what_holds_a_thing_twice_shows_it_once() -> None:
    def program(rows: int) -> bytes:
        text = "".join(f"row{at} = [row{at - 1}, row{at - 1}]\n" for at in range(1, rows))
        return f"import doca_comm_channel as cc\nrow0 = [cc.Endpoint()]\n{text}print(row{rows - 1})\n".encode()

    rewrite(program(1))  # tables are read once
    assert is_linear(lambda rows: rewrite(program(rows)))


def waiting(depth: int) -> bytes:
    text = "import time\nimport doca_comm_channel as cc\n\n\ndef wait0():\n    time.sleep(0.1)\n\n\n"
    text += "".join(f"def wait{at}():\n    wait{at - 1}()\n\n\n" for at in range(1, depth))
    loop = f"    while cc.doca_comm_channel_ep_sendto(ep, m, len(m), 0, p) == 5:\n        wait{depth - 1}()\n"
    return f"{text}def send(ep, m, p):\n{loop}\n\nsend(None, b'x', None)\n".encode()


def test_functions_that_call_each_other_are_followed_far_down_and_no_further_than_python_can() -> None:
    before = sys.getrecursionlimit()
    near, far = rewrite(waiting(200)), rewrite(waiting(3000))  # 3.12 itself allows the fewest calls in C: 295 functions
    assert (near.skipped, far.skipped, far.changed) == ("", "CCM008", False)
    assert sys.getrecursionlimit() == before


def test_where_tokens_stand_is_found_in_linear_time() -> None:
    def program(functions: int) -> Values:
        text = "import library\n" + "".join(f"def f{number}(): return library.A()\n" for number in range(functions))
        return Values(Project({Path("program.py"): ast.parse(text)}), Library())

    def ask(values: Values) -> int:
        return lines(lambda: [values.uses(token) for token in values.tokens])

    few, many = (ask(program(functions)) for functions in (50, 200))
    assert many < 4.4 * few


def test_what_is_printed_is_looked_through_once() -> None:
    def program(parts: int) -> Values:
        rows = (f"row{number} = [row{number - 1}]\nprint(row{number})\n" for number in range(1, parts))
        text = "import library\nrow0 = [library.A()]\n" + "".join(rows)
        return Values(Project({Path("program.py"): ast.parse(text)}), Library())

    program(1)  # tables are read once
    assert is_linear(program)


def test_a_file_is_resolved_once() -> None:
    source = Source(one_file(1)[Path("large.py")])
    assert source.names is source.names
    assert source.control.names is source.names
