"""Worlds in which one sequence of calls is run, each with its own spelling of every endpoint's calls."""

from __future__ import annotations

import importlib
import select
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from tests.equivalence.table import ROWS, Row

__all__ = ["Call", "World", "worlds"]

cc: Any = importlib.import_module("comm_channel_compat")
comch: Any = importlib.import_module("comch_next")
JUNK = object()


class Call(NamedTuple):
    """One step: a row of the table, an endpoint by its number, and arguments by their labels."""

    row: str
    ep: int | None
    args: dict[str, Any] = {}


class Spelling:
    """How a program spells its calls: the old module that it has, or the new one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_old = name in ("objects", "flat")
        self.is_flat = "flat" in name or name == "on_class"
        library = cc if self.is_old else comch
        self.devices = {"dpu": library.open_device("03:00.0"), "host": library.open_device("b1:00.0")}
        self.devices["other host"] = library.open_device("b1:00.1")
        self.values: dict[str, Any] = {**self.devices, "rep": self.devices["dpu"].open_representor("b1:00.0")}
        self.values["other rep"] = self.devices["dpu"].open_representor("b1:00.1")

    def create(self) -> Any:
        return cc.Endpoint() if self.is_old else comch.Channel(one_sided=True)

    def destroy(self, ep: Any) -> None:
        with suppress(comch.DocaError):
            (ep.destroy if self.is_old else ep.close)()

    def close(self) -> None:
        for opened in reversed(self.values.values()):
            opened.close()

    def run(self, row: Row, env: dict[str, Any]) -> tuple[Any, ...]:
        """The code and the outputs, as the flat calls return them; the name of an exception of another kind."""
        strange = "peer." in row.objects and not hasattr(env["peer"], "update_info")
        form = "on_class" if self.name == "new_flat" and (env["ep"] is None or strange) else self.name
        names = {"cc": cc, "comch": comch, "first": first, **env}
        try:
            if " = " in (text := getattr(row, form)):
                exec(text, names)
                value = None
            else:
                value = eval(text, names)
        except comch.DocaError as error:
            return self._failure(row, error)
        except (TypeError, AttributeError) as error:
            return (type(error).__name__,)
        if self.is_flat:
            return value if isinstance(value, tuple) else (value,)
        return 0, *self._outputs(row, value)

    def _failure(self, row: Row, error: Any) -> tuple[Any, ...]:
        assert not self.is_flat, f"a flat call raised {error!r}"
        if row is ROWS["recvfrom"]:
            return error.code, None, error.length, error.connection
        return error.code, *(None,) * row.outputs

    def _outputs(self, row: Row, value: Any) -> tuple[Any, ...]:
        if row is ROWS["recvfrom"]:
            return value[0], len(value[0]), value[1]
        return () if row.outputs == 0 else (value,) if row.outputs == 1 else value


def first(data: Any, length: Any) -> Any:
    """The first bytes of a message, for objects: their send has no length. InvalidValue as a flat call's."""
    view = memoryview(data).cast("B")
    if not isinstance(length, int) or not 0 <= length <= view.nbytes:
        raise comch.InvalidValue("length")
    return bytes(view[:length])


class World:
    """Endpoints of one process, whose service names are this world's alone."""

    def __init__(self, number: int, spellings: list[Spelling]) -> None:
        self.tag = "0123456789"[number]
        self.spellings = spellings
        self.endpoints: list[Any] = []
        self.peers: list[list[Any]] = []
        self.descriptors: dict[int, tuple[int, int]] = {}  # descriptor -> endpoint and number

    def __repr__(self) -> str:
        return "/".join(spelling.name for spelling in self.spellings)

    def spelling(self, ep: int) -> Spelling:
        return self.spellings[ep % len(self.spellings)]

    def create(self) -> None:
        self.endpoints.append(self.spelling(len(self.endpoints)).create())
        self.peers.append([])

    def run(self, call: Call) -> tuple[Any, ...]:
        """The result, with each handle as what it is known by."""
        number = call.ep or 0
        spelling = self.spelling(number)
        env = {name: self._argument(spelling, name, value) for name, value in call.args.items()}
        env["ep"] = None if call.ep is None else self.endpoints[call.ep]
        env.setdefault("peer", None)
        code, *outputs = spelling.run(ROWS[call.row], env)
        return code, *(self._label(spelling, number, call.row, output) for output in outputs)

    def _argument(self, spelling: Spelling, name: str, value: Any) -> Any:
        if name == "peer" and isinstance(value, tuple):
            known = self.peers[value[0]]
            return known[value[1] % len(known)] if known else None
        if name == "name" and isinstance(value, str) and value:
            return value[:-1] + self.tag
        if name == "name" and isinstance(value, bytes) and value.endswith(b"\0"):
            return value[:-2] + self.tag.encode() + b"\0"
        if value == "junk":
            return JUNK
        return spelling.values.get(value, value) if isinstance(value, str) and name == "x" else value

    def _label(self, spelling: Spelling, ep: int, row: str, value: Any) -> Any:
        if isinstance(value, list):
            return [self._label(spelling, ep, row, item) for item in value]
        if type(value).__name__ in ("PeerAddr", "Peer"):
            if not any(known is value for known in self.peers[ep]):
                self.peers[ep].append(value)
            return "peer", next(i for i, known in enumerate(self.peers[ep]) if known is value)
        if "event_channel" in row and isinstance(value, int):
            return self._descriptor(ep, value)
        labels = [label for label, known in spelling.values.items() if known is value]
        return labels[0] if labels else value

    def _descriptor(self, ep: int, fd: int) -> tuple[int, int]:
        own = [label for label in self.descriptors.values() if label[0] == ep]
        return self.descriptors.setdefault(fd, (ep, len(own)))

    def readable(self) -> list[tuple[int, int]]:
        """Which of the descriptors that were given out are ready."""
        poller = select.poll()
        for fd in self.descriptors:
            poller.register(fd, select.POLLIN)
        return sorted(self.descriptors[fd] for fd, events in poller.poll(0) if events & select.POLLIN)

    def forget(self, ep: int) -> None:
        """Watch the descriptors of a destroyed endpoint no more."""
        self.descriptors = {fd: label for fd, label in self.descriptors.items() if label[0] != ep}

    def close(self) -> None:
        for number, endpoint in enumerate(self.endpoints):
            self.spelling(number).destroy(endpoint)


def worlds(spellings: dict[str, Spelling], foreign: bool) -> Iterator[list[World]]:
    """Worlds whose results are to be alike: of objects and of flat calls, and the mixed ones.

    With peers of other endpoints, which an old and a new library cannot share, there are no mixed ones.
    """
    old, new = spellings["objects"], spellings["new_objects"]
    objects = [[old], [new], *([] if foreign else [[old, new], [new, old]])]
    flat = [[spellings["flat"]], [spellings["new_flat"]], [spellings["on_class"]]]
    if not foreign:
        flat.append([spellings["flat"], spellings["new_flat"]])
    numbers = iter(range(10))
    yield [World(next(numbers), mix) for mix in objects]
    yield [World(next(numbers), mix) for mix in flat]
