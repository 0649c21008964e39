"""Plugins register by being defined; every module of this package is one or more."""
import importlib
import pkgutil

from .base import Context, Plugin

__all__ = ["Context", "Plugin", "load"]


def load():
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        importlib.import_module(f"{__name__}.{module.name}")
