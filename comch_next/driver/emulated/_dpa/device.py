"""The calls that kernels make, named as in C without doca_dpa_dev_. One that is refused is the instance's fatal error:
in C it returns nothing that could say so.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

from comch_next._codes import AccessFlag
from comch_next.driver.emulated._checks import as_bytes
from comch_next.driver.emulated._dpa import threads
from comch_next.driver.emulated._dpa.completions import MOST_IMM_DATA, ConsumerCompletion, DpaCompletion
from comch_next.driver.emulated._dpa.contexts import DpaConsumer, DpaProducer
from comch_next.driver.emulated._dpa.handles import find
from comch_next.driver.emulated._kernel.memory import ffi
from comch_next.driver.emulated._mmap import Mmap
from comch_next.errors import DocaError, InvalidValue, NotPermitted

__all__ = ["DpaDev"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _fatal(
    call: Callable[Concatenate["DpaDev", _P], _T],
) -> Callable[Concatenate["DpaDev", _P], _T]:
    """Decorate a device call: nobody else uses the instance meanwhile, and it fails where the call is refused."""

    @wraps(call)
    def guarded(self: "DpaDev", /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        with self.dpa.turn:
            try:
                return call(self, *args, **kwargs)
            except DocaError as error:
                text = f"doca_dpa_dev_{call.__name__} in the {self.thread}: {error}"
                failure = type(error)(text)
        self.dpa.fail(failure)
        raise failure

    return guarded


class DpaDev:
    """The noun DpaDev of the driver protocol, as one DPA thread has it."""

    def __init__(self, thread: threads.DpaThread) -> None:
        self.thread, self.dpa = thread, thread.dpa

    # Threads

    def thread_reschedule(self) -> NoReturn:
        threads.reschedule()

    def thread_finish(self) -> NoReturn:
        threads.finish()

    def thread_get_local_storage(self) -> Any:
        return self.thread.storage

    # Messages from the host

    @_fatal
    def comch_consumer_ack(self, consumer: int, num_msg: int) -> None:
        find(consumer, DpaConsumer, "consumer_ack").post(_count(num_msg))

    @_fatal
    def comch_consumer_get_completion(self, consumer_comp_handle: int) -> int:
        element = find(consumer_comp_handle, ConsumerCompletion, "get_completion").poll()
        return 0 if element is None else _pack(consumer_comp_handle, element.number)

    @_fatal
    def comch_consumer_get_completion_imm(self, comp_element: int) -> bytes:
        imm: bytes = _element(comp_element, ConsumerCompletion).data
        return imm

    @_fatal
    def comch_consumer_get_completion_producer_id(self, comp_element: int) -> int:
        origin: int = _element(comp_element, ConsumerCompletion).origin
        return origin

    @_fatal
    def comch_consumer_completion_ack(self, consumer_comp_handle: int, num_comp: int) -> None:
        found = find(consumer_comp_handle, ConsumerCompletion, "completion_ack")
        found.acknowledge(_count(num_comp), "completion_ack")

    @_fatal
    def comch_consumer_completion_request_notification(self, consumer_comp_handle: int) -> None:
        find(consumer_comp_handle, ConsumerCompletion, "request_notification").arm()

    # Messages to the host

    @_fatal
    def comch_producer_is_consumer_empty(self, producer: int, consumer_id: int) -> bool:
        return find(producer, DpaProducer, "is_consumer_empty").is_empty(consumer_id)

    @_fatal
    def comch_producer_post_send_imm_only(
        self, producer: int, consumer_id: int, imm: bytes, imm_length: int, completion_requested: int
    ) -> None:
        found = find(producer, DpaProducer, "post_send_imm_only")
        found.post_send(consumer_id, _immediate(imm, imm_length), bool(completion_requested))

    @_fatal
    def comch_producer_dma_copy(
        self,
        producer: int,
        consumer_id: int,
        dst_mmap: int,
        dst_addr: int,
        src_mmap: int,
        src_addr: int,
        length: int,
        imm: bytes,
        imm_length: int,
        completion_requested: int,
    ) -> None:
        found = find(producer, DpaProducer, "dma_copy")
        data = _immediate(imm, imm_length)
        to = _memory(dst_mmap, dst_addr, length, AccessFlag.LOCAL_READ_WRITE, "dst")
        origin = _memory(src_mmap, src_addr, length, AccessFlag.LOCAL_READ_WRITE | AccessFlag.LOCAL_READ_ONLY, "src")
        if dst_addr < src_addr + length and src_addr < dst_addr + length:
            raise InvalidValue(f"dma_copy: {length} bytes at {src_addr:#x} and {dst_addr:#x} overlap")
        found.check_room(consumer_id)
        ffi.memmove(to, origin, length)
        found.post_send(consumer_id, data, bool(completion_requested))

    # Completions of sends

    @_fatal
    def get_completion(self, dpa_comp_handle: int) -> int:
        element = find(dpa_comp_handle, DpaCompletion, "get_completion").poll()
        return 0 if element is None else _pack(dpa_comp_handle, element.number)

    @_fatal
    def get_completion_user_data(self, comp_element: int) -> Any:
        return _element(comp_element, DpaCompletion).data

    @_fatal
    def completion_ack(self, dpa_comp_handle: int, num_comp: int) -> None:
        find(dpa_comp_handle, DpaCompletion, "completion_ack").acknowledge(_count(num_comp), "completion_ack")

    @_fatal
    def completion_request_notification(self, dpa_comp_handle: int) -> None:
        find(dpa_comp_handle, DpaCompletion, "request_notification").arm()

    # Memory

    @_fatal
    def mmap_get_external_ptr(self, mmap: int, addr: int) -> int:
        _memory(mmap, addr, 1, AccessFlag.LOCAL_READ_WRITE | AccessFlag.LOCAL_READ_ONLY, "map")
        return addr


# An element's handle has its completion context's in the upper half.
_HALF = 32


def _pack(completion: int, number: int) -> int:
    return completion << _HALF | number


def _element(handle: object, kind: type[Any]) -> Any:
    """The element behind a handle, which the kernel must not have acknowledged."""
    if not isinstance(handle, int):
        raise InvalidValue(f"it takes a completion element, not {handle!r}")
    completion = find(handle >> _HALF, kind, "it")
    element = completion.read.get(handle & ((1 << _HALF) - 1))
    if element is None:
        raise InvalidValue("the completion element has been acknowledged; copy what is needed before")
    return element


def _count(number: object) -> int:
    if type(number) is not int or number < 0:
        raise InvalidValue(f"it takes a number from 0 on, not {number!r}")
    return number


def _immediate(imm: Any, length: int) -> bytes:
    data = as_bytes(imm, "it")
    if _count(length) > len(data):
        raise InvalidValue(f"{length} bytes of immediate data are more than the {len(data)} that are given")
    if length > MOST_IMM_DATA:
        raise InvalidValue(f"{length} bytes of immediate data are above the {MOST_IMM_DATA} of a message queue")
    return data[:length]


def _memory(handle: object, addr: int, length: int, access: AccessFlag, what: str) -> Any:
    """The memory of a map, in its range and as its permissions allow."""
    mmap = find(handle, Mmap, what)
    if not mmap.allows(access):
        raise NotPermitted(f"the {what} memory map lacks permission {access.name}")
    if length < 0 or addr < mmap.addr or addr + length > mmap.addr + mmap.size:
        text = f"{length} bytes at {addr:#x} are outside of the {what} memory map"
        raise InvalidValue(f"{text}, which has {mmap.size} at {mmap.addr:#x}")
    return ffi.cast("char *", addr)
