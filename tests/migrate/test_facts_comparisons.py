"""Which handles and functions a program tells apart in a way that may come out differently."""

from __future__ import annotations

import pytest

from tests.migrate.marked import Marked

MAKE = """
import doca_comm_channel as cc
dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
again = cc.open_device("0000:03:00.0")
ep = cc.Endpoint()
ep.set_device(host)
peer = ep.connect("svc")
"""
EQUAL, INSPECTED = {"CCM086"}, {"CCM082"}

CONTEXTS = """
import doca_cc as cc
client = cc.Client(cc.open_device("b1:00.0"), "svc")
other = cc.Client(cc.open_device("b1:00.0"), "svc")
ctx = client.as_ctx()
task = client.task_send_alloc_init(client.get_connection(), b"x", 1)
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ctx == client", INSPECTED),
        ("client is not client.as_ctx()", INSPECTED),
        ("client in [ctx]", INSPECTED),
        ("{client: 1, ctx: 2}", INSPECTED),
        ("(1, ctx) == (1, client)", INSPECTED),
        ("task == task.as_task()", INSPECTED),
        ("ctx == client.as_ctx(), client == client, task == task", set()),
        ("ctx == other, other == client", set()),
        ("{client: 1}, {ctx: 2}", set()),
        ("task == ctx, task.as_task() == client", set()),
        ("ctx is None", set()),
        ("client.__eq__(ctx)", INSPECTED),
        ("{client: 1}[ctx]", INSPECTED),
        ("{client: 1}.get(ctx)", INSPECTED),
        ("{client: 1}.pop(ctx, None)", INSPECTED),
        ("{task: 1}.get(task.as_task())", INSPECTED),
        ("{client}.discard(ctx)", INSPECTED),
        ("handles = [client, other, ctx]\nhandles.index(ctx)", INSPECTED),
        ("(client, other).count(ctx)", INSPECTED),
        ("import collections\ncollections.deque([client, other]).remove(ctx)", INSPECTED),
        ("contexts = {ctx: 'idle'}\n{client} | set(contexts)", INSPECTED),
        ("{client} & {ctx: 1}.keys()", INSPECTED),
        ("left = {client}\nleft -= {ctx}", INSPECTED),
        ("{client}.isdisjoint([ctx])", INSPECTED),
        ("id(client)\nid(ctx)", INSPECTED),
        ("{client: 1}.get(other), {client: 1}[client], [ctx].index(ctx), {client} | {other.as_ctx()}", set()),
    ],
)
def test_objects_that_have_become_one(text: str, expected: set[str]) -> None:
    assert Marked(main=f"{CONTEXTS}{text}\n").obstacles() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("find = {client: 1}.get\nfind(ctx)", INSPECTED),
        ("list(map({client: 1}.get, [ctx]))", INSPECTED),
        ("dict.get({client: 1}, ctx)", INSPECTED),
        ("list.index([client], ctx)", INSPECTED),
        ("import functools\nfunctools.reduce(set.isdisjoint, [{client}, {ctx}])", INSPECTED),
        ("import operator\noperator.getitem({client: 1}, ctx)", INSPECTED),
        ("import difflib\ndifflib.SequenceMatcher(None, [client], [ctx])", INSPECTED),
        ("find = {client: 1}.get\nfind(client)", set()),
        ("handles = [client]\nhandles.append(ctx)\nhandles.insert(0, ctx)\nhandles.pop(), handles.pop(0)", set()),
        ("handles = {'client': client, 'ctx': ctx}\nhandles['ctx'], handles.get('ctx'), handles.pop('ctx')", set()),
        ("def run(client, ctx): ...\nimport threading\nthreading.Thread(target=run, args=(client, ctx))", set()),
        ("import contextlib\ncontextlib.ExitStack().callback(lambda *handles: None, client, ctx)", set()),
        ("list(zip([client], [ctx])), list(enumerate((client, ctx))), len([client, ctx])", set()),
        ("import queue\nwaiting = queue.Queue()\nwaiting.put((client, ctx))\nwaiting.get(timeout=1)", set()),
    ],
)
def test_calls_that_may_compare_objects_that_have_become_one(text: str, expected: set[str]) -> None:
    assert Marked(main=f"{CONTEXTS}{text}\n").obstacles() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("isinstance(ctx, cc.Client)", INSPECTED),
        ("isinstance(ctx, (cc.Server, cc.Client))", INSPECTED),
        ("isinstance(client, cc.Server | cc.Context)", INSPECTED),
        ("kinds = (cc.Client,)\nisinstance(ctx, kinds)", INSPECTED),
        ("is_a = isinstance\nis_a(ctx, cc.Client)", INSPECTED),
        ("issubclass(cc.Client, cc.Context)", INSPECTED),
        ("isinstance(task.as_task(), cc.TaskSend)", INSPECTED),
        ("isinstance(ctx, (cc.Context, cc.Client)), isinstance(client, (cc.Context, cc.Client))", set()),
        ("isinstance(ctx, cc.Context), isinstance(client, cc.Client), isinstance(task, cc.TaskSend)", set()),
        ("isinstance(ctx, cc.Server), isinstance(client, cc.Server), isinstance(ctx, cc.Task)", set()),
        ("match ctx:\n    case cc.Client(): pass", INSPECTED),
        ("match [client, 1]:\n    case [cc.Context() as it, _]: pass", INSPECTED),
        ("match ctx:\n    case cc.Client() | cc.Context(): pass", set()),
        ("match client:\n    case cc.Server(): pass\n    case cc.Client(): pass", set()),
    ],
)
def test_classes_that_are_asked_for(text: str, expected: set[str]) -> None:
    assert Marked(main=f"{CONTEXTS}{text}\n").obstacles() == expected


CHOSEN = """
import functools
@functools.singledispatch
def end(handle): ...
@end.register(cc.Client)
def end_client(handle): ...
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("end(client), end(ctx)", INSPECTED),
        ("@end.register\ndef end_ctx(handle: cc.Context): ...\nend(client), end(ctx)", INSPECTED),
        ("end(client)", set()),
        ("end.register(cc.Context, print)\nend(client)", set()),
        ("@end.register(cc.Task)\ndef end_task(handle): ...\nend(client), end(task.as_task())", set()),
    ],
)
def test_functions_that_are_chosen_by_a_class(text: str, expected: set[str]) -> None:
    assert Marked(main=f"{CONTEXTS}{CHOSEN}{text}\n").obstacles() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("try:\n        it.get_max_msg_size()\n    except AttributeError: ...", INSPECTED),
        ("try:\n        it.destroy()\n    except Exception: ...", INSPECTED),
        ("with contextlib.suppress(AttributeError):\n        it.destroy()", INSPECTED),
        ("try:\n        destroy(it)\n    except (TypeError, AttributeError): ...", INSPECTED),
        ("try:\n        destroy(it)\n    except Exception: ...", set()),
        ("try:\n        it.destroy()\n    except cc.DocaError: ...", set()),
        ("it.get_max_msg_size()", set()),
    ],
)
def test_methods_that_a_context_has_gained(text: str, expected: set[str]) -> None:
    program = f"{CONTEXTS}import contextlib\ndef destroy(it): it.destroy()\nfor it in (ctx, client):\n    {text}\n"
    assert Marked(main=program).obstacles() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dpu == again", EQUAL),
        ("dpu != host", set()),
        ("dpu == dpu", set()),
        ("dpu is again", set()),
        ("dpu in [again]", EQUAL),
        ("dpu in [host]", set()),
        ("dpu == None", set()),
        ("{dpu, host, again}", EQUAL),
        ("{host: 1, dpu: 2}", set()),
        ("{}[dpu] = again in {}", set()),
        ("for address in 'ab':\n    {}.setdefault(cc.open_device(address), 1)", EQUAL),
        ("[dpu].index(again)", EQUAL),
        ("[dpu].index(host)", set()),
        ("{dpu: 1}.get(again)", EQUAL),
        ("{dpu: 1}.get(host)", set()),
        ("{dpu: 1}[again]", EQUAL),
        ("[dpu, host][cc.count()]", set()),
        ("[dpu, again].pop(cc.count())", set()),
        ("len({dpu} | {again})", EQUAL),
        ("{dpu}.isdisjoint([again])", EQUAL),
        ("{dpu}.isdisjoint([host])", set()),
        ("dpu == ep.get_device()", EQUAL),
        ("peer == peer, {peer: 1}, peer in []", set()),
        ("ep == ep, {ep: 1}, ep in []", set()),
        ("ep.sendto == ep.sendto", INSPECTED),
        ("ep.sendto is None", set()),
        ("{ep.sendto: 1}", INSPECTED),
        ("iter(ep)", INSPECTED),
        ("iter([ep])", set()),
        ("import typing\nclass Sends(typing.Protocol):\n    def sendto(self): ...\nisinstance(ep, Sends)", INSPECTED),
        ("class Sends:\n    def sendto(self): ...\nisinstance(ep, Sends)", set()),
    ],
)
def test_handles_that_are_told_apart(text: str, expected: set[str]) -> None:
    used = "ep.event_handle_arm_send(); [one.close() for one in (dpu, host, again)]\n"
    assert Marked(main=MAKE + used + text).obstacles() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{cc.doca_dev_close: 1}", [("doca_dev_close", "CCM082")]),
        ("call = cc.doca_dev_close\ncall == cc.doca_dev_open",
         [("doca_dev_close", "CCM082"), ("doca_dev_open", "CCM082")]),
        ("call = cc.doca_dev_close\ncall is None", []),
        ("isinstance(dpu, (cc.Device, cc.Endpoint))", []),
        ("class Own(cc.Endpoint): ...\nisinstance(Own(), cc.Endpoint)", [("Endpoint", "CCM039")]),
    ],
)  # fmt: skip
def test_functions_and_classes(text: str, expected: list[tuple[str, str]]) -> None:
    assert Marked(main=MAKE + text).codes() == expected


def test_a_test_of_a_class_goes_with_what_it_tests() -> None:
    facts = Marked(main=MAKE + "isinstance(ep, cc.Endpoint)\nisinstance(5, cc.Device)").facts
    origins = {reference.name: reference.origins for reference in facts.references if not reference.call}
    assert origins["Endpoint"]
    assert not origins["Device"]
