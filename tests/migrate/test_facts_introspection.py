"""What a program asks about its own types, names and source."""

from __future__ import annotations

import pytest

from migrate.rewriting import rewrite

CC = "import doca_comm_channel as cc\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("print(type(cc.DOCA_ERROR_AGAIN))", "CCM082"),
        ("print(cc.Endpoint.__name__)", ""),
        ("kind = cc.Endpoint\nprint(kind.__name__)", "CCM082"),
        ("print(cc.Endpoint.__module__)", "CCM082"),
        ("print(cc.Again.__module__)", ""),
        ("print(cc.Again.__name__)", ""),
        ("print(type(cc.Endpoint()))", "CCM082"),
        ("print(cc.Endpoint().destroy.__name__)", ""),
        ("print(cc.Endpoint().destroy.__qualname__)", "CCM082"),
        ("print(cc.doca_dev_close.__name__)", ""),
        ("print(getattr(cc.Endpoint, '__name__'))", "CCM082"),
        ("print(getattr(cc.Endpoint().destroy, '__name__', ''))", ""),
        ("raise TimeoutError(getattr(cc.Endpoint().destroy, '__name__', ''))", ""),
        ("print(cc.doca_dev_close.__qualname__)", ""),
        ("print([cc.DOCA_DEV_REP_FILTER_NET])", "CCM082"),
        ("import logging\nlogging.info('%s', [cc.DOCA_DEV_REP_FILTER_NET])", "CCM082"),
        ("import pprint\npprint.pprint(cc.DOCA_DEV_REP_FILTER_NET)", "CCM082"),
        ("print(open(__file__).read(), cc.Again)", "CCM084"),
        ("import inspect\nprint(inspect.getsource(len), cc.Again)", "CCM084"),
        ("print(open('x').read(), cc.Again)", ""),
        ("text = 'cc.Again'\neval(text)", "CCM005"),
        ("text = 'Again'\neval(text)", ""),
    ],
)
def test_code(text: str, code: str) -> None:
    codes = {finding.code for finding in rewrite((CC + text + "\n").encode()).findings}
    assert code in codes if code else not codes & {"CCM005", "CCM082", "CCM084"}


@pytest.mark.parametrize("asked", ["call.__name__", "getattr(call, '__name__', '')", "call.__name__.removeprefix('a')"])
@pytest.mark.parametrize("name", ["destroy", "doca_dev_close"])
def test_a_function_keeps_its_name_in_messages(asked: str, name: str) -> None:
    call = "cc.Endpoint().destroy" if name == "destroy" else f"cc.{name}"
    text = f"{CC}def run(call):\n    raise TimeoutError({asked})\nrun({call})\n"
    assert f'comch.named("{name}",' in "".join(rewrite(text.encode()).new.decode().split())
