"""What kernels call, under the names of C (doca_dpa_dev_comch_msgq.h and DOCA DPA's device headers).

Handles are numbers, which the host gets from `get_dpa_handle` and gives the kernel in its argument. What C writes
through a pointer is returned after the result. In C these calls cannot fail. Here an invalid one, with 33 bytes or a
stale handle, raises an exception, which becomes the fatal error of the DPA (`Dpa.error`). Outside of a kernel every
call raises BadState.
"""

from __future__ import annotations

from typing import Any, NoReturn

from comch_next._codes import CompletionType
from comch_next.arguments import Buffer
from comch_next.driver.protocol import device_calls

__all__ = [
    "CompletionType",
    "doca_dpa_dev_comch_consumer_ack",
    "doca_dpa_dev_comch_consumer_completion_ack",
    "doca_dpa_dev_comch_consumer_completion_request_notification",
    "doca_dpa_dev_comch_consumer_get_completion",
    "doca_dpa_dev_comch_consumer_get_completion_imm",
    "doca_dpa_dev_comch_consumer_get_completion_producer_id",
    "doca_dpa_dev_comch_producer_dma_copy",
    "doca_dpa_dev_comch_producer_is_consumer_empty",
    "doca_dpa_dev_comch_producer_post_send_imm_only",
    "doca_dpa_dev_completion_ack",
    "doca_dpa_dev_completion_request_notification",
    "doca_dpa_dev_get_completion",
    "doca_dpa_dev_get_completion_type",
    "doca_dpa_dev_get_completion_user_data",
    "doca_dpa_dev_mmap_get_external_ptr",
    "doca_dpa_dev_thread_finish",
    "doca_dpa_dev_thread_get_local_storage",
    "doca_dpa_dev_thread_reschedule",
]


# Threads


def doca_dpa_dev_thread_reschedule() -> NoReturn:
    """End this run of the kernel; it runs again, from its beginning, when it is activated."""
    device_calls("doca_dpa_dev_thread_reschedule").thread_reschedule()
    raise AssertionError  # it does not return


def doca_dpa_dev_thread_finish() -> NoReturn:
    """End the kernel for good."""
    device_calls("doca_dpa_dev_thread_finish").thread_finish()
    raise AssertionError  # it does not return


def doca_dpa_dev_thread_get_local_storage() -> Any:
    """Return what the host gave `DpaThread.set_local_storage`."""
    return device_calls("doca_dpa_dev_thread_get_local_storage").thread_get_local_storage()


# Messages from the host


def doca_dpa_dev_comch_consumer_ack(consumer: int, num_msg: int) -> None:
    """Post `num_msg` more receives of immediate data; at most the queue size may be outstanding."""
    device_calls("doca_dpa_dev_comch_consumer_ack").comch_consumer_ack(consumer, num_msg)


def doca_dpa_dev_comch_consumer_get_completion(consumer_comp_handle: int) -> tuple[int, int]:
    """Return 1 and the element of the next message that was received, or 0 and 0."""
    calls = device_calls("doca_dpa_dev_comch_consumer_get_completion")
    element: int = calls.comch_consumer_get_completion(consumer_comp_handle)
    return int(element != 0), element


def doca_dpa_dev_comch_consumer_get_completion_imm(comp_element: int) -> tuple[bytes, int]:
    """Return the message, and its length in bytes; until the element is acknowledged."""
    calls = device_calls("doca_dpa_dev_comch_consumer_get_completion_imm")
    imm: bytes = calls.comch_consumer_get_completion_imm(comp_element)
    return imm, len(imm)


def doca_dpa_dev_comch_consumer_get_completion_producer_id(comp_element: int) -> int:
    """Return the id of the producer that sent the message; until the element is acknowledged."""
    calls = device_calls("doca_dpa_dev_comch_consumer_get_completion_producer_id")
    producer_id: int = calls.comch_consumer_get_completion_producer_id(comp_element)
    return producer_id


def doca_dpa_dev_comch_consumer_completion_ack(consumer_comp_handle: int, num_comp: int) -> None:
    """Give back the oldest elements that have been read."""
    calls = device_calls("doca_dpa_dev_comch_consumer_completion_ack")
    calls.comch_consumer_completion_ack(consumer_comp_handle, num_comp)


def doca_dpa_dev_comch_consumer_completion_request_notification(consumer_comp_handle: int) -> None:
    """Have the next message, or one that is there unread, activate the thread."""
    calls = device_calls("doca_dpa_dev_comch_consumer_completion_request_notification")
    calls.comch_consumer_completion_request_notification(consumer_comp_handle)


# Messages to the host


def doca_dpa_dev_comch_producer_is_consumer_empty(producer: int, consumer_id: int) -> int:
    """Return 1 when that consumer has posted no receive, else 0."""
    calls = device_calls("doca_dpa_dev_comch_producer_is_consumer_empty")
    return int(calls.comch_producer_is_consumer_empty(producer, consumer_id))


def doca_dpa_dev_comch_producer_post_send_imm_only(
    producer: int, consumer_id: int, imm: Buffer, imm_length: int, completion_requested: int
) -> None:
    """Send the first `imm_length` bytes, at most 32, to a consumer that has posted a receive."""
    calls = device_calls("doca_dpa_dev_comch_producer_post_send_imm_only")
    calls.comch_producer_post_send_imm_only(producer, consumer_id, imm, imm_length, completion_requested)


def doca_dpa_dev_comch_producer_dma_copy(
    producer: int,
    consumer_id: int,
    dst_mmap: int,
    dst_addr: int,
    src_mmap: int,
    src_addr: int,
    length: int,
    imm: Buffer,
    imm_length: int,
    completion_requested: int,
) -> None:
    """Copy bytes between maps, which must not overlap, then send the immediate data.

    dst_mmap has permission LOCAL_READ_WRITE, src_mmap that or LOCAL_READ_ONLY; handles of `Mmap.dev_get_dpa_handle`.
    """
    calls = device_calls("doca_dpa_dev_comch_producer_dma_copy")
    calls.comch_producer_dma_copy(
        producer, consumer_id, dst_mmap, dst_addr, src_mmap, src_addr, length, imm, imm_length, completion_requested
    )


# Completions of sends


def doca_dpa_dev_get_completion(dpa_comp_handle: int) -> tuple[int, int]:
    """Return 1 and the element of the next send that has completed, or 0 and 0."""
    element: int = device_calls("doca_dpa_dev_get_completion").get_completion(dpa_comp_handle)
    return int(element != 0), element


def doca_dpa_dev_get_completion_type(comp_element: int) -> CompletionType:
    """Return what has completed: a send, since one that fails is the fatal error of the DPA."""
    return CompletionType(device_calls("doca_dpa_dev_get_completion_type").get_completion_type(comp_element))


def doca_dpa_dev_get_completion_user_data(comp_element: int) -> Any:
    """Return the `user_data` of the producer whose send it is."""
    return device_calls("doca_dpa_dev_get_completion_user_data").get_completion_user_data(comp_element)


def doca_dpa_dev_completion_ack(dpa_comp_handle: int, num_comp: int) -> None:
    """Give back the oldest elements that have been read."""
    device_calls("doca_dpa_dev_completion_ack").completion_ack(dpa_comp_handle, num_comp)


def doca_dpa_dev_completion_request_notification(dpa_comp_handle: int) -> None:
    """Have the next completion, or one that is there unread, activate the thread."""
    device_calls("doca_dpa_dev_completion_request_notification").completion_request_notification(dpa_comp_handle)


# Memory


def doca_dpa_dev_mmap_get_external_ptr(mmap: int, addr: int) -> int:
    """Return where a kernel reads the byte at that address of a map of the host's."""
    pointer: int = device_calls("doca_dpa_dev_mmap_get_external_ptr").mmap_get_external_ptr(mmap, addr)
    return pointer
