"""Where kernels find what has completed: sends of DPA producers, and messages that DPA consumers received."""

from collections import deque
from itertools import count
from typing import Any, NamedTuple

from comch_next.driver.emulated._checks import collecting, expect_number
from comch_next.driver.emulated._dpa.handles import Instance, Named, living
from comch_next.driver.emulated._dpa.instance import Dpa, started_dpa
from comch_next.driver.emulated._dpa.threads import DpaThread
from comch_next.driver.emulated._guard import UNCONNECTED, guard
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.protocol import WeakSet, counted, refuse_kernel, them, uninterrupted
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import BadConfig, BadState, InUse, InvalidValue

__all__ = ["MOST_IMM_DATA", "ConsumerCompletion", "ConsumerCompletions", "DpaCompletion", "DpaCompletions", "Element"]

MOST_IMM_DATA = 32  # bytes that a message queue carries
_MOST = (1 << 16) - 1
_NUMBERS = (1 << 32) - 1  # an element's number is half of its handle


class Element(NamedTuple):
    """A completion that a kernel has read and not acknowledged yet: of a message, or of a send."""

    number: int
    origin: int  # the producer's id; 0 for a send
    data: Any  # the immediate data; the producer's user data for a send


class Source(Protocol):
    """A DPA consumer, as its completion context sees it."""

    dpa: Dpa
    imm_max: int
    depth: int

    def take(self) -> tuple[int, bytes] | None: ...
    def arm_filled(self) -> bool: ...


class _Completions(Named, Handle):
    """What both kinds are. `read` are the elements that the kernel has not acknowledged, by their numbers."""

    lock = UNCONNECTED

    def __init__(self) -> None:
        self.thread: DpaThread | None = None
        self.started = False
        self.alive = True
        self.armed = False
        self.read: dict[int, Element] = {}
        self._numbers = count(1)
        owned(self)

    def let_go(self) -> None:
        """In a forked child: nothing of it is open."""

    def __str__(self) -> str:
        return self.noun

    def start(self) -> None:
        """Begin with nothing in it. Its first completion activates the kernel."""
        self.read.clear()
        self.started = self.armed = True

    def wake_by(self, thread: DpaThread | None) -> None:
        """Activate that thread's kernel when notified."""
        if self.thread is not None:
            self.thread.attached.discard(self)
        self.thread = thread
        if thread is not None:
            thread.attached.add(self)

    def notify(self) -> None:
        """Something has completed: activate the kernel once, if it asked for that."""
        if self.armed and self.thread is not None:
            self.armed = False
            self.thread.activate()

    def serves(self, dpa: Instance) -> bool:
        return self.started and self.instance() is dpa

    def instance(self) -> Dpa | None:
        """The DPA whose kernels read it."""
        return self.thread.dpa if self.thread is not None else None

    def keep(self, origin: int, data: Any) -> Element:
        """Give the kernel an element, until it acknowledges it."""
        element = Element(next(self._numbers) & _NUMBERS, origin, data)
        self.read[element.number] = element
        return element

    def acknowledge(self, number: int, call: str) -> None:
        """Forget the oldest elements that have been read."""
        if number > len(self.read):
            raise InvalidValue(
                f"{call}: {counted(number, 'element')}, where {len(self.read)} were read and not acknowledged"
            )
        for element in list(self.read)[:number]:
            del self.read[element]


class DpaCompletion(_Completions):
    """A handle: of DPA producers."""

    noun = "DPA completion context"

    def __init__(self, dpa: Dpa, queue_size: int) -> None:
        super().__init__()
        self.dpa, self.queue_size = dpa, queue_size
        self.ended: deque[Any] = deque()  # user data of the producers whose sends have completed
        self.producers: WeakSet[object] = WeakSet()  # attached
        dpa.users.add(self)

    def instance(self) -> Dpa | None:
        return self.dpa

    @property
    def active(self) -> bool:
        return self.started

    def dpa_failed(self) -> None:
        """Do nothing: nothing waits on it."""

    def start(self) -> None:
        self.ended.clear()
        super().start()

    def check_room(self) -> None:
        """Raise InvalidValue where one more send must not complete."""
        if len(self.ended) + len(self.read) >= self.queue_size:
            text = f"all {self.queue_size} elements of the {self} are in use; acknowledge what has been read"
            raise InvalidValue(text)

    def add(self, user_data: Any) -> None:
        """Add the completion of a send whose producer requested it."""
        self.ended.append(user_data)
        self.notify()

    def poll(self) -> Element | None:
        """The oldest completion that has not been read."""
        return self.keep(0, self.ended.popleft()) if self.ended else None

    def arm(self) -> None:
        """Notify of the next completion, or of one that has not been read."""
        self.armed = True
        if self.ended:
            self.notify()


class ConsumerCompletion(_Completions):
    """A handle: of DPA consumers, whose posts it reads."""

    noun = "consumer completion context"

    def __init__(self) -> None:
        super().__init__()
        self.max_num_consumers = self.max_num_recv = _MOST
        self.imm_data_len = MOST_IMM_DATA
        self.sources: deque[Source] = deque()  # running consumers; the next to be asked first
        self.consumers: WeakSet[object] = WeakSet()  # connected

    def attach(self, source: Source) -> None:
        """Attach a consumer that begins to run."""
        if self.thread is None or not self.started:
            raise BadConfig(f"ctx_start: the {self} of {source} is not started; start it first")
        if self.thread.dpa is not source.dpa:
            raise BadConfig(f"ctx_start: the thread of the {self} of {source} is of another DPA")
        if len(self.sources) >= self.max_num_consumers:
            raise BadConfig(f"ctx_start: the {self} has all {self.max_num_consumers} consumers that it may have")
        posted = sum(other.depth for other in self.sources)
        if posted + source.depth > self.max_num_recv:
            text = f"{posted} receives of other consumers and {source.depth} of {source}"
            raise BadConfig(f"ctx_start: {text} are above the {self.max_num_recv} of the {self} (max_num_recv)")
        if source.imm_max > self.imm_data_len:
            text = f"{source.imm_max} bytes of immediate data are above the {self.imm_data_len} of the {self}"
            raise BadConfig(f"ctx_start: {text} (imm_data_len)")
        self.sources.append(source)

    def detach(self, source: Source) -> None:
        """Detach a consumer that stops."""
        if source in self.sources:
            self.sources.remove(source)

    def poll(self) -> Element | None:
        """The next message of any of its consumers, which take turns."""
        for _ in range(len(self.sources)):
            source = self.sources[0]
            self.sources.rotate(-1)
            if (taken := source.take()) is not None:
                return self.keep(*taken)
        return None

    def arm(self) -> None:
        """Notify of the next message, or of one that is there."""
        self.armed = True
        if any(source.arm_filled() for source in self.sources):
            self.notify()


def _stopped(completion: _Completions, call: str) -> None:
    if completion.started:
        raise BadState(f"{call} was attempted on a {completion} that is started; it is legal before")


def rounded_up(number: object, most: int, call: str) -> int:
    """A number of receives, sends or consumers as the library takes it: the next power of two."""
    return 1 << (expect_number(number, most, call) - 1).bit_length()


_of_sends = guard("dpa_completion_", living(DpaCompletion))


class DpaCompletions:
    """The noun DpaCompletions of the driver protocol."""

    def create(self, dpa: object, queue_size: int) -> DpaCompletion:
        found = started_dpa(dpa, "dpa_completion_create")
        return DpaCompletion(found, expect_number(queue_size, _MOST, "dpa_completion_create"))

    @_of_sends
    @uninterrupted
    def set_thread(self, completion: DpaCompletion, thread: object) -> None:
        found = living(DpaThread)(thread, "dpa_completion_set_thread")
        _stopped(completion, "dpa_completion_set_thread")
        if found.dpa is not completion.dpa:
            raise InvalidValue("dpa_completion_set_thread takes a thread of the same DPA")
        completion.wake_by(found)

    @_of_sends
    def start(self, completion: DpaCompletion) -> None:
        _stopped(completion, "dpa_completion_start")
        completion.start()

    @collecting(DpaCompletion, lambda completion: completion.producers.size)
    @_of_sends
    def stop(self, completion: DpaCompletion) -> None:
        if not completion.started:
            raise BadState("dpa_completion_stop was attempted on one that is not started; start it first")
        if number := completion.producers.size:
            what = counted(number, "producer is", "producers are")
            raise InUse(f"dpa_completion_stop: {what} attached; destroy {them(number)} first")
        completion.started = False

    @_of_sends
    def get_dpa_handle(self, completion: DpaCompletion) -> int:
        if not completion.started:
            raise BadState("dpa_completion_get_dpa_handle was attempted before the start; it is legal afterwards")
        return completion.show()

    @_of_sends
    @uninterrupted
    def destroy(self, completion: DpaCompletion) -> None:
        if completion.started:
            raise InUse("dpa_completion_destroy was attempted on one that is started; stop it first")
        completion.alive = False
        completion.wake_by(None)
        completion.dpa.users.discard(completion)


_of_consumers = guard("consumer_completion_", living(ConsumerCompletion))


class ConsumerCompletions:
    """The noun ConsumerCompletions of the driver protocol."""

    def create(self) -> ConsumerCompletion:
        refuse_kernel("consumer_completion_create")
        return ConsumerCompletion()

    @_of_consumers
    @uninterrupted
    def set_dpa_thread(self, completion: ConsumerCompletion, dpa_thread: object) -> None:
        found = living(DpaThread)(dpa_thread, "consumer_completion_set_dpa_thread")
        _stopped(completion, "consumer_completion_set_dpa_thread")
        completion.wake_by(found)

    @_of_consumers
    def start(self, completion: ConsumerCompletion) -> None:
        _stopped(completion, "consumer_completion_start")
        if completion.thread is None:
            raise BadConfig("consumer_completion_start: the DPA thread is missing; call set_dpa_thread")
        completion.start()

    @collecting(ConsumerCompletion, lambda completion: completion.consumers.size)
    @_of_consumers
    def stop(self, completion: ConsumerCompletion) -> None:
        if not completion.started:
            raise BadState("consumer_completion_stop was attempted on one that is not started; start it first")
        if number := completion.consumers.size:
            what = counted(number, "consumer is", "consumers are")
            raise InUse(f"consumer_completion_stop: {what} connected to it; destroy {them(number)} first")
        completion.started = False

    @_of_consumers
    def get_dpa_handle(self, completion: ConsumerCompletion) -> int:
        if not completion.started:
            raise BadState("consumer_completion_get_dpa_handle was attempted before the start; it is legal afterwards")
        return completion.show()

    @_of_consumers
    def set_max_num_consumers(self, completion: ConsumerCompletion, number: int) -> None:
        completion.max_num_consumers = _limit(completion, number, "consumer_completion_set_max_num_consumers")

    @_of_consumers
    def get_max_num_consumers(self, completion: ConsumerCompletion) -> int:
        return completion.max_num_consumers

    @_of_consumers
    def set_max_num_recv(self, completion: ConsumerCompletion, number: int) -> None:
        completion.max_num_recv = _limit(completion, number, "consumer_completion_set_max_num_recv")

    @_of_consumers
    def get_max_num_recv(self, completion: ConsumerCompletion) -> int:
        return completion.max_num_recv

    def set_imm_data_len(self, completion: object, imm_data_len: int) -> None:
        call = "consumer_completion_set_imm_data_len"
        with UNCONNECTED:  # not by the guard: the table of states has a consumer's call of that name
            found = living(ConsumerCompletion)(completion, call)
            length = expect_number(imm_data_len, MOST_IMM_DATA, call, least=0)
            _stopped(found, call)
            found.imm_data_len = length

    @_of_consumers
    def get_imm_data_len(self, completion: ConsumerCompletion) -> int:
        return completion.imm_data_len

    @_of_consumers
    @uninterrupted
    def destroy(self, completion: ConsumerCompletion) -> None:
        if completion.started:
            raise InUse("consumer_completion_destroy was attempted on one that is started; stop it first")
        completion.alive = False
        completion.wake_by(None)


def _limit(completion: ConsumerCompletion, number: int, call: str) -> int:
    """A number that may be set before the start; the library rounds it up to a power of two."""
    found = rounded_up(number, _MOST, call)
    _stopped(completion, call)
    return found
