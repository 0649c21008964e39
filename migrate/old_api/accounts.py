"""How an account of a run names old calls: by C names, also those that are functions and methods of Python only."""

from __future__ import annotations

# What a vocabulary names otherwise
_NAMES = {
    "open_device": "doca_dev_open",
    "open_representor": "doca_dev_rep_open",
}


def accounted(name: str) -> str:
    """Return the name that an account has for a function of the vocabulary."""
    return _NAMES.get(name, name)
