"""Checks of the fast path at work: order, several contexts, threads, long buffers, a stop in between."""

import random
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from comch_next.testing._fast_path import expect_received
from comch_next.testing._loops import count_told, sleep_until, submit_again
from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side, told_data
from comch_next.testing._waiting import expect

_MIB = 1 << 20
_COUNT = 300  # sends of each producer to each consumer
_KEYS = ("1", "2")  # two producers and two consumers on each side
_LABEL = struct.Struct("<II")  # immediate data: producer's id, number of the send
_SIZE = 256
_DEPTH = 8


def _fill(side: Side, seed: int, offset: int) -> None:
    side.write(random.Random(seed).randbytes(_MIB), offset, "source")


@both_ways((False, False), (False, True), (True, False), (True, True))
def check_long_buffers_arrive_intact(pair: Pair, taking: Side, giving: Side, owns: tuple[bool, bool]) -> None:
    """1 MiB each, in memory of the library's and of the program's own, in every pairing."""
    taking.map(3 * _MIB, own=owns[0])
    giving.map(3 * _MIB, "source", own=owns[1])
    consumer = pair.open_channel(taking, giving)
    for number in range(3):
        taking.post(taking.buf(number * _MIB, _MIB))
        giving.run(_fill, number, number * _MIB)
    for number in range(3):
        giving.produce(giving.buf(number * _MIB, _MIB, _MIB, "source"), None, consumer)
    expect_received(pair, taking, [(told_data(random.Random(seed).randbytes(_MIB)), None) for seed in range(3)])


@both_ways()
def check_order_of_one_producer(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(_SIZE * 16)
    giving.map(_SIZE, "source")
    consumer = pair.open_channel(taking, giving)
    for _ in range(4):
        for slot in range(16):
            taking.post(taking.buf(slot * _SIZE, _SIZE) if slot % 3 else None)
        for slot in range(16):
            data = giving.source(b"%d" % slot, 0, "source") if slot % 3 else None
            giving.produce(data, b"%d" % slot, consumer)
        wanted = [(b"%d" % slot if slot % 3 else None, b"%d" % slot) for slot in range(16)]
        expect_received(pair, taking, wanted)
        taking.forget()


@both_ways()
def check_two_producers_take_turns(pair: Pair, taking: Side, giving: Side) -> None:
    """Whatever they send to one consumer fills its receives in the order of the submissions."""
    taking.map(4096)
    consumer = pair.open_channel(taking, giving)
    giving.producer("producer2")
    giving.start("producer2")
    order = ["producer", "producer2", "producer2", "producer"]
    for number, key in enumerate(order):
        taking.post(None)
        giving.produce(None, b"%d" % number, consumer, key)
    expect_received(pair, taking, [(None, b"%d" % number) for number in range(4)])
    ids = [row[3] for row in taking.told("received", "consumer")]
    expect(ids, [giving.get("id", key) for key in order], "the producers' ids")


# Each side has two consumers and two producers, every one on an engine and a thread of its own; every producer sends
# to every consumer of the other side. Which producer sent what is told by the data, too.


def _data_of(producer: int, number: int) -> bytes:
    return (b"%d/%d " % (producer, number) * 8)[: _SIZE - number % 50]


def _offset(key: str) -> int:
    return _KEYS.index(key) * _SIZE * _DEPTH


def post_again(side: Side, name: str, bufs: list[int | None], more: Callable[[], bool]) -> Callable[[], int]:
    """Post receives, each again in its callback as long as `more` says so; how many have been filled."""
    filled = 0
    task_bufs: dict[int, int | None] = {}

    def again(task: int, *_: object) -> None:
        nonlocal filled
        filled += 1
        if (buf := task_bufs[task]) is not None:
            side.bufs[buf].reset_data_len()
        if more():
            side.submit(task)

    side.hooks["received", name] = again
    for buf in bufs:
        task = side.receive_task(buf, name, keep=True)
        task_bufs[task] = buf
        side.submit(task)
    return lambda: filled


def _consume(side: Side, key: str, bufs: list[int | None], wanted: int, timeout: float) -> None:
    name, left = f"consumer{key}", iter(range(wanted - len(bufs)))
    filled = post_again(side, name, bufs, lambda: next(left, None) is not None)
    sleep_until(side, name, filled, wanted, timeout, f"what the {name} received")


def _produce(side: Side, key: str, buf: int, consumers: list[int], timeout: float) -> None:
    """Send to the consumers in turns; the buffer is written again when its send has completed."""
    name = f"producer{key}"
    done, producer, sent = count_told(side, "done", name), side.get("id", name), 0
    for number in range(_COUNT):
        for consumer in consumers:
            data = _data_of(producer, number)
            side.write(data, _offset(key), "source")
            side.bufs[buf].data_len = len(data)
            submit_again(side, name, side.send_task(buf, _LABEL.pack(producer, number), consumer, name), timeout)
            sent += 1
            sleep_until(side, name, done, sent, timeout, f"what the {name} sent")


def _work(side: Side, consumers: list[int], timeout: float) -> None:
    """All four of a side at once. Buffers are taken before, for an inventory belongs to one thread."""
    targets: dict[str, list[int | None]] = {
        key: [side.buf(_offset(key) + slot * _SIZE, _SIZE) for slot in range(_DEPTH)] for key in _KEYS
    }
    sources = {key: side.buf(_offset(key), _SIZE, key="source") for key in _KEYS}
    with ThreadPoolExecutor(2 * len(_KEYS)) as pool:
        works = [pool.submit(_consume, side, key, targets[key], len(_KEYS) * _COUNT, timeout) for key in _KEYS]
        works += [pool.submit(_produce, side, key, sources[key], consumers, timeout) for key in _KEYS]
        for work in works:
            work.result()


def _expect_streams(side: Side, key: str, producers: list[int]) -> None:
    told = side.told("received", f"consumer{key}")
    for producer in producers:
        labels = [_LABEL.unpack(imm) for _, _, imm, sender in told if sender == producer]
        expect(labels == [(producer, number) for number in range(_COUNT)], True, f"the order of producer {producer}")
    wrong = [imm for _, data, imm, _ in told if data != _data_of(*_LABEL.unpack(imm))]
    expect(wrong, [], "labels of data that is not what was sent with them")


def check_each_context_on_its_own_engine_and_thread(make: Maker) -> None:
    """Several consumers and producers over one connection, in both directions at once."""
    with make() as pair:
        consumers: dict[str, list[int]] = {"server": [], "client": []}
        for taking, giving in pair.directions():
            taking.map(len(_KEYS) * _SIZE * _DEPTH)
            giving.map(len(_KEYS) * _SIZE * _DEPTH, "source")
            numbers = [pair.open_channel(taking, giving, key, own_engines=True) for key in _KEYS]
            consumers["server" if taking is pair.server else "client"] = numbers
        pair.together(
            lambda: pair.server.run(_work, consumers["client"], pair.timeout),
            lambda: pair.client.run(_work, consumers["server"], pair.timeout),
        )
        for taking, giving in pair.directions():
            producers = [giving.get("id", f"producer{key}") for key in _KEYS]
            for key in _KEYS:
                _expect_streams(taking, key, producers)
