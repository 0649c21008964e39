"""Message queues between this process and the DPA: both ends are here, so there is no peer to notify."""

import socket
from collections.abc import Callable
from itertools import count
from typing import Any

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._checks import collecting, expect, expect_number, says_no_memory
from comch_next.driver.emulated._consumer import Consumer
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._dpa.completions import MOST_IMM_DATA
from comch_next.driver.emulated._dpa.contexts import DpaConsumer, DpaProducer
from comch_next.driver.emulated._dpa.handles import living
from comch_next.driver.emulated._dpa.instance import Dpa, started_dpa
from comch_next.driver.emulated._fabric.handshake import close_all
from comch_next.driver.emulated._fabric.offers import Offer, Target
from comch_next.driver.emulated._fast_context import check_room
from comch_next.driver.emulated._guard import UNCONNECTED, guard
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.emulated._kernel.memory import PAGE
from comch_next.driver.emulated._path import Path
from comch_next.driver.emulated._producer import Producer
from comch_next.driver.protocol import WeakSet, counted, them, uninterrupted
from comch_next.errors import BadConfig, BadState, InUse, InvalidValue, NotSupported

__all__ = ["MsgQ", "MsgQs"]

_MOST = (1 << 16) - 1


class _NoBuffers:
    """Stands for a map where receives have no buffers."""

    addr, size, fd, remote = 0, PAGE, -1, None

    def __init__(self) -> None:
        self.consumers: WeakSet[object] = WeakSet()


class MsgQ(Path, Handle):
    """A handle. One of its sides, which `dpa_side` names, is on the DPA: consumer, producer, or none chosen yet."""

    takes_buffers = False
    in_process = True
    lock = UNCONNECTED

    def __init__(self, dev: Dev) -> None:
        super().__init__(count(1))
        self._dev = dev
        self.dpa: Dpa | None = None
        self.dpa_side = ""
        self.most = {"consumer": _MOST, "producer": _MOST}
        self.started = False
        self.alive = True
        dev.users.add(self)
        owned(self)

    def __str__(self) -> str:
        return "message queue"

    def dpa_failed(self) -> None:
        """The other side has failed: what runs on this one stops."""
        self.notify_live()

    @property
    def active(self) -> bool:
        """Whether it is started."""
        return self.started

    @property
    def users(self) -> int:
        """The number of its consumers and producers."""
        return sum(made.size for made in list(self.made.values()))

    @property
    def dev(self) -> Dev:
        return self._dev

    @property
    def status(self) -> ErrorCode:
        failed = self.dpa is not None and self.dpa.error is not None
        return ErrorCode.CONNECTION_RESET if failed else ErrorCode.SUCCESS

    @property
    def most_imm_data(self) -> int:
        return min(super().most_imm_data, MOST_IMM_DATA)

    def lacking(self) -> list[str]:
        return []

    def end_of_peer(self) -> socket.socket | None:
        return None

    def run(self, call: Callable[[], object]) -> None:
        call()

    def announce(self, offer: Offer, announced: Callable[[], object]) -> None:
        fds = offer.take()
        try:
            self.targets[offer.consumer_id] = Target(offer.depth, offer.imm_max, offer.memory_size, fds)
            fds.pop()  # the bell is the target's now
        finally:
            close_all(fds)
        offer.announced = True
        announced()

    def withdraw(self, offer: Offer) -> None:
        target = self.targets.pop(offer.consumer_id, None)
        if target is not None:
            target.close()

    def lose(self, status: ErrorCode, reason: str) -> None:
        assert self.dpa is not None
        self.dpa.fail(ConnectionError(reason))

    def report_violation(self) -> None:
        self.lose(ErrorCode.CONNECTION_RESET, "the posts of the message queue have been damaged")


_living = living(MsgQ)


def _stopped(msgq: object, call: str) -> MsgQ:
    found = _living(msgq, call)
    if found.started:
        raise BadState(f"{call} was attempted on a {found} that is started; stop it first")
    return found


def _started(msgq: object, call: str) -> MsgQ:
    found = _living(msgq, call)
    if not found.started:
        raise BadState(f"{call} was attempted on a {found} that is not started; start it first")
    return found


_configurable = guard("msgq_", _stopped)
_working = guard("msgq_", _started)


class MsgQs:
    """The noun MsgQs of the driver protocol."""

    def create(self, dev: object) -> MsgQ:
        with UNCONNECTED:
            found = expect(dev, Dev, "msgq_create")
            if not found.open:
                raise InvalidValue("msgq_create takes a device that is open")
            if not found.info.row.capable:
                raise NotSupported(f"msgq_create: device {found.info.row.pci_addr} has no DPA")
            return MsgQ(found)

    @_configurable
    @uninterrupted
    def set_dpa_consumer(self, msgq: MsgQ, dpa: object) -> None:
        _choose(msgq, "consumer", dpa)

    @_configurable
    @uninterrupted
    def set_dpa_producer(self, msgq: MsgQ, dpa: object) -> None:
        _choose(msgq, "producer", dpa)

    @_configurable
    def set_max_num_consumers(self, msgq: MsgQ, number: int) -> None:
        msgq.most["consumer"] = expect_number(number, _MOST, "msgq_set_max_num_consumers")

    @_configurable
    def set_max_num_producers(self, msgq: MsgQ, number: int) -> None:
        msgq.most["producer"] = expect_number(number, _MOST, "msgq_set_max_num_producers")

    @_configurable
    def start(self, msgq: MsgQ) -> None:
        if not msgq.dpa_side:
            raise BadConfig("msgq_start: the direction is missing; call set_dpa_consumer or set_dpa_producer")
        started_dpa(msgq.dpa, "msgq_start")
        msgq.started = True

    @collecting(MsgQ, lambda msgq: msgq.users)
    @_working
    def stop(self, msgq: MsgQ) -> None:
        if number := msgq.users:
            who = counted(
                number, "consumer or producer of the queue exists", "consumers or producers of the queue exist"
            )
            raise InUse(f"msgq_stop: {who}; destroy {them(number)} first")
        msgq.started = False

    @_configurable
    @uninterrupted
    def destroy(self, msgq: MsgQ) -> None:
        msgq.alive = False
        msgq.dev.users.discard(msgq)
        if msgq.dpa is not None:
            msgq.dpa.users.discard(msgq)

    @says_no_memory
    @uninterrupted
    def consumer_create(self, msgq: object) -> Consumer:
        with UNCONNECTED:
            found = _room(msgq, "consumer", "msgq_consumer_create")
            nothing: Any = _NoBuffers()
            if found.dpa_side == "consumer":
                assert found.dpa is not None
                return DpaConsumer(found, nothing, found.dpa)
            return Consumer(found, nothing)

    @says_no_memory
    @uninterrupted
    def producer_create(self, msgq: object) -> Producer:
        with UNCONNECTED:
            found = _room(msgq, "producer", "msgq_producer_create")
            if found.dpa_side == "producer":
                assert found.dpa is not None
                return DpaProducer(found, found.dpa)
            return Producer(found)


def _choose(msgq: MsgQ, side: str, dpa: object) -> None:
    """Take the direction, once."""
    call = f"msgq_set_dpa_{side}"
    found = living(Dpa)(dpa, call)
    if msgq.dpa_side:
        raise BadState(f"{call} was attempted on a queue whose {msgq.dpa_side}s are on the DPA; it has one direction")
    if found.dev is not msgq.dev:
        raise InvalidValue(f"{call} takes a DPA of the queue's device")
    msgq.dpa, msgq.dpa_side = found, side
    found.users.add(msgq)


def _room(msgq: object, kind: str, call: str) -> MsgQ:
    found = _started(msgq, call)
    check_room(found, kind, found.most[kind])
    return found
