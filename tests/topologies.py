"""Device pairs other than the default one."""

from __future__ import annotations

from pathlib import Path

import pytest

__all__ = ["faulty", "limited"]

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
