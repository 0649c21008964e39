"""What a program opens or creates and has to close or destroy, traced: devices, engines, memory. Contexts do it too."""

from typing import Any

from comch_next.driver._traced._nouns import Noun
from comch_next.driver._traced._tracer import Tracer
from comch_next.driver.protocol import Lock, WeakTable, new_lock

__all__ = ["BufInventories", "Devices", "Engines", "Mmaps"]


class Devices(Noun):
    """Devices and representors. Each open of a device is one of its own."""

    def open(self, devinfo: Any) -> Any:
        dev = self._noun.open(devinfo)
        self._tracer.begun("device", dev, **self._tracer.device(dev))
        return dev

    def close(self, dev: Any) -> None:
        self._tracer.ended("device", self._noun.close, dev, **self._tracer.device(dev))

    def rep_open(self, info: Any) -> Any:
        rep = self._noun.rep_open(info)
        self._tracer.begun("representor", rep, **self._tracer.representor(rep))
        return rep

    def rep_close(self, rep: Any) -> None:
        self._tracer.ended("representor", self._noun.rep_close, rep, **self._tracer.representor(rep))


class _Living(Noun):
    """A noun of which things are created and destroyed."""

    noun = ""

    def create(self, *arguments: Any) -> Any:
        made = self._noun.create(*arguments)
        self._tracer.begun(self.noun, made)
        return made

    def destroy(self, made: Any) -> None:
        self._tracer.ended(self.noun, self._noun.destroy, made)


class Engines(_Living):
    """Progress engines. What a context does and what is recorded of that is one under its engine's lock."""

    noun = "engine"

    def __init__(self, noun: Any, tracer: Tracer) -> None:
        super().__init__(noun, tracer)
        self._locks: WeakTable[Any, Lock] = WeakTable()

    def create(self, lock: Lock | None = None) -> Any:
        lock = lock or new_lock()
        pe = super().create(lock)
        self._locks[pe] = lock
        return pe

    def connect_ctx(self, pe: Any, ctx: Any) -> None:
        self._noun.connect_ctx(pe, ctx)
        self._tracer.scope(ctx).lock = self._locks[pe]


class BufInventories(_Living):
    """Inventories of buffers."""

    noun = "buf_inventory"


class Mmaps(_Living):
    """Memory maps, those of memory that the other side exported among them."""

    noun = "mmap"

    def create_from_export(self, *arguments: Any) -> Any:
        made = self._noun.create_from_export(*arguments)
        self._tracer.begun(self.noun, made)
        return made
