"""All rules by the proper C name of the call; the folders are the registry."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from migrate.rules import core, gen1, gen1x, gen2
from migrate.rules._answers import Rule


@cache
def load() -> Mapping[str, Rule]:
    """Every rule; a call has one."""
    rules: dict[str, Rule] = {}
    for package in (core, gen1, gen1x, gen2):
        for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
            for name, rule in getattr(importlib.import_module(f"{package.__name__}.{module}"), "RULES", {}).items():
                if name in rules:
                    raise ValueError(f"two rules for {name}")
                rules[name] = rule
    return MappingProxyType(rules)
