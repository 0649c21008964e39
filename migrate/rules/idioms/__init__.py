"""Rules that join statements, where analysis shows that the program cannot notice; they run with --idioms only.

An idiom extends a change that has been decided: where it does not apply, that change stays as it is.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from migrate.rules.idioms._site import Idiom


@cache
def load() -> Mapping[str, tuple[Idiom, ...]]:
    """Return the idioms by the proper C name of the call that they stand on, in the order in which they are tried."""
    found: dict[str, tuple[Idiom, ...]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for name, idiom in getattr(module, "IDIOMS", {}).items():
            found[name] = (*found.get(name, ()), idiom)
    return MappingProxyType(found)
