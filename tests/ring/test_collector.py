"""The collector may run in the middle of a call, and with it whatever code of the program's it finds to run."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.poller import Poller
from comch_next.driver.emulated._kernel.ring import ffi
from tests.collecting import IN_C, at_every_collection
from tests.ring.ring import ring


class Link(calls.Link):
    """One that can be referred to weakly."""


@pytest.mark.skipif(not IN_C, reason="to this call, which is in C, the collector comes up to Python 3.11 only")
def test_a_connection_that_goes_while_its_message_is_received_is_received_with_it() -> None:
    poller, links = Poller(), list[Link]()

    def drop() -> None:
        poller.follow(())
        links.clear()

    for block in at_every_collection(drop):
        poller = Poller()  # one that has found nothing yet is not sent to look at sockets
        with ring() as made:
            links.append(Link())
            links[0].hold(made, 0, int(ffi.cast("uintptr_t", made.rx)))
            poller.follow((links[0],))
            known = weakref.ref(links[0])
            made.send(b"x")
            with block:
                found: Any = poller.receive(100)
            assert found is None or (found[0] == b"x" and found[1] is known())
            del found
            drop()
