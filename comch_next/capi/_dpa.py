"""The functions of libdoca_dpa: a DPA, its threads and memory, and what its kernels call (DOCA DPA)."""

from __future__ import annotations

from typing import Any

from comch_next.arguments import span
from comch_next.capi._kernels import DEVICE, Kernels
from comch_next.capi.binding import Binding, Call
from comch_next.capi.handles import HANDLES
from comch_next.capi.seam import DRIVER, driver_call
from comch_next.declarations.dpa import FUNCTIONS
from comch_next.errors import BadState, InvalidValue

__all__ = ["attach"]

_SUCCESS = 0
_STOP_S = 5.0  # for a kernel's run to end


def attach(ffi: Any, lib: Any) -> None:
    """Give the library its functions."""
    binding = Binding(ffi, lib)
    kernels = Kernels(binding)

    def set_func_arg(thread: Any, func: int, arg: int) -> None:
        DRIVER.dpa_threads.set_func_arg(thread, kernels.at(func), arg)

    by_hand: dict[str, Call] = {**_CALLS, "doca_dpa_thread_set_func_arg": set_func_arg}
    for row in binding.rows(FUNCTIONS):
        if row.name.startswith(DEVICE):
            kernels.bind(row)
        else:
            binding.bind(row, by_hand.get(row.name) or driver_call(row))
    binding.attach("doca_dpa_set_app", binding.coded(_set_app))


def _set_app(dpa: int, app: int) -> int:
    """DPACC's program, which is not a handle of ours: there is nothing to load."""
    target = HANDLES.find("doca_dpa", dpa).target
    if not app:
        raise InvalidValue("dpa_set_app: app is NULL")
    DRIVER.dpas.set_app(target, app)
    return _SUCCESS


def _peek_at_last_error(dpa: Any) -> None:
    error = DRIVER.dpas.peek_at_last_error(dpa)
    if error is not None:
        raise BadState(f"dpa_peek_at_last_error: {type(error).__name__}: {error}")


def _stop(thread: Any) -> None:
    DRIVER.dpa_threads.stop(thread, _STOP_S)


def _h2d_memcpy(dpa: Any, dst_ptr: int, src_ptr: int, size: int) -> None:
    DRIVER.dpas.h2d_memcpy(dpa, dst_ptr, span(src_ptr, size))


def _d2h_memcpy(dpa: Any, dst_ptr: int, src_ptr: int, size: int) -> None:
    to = memoryview(span(dst_ptr, size)).cast("B")
    to[:] = DRIVER.dpas.d2h_memcpy(dpa, src_ptr, size)


_CALLS: dict[str, Call] = {
    "doca_dpa_peek_at_last_error": _peek_at_last_error,
    "doca_dpa_thread_stop": _stop,
    "doca_dpa_h2d_memcpy": _h2d_memcpy,
    "doca_dpa_d2h_memcpy": _d2h_memcpy,
}
