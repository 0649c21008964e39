"""Device pairs other than the default one."""

from __future__ import annotations

from pathlib import Path

import pytest

from comch_next.driver.emulated._fabric.topology import KEYS, REQUIRED, WORDS, Limits, bounds
from tools.topology import Reader

__all__ = ["READER", "faulty", "limited"]

_LIMITS = {name: (default, *bounds(name)) for name, default in Limits._field_defaults.items()}
READER = Reader(KEYS, REQUIRED, WORDS, _LIMITS)  # what the schema of topology files is made from

_PAIR = """
[[device]]
pci_addr = "03:00.0"
side = "dpu"
[[device.representor]]
pci_addr = "b1:00.0"
[[device]]
pci_addr = "b1:00.0"
side = "host"
"""


def limited(folder: Path, monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    """Have the default pair with these limits of its own."""
    topology = folder / "topology.toml"
    lines = [f"{name} = {value}\n" for name, value in limits.items()]
    topology.write_text("".join(["[limits]\n", *lines, _PAIR]), encoding="utf-8")
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))


def faulty(folder: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """Have the default pair with this line in every device: `capable = false`, `answers = false`."""
    topology = folder / "topology.toml"
    topology.write_text(_PAIR.replace("side = ", f"{fault}\nside = "), encoding="utf-8")
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))
