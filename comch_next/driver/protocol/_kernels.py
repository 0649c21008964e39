"""Which thread runs a kernel, a function on the DPA, and what that may call."""

import os
import threading
from typing import Any

from comch_next.driver.protocol._shield import shielded
from comch_next.errors import BadState

__all__ = ["KERNELS", "device_calls", "enter_kernel", "leave_kernel", "refuse_kernel"]

KERNELS: set[int] = set()  # threads that run kernels


class _Running(threading.local):
    calls: Any = None  # the driver's noun DpaDev, on a thread of a DPA


_running = _Running()


def enter_kernel(calls: Any) -> None:
    """Note that this thread runs kernels from now on, which make these device calls."""
    _running.calls = calls
    KERNELS.add(threading.get_ident())


def leave_kernel() -> None:
    """Note that this thread runs no kernel any more."""
    _running.calls = None
    KERNELS.discard(threading.get_ident())


def _begin_anew() -> None:
    """In a forked child: kernels are the parent's, also where one has forked."""
    _running.calls = None
    KERNELS.clear()


def device_calls(call: str) -> Any:
    """Return the device calls of the calling kernel. Raises BadState outside of a kernel."""
    if _running.calls is None:
        raise BadState(f"{call} was attempted outside of a kernel; it is legal in a function that a DPA thread runs")
    return _running.calls


def refuse_kernel(call: str) -> None:
    """Raise BadState in a kernel, which makes device calls only."""
    if KERNELS and _running.calls is not None:
        raise BadState(f"{call} was attempted in a kernel; it is legal on the host, kernels make doca_dpa_dev_* calls")


os.register_at_fork(after_in_child=shielded(_begin_anew))
