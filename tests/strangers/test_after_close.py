"""After close, every call of every object raises an error of the library's own, or harms nobody."""

from __future__ import annotations

import gc

import pytest

import comch_next as comch
from tests.fabric.hostile import open_fds
from tests.strangers.closed import WORLDS, deeds


@pytest.mark.parametrize("world", WORLDS)
def test_nothing_raw_comes_out(world: str) -> None:
    made = WORLDS[world]()
    gc.collect()
    before = open_fds()
    raw = []
    for thing, closed in made.items():
        for name, do in deeds(closed, made):
            try:
                do()
            except comch.DocaError:
                pass
            except Exception as error:
                raw.append(f"{thing}: {name}: {type(error).__name__}: {error}")
    assert not raw, "\n".join(raw)
    gc.collect()
    assert open_fds() == before
