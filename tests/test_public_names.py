"""What is public is what the house's plan names: modules by their file name, names by a sorted __all__."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("comch_next", "comm_channel_compat", "migrate")

PUBLIC_MODULES = {
    "comch_next": "errors device engine context server client connection task producer consumer memory stream "
    "pull aio log arguments testing dpa dpa.dev api api.crossing api.prototypes "
    "declarations declarations.core declarations.comm_channel declarations.comm_channel_1x "
    "declarations.cc declarations.comch declarations.dpa "
    "driver driver.protocol driver.emulated driver.native capi capi.binding capi.handles capi.seam",
    "comm_channel_compat": "capabilities endpoint peer_addr event_channel service_state flat libraries capi "
    "blocking blocking.endpoint blocking.flat "
    "cc cc.capabilities cc.server cc.client cc.connection cc.producer cc.consumer cc.task cc.flat "
    "cc.context cc.engine cc.memory",
    "migrate": "cli codes explain files outcome rewriting "
    "python old_api facts bindings evidence rules successors report text verify",
}


def module_names(package: str) -> list[str]:
    """Dotted names below a package, itself as "" included."""
    files = (path for path in (ROOT / package).rglob("*.py") if ".case" not in path.name)
    found = (path.relative_to(ROOT / package).with_suffix("").parts for path in files)
    return sorted(".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in found)


def is_public(name: str) -> bool:
    return not any(part.startswith("_") for part in name.split("."))


def public_modules() -> list[str]:
    """Full names of the modules without an underscore; in a storey of migrate each is public by its folder."""
    names = ((package, name) for package in PACKAGES for name in module_names(package) if is_public(name))
    return [f"{package}.{name}".rstrip(".") for package, name in names]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_module_is_one_of_the_plan(package: str) -> None:
    found = {name for name in module_names(package) if name and is_public(name)}
    found = {name for name in found if not (package == "migrate" and "." in name)}
    assert sorted(found) == sorted(PUBLIC_MODULES[package].split())


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_lists_its_names(package: str) -> None:
    assert importlib.import_module(package).__all__


@pytest.mark.parametrize("name", public_modules())
def test_a_list_of_names_is_sorted_complete_and_public(name: str) -> None:
    module = importlib.import_module(name)
    names = getattr(module, "__all__", [])
    assert list(names) == sorted(set(names))
    assert not [each for each in names if not hasattr(module, each)]
    assert not [each for each in names if each.startswith("_")]
