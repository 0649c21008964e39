"""What rewriting needs beside the library: the packages of the extra `migrate`."""

from importlib.util import find_spec

__all__ = ["NOT_AVAILABLE", "NotInstalled", "check_installed"]

NOT_AVAILABLE = 69
_PACKAGES = ("libcst", "rich")


class NotInstalled(Exception):
    """A package is missing."""


def check_installed() -> None:
    """Raise NotInstalled, which names what to install, unless every package is there."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        what = f"{' and '.join(missing)} {verb} not installed"
        raise NotInstalled(f"{what}; run: pip install 'doca-channel-compat[migrate]'")
