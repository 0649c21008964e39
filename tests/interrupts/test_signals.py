"""What a signal's handler raises passes through; calls that hold signals back hold them again after a callback."""

from __future__ import annotations

import signal
from contextlib import suppress
from itertools import count

import pytest

from comch_next.driver.emulated._checks import says_no_memory
from comch_next.driver.protocol import interruptible, uninterrupted
from tests.interrupts.strike import Strike


def test_a_time_out_that_a_handler_raises_is_not_the_systems() -> None:
    """It is an OSError, too, but has no errno."""

    @says_no_memory
    def create() -> None:
        raise TimeoutError("of the program's")

    with pytest.raises(TimeoutError, match=r"^of the program's$") as caught:
        create()
    assert type(caught.value) is TimeoutError


def test_they_are_held_back_again_after_a_callback() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    called: list[int] = []
    held: list[bool] = []

    @uninterrupted
    def call() -> None:
        with suppress(KeyboardInterrupt):
            interruptible(lambda: called.append(1))
        held.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    try:
        for at in count(1):
            called.clear()
            held.clear()
            strike = Strike(at)
            with suppress(KeyboardInterrupt):
                strike.run(lambda _: call(), None)  # type: ignore[arg-type]
            assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
            assert (called, held) in (([], []), ([1], [True])), strike.place
            if not strike.place:
                break
        assert at > 5
    finally:
        signal.signal(signal.SIGINT, before)
