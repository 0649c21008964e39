"""Programs of random ways for values, run and analysed: what a run has seen, the analysis must have."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.python.modules import Project
from migrate.python.values import Plain, Token, Values
from tests.examples import examples
from tests.migrate.values_knowledge import Library

MIXING = {
    "base exception",  # a broad clause catches every exception of the project
    "parser defaults",  # command lines are not told apart
}
PATH = Path("program.py")


def routes() -> dict[str, tuple[str, str]]:
    """Definitions and expression of each route in the file."""
    text = (Path(__file__).parent / "data" / "routes.txt").read_text()
    sections = (section.partition("\n") for section in text.split("\n== ")[1:])
    parts = {name: body.rpartition("-> ") for name, _, body in sections}
    return {name: (setup.strip(), expression.strip()) for name, (setup, _, expression) in parts.items()}


ROUTES = routes()


def program(chains: list[list[str]]) -> str:
    """A program in which each chain leads a value of its own through routes."""
    setups: list[str] = ["import library"]
    probes: list[str] = []
    number = 0
    for index, chain in enumerate(chains):
        expression = f"library.T{index}()"
        for route in chain:
            number += 1
            setup, template = ROUTES[route]
            setups.append(setup.replace("#", f"_{number}"))
            probes.append(f"value_{number} = {template.replace('#', f'_{number}').replace('@', expression)}")
            expression = f"value_{number}"
        probes.append(f"probe({index}, {expression})")
    return "\n".join([*filter(None, setups), *probes]) + "\n"


def observed(source: str, monkeypatch: pytest.MonkeyPatch) -> dict[int, set[str]]:
    """Run a program; the names of the classes that each probe has seen."""
    seen: dict[int, set[str]] = {}
    library = types.ModuleType("library")
    for index in range(4):
        setattr(library, f"T{index}", type(f"T{index}", (), {}))
    monkeypatch.setitem(sys.modules, "library", library)
    probe: Callable[[int, object], None] = lambda place, value: seen.setdefault(place, set()).add(type(value).__name__)  # noqa: E731
    module = types.ModuleType("program")
    monkeypatch.setitem(sys.modules, "program", module)  # where dataclasses look
    vars(module)["probe"] = probe
    exec(compile(source, str(PATH), "exec"), vars(module))
    return seen


def analysed(source: str) -> tuple[dict[int, set[str]], Values]:
    """What the analysis says of each probe."""
    tree = ast.parse(source)
    values = Values(Project({PATH: tree}), Library())
    found: dict[int, set[str]] = {}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "probe":
            place = call.args[0]
            assert isinstance(place, ast.Constant)
            assert isinstance(place.value, int)
            of = values.of(call.args[1])
            names = {str(value.key).removesuffix("()") for value in of if isinstance(value, Token)}
            found.setdefault(place.value, set()).update(names, {"UNKNOWN"} if Plain.UNKNOWN in of else ())
    return found, values


def check(chains: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    source = program(chains)
    seen = observed(source, monkeypatch)
    found, values = analysed(source)
    for place, classes in seen.items():
        assert classes <= found[place], source
        assert "UNKNOWN" not in found[place], source
    probes = {name for name in values.sinks if not str(name.key).startswith("T")}
    assert not probes, source


@pytest.mark.parametrize("route", ROUTES)
def test_route(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check([[route]], monkeypatch)
    found, _ = analysed(program([[route], [route]]))
    if route not in MIXING:
        assert found == {0: {"T0"}, 1: {"T1"}}  # two copies of a route do not mix


CHAINS = st.lists(st.lists(st.sampled_from(sorted(ROUTES)), min_size=1, max_size=6), min_size=1, max_size=4)


@examples(60)
@given(chains=CHAINS)
def test_chains_of_routes(chains: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    check(chains, monkeypatch)
