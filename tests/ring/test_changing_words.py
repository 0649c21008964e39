"""A word that the other side changes between two reads of one call: the call ends as if it had been either of the two.

So no number is checked at one read and used at another. The kernels are compiled with a hook before each read: as the
sources have them, and as the optimizer does. Which functions, words and fields there are is what their headers declare.
"""

from __future__ import annotations

import ctypes
import mmap
import subprocess
from collections.abc import Callable, Iterator
from itertools import permutations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from comch_next.driver.emulated import _kernel
from comch_next.driver.emulated._kernel.ring import ffi, lib
from tests.ring.ring import PAGE, Reader, send

_BUILD_S = 120.0
_SOURCES = ("pace", "ring", "posts")
_COMPILE = ("gcc", "-c", "-w", "-fPIC", "-std=gnu11")
_HOOKED = {
    "written": ("-O0", "-fsanitize=thread", "-fno-builtin", "-Dmemcpy=watched_memcpy"),
    "optimized": ("-O2", "-fsanitize=thread"),  # which copies so few bytes without memcpy, and without a hook
}
_MOST, _MESSAGE = 100, b"m" * 40
_IMM_MAX, _ROOM, _MEMORY = 16, 128, 512
_NEVER = {"next": (1 << 64) - 1, "watched": -1}  # no call is sent to look at sockets
_RECORD = {"length": (0, 4), "reserved": (4, 4), "stamp": (8, 8)}  # offset and width of what lies before a message
_LIES = (0, 7, 17, 101, 1000)
_FAR = (1 << 63, (1 << 64) - 1)  # numbers of messages


class Word(NamedTuple):
    """A place in shared memory."""

    name: str
    at: Any  # char *
    width: int
    lies: tuple[int, ...]

    def read(self) -> int:
        return int.from_bytes(ffi.buffer(self.at, self.width), "little")

    def values(self) -> list[int]:
        """What is there, and what the other side may write there; numbers of messages may be near each other."""
        good, most = self.read(), 1 << 8 * self.width
        near = (good - 1, good + 1) if self.width == 8 else ()
        return sorted({value % most for value in (good, *near, *self.lies)})


def _fields(kind: str) -> Iterator[tuple[str, int, int]]:
    for name, field in ffi.typeof(kind).fields:
        if field.type.kind == "primitive" and not name.startswith("pad"):
            yield name, field.offset, ffi.sizeof(field.type)


class Situation(NamedTuple):
    """How many messages have been sent, of which one has been received, and the bytes of the next buffer."""

    sent: int
    room: int


class Lane:
    """A ring and the posts of a consumer, with both ends of each, in memory of this process."""

    def __init__(self, situation: Situation) -> None:
        capacity = int(lib.comch_ring_capacity(_MOST, 8))
        self.base = ffi.from_buffer("char[]", mmap.mmap(-1, PAGE + capacity))
        sizes = {"capacity": capacity, "max_msg": _MOST, "bell": -1}
        self.tx = ffi.new("comch_tx *", {**sizes, "recv_limit": 4, "send_limit": 4, "pace": _NEVER})
        self.rx = ffi.new("comch_rx *", {**sizes, "limit": 8})
        assert lib.comch_tx_attach(self.tx, self.base) == lib.comch_rx_attach(self.rx, self.base) == lib.COMCH_OK
        self.reader = Reader(SimpleNamespace(rx=self.rx))  # type: ignore[arg-type]
        self.poller = self.reader.poller
        self.poller.pace = _NEVER
        self._post(situation.room)
        for _ in range(situation.sent):
            assert send(self.tx, _MESSAGE) == lib.COMCH_OK
        assert self.reader.data() == _MESSAGE
        lib.comch_find(self.poller)  # as before each comch_take
        self.text = ffi.new("char[]", b"-" * 256)

    def _post(self, room: int) -> None:
        stride = int(lib.comch_post_stride(_IMM_MAX))
        sizes = {"depth": 4, "stride": stride, "imm_max": _IMM_MAX}
        self.posts = ffi.from_buffer("char[]", mmap.mmap(-1, 2 * PAGE))
        self.memory = ffi.from_buffer("char[]", mmap.mmap(-1, PAGE))
        self.consumer = ffi.new("comch_consumer *", sizes)
        self.target = ffi.new("comch_target *", {**sizes, "memory_size": _MEMORY, "bell": -1})
        lib.comch_consumer_attach(self.consumer, self.posts)
        lib.comch_target_attach(self.target, self.posts, self.memory)
        for size in (_ROOM, _ROOM, room):
            lib.comch_post_buffer(self.consumer, 64, size, 1)
        for _ in range(2):
            assert lib.comch_fill(self.target, _MESSAGE, len(_MESSAGE), b"i", 1, 7) == lib.COMCH_OK
        assert lib.comch_take_post(self.consumer) == lib.COMCH_OK
        self.slots = [self.posts + PAGE + place * stride for place in (1, 2)]  # to be taken next, to be filled next

    def words(self) -> Iterator[Word]:
        """Every word that the two sides share."""
        for name, offset, width in _fields("comch_shared"):
            yield Word(name, self.base + offset, width, _LIES + _FAR)
        yield Word("place", self.base + lib.COMCH_PLACE, 4, _LIES)
        for name, (offset, width) in _RECORD.items():
            yield Word(f"record {name}", self.base + PAGE + int(self.rx.pos) + offset, width, _LIES)
        for name, offset, width in _fields("comch_posts"):
            yield Word(name, self.posts + offset, width, _LIES + _FAR)
        for number, slot in enumerate(self.slots):
            for name, offset, width in _fields("comch_post"):
                yield Word(f"slot {number} {name}", slot + offset, width, _LIES)

    def arguments(self, function: Any) -> list[Any]:
        """What a function of the kernels takes, by the types of its parameters."""
        known = {
            "comch_tx *": self.tx,
            "comch_rx *": self.rx,
            "comch_poller *": self.poller,
            "comch_consumer *": self.consumer,
            "comch_target *": self.target,
            "comch_rx * *": self.reader._rings,
            "comch_slot *": self.reader._slots,
            "void *": self.base,
            "char *": self.text,
            "uint64_t": len(_MESSAGE),
            "uint32_t": 1,
            "int": 1,
        }
        return [known[kind.cname] for kind in ffi.typeof(function).args]

    def outcome(self, result: Any) -> tuple[Any, ...]:
        """What a call has come to: its result, what it has copied, and where both sides go on."""
        tx, rx, poller, consumer, target = self.tx, self.rx, self.poller, self.consumer, self.target
        copied = (bytes(ffi.buffer(self.text)), bytes(ffi.buffer(self.memory)), bytes(ffi.buffer(consumer.imm)))
        ring = (tx.head, tx.pos, tx.open, tx.cut, rx.tail, rx.pos, rx.received_bytes, poller.index, poller.length)
        believed = (tx.tail, tx.tail_pos, tx.left, *(self._place(end.shared) for end in (tx, rx)))
        posts = (consumer.posted, consumer.done, consumer.length, consumer.imm_length, consumer.producer, target.filled)
        return (result, *copied, *ring, *believed, *posts)

    def _place(self, words: Any) -> int | None:
        return int(ffi.cast("char *", words) - ffi.cast("char *", self.base)) if words else None


class Kernels:
    """The functions of `lib`, compiled so that a word changes before one of its reads."""

    def __init__(self, folder: Path, hooked: tuple[str, ...]) -> None:
        sources = [str(Path(_kernel.__file__).with_name(f"{name}.c")) for name in _SOURCES]
        hooks = str(Path(__file__).with_name("reads.c"))
        for command in (
            (*_COMPILE, *hooked, *sources),
            (*_COMPILE, hooks),
            ("gcc", "-shared", "-o", "hooked.so", "reads.o", *(f"{name}.o" for name in _SOURCES)),
        ):
            subprocess.run(command, check=True, timeout=_BUILD_S, cwd=folder)
        self._library = ctypes.CDLL(str(folder / "hooked.so"))
        self.change = self._found("void (*)(void *, uint64_t, uint64_t, uint64_t, uint32_t)", "change")
        self.count_reads = self._found("uint32_t (*)(void)", "count_reads")

    def _found(self, kind: Any, name: str) -> Any:
        return ffi.cast(kind, ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value)

    def __getattr__(self, name: str) -> Any:
        return self._found(ffi.typeof(getattr(lib, name)), name)


Call = Callable[[Kernels, Lane], Any]


def _call(name: str) -> Call:
    def call(kernels: Kernels, lane: Lane) -> Any:
        return getattr(kernels, name)(*lane.arguments(getattr(lib, name)))

    return call


def _receive(kernels: Kernels, lane: Lane) -> Any:
    """Two calls that are one to their callers, who have no room for more than the longest message."""
    found = kernels.comch_find(lane.poller)
    return kernels.comch_take(lane.poller, lane.text) if 0 <= found <= _MOST else found


_ENDS = {"comch_tx *", "comch_rx *", "comch_poller *", "comch_consumer *", "comch_target *"}
CALLS: dict[str, Call] = {
    name: _call(name)
    for name in dir(lib)
    if callable(getattr(lib, name)) and {kind.cname for kind in ffi.typeof(getattr(lib, name)).args} & _ENDS
} | {"receive": _receive}
SITUATIONS = {"room": Situation(3, _ROOM), "no room": Situation(8, 20)}


@pytest.fixture(scope="session", params=_HOOKED)
def kernels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(tmp_path_factory.mktemp("kernels"), _HOOKED[request.param])


def run(
    kernels: Kernels, call: Call, situation: Situation, place: int, *values: int, times: int = 0
) -> tuple[Any, int]:
    """Make a call while a word has the first value at so many reads, then the last. What it comes to, and the reads."""
    lane = Lane(situation)
    word = list(lane.words())[place]
    kernels.change(word.at, word.width, values[0], values[-1], times)
    outcome = lane.outcome(call(kernels, lane))
    reads = int(kernels.count_reads())
    kernels.change(ffi.NULL, 0, 0, 0, 0)
    return outcome, reads


def mixed_up(kernels: Kernels, call: Call, situation: Situation) -> Iterator[str]:
    """Find the words by which a call ends as none of their values alone has it end."""
    for place, word in enumerate(Lane(situation).words()):
        alone = {value: run(kernels, call, situation, place, value) for value in word.values()}
        most = max(reads for _, reads in alone.values())
        for times, values in product(range(1, most), permutations(alone, 2)):
            outcome, _ = run(kernels, call, situation, place, *values, times=times)
            if outcome not in [alone[value][0] for value in values]:
                yield f"{word.name}: {values[0]:#x} at the first {times} of its reads, then {values[1]:#x}"


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", CALLS)
def test_a_word_that_changes_between_two_reads(kernels: Kernels, name: str, situation: str) -> None:
    assert list(mixed_up(kernels, CALLS[name], SITUATIONS[situation])) == []


def test_the_words_that_are_read(kernels: Kernels) -> None:
    """All of them: no read is without its hook, and no word without a call that reads it."""
    read: set[str] = set()
    for place, word in enumerate(Lane(SITUATIONS["room"]).words()):
        for call in CALLS.values():
            if run(kernels, call, SITUATIONS["room"], place, word.read())[1]:
                read.add(word.name)
    assert {word.name for word in Lane(SITUATIONS["room"]).words()} == read
