"""Consumers and producers whose data path is on the DPA: the host configures them, kernels use them."""

import os
from typing import Any

from comch_next._codes import State
from comch_next.driver.emulated._consumer import Consumer
from comch_next.driver.emulated._dpa.completions import ConsumerCompletion, DpaCompletion, rounded_up
from comch_next.driver.emulated._dpa.handles import Instance, Named, living
from comch_next.driver.emulated._dpa.instance import Dpa
from comch_next.driver.emulated._dpa.threads import DpaThread
from comch_next.driver.emulated._kernel.memory import ffi, lib
from comch_next.driver.emulated._mmap import Mmap
from comch_next.driver.emulated._path import Path
from comch_next.driver.emulated._producer import Producer
from comch_next.driver.emulated._state import Trigger
from comch_next.driver.protocol import counted, suppress_system, uninterrupted
from comch_next.errors import BadConfig, BadState, InvalidValue

__all__ = ["DpaConsumer", "DpaProducer"]

_MOST = 1 << 15


class _OnDpa(Named):
    """What both have. `depth`: receives posted, or sends, at most; 0 until it is set. `dpa` is their queue's."""

    state: State
    dpa: Dpa
    depth = 0
    on: Dpa | None = None
    needs_engine: bool

    def set_datapath_on_dpa(self, dpa: object) -> None:
        """Take the instance, which must be that of its message queue."""
        found = living(Dpa)(dpa, "ctx_set_datapath_on_dpa")
        self.configurable("ctx_set_datapath_on_dpa")
        if found is not self.dpa:
            raise InvalidValue("ctx_set_datapath_on_dpa takes the DPA that the message queue was given")
        self.on, self.needs_engine = found, False

    def configurable(self, call: str) -> None:
        """Raise BadState once it has been started."""
        if self.state is not State.IDLE:
            raise BadState(f"{call} was attempted on {self} while {self.state.name}; it is legal while IDLE")

    def bound(self, call: str) -> None:
        """Raise BadState before set_datapath_on_dpa."""
        if self.on is None:
            raise BadState(f"{call} was attempted on {self} before set_datapath_on_dpa; it is legal afterwards")

    def serves(self, dpa: Instance) -> bool:
        return self.state is State.RUNNING and self.dpa is dpa

    def dpa_handle(self, call: str) -> int:
        """Its number, once it runs."""
        if self.state is not State.RUNNING:
            raise BadState(f"{call} was attempted on {self} while {self.state.name}; it is legal while RUNNING")
        return self.show()


class DpaConsumer(_OnDpa, Consumer):
    """A handle. Kernels post its receives and read them through its completion context."""

    noun = "DPA consumer"
    start_trigger = Trigger.START_NOW

    def __init__(self, path: Path, mmap: Mmap, dpa: Dpa) -> None:
        super().__init__(path, mmap)
        self.dpa = dpa
        self.completion: ConsumerCompletion | None = None

    def set_dev_max_num_recv(self, number: int) -> None:
        self.configurable("consumer_set_dev_max_num_recv")
        self.depth = rounded_up(number, _MOST, "consumer_set_dev_max_num_recv")

    def set_completion(self, completion: object, user_data: Any) -> None:
        found = living(ConsumerCompletion)(completion, "consumer_set_completion")
        self.configurable("consumer_set_completion")
        self.bound("consumer_set_completion")
        if found.thread is not None and found.thread.dpa is not self.dpa:
            raise InvalidValue("consumer_set_completion takes one whose thread is of the same DPA")
        self._leave_completion()
        self.completion = found
        found.consumers.add(self)

    def get_dpa_handle(self) -> int:
        return self.dpa_handle("consumer_get_dpa_handle")

    def missing(self) -> list[str]:
        lacking = {
            "its DPA (set_datapath_on_dpa)": self.on,
            "its completion context (set_completion)": self.completion,
            "the number of receives (set_dev_max_num_recv)": self.depth,
        }
        return [what for what, given in lacking.items() if not given]

    def begin(self) -> None:
        assert self.completion is not None
        self.num_tasks = self.depth
        with self.dpa.turn:
            self.completion.attach(self)
            super().begin()
            if self.completion.armed and self.arm_filled():
                self.completion.notify()

    @property
    def _thread(self) -> DpaThread:
        """What its messages wake."""
        assert self.completion is not None
        assert self.completion.thread is not None
        return self.completion.thread

    def listen(self, bell: int) -> None:
        os.set_blocking(bell, False)
        self._thread.listen(bell, self._rung)

    def unlisten(self, bell: int) -> None:
        self._thread.unlisten(bell)

    def _rung(self) -> None:
        """On the DPA thread: a message has come."""
        with self.dpa.turn:
            # Else it has just stopped, or the ring was for another one that had this number until then.
            if self._bell >= 0 and self.completion is not None:
                with suppress_system(BlockingIOError):
                    os.read(self._bell, 1)
                    self.completion.notify()

    def _announced(self, offer: Any) -> None:
        """Do nothing: it runs already."""

    def end(self) -> None:
        with self.dpa.turn:
            if self.completion is not None:
                self.completion.detach(self)
            super().end()

    def _leave_completion(self) -> None:
        if self.completion is not None:
            self.completion.consumers.discard(self)
            self.completion = None

    def destroy(self) -> None:
        super().destroy()
        self._leave_completion()

    # What kernels do with it

    def post(self, number: int) -> None:
        """Take part in that many more messages."""
        posts = self.posts
        assert posts is not None  # it runs
        free = self.depth - int(posts.posted - posts.done)
        if number > free:
            what = counted(number, "receive is", "receives are")
            raise InvalidValue(f"{what} above the {free} of {self.depth} that {self} has left")
        for _ in range(number):
            lib.comch_post_buffer(posts, 0, 0, False)

    def take(self) -> tuple[int, bytes] | None:
        """The oldest message: its producer's id, and its immediate data."""
        posts = self.posts
        if posts is None or lib.comch_take_post(posts) != lib.COMCH_OK:
            return None
        return int(posts.producer), bytes(posts.imm[0 : posts.imm_length])


class DpaProducer(_OnDpa, Producer):
    """A handle. Kernels send by it; its sends complete in the DPA completion context that it is attached to."""

    noun = "DPA producer"

    def __init__(self, path: Path, dpa: Dpa) -> None:
        super().__init__(path)
        self.dpa = dpa
        self.completion: DpaCompletion | None = None
        self._told: Any = None  # what its completions carry

    def set_dev_max_num_send(self, number: int) -> None:
        self.configurable("producer_set_dev_max_num_send")
        self.depth = rounded_up(number, _MOST, "producer_set_dev_max_num_send")

    def dpa_completion_attach(self, completion: object, user_data: object) -> None:
        found = living(DpaCompletion)(completion, "producer_dpa_completion_attach")
        self.configurable("producer_dpa_completion_attach")
        self.bound("producer_dpa_completion_attach")
        if found.dpa is not self.dpa:
            raise InvalidValue("producer_dpa_completion_attach takes a completion context of the same DPA")
        self._leave_completion()
        self.completion, self._told = found, user_data
        found.producers.add(self)

    def begin(self) -> None:
        if self.completion is None or not self.completion.started:
            raise BadConfig(f"ctx_start: the completion context of {self} is not started; start it first")
        super().begin()

    def get_dpa_handle(self) -> int:
        return self.dpa_handle("producer_get_dpa_handle")

    def missing(self) -> list[str]:
        lacking = {
            "its DPA (set_datapath_on_dpa)": self.on,
            "its completion context (dpa_completion_attach)": self.completion,
            "the number of sends (set_dev_max_num_send)": self.depth,
        }
        return [what for what, given in lacking.items() if not given]

    def _leave_completion(self) -> None:
        if self.completion is not None:
            self.completion.producers.discard(self)
            self.completion = None

    @uninterrupted
    def destroy(self) -> None:
        super().destroy()
        self._leave_completion()

    # What kernels do with it

    def is_empty(self, consumer_id: int) -> bool:
        """Whether that consumer has posted nothing."""
        target = self.target(consumer_id)
        with target.lock:
            return bool(target.c.shared.posted == target.c.filled)

    def target(self, consumer_id: int) -> Any:
        """The consumer of that number."""
        found = self.targets.get(consumer_id)
        if found is None:
            raise InvalidValue(f"there is no consumer {consumer_id} on the {self.path}")
        return found

    def check_send(self, consumer_id: int, imm: bytes, wants_completion: bool) -> None:
        """Raise InvalidValue unless that consumer can take the message, and its completion has room."""
        target = self.target(consumer_id)
        if len(imm) > target.imm_max:
            most = target.imm_max
            what = counted(len(imm), "byte of immediate data is", "bytes of immediate data are")
            raise InvalidValue(f"{what} above the {most} of consumer {consumer_id}")
        if self.is_empty(consumer_id):
            raise InvalidValue(f"consumer {consumer_id} has posted no receive; is_consumer_empty returns 1 then")
        if wants_completion:
            assert self.completion is not None
            self.completion.check_room()

    def post_send(self, consumer_id: int, imm: bytes, wants_completion: bool) -> None:
        """Send immediate data. A refused send has no effect."""
        self.check_send(consumer_id, imm, wants_completion)
        target = self.target(consumer_id)
        with target.lock:
            result = lib.comch_fill(target.c, ffi.NULL, 0, imm, len(imm), self.id)
        if result != lib.COMCH_OK:
            raise InvalidValue(f"consumer {consumer_id} has stopped")
        if wants_completion:
            assert self.completion is not None
            self.completion.add(self._told)
