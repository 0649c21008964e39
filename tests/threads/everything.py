"""Threads make every public call, by the names of classes and arguments, on whatever objects there are.

Run as a program, `python -m tests.threads.everything WORLD SECONDS SEED`: what it looks for may end the process.
Nothing is listed: what a class has is called, with arguments found by their names, and what comes back joins in.
Some endings are among the calls. Prints each finding; exits with 1 when there are any, or when a round hangs.
"""

from __future__ import annotations

import faulthandler
import gc
import inspect
import random
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import comch_next as comch
import comm_channel_compat as old
from comch_next import AccessFlag, DocaError, InvalidValue
from tests.attacks import Findings
from tests.descriptors import open_fds

_ROUND_S, _HANG_S = 0.4, 60.0
_MOST = 120  # objects of a round
_ENDINGS = {"close", "destroy", "disconnect", "dec_refcount", "reopen", "rm_dev", "stop"}
_LEFT_OUT = {"enable", "messages", "recv_stream", "require", "send_stream", "set_completion", "set_datapath_on_dpa"}
_LEFT_OUT |= {"dpa_completion_attach"}
_FEWEST = 50  # different calls that a run makes
_OLD_NAMES = "_CName"  # they only say how a name is spelled today
_KINDS: dict[str, Any] = {"connection": comch.Connection, "context": comch.Context}
_KINDS |= dict.fromkeys(("buf", "other", "tail"), comch.Buf)
_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PUBLIC = tuple(
    kind
    for kind in (getattr(module, name) for module in (comch, old) for name in module.__all__)
    if isinstance(kind, type) and not issubclass(kind, (int, tuple, BaseException))
)


def ignore(*_: object) -> None:
    """A callback that wants nothing."""


class Missing(Exception):
    """The world has no object, just now, that may stand for an argument."""


class World:
    """The objects of a round. Its kinds make them (`build`), and know what else an argument's name may stand for."""

    names = 0

    def __init__(self, chance: random.Random) -> None:
        World.names += 1
        self.name = f"everything {World.names}"
        self.chance = chance
        self.pool: list[Any] = []
        self.numbers = {"size": [4080, 1], "num_tasks": [1, 8], "num_elements": [1, 8], "number": [1, 8]}
        self.numbers |= {"max_num_devices": [1, 2]}
        self.numbers |= {"length": [0, 64], "data_len": [0, 64], "consumer_id": [1, 2], "flags": [0], "handle": [0]}
        self.numbers |= {name: [64, 128] for name in ("max_msg_size", "send_queue_size", "recv_queue_size")}
        self.build()

    def build(self) -> None:
        """Make the first objects."""
        raise NotImplementedError

    def argument(self, name: str, chance: random.Random) -> Any:
        """What may stand for an argument of that name. Raises Missing without one, LookupError where none can be."""
        if name in self.numbers:
            return chance.choice(self.numbers[name])
        if name in _KINDS:
            return self.any_of(_KINDS[name], chance)
        simple: dict[str, Callable[[], Any]] = {
            "timeout": lambda: chance.choice([0, 0.001, 0.01]),
            "data": lambda: chance.choice([b"x", bytes(1000), bytearray(4000)]),
            "msg": lambda: chance.choice([b"x", bytes(1000)]),
            "memory": lambda: bytearray(4096),
            "pci_addr": lambda: "b1:00.0",
            "max_events": lambda: chance.choice([None, 1, 3]),
            "name": lambda: self.name,
            "strict": lambda: chance.random() < 0.5,
            "user_context": lambda: chance.choice([0, 5]),
            "user_data": lambda: chance.choice([0, 5]),
            "counter": lambda: chance.choice(list(comch.Counter)),
        }
        simple |= dict.fromkeys(("callback", "done", "failed", "up", "down", "new", "expired"), lambda: ignore)
        if name not in simple:
            raise LookupError(f"nothing stands for the argument {name}")
        return simple[name]()

    def any_of(self, kinds: Any, chance: random.Random) -> Any:
        """One of the objects of these kinds. Raises Missing when there is none."""
        found = [one for one in list(self.pool) if isinstance(one, kinds)]
        if not found:
            raise Missing(kinds)
        return chance.choice(found)

    def join(self, value: Any) -> None:
        """Have what a call has returned join in."""
        if isinstance(value, (tuple, list)):
            for each in value:
                self.join(each)
        elif isinstance(value, _PUBLIC) and len(self.pool) < _MOST:
            self.pool.append(value)

    def end(self) -> None:
        """Give everything back."""
        raise NotImplementedError


class Modern(World):
    """A server and two clients of comch_next, with the fast path, pulled from."""

    def build(self) -> None:
        chance = self.chance
        self.dpu, self.host = comch.open_device("03:00.0"), comch.open_device("b1:00.0")
        self.rep = self.dpu.open_representor("b1:00.0")
        self.engines = [comch.ProgressEngine(max_events=chance.choice([None, 1])) for _ in range(2)]
        self.mmap = comch.Mmap(self.host, 65536, AccessFlag.PCI_READ_WRITE)
        self.mmap.start()
        self.inventory = comch.BufInventory(64)
        self.inventory.start()
        server = comch.Server(self.dpu, self.rep, self.name, engine=chance.choice([None, *self.engines]))
        clients = [comch.Client(self.host, self.name, engine=chance.choice([None, *self.engines])) for _ in range(2)]
        self.contexts: list[Any] = [server, *clients]
        for context in self.contexts:
            context.event_consumer_register(ignore, ignore)
        server.listen()
        for client in clients:
            self.pool.append(client.connect(timeout=0))
        for _ in range(20):
            for context in self.contexts:
                comch.outcome(context.receive, timeout=0)
                context.engine.progress()
        self.pool += [*self.contexts, *self.engines, self.dpu, self.host, self.rep, self.mmap, self.inventory]
        self.pool += [context.port for context in self.contexts]
        for connection in list(self.pool[:2]):
            for make in (lambda at: comch.Consumer(at, self.mmap), comch.Producer):
                with suppress(DocaError):
                    self.pool.append(make(connection))
                    self.contexts.insert(0, self.pool[-1])

    def argument(self, name: str, chance: random.Random) -> Any:
        known: dict[str, Callable[[], Any]] = {
            "mmap": lambda: self.mmap,
            "device": lambda: chance.choice([self.dpu, self.host]),
            "device_rep": lambda: self.rep,
            "engine": lambda: chance.choice([None, *self.engines]),
            "one_sided": lambda: False,
            "addr": lambda: self.mmap.addr + chance.choice([0, 60_000]),
            "imm_data": lambda: b"abc",
            "imm_data_len": lambda: 16,
            "permissions": lambda: AccessFlag.PCI_READ_WRITE,
            "wait_for_server": lambda: chance.random() < 0.5,
        }
        return known[name]() if name in known else super().argument(name, chance)

    def end(self) -> None:
        self.pool.clear()
        for context in self.contexts:
            context.close(timeout=_HANG_S)
        gc.collect()
        for destroy in (self.inventory.destroy, self.mmap.destroy, *(engine.destroy for engine in self.engines)):
            destroy()
        self.rep.close()
        for device in (self.dpu, self.host):
            with suppress(InvalidValue):  # two strict ends of another open of it have closed this one, too
                device.close()


class Old(World):
    """A service and two clients of generation 1; what has been destroyed is made anew now and then."""

    def build(self) -> None:
        self.dpu, self.host = old.open_device("03:00.0"), old.open_device("b1:00.0")
        self.rep = self.dpu.open_representor("b1:00.0")
        self.endpoints: list[old.Endpoint] = []
        for _ in range(3):
            self.renew(len(self.endpoints))

    def renew(self, place: int) -> None:
        endpoint = old.Endpoint()
        self.endpoints.append(endpoint)
        endpoint.set_device(self.host if place else self.dpu)
        endpoint.set_send_queue_size(8)
        endpoint.set_recv_queue_size(8)
        with suppress(DocaError):
            if place:
                self.pool.append(endpoint.connect(self.name))
            else:
                endpoint.set_device_rep(self.rep)
                endpoint.listen(self.name)
        self.pool.append(endpoint)

    def argument(self, name: str, chance: random.Random) -> Any:
        if chance.random() < 0.01 and len(self.endpoints) < 30:
            self.renew(chance.randrange(3))
        if name in ("peer", "peer_addr"):
            return self.any_of(old.PeerAddr, chance)
        known: dict[str, Any] = {"device": chance.choice([self.dpu, self.host]), "device_rep": self.rep}
        known |= {"engine": None, "one_sided": True}  # of the context that an endpoint has
        return known[name] if name in known else super().argument(name, chance)

    def end(self) -> None:
        self.pool.clear()
        for endpoint in self.endpoints:
            with suppress(comch.NotConnected):  # a thread has destroyed it
                endpoint.destroy()
        gc.collect()
        for device in (self.rep, self.dpu, self.host):
            device.close()


Call = tuple[str, Callable[[Any, World, random.Random], Any]]
_calls: dict[type, list[Call]] = {}
made: set[str] = set()  # calls, by the names of class and method


def calls_of(kind: type) -> list[Call]:
    """What can be called on objects of that kind, and with what: methods, and properties read and set."""
    if kind not in _calls:
        _calls[kind] = [
            call for name in dir(kind) if name[0] != "_" and name not in _LEFT_OUT for call in _of(kind, name)
        ]
    return _calls[kind]


def _of(kind: type, name: str) -> list[Call]:
    attribute = inspect.getattr_static(kind, name)
    if type(attribute).__name__ == _OLD_NAMES or isinstance(attribute, (classmethod, staticmethod)):
        return []
    if not callable(attribute):
        found: list[Call] = [(name, lambda thing, world, chance: getattr(thing, name))]
        if getattr(attribute, "fset", None) is not None:
            found.append((name, lambda thing, world, chance: setattr(thing, name, world.argument(name, chance))))
        return found
    wanted = [each for each in list(inspect.signature(attribute).parameters.values())[1:] if each.kind not in _MANY]

    def call(thing: Any, world: World, chance: random.Random) -> Any:
        given: list[Any] = []
        named: dict[str, Any] = {}
        for each in wanted:
            if each.default is each.empty:
                given.append(world.argument(each.name, chance))
            elif each.name == "timeout" or chance.random() < 0.3:
                with suppress(Missing, LookupError):
                    named[each.name] = world.argument(each.name, chance)
        return getattr(thing, name)(*given, **named)

    return [(name, call)]


def work(world: World, chance: random.Random, until: float, endings: float, findings: Findings) -> None:
    """Make calls until that time (monotonic), endings as rarely as that."""
    while time.monotonic() < until:
        try:
            thing = chance.choice(world.pool)
            name, call = chance.choice(calls_of(type(thing)))
        except IndexError:
            continue  # nothing can be called on it
        if name in _ENDINGS and chance.random() > endings:
            continue
        called = f"{type(thing).__name__}.{name}"
        try:
            world.join(call(thing, world, chance))
        except Missing:
            continue
        except Exception as error:
            findings.note_error(called, error)
        made.add(called)


def fight(kind: type[World], chance: random.Random, findings: Findings) -> None:
    """Fight one round, and give everything back."""
    sys.setswitchinterval(chance.choice([1e-6, 1e-5, 1e-4]))
    world = kind(chance)
    until, endings = time.monotonic() + _ROUND_S, chance.choice([0.003, 0.03, 0.15])
    workers = [
        threading.Thread(target=work, args=(world, random.Random(chance.random()), until, endings, findings))
        for _ in range(chance.choice([2, 3, 5]))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    try:
        world.end()
    except DocaError as error:
        findings.note("the end", repr(error))
    del world, workers
    gc.collect()


def main() -> int:
    name, seconds, seed = sys.argv[1:]
    findings, chance, rounds = Findings(), random.Random(int(seed)), 0
    threading.excepthook = lambda raised: findings.note("in a thread", repr(raised.exc_value))
    deadline, most = time.monotonic() + float(seconds), 0
    has_grown = False
    while rounds < 2 or time.monotonic() < deadline or len(made) < _FEWEST or has_grown:
        faulthandler.dump_traceback_later(2 * _HANG_S, exit=True)
        fight({"modern": Modern, "old": Old}[name], chance, findings)
        rounds += 1
        after = open_fds()
        if has_grown and after > most:  # another round, and it is still there
            findings.note("descriptors", f"{most} before, {after} after")
        has_grown = rounds > 1 and after > most and not has_grown  # the first round leaves what the library keeps
        if not has_grown:
            most = after
    faulthandler.cancel_dump_traceback_later()
    print(rounds, "rounds", len(findings.kinds), "findings")
    return 1 if findings.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
