"""What a program asks about its own types, names and source."""

from __future__ import annotations

import pytest

from migrate.outcome import Options
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
        ("print(dir(cc.Endpoint))", "CCM082"),
        ("print(sorted(vars(cc.Endpoint)))", "CCM082"),
        ("print(sorted(cc.Endpoint.__dict__))", "CCM082"),
        ("print(cc.Endpoint.__mro__)", "CCM082"),
        ("print(dir(cc.Again))", ""),
        ("print(cc.Endpoint().destroy.__name__)", ""),
        ("print(cc.Endpoint().destroy.__qualname__)", "CCM082"),
        ("print(cc.doca_dev_close.__name__)", ""),
        ("print(getattr(cc.Endpoint, '__name__'))", "CCM082"),
        ("print(getattr(cc.Endpoint().destroy, '__name__', ''))", ""),
        ("raise TimeoutError(getattr(cc.Endpoint().destroy, '__name__', ''))", ""),
        ("print(cc.doca_dev_close.__qualname__)", ""),
        *(
            (f"import {name}\nprint({name}.dumps({given}))", "CCM082")
            for name in ("pickle", "marshal", "xmlrpc.client")
            for given in (
                "cc.doca_dev_close(None)",
                "(cc.doca_dev_close(None), b'')",
                "{'code': cc.doca_dev_close(None)}",
            )
        ),
        ("import json\nprint(json.dumps([cc.doca_dev_close(None)]))", ""),
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


@pytest.mark.parametrize("asked", ["print(close.__name__)", "names = [made.__name__ for made in [close]]"])
def test_a_static_method_keeps_the_name_of_its_function(asked: str) -> None:
    text = f"{CC}class Device:\n    close = staticmethod(cc.doca_dev_close)\n    {asked}\n"
    assert b'staticmethod(comch.named("doca_dev_close", ' in rewrite(text.encode(), options=Options(width=200)).new


@pytest.mark.parametrize(
    "text",
    [
        "print([{0}])",
        "import logging\nlogging.info('%s', [{0}])",
        "import pprint\npprint.pprint({0})",
        "print(f'{{{0}!r}}')",
        "print(~{0})",
        "seen = []\nseen.append({0})\nprint(seen)",
        "table = {{}}\ntable['net'] = {0}\nprint(table)",
        "import dataclasses\n@dataclasses.dataclass\nclass Wanted:\n    reps: int = {0}\nprint(Wanted())",
        "import typing\nclass Wanted(typing.NamedTuple):\n    reps: int = {0}\nprint(Wanted())",
        "import enum\nclass Reps(enum.Enum):\n    NET = {0}\nprint(repr(Reps.NET))",
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--reps', default={0})",
        "import pickle\nprint(pickle.dumps(({0}, b'')))",
        "import marshal\nprint(marshal.dumps({0}))",
    ],
)
def test_a_constant_that_is_shown_as_a_number(text: str) -> None:
    """What comch_next has for it is a member of an enum, of which the value is the number."""
    new = rewrite((CC + text.format("cc.DOCA_DEV_REP_FILTER_NET") + "\n").encode()).new.decode()
    assert new == "import comch_next as comch\n" + text.format("comch.RepFilter.NET.value") + "\n"


def test_a_code_that_is_written_down_as_a_number() -> None:
    text = "import pickle\nprint(pickle.dumps([{0}]), [{0}])\nif {0} == 24:\n    print({0})\n"
    new = rewrite((CC + text.format("cc.DOCA_ERROR_FULL")).encode()).new.decode()
    assert new.count("comch.ErrorCode.FULL.value") == 3
    assert "if comch.ErrorCode.FULL == 24:" in new
