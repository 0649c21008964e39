"""The version of the installed project."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def release() -> str:
    """Return the version of the installed project."""
    try:
        return version("doca-channel-compat")
    except PackageNotFoundError:  # a checkout that was never installed
        return "0+unknown"
