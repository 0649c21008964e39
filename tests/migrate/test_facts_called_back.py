"""Which code may run inside of a callback of the library."""

from __future__ import annotations

import pytest

from tests.migrate.marked import Marked

FLAT = """from doca_cc import *
import functools, threading
rc, client = doca_cc_client_create(open_device('a'), 'svc')
"""
REGISTER = "doca_cc_client_task_send_set_conf(client, f, f, 4)\n"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("at_x(1)\n", False),
        ("def f(*args):\n    at_x(1)\n" + REGISTER, True),
        ("f = lambda *args: at_x(1)\n" + REGISTER, True),
        ("def g():\n    at_x(1)\ndef f(*args):\n    g()\n" + REGISTER, True),
        ("def g():\n    at_x(1)\ndef f(*args):\n    pass\ng()\n" + REGISTER, False),
        ("class A:\n    def f(self, *args):\n        at_x(1)\nf = A().f\n" + REGISTER, True),
        ("def g(n, *args):\n    at_x(1)\nf = functools.partial(g, 1)\n" + REGISTER, True),
        ("def f(*args):\n    at_x(1)\nf()\n", False),
        ("def g():\n    at_x(1)\nthreading.Thread(target=g).start()\n", False),
    ],
)
def test_inside_of_callbacks(text: str, answer: bool) -> None:
    program = Marked(main=FLAT + text)
    assert program.facts.is_called_back(program["x"]) is answer
