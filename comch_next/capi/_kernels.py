"""Kernels that are C functions, and what they call (guide: Comch, DPA; DOCA DPA's device side).

A device call that Python ends with an exception, as the end of a run or a refusal, ends the C function, too: the C part
jumps back to where the kernel was called (_sources/kernels.c), and the exception goes on from there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from comch_next.capi.binding import Binding, Call, Function
from comch_next.driver.protocol import device_calls
from comch_next.errors import BadState, DocaError, InvalidValue

__all__ = ["DEVICE", "Kernels"]

DEVICE = "doca_dpa_dev_"  # what the names of the calls of kernels begin with
_MOST_NAME = 256
_MOST_IMM_DATA = 32  # bytes that are read for one message; more are refused


class _Run(threading.local):
    """The kernel in C that runs on this thread, if `goes_on`; `over` is what has ended it."""

    goes_on = False
    over: BaseException | None = None


_run = _Run()


class _Kernel:
    """A C function, as the driver calls a kernel."""

    def __init__(self, lib: Any, address: int, name: str) -> None:
        self._lib, self._address = lib, address
        self.__qualname__ = name

    def __call__(self, arg: int) -> None:
        _run.goes_on = True
        self._lib.comch_face_run_kernel(self._address, arg)
        _run.goes_on = False
        over, _run.over = _run.over, None
        if isinstance(over, DocaError):  # a refused call: the DPA has failed, and no C program wants a traceback
            self._lib.comch_face_report(f"{over}\n".encode(errors="replace"))
            device_calls("dpa_dev_thread_finish").thread_finish()
        if over is not None:
            raise over


class Kernels:
    """One library's: makes kernels of addresses, and gives C the calls that they make."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._ffi, self._lib = binding.ffi, binding.lib
        self._by_hand: dict[str, Callable[[Call], Call]] = {
            "get_completion": self._get_completion,
            "comch_consumer_get_completion": self._get_completion,
            "comch_consumer_get_completion_imm": self._get_imm,
            "comch_producer_post_send_imm_only": self._send,
            "comch_producer_dma_copy": self._send,
        }

    def at(self, address: int) -> Callable[[int], None]:
        """Return the kernel at an address; InvalidValue for NULL."""
        if not address:
            raise InvalidValue("dpa_thread_set_func_arg: func is NULL")
        name = self._ffi.new("char[]", _MOST_NAME)
        self._lib.comch_face_name_kernel(address, name, _MOST_NAME)
        return _Kernel(self._lib, address, self._ffi.string(name).decode(errors="replace"))

    def bind(self, row: Function) -> None:
        """Attach the driver's device call to the function of a row."""
        method = row.name.removeprefix(DEVICE)
        adapt = self._by_hand.get(method, _nothing if row.returns == "void" else _number)
        nothing = None if row.returns == "void" else 0

        def run(*args: Any) -> Any:
            if not _run.goes_on:
                text = "was attempted outside of a kernel; it is legal in a function that a DPA thread runs"
                self._binding.code_of_refusal(BadState(f"{row.name} {text}"))
            elif _run.over is None:
                try:
                    return adapt(getattr(device_calls(row.name), method))(*args)
                except BaseException as error:
                    _run.over = error
                    self._lib.comch_face_end_kernel()
            return nothing

        self._binding.attach(row.name, run, is_coded=False)

    def _get_completion(self, call: Call) -> Call:
        def get(handle: int, out: Any) -> int:
            _expect_place(call, out, "comp_element")
            element: int = call(handle)
            if element:
                out[0] = element
            return int(element != 0)

        return get

    def _get_imm(self, call: Call) -> Call:
        def get(element: int, length: Any) -> int:
            _expect_place(call, length, "imm_length")
            imm: bytes = call(element)  # the element has it until it is acknowledged
            length[0] = len(imm)
            return int(self._ffi.cast("uintptr_t", self._ffi.from_buffer(imm)))

        return get

    def _send(self, call: Call) -> Call:
        def send(*args: Any) -> None:
            *where, imm, length, completion_requested = args
            data = self._ffi.buffer(imm, min(length, _MOST_IMM_DATA))[:] if imm else b""
            call(*where, data, length, completion_requested)

        return send


def _expect_place(call: Call, pointer: Any, name: str) -> None:
    """Fail the DPA before the call, as the write through NULL would afterwards."""
    if not pointer:
        raise ValueError(f"{DEVICE}{call.__name__}: {name} is NULL")


def _nothing(call: Call) -> Call:
    """It returns nothing."""
    return call


def _number(call: Call) -> Call:
    """It returns a number; what nobody has set, storage or user data, is 0."""
    return lambda *args: int(call(*args) or 0)
