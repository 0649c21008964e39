"""What servers and clients share, under the C names of both."""

from __future__ import annotations

from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Rule


def for_both(rules: dict[str, Rule]) -> dict[str, Rule]:
    """Return rules for servers and for clients, by what follows in the C names."""
    return {f"{PREFIX}{side}_{rest}": rule for side in ("server", "client") for rest, rule in rules.items()}
