"""Programs that call the C library: functions that find functions of C, and callbacks that such programs keep."""

from __future__ import annotations

import pytest

from migrate.outcome import Options
from migrate.rewriting import rewrite
from tests.migrate.test_bindings import SECOND, SIDES
from tests.migrate.test_bindings_questions import stays

TWO = 'for name in ("client", "server"):\n    side = Side(name)\n'
KEEPING = """kept = []
def keeping(kind, function):
    def call(*args):
        function(*args)
    kept.append(ffi.callback(kind, call))
    return kept[-1]
def heard(event, data, size, connection):
    print(ffi.buffer(data, size)[:])
sent = keeping("void(void *, uint64_t, uint64_t)", lambda task, *_: core.doca_task_free(task))
assert lib.doca_cc_client_task_send_set_conf(client[0], sent, sent, 8) == 0
hears = keeping("void(void *, void *, uint32_t, void *)", heard)
assert lib.doca_cc_client_event_msg_recv_register(client[0], hears) == 0
"""


def rewritten(text: str) -> str:
    """A program, rewritten; checked to be whole."""
    new = rewrite(text.encode(), options=Options(width=200)).new.decode()
    assert "ffi" not in new
    return new


def test_a_method_that_finds_one_function() -> None:
    new = rewritten(SECOND + SIDES + 'side = Side("client")\nprint(side.f("destroy")(client[0]))\n')
    assert new.endswith("print(comch.outcome(comch.Client.destroy, client[0])[0])\n")
    assert "def f" not in new


def test_a_method_that_finds_a_function_of_each_side() -> None:
    new = rewritten(SECOND + SIDES + TWO + '    print(side.f("destroy")(client[0]))\n')
    assert '"client": lambda cc_client: comch.outcome(comch.Client.destroy, cc_client, strict=True)[0]' in new
    assert "}[side.side](client[0])" in new


def test_what_it_finds_depends_on_the_call_alone() -> None:
    """Functions with other arguments, found by the same method, do not mix."""
    lines = TWO + '    print(side.f("as_ctx")(client[0]), side.f("event_msg_recv_register")(client[0], on_message))\n'
    new = rewritten(SECOND + SIDES + lines)
    assert new.count("}[side.side](client[0]") == 2


def test_a_finder_with_a_default_is_written_out_where_it_stands() -> None:
    text = SECOND + SIDES.replace("name)", "name='destroy')", 1) + 'print(Side("client").f()(client[0]))\n'
    assert "def f(self, name='destroy')" in rewritten(text)


@pytest.mark.parametrize(
    "lines",
    [
        'Side(input()).f("destroy")(client[0])\n',
        'side = Side("client")\nside.side = input()\nside.f("destroy")(client[0])\n',
        'side = Side("client")\nside.f("destroy_" + input())(client[0])\n',
    ],
)
def test_what_is_found_by_a_name_that_nobody_sees_stays(lines: str) -> None:
    text = SECOND + SIDES + lines
    assert "ffi.dlopen" in rewrite(text.encode()).new.decode()


def test_callbacks_of_several_types_in_one_list() -> None:
    assert "    print(bytes(data[:size]))" in rewritten(SECOND + KEEPING).splitlines()


def test_callbacks_that_take_any_arguments_stay() -> None:
    """Nobody sees which of its arguments is a message."""
    text = SECOND + KEEPING.replace("def heard(event, data, size, connection)", "def heard(event, data, size, *rest)")
    stays(text, "CCM092")
