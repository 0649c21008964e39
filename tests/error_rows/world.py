"""What a provocation finds: a running pair and a fresh one, memory, and the ends of a fast path."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from comch_next import AccessFlag, Buf, BufInventory, Device, Mmap, State
from tests.control_path.pair import Side, client, connect, ignore, leave, server, until
from tests.fast_path.lane import Inbox, Outbox

Key = tuple[str, str]
SIZE = 4096


class World:
    """A running pair, a fresh one, and what goes with them. What it made, it gives back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.there, self.here = server(tasks=2), client(tasks=2)
        for side in (self.there, self.here):
            side.context.event_consumer_register(ignore, ignore)
        connect(self.there, self.here)
        self.idle_server, self.idle_client = server("idle", tasks=2), client("idle", tasks=2)
        self.dpu: Device = self.there.context.device
        self.host: Device = self.here.context.device
        self._made = ExitStack()

    def close(self) -> None:
        self._made.close()
        leave(self.here, self.there)
        leave(self.idle_client)
        leave(self.idle_server)

    def idle(self, kind: str) -> Side:
        return self.idle_server if kind == "server" else self.idle_client

    def running(self, kind: str) -> Side:
        return self.there if kind == "server" else self.here

    # Memory

    def mmap(
        self,
        device: Device | None = None,
        permissions: AccessFlag = AccessFlag.PCI_READ_WRITE,
        *,
        memory: int | None = SIZE,
        start: bool = True,
    ) -> Mmap:
        """Another map, of the DPU's device if none is given."""
        made = Mmap(device or self.dpu, memory, permissions)
        self._made.callback(made.destroy)
        if start:
            made.start()
        return made

    @cached_property
    def memory(self) -> Mmap:
        """A started map."""
        return self.mmap()

    @cached_property
    def imported(self) -> Mmap:
        """Another map, as an export of it is seen."""
        made = Mmap.create_from_export(self.mmap().export_pci(self.dpu), self.dpu)
        self._made.callback(made.destroy)
        return made

    def new_inventory(self, elements: int = 4) -> BufInventory:
        """Another inventory, not started."""
        made = BufInventory(elements)
        self._made.callback(made.destroy)
        return made

    @cached_property
    def inventory(self) -> BufInventory:
        """A started inventory of four."""
        made = self.new_inventory()
        made.start()
        return made

    def buf(self) -> Buf:
        """A buffer of `inventory` in `memory`."""
        made = self.inventory.buf_get_by_addr(self.memory, self.memory.addr, 64)
        self._made.callback(_give_back, made)
        return made

    def chained(self) -> tuple[Buf, Buf]:
        """A list of two."""
        first, second = self.buf(), self.buf()
        first.chain_list(second)
        return first, second

    # The fast path: the consumer is the server's, the producer the client's

    @cached_property
    def inbox(self) -> Inbox:
        """An idle consumer."""
        made = Inbox(self.there.connection, self.dpu)
        self._made.callback(self._end, made)
        return made

    @cached_property
    def outbox(self) -> Outbox:
        """An idle producer."""
        made = Outbox(self.here.connection, self.host)
        self._made.callback(self._end, made)
        return made

    def run(self, end: Inbox | Outbox) -> Any:
        """Start a consumer or producer; it, once it is running."""
        context = _context(end)
        context.start()
        until(lambda: context.state is State.RUNNING, self.there.engine, self.here.engine)
        return context

    def _end(self, end: Inbox | Outbox) -> None:
        context = _context(end)
        if context.state is not State.IDLE:
            context.stop()
        until(lambda: context.state is State.IDLE, self.there.engine, self.here.engine)
        end.close()


def _context(end: Inbox | Outbox) -> Any:
    return end.consumer if isinstance(end, Inbox) else end.producer


def _give_back(buf: Buf) -> None:
    """All references; a list goes with its head."""
    while buf.refcount and buf.is_first_in_list:
        buf.dec_refcount()


Case = Callable[[World], object]


@dataclass(frozen=True)
class Raises:
    """A row that a public call provokes; `condition` is found in the error's text: it is that of the row."""

    call: Case
    condition: str


@dataclass(frozen=True)
class Answer:
    """A row that the Python spelling tells by its value, not by an exception."""

    call: Case
    value: object


def without_topology(call: Callable[[], Any]) -> Case:
    """The call with a topology that is not there."""

    def case(world: World) -> Any:
        os.environ["COMCH_TOPOLOGY"] = str(world.folder / "nowhere.toml")
        try:
            return call()
        finally:
            del os.environ["COMCH_TOPOLOGY"]

    return case


def with_topology(device: str, call: Callable[[], Any]) -> Case:
    """The call with one device, a DPU's, that has been described so."""

    def case(world: World) -> Any:
        path = world.folder / "topology.toml"
        path.write_text("[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n" + device)
        os.environ["COMCH_TOPOLOGY"] = str(path)
        try:
            return call()
        finally:
            del os.environ["COMCH_TOPOLOGY"]

    return case
