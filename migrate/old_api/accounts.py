"""How an account of a run names old calls: by C names, but for calls that are methods and functions of Python only."""

from __future__ import annotations

# What an account and a vocabulary call differently -> one name for both
_NAMES = {
    "open_device": "doca_dev_open",
    "doca_devinfo_open": "doca_dev_open",
    "open_representor": "doca_dev_rep_open",
    "doca_devinfo_rep_open": "doca_dev_rep_open",
    "doca_dev_representors": "doca_devinfo_rep_create_list",
}


def accounted(name: str) -> str:
    """Return the name that a function of the vocabulary, and a symbol of an account, have in common."""
    return _NAMES.get(name, name)
