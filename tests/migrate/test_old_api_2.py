"""The vocabulary of generation 2 is what the package has: names, classes, methods and their parameters."""

from __future__ import annotations

import ast
import inspect

import pytest

from comm_channel_compat import cc
from comm_channel_compat.cc import capabilities, flat
from migrate.old_api.generation_1 import GENERATION_1
from migrate.old_api.generation_1x import GENERATION_1X
from migrate.old_api.generation_2 import GENERATION_2
from migrate.old_api.generations import VOCABULARY, vocabulary_of
from migrate.old_api.spellings import flat as flat_spelling
from migrate.old_api.spellings import objects as objects_spelling
from migrate.python.source import Source

PROPER = [name for name, function in GENERATION_2.flat.items() if name == function.name]


def test_exports_are_those_of_the_package() -> None:
    assert GENERATION_2.exports == set(cc.__all__)
    assert GENERATION_2.module("doca_cc") == GENERATION_2.module("comm_channel_compat.cc") == GENERATION_2.exports


@pytest.mark.parametrize(("name", "module"), [("flat", flat), ("capabilities", capabilities)])
def test_exports_are_those_of_the_submodules(name: str, module: object) -> None:
    assert GENERATION_2.module(f"doca_cc.{name}") == set(module.__all__)  # type: ignore[attr-defined]


def test_constants_have_the_values_of_the_package() -> None:
    assert {name: getattr(flat, name) for name in GENERATION_2.constants} == GENERATION_2.constants


@pytest.mark.parametrize("name", GENERATION_2.classes)
def test_methods_are_those_of_the_classes(name: str) -> None:
    kind = GENERATION_2.classes[name]
    cls = getattr(cc, name)
    own = {each for each in dir(cls) if not each.startswith("_") and callable(inspect.getattr_static(cls, each))}
    own |= {each for each in dir(cls) if isinstance(inspect.getattr_static(cls, each), classmethod)}
    assert {method for owner, method in GENERATION_2.methods if owner == kind} == own - {"modern"}


@pytest.mark.parametrize("name", PROPER)
def test_flat_calls_take_what_the_package_takes(name: str) -> None:
    taken = list(inspect.signature(getattr(flat, name)).parameters)
    assert list(GENERATION_2.flat[name].inputs) == taken
    node = ast.parse(f"{name}({', '.join(f'{each}=1' for each in taken)})", mode="eval").body
    assert isinstance(node, ast.Call)
    assert flat_spelling.read(node, GENERATION_2.flat[name]).problem == ""


@pytest.mark.parametrize(("kind", "name"), GENERATION_2.methods)
def test_methods_take_what_the_package_takes(kind: str, name: str) -> None:
    owner = next(each for each, own in GENERATION_2.classes.items() if own == kind)
    parameters = list(inspect.signature(getattr(getattr(cc, owner), name)).parameters.values())
    taken = objects_spelling.parameters(GENERATION_2.methods[kind, name])
    start = int(parameters[:1] == [parameter for parameter in parameters[:1] if parameter.name == "self"])
    own = [(parameter.name, parameter.default is not parameter.empty) for parameter in parameters[start:]]
    given = [(parameter.name, bool(parameter.default)) for parameter in taken[start if taken[:1] else 0 :]]
    assert [name for name, _ in given] == [name for name, _ in own]
    assert {name for name, optional in own if optional} <= {name for name, optional in given if optional} | {"dev"}


@pytest.mark.parametrize(
    ("text", "vocabulary"),
    [
        ("import doca_comm_channel", GENERATION_1),
        ("import doca_cc", GENERATION_2),
        ("from doca_cc import *", GENERATION_2),
        ("import doca_cc, doca_comm_channel", VOCABULARY),
        ("from comm_channel_compat import cc", VOCABULARY),
        ("import comm_channel_compat.cc as cc", VOCABULARY),
        ("lib.doca_cc_server_create()", GENERATION_1),
        ("print('nothing')", GENERATION_1),
        ("attr = cc.doca_comm_channel_init_attr()", GENERATION_1X),
        ("from doca_comm_channel import doca_comm_channel_init_attr as InitAttr", GENERATION_1X),
        ("cc.doca_comm_channel_init_attr() if old else cc.doca_comm_channel_ep_set_device(ep, dev)", GENERATION_1),
        ("from comm_channel_compat import blocking", GENERATION_1X),
        ("import comm_channel_compat.blocking", GENERATION_1X),
        ("import doca_comm_channel  # no doca_comm_channel_init_attr", GENERATION_1),
        ("'As doca_comm_channel_init_attr of comm_channel_compat.blocking.'", GENERATION_1),
        ("hasattr(cc, 'doca_comm_channel_init_attr')", GENERATION_1),
        ("try:\n  from cc import doca_comm_channel_init_attr\nexcept ImportError: pass", GENERATION_1),
    ],
)
def test_a_program_has_the_vocabulary_of_what_it_imports(text: str, vocabulary: object) -> None:
    assert vocabulary_of([Source(text.encode())]) is vocabulary


def test_packages_are_found_in_each_other() -> None:
    assert VOCABULARY.package("comm_channel_compat.cc.flat") == "doca_cc"
    assert VOCABULARY.package("comm_channel_compat.flat") == "doca_comm_channel"
    assert VOCABULARY.package_in("doca_comm_channel", "cc") == "doca_cc"
    assert VOCABULARY.package("comm_channel_compat.nothing") == ""
