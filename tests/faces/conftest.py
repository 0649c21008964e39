"""The programs, each compiled once per session, and processes that end with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from tests.faces.support import PROGRAMS, compiled, run
from tests.processes import Child

MODULES = ("doca-comch", "doca-comm-channel", "doca-argp")
Start = Callable[..., Child]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The program of that name."""
    folder = tmp_path_factory.mktemp("programs")

    @cache
    def build(name: str) -> Path:
        return compiled(folder, [PROGRAMS / f"{name}.c", PROGRAMS / "common.c"], *MODULES)

    return build


@pytest.fixture
def start(program: Callable[[str], Path]) -> Iterator[Start]:
    """Start a program by its name; it is killed, by its own id, if it still runs when the test ends."""
    with ExitStack() as children:

        def begin(name: str, *arguments: str, **env: str) -> Child:
            child = run(program(name), *arguments, env=env)
            children.callback(child.kill)
            return child

        yield begin
