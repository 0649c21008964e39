"""The collector may run in the middle of a call, and with it whatever code of the program's it finds to run."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.emulated._kernel.ring import ffi
from tests.ring.ring import ring


class Link(calls.Link):
    """One that can be referred to weakly."""


def test_a_connection_that_goes_while_its_message_is_received_is_received_with_it() -> None:
    """The result is a pair; to make it, Python takes one that has been used before, or may collect first."""
    poller = Poller()
    with ring() as made:
        links = [Link()]
        links[0].hold(made, 0, int(ffi.cast("uintptr_t", made.rx)))
        poller.follow((links[0],))
        known = weakref.ref(links[0])

        def drop(phase: str, _: dict[str, Any]) -> None:
            if phase == "start":
                poller.follow(())
                links.clear()

        made.send(b"x")
        pairs = [(number, number) for number in range(4000)]  # none that has been used before is left
        before = gc.get_threshold()
        gc.callbacks.append(drop)
        try:
            gc.set_threshold(1)
            found: Any = poller.receive(100)
        finally:
            gc.set_threshold(*before)
            gc.callbacks.remove(drop)
        assert found[0] == b"x"
        assert found[1] is known()
        del pairs
