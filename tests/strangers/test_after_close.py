"""After close, every call of every object raises an error of the library's own, or harms nobody."""

from __future__ import annotations

import gc

import pytest

import comch_next as comch
from tests.descriptors import collected_fds, open_fds
from tests.pull.support import FORMS, Stage
from tests.strangers.closed import WORLDS, deeds


@pytest.mark.parametrize("world", WORLDS)
def test_nothing_raw_comes_out(world: str) -> None:
    made = WORLDS[world]()
    before = collected_fds()
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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("foreign", ["number", "connection of another context"])
def test_a_port_takes_no_other_connections_than_its_own(form: str, foreign: str) -> None:
    stage = Stage()
    there, here = stage.pair(form, "driver")
    other = 1 if foreign == "number" else here.connection
    for call in ("status", "in_flight", "failed", "max_msg_size_of", "update_info", "withdraw"):
        with pytest.raises(comch.InvalidValue, match="takes a connection of <Server 'svc'>"):
            getattr(there.port, call)(other)
    with pytest.raises(comch.InvalidValue, match="takes a connection of <Server 'svc'>"):
        there.port.send(other, b"x")  # type: ignore[arg-type]
    stage.close()
