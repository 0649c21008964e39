"""The hostile side of a connection: plays a case's steps by hand, whatever they make of what it was given before."""

from __future__ import annotations

import mmap
import os
import random
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.bells import new_bell
from comch_next.driver.emulated._fabric.offers import Target, make_posts
from comch_next.driver.emulated._kernel.memory import map_shared
from comch_next.driver.emulated._kernel.ring import Receiver, Sender, ffi, lib, make_memory
from comch_next.errors import DocaError, ErrorCode
from tests.fuzz.descriptors import STRANGE, memory
from tests.fuzz.grammar import Case
from tests.fuzz.mutation import NUMBERS

_NEWS = struct.Struct("<4sBxxxIIIQ")
_HELLO = struct.Struct("<4sHHIII")
_WELCOME = struct.Struct("<4sHHIIII")
_U16, _U32, _U64 = (1 << 16) - 1, (1 << 32) - 1, (1 << 64) - 1
_PLACE, _WORDS = int(lib.COMCH_PLACE), int(ffi.sizeof("comch_shared"))
_BELLS = "bell", "space_bell"
_GIVEN = {_WELCOME.size: ("to", "from", *_BELLS), _NEWS.size: ("posts", "memory", "posts_bell"), _HELLO.size: _BELLS}


class Ask(Protocol):
    """What the library's side can be asked for: a command of victim.py, during which something else is done."""

    def __call__(self, command: str, meanwhile: Callable[[], None] = ...) -> None: ...


class Peer:
    """One connection's hostile end. `ask` has the library's side do something, `as_client` says who dialled."""

    def __init__(self, sock: socket.socket, ask: Ask, *, as_client: bool) -> None:
        self.sock = sock
        self.sock.setblocking(False)
        self._ask = ask
        self._as_client = as_client
        self._fds: dict[str, int] = {}  # what it has been given or has made, by name
        self._maps: dict[str, mmap.mmap] = {}
        self._places: dict[str, int] = {}  # where the shared words of a ring lie
        self._sizes = (4, 32, 4096)  # depth, immediate data and memory of what it announced last
        self._own_terms = self._other_terms = handshake.Terms(4080, False, 64, 64)
        self._sender: Sender | None = None
        self._receiver: Receiver | None = None
        self._target: Target | None = None
        self._consumer: Any = None
        self._consumer_memory: Any = None

    def play(self, case: Case) -> None:
        """All steps; what cannot be done is left out."""
        self._hear()
        for verb, *words in case:
            getattr(self, f"_step_{verb}")(*words)
            self._hear()

    def close(self) -> None:
        """Give everything back; the other side sees a death, unless it has heard a farewell."""
        self.sock.close()
        for end in (self._sender, self._receiver, self._target):
            if end is not None:
                end.close()
        for mapped in self._maps.values():
            mapped.close()
        for fd in self._fds.values():
            os.close(fd)

    # What it is given

    def _hear(self) -> None:
        while True:
            try:
                data, fds = handshake.receive(self.sock)
            except OSError:
                return
            if not data:
                return
            self._understand(data, fds)

    def _understand(self, data: bytes, fds: list[int]) -> None:
        for name, fd in zip(_GIVEN.get(len(data), ()), fds, strict=False):
            self._keep(name, os.dup(fd))
        with suppress(DocaError):
            if len(data) == _WELCOME.size:
                self._other_terms = handshake.Welcome.decode(data).terms
                if len(fds) > 2:
                    self._attach()
            elif len(data) == _HELLO.size:
                self._other_terms = handshake.Hello.decode(data).terms
            elif len(data) == _NEWS.size and len(fds) == 3:
                _, _, _, depth, imm_max, size = _NEWS.unpack(data)
                self._target = Target(depth, imm_max, size, fds)
                fds.pop()  # the bell is the target's
        for fd in fds:
            os.close(fd)

    def _keep(self, name: str, fd: int) -> None:
        if name in self._fds:
            os.close(self._fds[name])
        if name in self._maps:
            self._maps.pop(name).close()
        self._fds[name] = fd

    def _attach(self) -> None:
        """Its ends of the rings, as an honest peer would have them."""
        own, other = self._own_terms, self._other_terms
        to_it, from_it = handshake.negotiate(own, other) if self._as_client else handshake.negotiate(other, own)[::-1]
        with suppress(OSError):
            self._sender = Sender(self._fds["to"], to_it, other.recv_limit, own.send_limit, -1).attach()
            self._receiver = Receiver(self._fds["from"], from_it, own.recv_limit, other.send_limit, -1).attach()

    # What it brings

    def _descriptor(self, name: str) -> int:
        """A descriptor of that kind, for the caller to close."""
        depth, imm_max, size = self._sizes
        kept: dict[str, Callable[[], int]] = {
            "to": lambda: self._own("to", lambda: self._ring(0)),
            "from": lambda: self._own("from", lambda: self._ring(1)),
            "posts": lambda: self._own("own_posts", lambda: make_posts(min(depth, 1 << 12), min(imm_max, 1024))),
            "memory": lambda: self._own("own_memory", lambda: memory(size)),
            "bell": self._bell,
            "self": lambda: os.dup(self.sock.fileno()),
        }
        return kept[name]() if name in kept else STRANGE[name](size)

    def _own(self, name: str, make: Callable[[], int]) -> int:
        """Something that it keeps for later, too."""
        self._keep(name, make())
        return os.dup(self._fds[name])

    def _bell(self) -> int:
        """A new one to be rung: the end that it hears is kept, and so is a copy of the other."""
        heard, rung = new_bell()
        self._keep("heard", heard)
        self._keep("rung", os.dup(rung))
        return rung

    def _ring(self, direction: int) -> int:
        own, other = self._own_terms, self._other_terms
        sizes = handshake.negotiate(other, own)
        limits = (own.send_limit + other.recv_limit, other.send_limit + own.recv_limit)
        try:
            return make_memory(sizes[1 - direction], limits[direction])
        except DocaError:  # larger than a ring can be
            return make_memory(4080, 128)

    def _say(self, data: bytes, names: tuple[str, ...] = ()) -> None:
        fds: list[int] = []
        try:
            for name in names:
                fds.append(self._descriptor(name))
            with suppress(OSError):  # it has hung up, or has no room
                handshake.send(self.sock, data, fds)
        finally:
            for fd in fds:
                os.close(fd)

    def _map(self, region: str) -> mmap.mmap | None:
        if region not in self._maps and region in self._fds:
            with suppress(OSError, ValueError):  # nothing that can be mapped
                words = self._maps[region] = mmap.mmap(self._fds[region], 0)
                self._places[region] = int.from_bytes(words[_PLACE : _PLACE + 4], "little") % _PLACE
        return self._maps.get(region)

    # The steps

    def _step_hello(self, version: str, *words: str) -> None:
        strict, *sizes = map(int, words[:4])
        with suppress(DocaError):
            self._own_terms = _sane(strict, sizes)
        sizes = [size & _U32 for size in sizes]
        data = _HELLO.pack(b"CMCH", _version(version), strict & _U16, *sizes)
        self._say(data, words[4:])

    def _step_welcome(self, code: str, version: str, *words: str) -> None:
        strict, *sizes = map(int, words[:4])
        with suppress(DocaError):
            self._own_terms = _sane(strict, sizes)
        sizes = [size & _U32 for size in sizes]
        data = _WELCOME.pack(b"CMCH", _version(version), strict & _U16, int(code) & _U32, *sizes)
        self._say(data, words[4:])
        if not self._as_client and {"to", "from"} <= self._fds.keys():
            with suppress(DocaError):
                self._attach()

    def _step_say(self, data: str, *names: str) -> None:
        self._say(bytes.fromhex(data[1:]), names)

    def _step_announce(self, number: str, depth: str, imm_max: str, size: str, *names: str) -> None:
        self._sizes = int(depth), int(imm_max), int(size)
        sizes = (int(depth) & _U32, int(imm_max) & _U32, int(size) & _U64)
        self._say(_NEWS.pack(b"CMFP", 1, int(number) & _U32, *sizes), names)
        if "own_posts" in self._fds:
            self._consume()

    def _consume(self) -> None:
        """Be an honest consumer on the posts that it has announced last."""
        depth, imm_max, _ = self._sizes
        size = os.fstat(self._fds["own_posts"]).st_size
        consumer = ffi.new("comch_consumer *", {"depth": min(depth, 1 << 12), "imm_max": min(imm_max, 1024)})
        consumer.stride = lib.comch_post_stride(consumer.imm_max)
        if consumer.depth:
            self._consumer, self._consumer_memory = consumer, map_shared(self._fds["own_posts"], size)
            lib.comch_consumer_attach(consumer, self._consumer_memory)

    def _step_expire(self, number: str, *names: str) -> None:
        self._say(_NEWS.pack(b"CMFP", 2, int(number) & _U32, 0, 0, 0), names)

    def _step_flood(self, number: str, times: str) -> None:
        for turn in range(int(times) % 200):
            self._step_announce(number, "4", "32", "4096", "posts", "memory", "bell")
            self._step_expire(number)
            if turn % 32 == 31:
                self._ask("turn")

    def _step_bye(self, *names: str) -> None:
        self._say(handshake.BYE, names)

    def _step_turn(self) -> None:
        self._ask("turn")

    def _step_stop(self) -> None:
        self._ask("stop")

    def _step_drop(self) -> None:
        self._ask("drop")

    def _step_shut(self, how: str) -> None:
        with suppress(OSError):
            self.sock.shutdown(int(how) % 3)

    def _step_send(self, length: str) -> None:
        if self._sender is not None:
            data = b"z" * (int(length) % 5000)
            lib.comch_send_now(self._sender.tx, data, len(data))

    def _step_receive(self) -> None:
        """Claim to have read all that is there."""
        words, at = self._map("from"), self._places.get("from", 0)
        if words is not None:
            words[at + 64 : at + 72] = words[at : at + 8]

    def _step_fill(self, length: str, imm_length: str) -> None:
        if self._target is not None:
            data, imm = b"w" * (int(length) % 8192), b"i" * (int(imm_length) % 1025)
            lib.comch_fill(self._target.c, data, len(data), imm, len(imm), 7)

    def _step_post(self, offset: str, room: str, with_buffer: str) -> None:
        if self._consumer is not None:
            lib.comch_post_buffer(self._consumer, int(offset) & _U64, int(room) & _U32, int(with_buffer) & 1)

    def _step_take(self) -> None:
        if self._consumer is not None:
            lib.comch_take_post(self._consumer)

    def _step_poke(self, region: str, offset: str, value: str, width: str) -> None:
        words = self._map(region)
        if words is not None:
            _write(words, self._at(region, int(offset)), int(value), int(width) % 8 + 1)

    def _at(self, region: str, offset: int) -> int:
        """The first few hundred bytes of a ring are its shared words, wherever those lie."""
        return offset + (self._places[region] if region in ("to", "from") and offset < _WORDS else 0)

    def _step_scribble(self, region: str, seed: str, times: str) -> None:
        """Write here and there while the library's side is looking."""
        words, rng = self._map(region), random.Random(int(seed))
        if words is None:
            return

        def scribble() -> None:
            for _ in range(int(times) % 2000):
                offset = rng.choice((rng.randrange(24) * 8, 4096 + rng.randrange(64) * 4, rng.randrange(len(words))))
                value = rng.choice((*NUMBERS, rng.randrange(100)))
                _write(words, self._at(region, offset), value, rng.choice((1, 2, 4, 8)))

        self._ask("turn", scribble)

    def _step_bell(self, action: str) -> None:
        """To whatever end it has: of the library's bells and of its own."""
        for end in (self._fds.get(name) for name in (*_BELLS, "posts_bell", "heard", "rung")):
            if end is None:
                continue
            with socket.socket(fileno=os.dup(end)) as sock, suppress(OSError):
                sock.setblocking(action == "block")
                if action == "shut":
                    sock.shutdown(socket.SHUT_RDWR)
                elif action == "ring":
                    sock.send(b"\0")
                while action == "fill":
                    sock.send(b"\0")
                while action == "drain":
                    sock.recv(1)


def _version(number: str) -> int:
    """So much after the one in force."""
    return handshake.VERSION + int(number) & _U16


def _sane(strict: int, sizes: list[int]) -> handshake.Terms:
    terms = handshake.Terms(sizes[0] & _U32, bool(strict & _U16), sizes[1] & _U32, sizes[2] & _U32)
    return handshake.Welcome.decode(handshake.Welcome(ErrorCode.SUCCESS, terms).encode()).terms


def _write(words: mmap.mmap, offset: int, value: int, width: int) -> None:
    if len(words) >= width:
        at = offset % (len(words) - width + 1)
        words[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
