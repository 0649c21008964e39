"""Objects of the hot calls that no constructor has filled, and arguments of every kind: a refusal, never a crash."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.poller import Poller
from tests.processes import StartPython

# What takes addresses, and so is right or wrong as its caller is.
_ADDRESSED = {"hold"}
_TRIED: list[tuple[Any, ...]] = [(), (0,), (-1,), (b"x",), (None,), ((),), ((0,),), ((None, b"x"),), (0, None)]


def types() -> Iterator[Any]:
    yield Poller
    for kind in vars(calls).values():
        if inspect.isclass(kind):
            yield kind


def try_everything() -> None:
    for kind in types():
        names = [name for name in dir(kind) if not name.startswith("__") and name not in _ADDRESSED]
        for name in [*names, "__repr__", "__hash__", "__eq__"]:
            for arguments in _TRIED:
                with suppress(Exception):
                    getattr(kind.__new__(kind), name)(*arguments)


def test_objects_that_were_made_without_their_constructor(start_python: StartPython) -> None:
    program = "from tests.ring.test_strange_calls import try_everything; try_everything(); print('whole')"
    finished = start_python("-c", program).finish()
    assert (finished.returncode, finished.stdout) == (0, "whole\n"), finished.stderr


@pytest.mark.parametrize("links", [(0,), (None,), (object(), b"x")])
def test_a_poller_follows_links_only(links: Any) -> None:
    poller = Poller()
    with pytest.raises(TypeError, match="tuple of links"):
        poller.follow(links)
    assert poller.links == ()
