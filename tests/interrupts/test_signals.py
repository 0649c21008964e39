"""Calls that hold signals back hold them again after a callback, wherever the interrupt of that has come."""

from __future__ import annotations

import signal
from contextlib import suppress

import pytest

from comch_next.driver.protocol import interruptible, uninterrupted
from tests.interrupts.strike import each_place


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
        for strike in each_place(5):
            called.clear()
            held.clear()
            with suppress(KeyboardInterrupt):
                strike.run(lambda _: call(), None)  # type: ignore[arg-type]
            assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
            assert (called, held) in (([], []), ([1], [True])), strike.place
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_callback_that_raises_hides_no_interrupt() -> None:
    """The signal came before the callback; its exception comes with the callback's."""

    def fail() -> None:
        raise ValueError("the callback's")

    @uninterrupted
    def call() -> None:
        signal.raise_signal(signal.SIGINT)
        interruptible(fail)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            call()
    finally:
        signal.signal(signal.SIGINT, before)
    assert str(raised.value.__context__) == "the callback's"
