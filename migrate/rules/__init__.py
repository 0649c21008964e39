"""The rules: this folder is the registry. A module's RULES maps old calls to their modern form."""

from __future__ import annotations

import importlib
import pkgutil

from migrate._rule import Rule


def load() -> dict[str, Rule]:
    """Every rule of the folder by the old call's name; a call has one rule."""
    found: dict[str, Rule] = {}
    for module in sorted(each.name for each in pkgutil.iter_modules(__path__) if not each.ispkg):
        for name, rule in getattr(importlib.import_module(f"{__name__}.{module}"), "RULES", {}).items():
            if name in found:
                raise ValueError(f"two rules for {name}")
            found[name] = rule
    return found
