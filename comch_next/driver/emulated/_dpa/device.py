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
from comch_next.driver.emulated._dpa.handles import Named, find
from comch_next.driver.emulated._kernel.memory import ffi
from comch_next.driver.emulated._mmap import Mmap
from comch_next.driver.protocol import counted, quoted
from comch_next.errors import DocaError, InvalidValue, NotPermitted

__all__ = ["DpaDev"]

_IMM = ("byte of immediate data is", "bytes of immediate data are")

_P = ParamSpec("_P")
_T = TypeVar("_T")
_SEND = 0  # DOCA_DPA_DEV_COMP_SEND: a send that fails has no completion, but is fatal
_N = TypeVar("_N", bound=Named)
_READABLE = AccessFlag.LOCAL_READ_WRITE | AccessFlag.LOCAL_READ_ONLY


def _fatal(
    call: Callable[Concatenate["DpaDev", _P], _T],
) -> Callable[Concatenate["DpaDev", _P], _T]:
    """Decorate a device call: nobody else uses the instance meanwhile, and it fails where the call is refused."""

    @wraps(call)
    def guarded(self: "DpaDev", /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        with self.dpa.turn:
            if self.dpa.error is not None:
                threads.finish()  # no kernel of it runs any more
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
        self._find(consumer, DpaConsumer, "consumer_ack").post(_count(num_msg))

    @_fatal
    def comch_consumer_get_completion(self, consumer_comp_handle: int) -> int:
        element = self._find(consumer_comp_handle, ConsumerCompletion, "get_completion").poll()
        return 0 if element is None else _pack(consumer_comp_handle, element.number)

    @_fatal
    def comch_consumer_get_completion_imm(self, comp_element: int) -> bytes:
        imm: bytes = self._element(comp_element, ConsumerCompletion).data
        return imm

    @_fatal
    def comch_consumer_get_completion_producer_id(self, comp_element: int) -> int:
        origin: int = self._element(comp_element, ConsumerCompletion).origin
        return origin

    @_fatal
    def comch_consumer_completion_ack(self, consumer_comp_handle: int, num_comp: int) -> None:
        found = self._find(consumer_comp_handle, ConsumerCompletion, "completion_ack")
        found.acknowledge(_count(num_comp), "completion_ack")

    @_fatal
    def comch_consumer_completion_request_notification(self, consumer_comp_handle: int) -> None:
        self._find(consumer_comp_handle, ConsumerCompletion, "request_notification").arm()

    # Messages to the host

    @_fatal
    def comch_producer_is_consumer_empty(self, producer: int, consumer_id: int) -> bool:
        return self._find(producer, DpaProducer, "is_consumer_empty").is_empty(_count(consumer_id))

    @_fatal
    def comch_producer_post_send_imm_only(
        self, producer: int, consumer_id: int, imm: bytes, imm_length: int, completion_requested: int
    ) -> None:
        found = self._find(producer, DpaProducer, "post_send_imm_only")
        found.post_send(_count(consumer_id), _immediate(imm, imm_length), bool(completion_requested))

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
        found = self._find(producer, DpaProducer, "dma_copy")
        data = _immediate(imm, imm_length)
        to = self._memory(dst_mmap, dst_addr, length, AccessFlag.LOCAL_READ_WRITE, "dst")
        origin = self._memory(src_mmap, src_addr, length, _READABLE, "src")
        if dst_addr < src_addr + length and src_addr < dst_addr + length:
            raise InvalidValue(f"dma_copy: {length} bytes at {src_addr:#x} and {dst_addr:#x} overlap")
        found.check_send(_count(consumer_id), data, bool(completion_requested))
        to[:] = origin
        found.post_send(consumer_id, data, bool(completion_requested))

    # Completions of sends

    @_fatal
    def get_completion(self, dpa_comp_handle: int) -> int:
        element = self._find(dpa_comp_handle, DpaCompletion, "get_completion").poll()
        return 0 if element is None else _pack(dpa_comp_handle, element.number)

    @_fatal
    def get_completion_type(self, comp_element: int) -> int:
        self._element(comp_element, DpaCompletion)
        return _SEND

    @_fatal
    def get_completion_user_data(self, comp_element: int) -> Any:
        return self._element(comp_element, DpaCompletion).data

    @_fatal
    def completion_ack(self, dpa_comp_handle: int, num_comp: int) -> None:
        self._find(dpa_comp_handle, DpaCompletion, "completion_ack").acknowledge(_count(num_comp), "completion_ack")

    @_fatal
    def completion_request_notification(self, dpa_comp_handle: int) -> None:
        self._find(dpa_comp_handle, DpaCompletion, "request_notification").arm()

    # Memory

    @_fatal
    def mmap_get_external_ptr(self, mmap: int, addr: int) -> int:
        self._memory(mmap, addr, 1, _READABLE, "map")
        return addr

    # What is behind handles

    def _find(self, number: object, kind: type[_N], call: str) -> _N:
        return find(number, kind, call, self.dpa)

    def _element(self, handle: object, kind: type[Any]) -> Any:
        """The element behind a handle, which the kernel must not have acknowledged."""
        if not isinstance(handle, int):
            raise InvalidValue(f"it takes a completion element, not {quoted(handle)}")
        completion = self._find(handle >> _HALF, kind, "it")
        element = completion.read.get(handle & ((1 << _HALF) - 1))
        if element is None:
            raise InvalidValue("the completion element has been acknowledged; copy what is needed before")
        return element

    def _memory(self, handle: object, addr: int, length: int, access: AccessFlag, what: str) -> memoryview:
        """The bytes of a map, in its range and as its permissions allow; they live for as long as the view does."""
        mmap = self._find(handle, Mmap, what)
        if not mmap.allows(access):
            raise NotPermitted(f"the {what} memory map lacks permission {access.name}")
        begin = _count(addr) - mmap.addr
        if begin < 0 or begin + _count(length) > mmap.size:
            text = f"{counted(length, 'byte is', 'bytes are')} outside of the {what} memory map, at {addr:#x}"
            raise InvalidValue(f"{text}, which has {mmap.size} at {mmap.addr:#x}")
        return memoryview(ffi.buffer(mmap.base, mmap.size))[begin : begin + length]


# An element's handle has its completion context's in the upper half.
_HALF = 32


def _pack(completion: int, number: int) -> int:
    return completion << _HALF | number


def _count(number: object) -> int:
    if type(number) is not int or number < 0:
        raise InvalidValue(f"it takes a number from 0 on, not {quoted(number)}")
    return number


def _immediate(imm: Any, length: int) -> bytes:
    data = as_bytes(imm, "it")
    if _count(length) > MOST_IMM_DATA:
        raise InvalidValue(f"{counted(length, *_IMM)} above the {MOST_IMM_DATA} of a message queue")
    if length > len(data):
        raise InvalidValue(f"{counted(length, *_IMM)} more than the {len(data)} given")
    return data[:length]
