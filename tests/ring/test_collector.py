"""The collector may run in the middle of a call, and with it whatever code of the program's it finds to run."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.emulated._kernel.ring import ffi
from tests.collecting import at_a_collection
from tests.ring.ring import ring


class Link(calls.Link):
    """One that can be referred to weakly."""


@pytest.mark.parametrize("at", range(1, 4))
def test_a_connection_that_goes_while_its_message_is_received_is_received_with_it(at: int) -> None:
    poller = Poller()
    with ring() as made:
        links = [Link()]
        links[0].hold(made, 0, int(ffi.cast("uintptr_t", made.rx)))
        poller.follow((links[0],))
        known = weakref.ref(links[0])

        def drop() -> None:
            poller.follow(())
            links.clear()

        made.send(b"x")
        with at_a_collection(at, drop):
            found: Any = poller.receive(100)
        assert found is None or (found[0] == b"x" and found[1] is known())
