"""The C libraries of this project, as those that the native driver finds: they prove both directions of the seam.

In one process the driver's calls go down through C and up again into the same interpreter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import comch_next.capi
import comch_next.capi.seam  # which has this process's own driver for good, not one that a test has loaded anew
from tools.side_by_side import Stage

__all__ = ["ENV", "NativeStage", "choose"]

ENV: Mapping[str, str] = {"COMCH_DOCA_LIB": str(Path(comch_next.capi.__path__[0]) / "lib")}


def choose(patch: pytest.MonkeyPatch) -> None:
    """Have a test, which is to load its driver anew, choose the native one on these libraries."""
    for name, value in {**ENV, "COMCH_DRIVER": "native"}.items():
        patch.setenv(name, value)


@dataclass(frozen=True)
class NativeStage(Stage):
    """A place to run samples in: a manner is a driver and whether the sample is the old or the new one."""

    def command(self, manner: str, script: str, *arguments: str) -> list[str]:
        return super().command(manner.split()[1], script, *arguments)

    def environment(self, manner: str) -> dict[str, str]:
        return {**super().environment(manner), **ENV, "COMCH_DRIVER": manner.split()[0]}
