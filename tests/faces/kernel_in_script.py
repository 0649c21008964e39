"""Kernels of scripts, which call the C libraries through cffi or ctypes; run as a program: SPELLING SCENE.

The host's side goes through cffi in both.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import comch_next.capi
from comch_next.errors import code_name
from tests.faces.world import check, ffi, lib, made, path_of

DEPTH = 16
_PATIENCE_S = 60.0
_NUMBER = struct.Struct("<Q")
Kernel = Callable[[int], None]


class Lane:
    """A DPA, its thread, and a queue each way, whose kernel is a function of this program."""

    device: Any  # the library as kernels call it: with numbers for handles

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.received: list[int] = []
        self.posted = self.later = False
        self.answers: list[Any] = []

    def pointer(self, kernel: Kernel) -> Any:
        """The kernel as a C function."""
        raise NotImplementedError

    def keep(self, callback: Any) -> Any:
        self.kept.append(callback)
        return callback

    # The host

    def open(self, kernel: Kernel) -> None:
        infos, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
        check(lib.doca_devinfo_create_list(infos, number))
        self.dev = made(lib.doca_dev_open, infos[0][0])
        self.pe = made(lib.doca_pe_create)
        self.dpa = made(lib.doca_dpa_create, self.dev)
        check(lib.doca_dpa_start(self.dpa))
        self.thread = made(lib.doca_dpa_thread_create, self.dpa)
        check(lib.doca_dpa_thread_set_func_arg(self.thread, self.pointer(kernel), 7))
        check(lib.doca_dpa_thread_start(self.thread))
        self._to_dpa()
        self._from_dpa()
        check(lib.doca_dpa_thread_run(self.thread))

    def _to_dpa(self) -> None:
        queue = made(lib.doca_comch_msgq_create, self.dev)
        check(lib.doca_comch_msgq_set_dpa_consumer(queue, self.dpa))
        check(lib.doca_comch_msgq_start(queue))
        completion = made(lib.doca_comch_consumer_completion_create)
        check(lib.doca_comch_consumer_completion_set_dpa_thread(completion, self.thread))
        check(lib.doca_comch_consumer_completion_start(completion))
        consumer = made(lib.doca_comch_msgq_consumer_create, queue)
        ctx = lib.doca_comch_consumer_as_ctx(consumer)
        check(lib.doca_ctx_set_datapath_on_dpa(ctx, self.dpa))
        check(lib.doca_comch_consumer_set_completion(consumer, completion, 0))
        check(lib.doca_comch_consumer_set_dev_max_num_recv(consumer, DEPTH))
        check(lib.doca_ctx_start(ctx))
        self.producer = made(lib.doca_comch_msgq_producer_create, queue)
        sent = self.keep(
            ffi.callback(
                "void(struct doca_comch_producer_task_send *, uint64_t, uint64_t)",
                lambda task, *_: lib.doca_task_free(lib.doca_comch_producer_task_send_as_task(task)),
            )
        )
        check(lib.doca_comch_producer_task_send_set_conf(self.producer, sent, sent, DEPTH))
        check(lib.doca_pe_connect_ctx(self.pe, lib.doca_comch_producer_as_ctx(self.producer)))
        check(lib.doca_ctx_start(lib.doca_comch_producer_as_ctx(self.producer)))
        self.consumer_id = made(lib.doca_comch_consumer_get_id, consumer)
        self.consumer = made(lib.doca_comch_consumer_get_dpa_handle, consumer)
        self.completion = made(lib.doca_comch_consumer_completion_get_dpa_handle, completion)

    def _from_dpa(self) -> None:
        queue = made(lib.doca_comch_msgq_create, self.dev)
        check(lib.doca_comch_msgq_set_dpa_producer(queue, self.dpa))
        check(lib.doca_comch_msgq_start(queue))
        completion = made(lib.doca_dpa_completion_create, self.dpa, DEPTH)
        check(lib.doca_dpa_completion_start(completion))
        producer = made(lib.doca_comch_msgq_producer_create, queue)
        ctx = lib.doca_comch_producer_as_ctx(producer)
        check(lib.doca_ctx_set_datapath_on_dpa(ctx, self.dpa))
        check(lib.doca_comch_producer_dpa_completion_attach(producer, completion))
        check(lib.doca_comch_producer_set_dev_max_num_send(producer, DEPTH))
        check(lib.doca_ctx_start(ctx))
        consumer = made(lib.doca_comch_msgq_consumer_create, queue)
        ctx = lib.doca_comch_consumer_as_ctx(consumer)
        kind = "void(struct doca_comch_consumer_task_post_recv *, uint64_t, uint64_t)"
        came = self.keep(ffi.callback(kind, self._came))
        check(lib.doca_comch_consumer_task_post_recv_set_conf(consumer, came, came, DEPTH))
        check(lib.doca_pe_connect_ctx(self.pe, ctx))
        check(lib.doca_ctx_start(ctx), lib.DOCA_ERROR_IN_PROGRESS)
        self.until(lambda: made(lib.doca_ctx_get_state, ctx) == lib.DOCA_CTX_STATE_RUNNING)
        for _ in range(DEPTH):
            task = made(lib.doca_comch_consumer_task_post_recv_alloc_init, consumer, ffi.NULL)
            check(lib.doca_task_submit(lib.doca_comch_consumer_task_post_recv_as_task(task)))
        self.dpa_producer = made(lib.doca_comch_producer_get_dpa_handle, producer)
        self.cpu_consumer_id = made(lib.doca_comch_consumer_get_id, consumer)

    def _came(self, task: Any, *_: Any) -> None:
        length = lib.doca_comch_consumer_task_post_recv_get_imm_data_len(task)
        imm = lib.doca_comch_consumer_task_post_recv_get_imm_data(task)
        if length:
            self.received += _NUMBER.unpack(ffi.buffer(imm, length)[:])
        lib.doca_task_free(lib.doca_comch_consumer_task_post_recv_as_task(task))

    def until(self, reached: Callable[[], object]) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not reached():
            assert time.monotonic() < deadline
            if not lib.doca_pe_progress(self.pe):
                time.sleep(0.0005)

    def send(self, number: int) -> None:
        alloc = lib.doca_comch_producer_task_send_alloc_init
        task = made(alloc, self.producer, ffi.NULL, _NUMBER.pack(number), _NUMBER.size, self.consumer_id)
        submit = lib.doca_comch_producer_task_send_as_task(task)
        self.until(lambda: check(lib.doca_task_submit(submit), lib.DOCA_ERROR_AGAIN) == 0)

    def last_error(self) -> str:
        """The name of the DPA's."""
        code = lib.doca_dpa_peek_at_last_error(self.dpa)
        return code_name(code)

    # The scenes

    def answer(self) -> None:
        """The kernel answers numbers with their squares."""
        self.open(self._square)
        for number in (5, 6, 7):
            self.send(number)
            self.until(lambda: self.received)
            print(number, "->", self.received.pop())
        print(self.last_error())

    def _square(self, arg: int) -> None:
        assert arg == 7
        device = self.device
        if not self.posted:
            self.posted = True
            device.doca_dpa_dev_comch_consumer_ack(self.consumer, DEPTH)
        while (message := self.take()) is not None:
            (number,) = _NUMBER.unpack(message)
            device.doca_dpa_dev_comch_consumer_ack(self.consumer, 1)
            answer = _NUMBER.pack(number * number)
            send = device.doca_dpa_dev_comch_producer_post_send_imm_only
            send(self.dpa_producer, self.cpu_consumer_id, answer, _NUMBER.size, 0)
        device.doca_dpa_dev_comch_consumer_completion_request_notification(self.completion)
        device.doca_dpa_dev_thread_reschedule()

    def refuse(self) -> None:
        """The kernel acknowledges more than there is, and goes on."""
        self.open(self._acknowledge)
        self.until(lambda: self.later)
        self.until(lambda: self.last_error() != "DOCA_SUCCESS")
        check(lib.doca_dpa_thread_stop(self.thread))
        print("later:", *self.answers)
        print(self.last_error())

    def _acknowledge(self, _: int) -> None:
        self.device.doca_dpa_dev_comch_consumer_ack(self.consumer, DEPTH + 1)
        empty = self.device.doca_dpa_dev_comch_producer_is_consumer_empty
        self.answers = [empty(self.dpa_producer, self.cpu_consumer_id + 100)]
        self.later = True

    def leave(self) -> None:
        """The kernel polls for ever, and the program ends."""
        self.open(self._poll)
        self.until(lambda: self.later)
        print("polling", flush=True)

    def _poll(self, _: int) -> None:
        while True:
            self.device.doca_dpa_dev_comch_producer_is_consumer_empty(self.dpa_producer, self.cpu_consumer_id)
            self.later = True

    def take(self) -> bytes | None:
        """The next message, given back."""
        raise NotImplementedError


class WithCffi(Lane):
    """Through cffi."""

    device = lib

    def pointer(self, kernel: Kernel) -> Any:
        callback = self.keep(ffi.callback("void(uint64_t)", kernel))
        return ffi.cast("doca_dpa_func_t *", callback)

    def take(self) -> bytes | None:
        element, length = ffi.new("uint64_t *"), ffi.new("uint32_t *")
        if not lib.doca_dpa_dev_comch_consumer_get_completion(self.completion, element):
            return None
        imm = lib.doca_dpa_dev_comch_consumer_get_completion_imm(element[0], length)
        message: bytes = ffi.buffer(imm, length[0])[:]
        lib.doca_dpa_dev_comch_consumer_completion_ack(self.completion, 1)
        return message


class WithCtypes(Lane):
    """Through ctypes."""

    def __init__(self) -> None:
        super().__init__()
        self.device = ctypes.CDLL(path_of(comch_next.capi, "dpa"))
        number, small, imm = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_char_p
        types: dict[str, list[Any]] = {
            "consumer_ack": [number, small],
            "consumer_get_completion": [number, ctypes.POINTER(number)],
            "consumer_get_completion_imm": [number, ctypes.POINTER(small)],
            "consumer_completion_ack": [number, number],
            "consumer_completion_request_notification": [number],
            "producer_is_consumer_empty": [number, small],
            "producer_post_send_imm_only": [number, small, imm, small, small],
        }
        for name, argtypes in types.items():
            getattr(self.device, f"doca_dpa_dev_comch_{name}").argtypes = argtypes
        self.device.doca_dpa_dev_comch_consumer_get_completion_imm.restype = ctypes.POINTER(ctypes.c_uint8)

    def pointer(self, kernel: Kernel) -> Any:
        callback = self.keep(ctypes.CFUNCTYPE(None, ctypes.c_uint64)(kernel))
        return ffi.cast("doca_dpa_func_t *", ctypes.cast(callback, ctypes.c_void_p).value or 0)

    def take(self) -> bytes | None:
        element, length = ctypes.c_uint64(), ctypes.c_uint32()
        if not self.device.doca_dpa_dev_comch_consumer_get_completion(self.completion, ctypes.byref(element)):
            return None
        imm = self.device.doca_dpa_dev_comch_consumer_get_completion_imm(element, ctypes.byref(length))
        message = bytes(imm[: length.value])
        self.device.doca_dpa_dev_comch_consumer_completion_ack(self.completion, 1)
        return message


def main() -> int:
    lanes: dict[str, type[Lane]] = {"WithCffi": WithCffi, "WithCtypes": WithCtypes}
    getattr(lanes[sys.argv[1]](), sys.argv[2])()
    return 0


if __name__ == "__main__":
    sys.exit(main())
