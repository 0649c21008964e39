"""Uses that the text above them binds: the control flow says the same of each."""

from __future__ import annotations

import importlib
import inspect

import pytest

from migrate.python._above import doubtful, reads
from migrate.python._bindings import home_of
from migrate.python.control import Bound
from migrate.python.source import Source

MODULES = ("argparse", "asyncio.base_events", "csv", "dataclasses", "heapq", "tarfile", "textwrap", "threading")


def _doubtful(text: str, name: str) -> list[int]:
    names = Source(text.encode()).names
    variables = {variable for variable in names.of.values() if variable.name == name}
    return sorted(use.lineno for variable in variables for use in doubtful(names, variable))


@pytest.mark.parametrize("name", MODULES)
def test_what_is_not_doubtful_is_bound(name: str) -> None:
    source = Source(inspect.getsource(importlib.import_module(name)).encode())
    variables = [variable for variable in dict.fromkeys(source.names.of.values()) if variable.bindings]
    certain = 0
    for variable in variables:
        unsure = doubtful(source.names, variable)
        for use in set(reads(variable)).difference(unsure):
            # For a function within, the flow looks at the end of the code around it, and knows less.
            if source.names.function(use) is home_of(variable):
                certain += 1
                assert source.control.bound(use) is Bound.ALWAYS, (use.lineno, use.id)
    assert certain > 100


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("import x\nx.y\ndef f():\n    return x\n", []),
        ("x = 1; x\n", []),
        ("x; x = 1\n", [1]),
        ("def f():\n    return x\nx = 1\n", [2]),
        ("if a:\n    x = 1\n    print(x)\nprint(x)\n", [4]),
        ("if a:\n    x = 1\nelse:\n    print(x)\n", [4]),
        ("try:\n    import x\n    x.y\nexcept ImportError:\n    x\nelse:\n    x\nfinally:\n    x\n", [5, 7, 9]),
        ("for x in y:\n    print(x)\nelse:\n    x\nx\n", [4, 5]),
        ("with y as (x, z):\n    print(x)\nprint(x)\n", [3]),
        ("with x as x:\n    pass\n", [1]),
        ("x = 1\ndel x\nx\n", [2, 3]),
        ("x = 1\ntry:\n    pass\nexcept E as x:\n    pass\nx\n", [6]),
        ("def f(x):\n    return lambda: x\n", []),
        ("if a:\n    import x\n    def f():\n        return x\n", []),
        ("y = a and (x := 1)\nx\n", [2]),
        ("while a:\n    x, *y = b\n    x\nx\n", [4]),
        ("x: int\nx\n", [2]),
    ],
)
def test_uses_of_x_that_are_doubtful(text: str, lines: list[int]) -> None:
    assert _doubtful(text, "x") == lines
