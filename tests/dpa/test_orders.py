"""Making, starting, stopping and destroying in any order, each step compared with a model of who needs whom."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import comch_next as comch
from comch_next import BadConfig, BadState, InUse, InvalidValue
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from comch_next.dpa.dev import doca_dpa_dev_thread_reschedule
from tests.budget import SECONDS, repeat
from tests.descriptors import collected_fds, open_fds
from tests.dpa.world import until
from tests.examples import examples

Error = type[comch.DocaError] | None


class Kind(NamedTuple):
    """What one sort of object needs. Its users are those that name it in `of`.

    made_on: what must be started when one is made; runs_on: when one is started, which otherwise raises unready.
    holds: what may not be stopped while one exists. queue: destroying one that is started is BAD_STATE, not IN_USE.
    """

    of: tuple[str, ...] = ()
    made_on: tuple[str, ...] = ()
    runs_on: tuple[str, ...] = ()
    unready: Error = BadState
    holds: tuple[str, ...] = ()
    queue: bool = False
    context: bool = False


KINDS = {
    "dpa": Kind(),
    "thread": Kind(("dpa",), ("dpa",), ("dpa",)),
    "received": Kind(("thread",)),
    "sent": Kind(("dpa",), ("dpa",)),
    "to": Kind(("dpa",), runs_on=("dpa",), queue=True),
    "back": Kind(("dpa",), runs_on=("dpa",), queue=True),
    "dpa_consumer": Kind(("to", "received"), ("to",), ("received",), BadConfig, ("to", "received"), context=True),
    "dpa_producer": Kind(("back", "sent"), ("back",), ("sent",), BadConfig, ("back", "sent"), context=True),
    "producer": Kind(("to",), ("to",), holds=("to",), context=True),
    "consumer": Kind(("back",), ("back",), holds=("back",), context=True),
}
# What belongs to the instance, and must be stopped before that is.
OF_THE_DPA = ("thread", "sent", "to", "back")
# Destroyed only before what they need; a stopped completion context may leave its consumers.
KEPT = {"dpa": OF_THE_DPA, "thread": ("received",)}
pick = st.sampled_from(list(KINDS))


def quiet(_: None) -> None:
    doca_dpa_dev_thread_reschedule()


class Orders(RuleBasedStateMachine):
    """One object of each kind at a time; all calls are made on whatever there is."""

    def __init__(self) -> None:
        super().__init__()
        self.device = comch.open_device("03:00.0")
        self.pe = comch.ProgressEngine()
        self.there: dict[str, Any] = {}
        self.started: set[str] = set()
        self.orphans: set[str] = set()  # contexts whose completion context has been destroyed
        self.runs = False  # the kernel

    @initialize(whole=st.booleans())
    def begin(self, whole: bool) -> None:
        """Orders of interest often begin with a program that is set up."""
        for name in KINDS if whole else ():
            self.make_one(name)
            self.start(name)

    # What the model says

    def users(self, name: str) -> list[str]:
        return [other for other in self.there if name in KINDS[other].of and other not in self.orphans]

    def holders(self, name: str) -> list[str]:
        if name == "dpa":
            return [other for other in OF_THE_DPA if other in self.started]
        held = [other for other in self.users(name) if name in KINDS[other].holds]
        return held + [other for other in self.orphans & self.there.keys() if name in KINDS[other].made_on]

    def to_make(self, name: str) -> Error:
        return None if self.started.issuperset(KINDS[name].made_on) else BadState

    def to_start(self, name: str) -> Error:
        kind = KINDS[name]
        if name in self.started:
            return BadState
        return None if self.started.issuperset(kind.runs_on) and name not in self.orphans else kind.unready

    def to_stop(self, name: str) -> Error:
        if name not in self.started:
            return BadState
        return InUse if self.holders(name) else None

    def to_destroy(self, name: str) -> Error:
        kind = KINDS[name]
        if kind.context:
            return None
        if name in self.started and name != "dpa":
            return BadState if kind.queue else InUse
        return InUse if any(user in self.there for user in KEPT.get(name, ())) else None

    # What the library does

    def compare(self, expected: Error, call: Callable[[], object], what: str) -> bool:
        """Call. Whether it was legal, and done."""
        seen: Error = None
        try:
            call()
        except comch.DocaError as error:
            seen = type(error)
        assert seen is expected, f"{what}: expected {expected}, saw {seen}; started: {sorted(self.started)}"
        return expected is None

    def make(self, name: str) -> Any:
        there = self.there
        if name == "dpa":
            return Dpa(self.device)
        if name == "thread":
            made: Any = DpaThread(there["dpa"])
            made.set_func_arg(quiet)
        elif name == "received":
            made = comch.ConsumerCompletion()
            made.set_dpa_thread(there["thread"])
        elif name == "sent":
            made = DpaCompletion(there["dpa"], 8)
        elif name in ("to", "back"):
            made = comch.MsgQ(self.device)
            (made.set_dpa_consumer if name == "to" else made.set_dpa_producer)(there["dpa"])
        else:
            made = self.make_context(name)
        return made

    def make_context(self, name: str) -> Any:
        there = self.there
        if name == "dpa_consumer":
            made: Any = there["to"].consumer_create()
            made.set_datapath_on_dpa(there["dpa"])
            made.set_completion(there["received"])
            made.set_dev_max_num_recv(4)
        elif name == "dpa_producer":
            made = there["back"].producer_create()
            made.set_datapath_on_dpa(there["dpa"])
            made.dpa_completion_attach(there["sent"])
            made.set_dev_max_num_send(4)
        elif name == "producer":
            made = there["to"].producer_create(engine=self.pe)
            made.task_send_set_conf(comch.ProducerSendTask.free, comch.ProducerSendTask.free, 4)
        else:
            made = there["back"].consumer_create(engine=self.pe)
            made.task_post_recv_set_conf(comch.PostRecvTask.free, comch.PostRecvTask.free, 4)
        return made

    @rule(name=pick)
    def make_one(self, name: str) -> None:
        if name in self.there or not self.there.keys() >= set(KINDS[name].of):
            return
        made: list[Any] = []
        if self.compare(self.to_make(name), lambda: made.append(self.make(name)), f"make {name}"):
            self.there[name] = made[0]

    @precondition(lambda self: self.there)
    @rule(name=pick)
    def start(self, name: str) -> None:
        if name in self.there and self.compare(self.to_start(name), self.there[name].start, f"start {name}"):
            self.started.add(name)
            if KINDS[name].context:
                until(self.pe, lambda: self.there[name].state is comch.State.RUNNING)

    @precondition(lambda self: self.there)
    @rule(name=pick)
    def stop(self, name: str) -> None:
        if name in self.there and self.compare(self.to_stop(name), self.there[name].stop, f"stop {name}"):
            self.started.discard(name)
            if name == "thread":
                self.runs = False
            if KINDS[name].context:
                until(self.pe, lambda: self.there[name].state is comch.State.IDLE)

    @precondition(lambda self: "thread" in self.there)
    @rule()
    def run(self) -> None:
        legal = "thread" in self.started and not self.runs
        if self.compare(None if legal else BadState, self.there["thread"].run, "run"):
            self.runs = True

    @precondition(lambda self: self.there)
    @rule(name=pick)
    def destroy(self, name: str) -> None:
        if name not in self.there:
            return
        found = self.there[name]
        destroy = found.close if KINDS[name].context else found.destroy
        if self.compare(self.to_destroy(name), destroy, f"destroy {name}"):
            if name in ("received", "sent"):
                self.orphans.update(self.users(name))
            del self.there[name]
            self.started.discard(name)
            self.orphans.discard(name)
            if not KINDS[name].context:
                self.compare(InvalidValue, found.start, f"start {name}, which has been destroyed")

    @rule()
    def finish_what_there_is(self) -> None:
        """In the documented order, from wherever it stands: nothing is refused."""
        for name in ("thread", *reversed(KINDS)):
            if name in self.there and KINDS[name].context:
                self.there[name].close()
            elif name in self.started and (name == "thread" or not self.holders(name)):
                self.there[name].stop()
            else:
                continue
            self.started.discard(name)
            if KINDS[name].context:
                del self.there[name]
        self.runs = False
        for name in reversed(KINDS):
            if name in self.there:
                self.there.pop(name).destroy()
        assert not self.started
        self.orphans.clear()

    @invariant()
    def nothing_has_failed(self) -> None:
        assert "dpa" not in self.there or self.there["dpa"].error is None

    def teardown(self) -> None:
        self.finish_what_there_is()
        self.pe.destroy()
        self.device.close()
        assert not [thread for thread in threading.enumerate() if "DPA" in thread.name]


@pytest.mark.timeout(SECONDS + 120)
def test_any_order_does_as_the_model_says() -> None:
    before = collected_fds()
    repeat(partial(run_state_machine_as_test, Orders, settings=examples(20)))
    assert open_fds() <= before
