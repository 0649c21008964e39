"""Checks of consumers and producers (guide: Comch, Consumer Post Receive Task and Producer Send Task)."""

from typing import Any

from comch_next._codes import AccessFlag
from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side
from comch_next.testing._waiting import expect, refused

_ROOM = 4096


def expect_received(pair: Pair, side: Side, wanted: list[tuple[Any, ...]], key: str = "consumer") -> None:
    """Wait until a consumer has received these pairs of data and immediate data, and nothing else."""
    pair.until_count(side, "received", len(wanted), key)
    expect([row[1:3] for row in side.told("received", key)] == wanted, True, f"whether the {key} got what was sent")


@both_ways(False, True)
def check_buffers_and_immediate_data(pair: Pair, taking: Side, giving: Side, own: bool) -> None:
    """A buffer, immediate data without a buffer, both; with the producer's id, and a completion for each."""
    taking.map(_ROOM, own=own)
    giving.map(_ROOM, "source", own=own)
    consumer = pair.open_channel(taking, giving)
    for buf in (taking.buf(0, 100), None, taking.buf(100, 100)):
        taking.post(buf)
    expect(taking.told("received", "consumer"), [], "completions of receives that were only posted")
    one, both = giving.source(b"data", 0, "source"), giving.source(b"more data", 200, "source")
    sent = [giving.produce(buf, imm, consumer) for buf, imm in ((one, None), (None, b"imm"), (both, b"with it"))]
    wanted = [(b"data", None), (None, b"imm"), (b"more data", b"with it")]
    expect_received(pair, taking, wanted)
    ids = {row[3] for row in taking.told("received", "consumer")}
    expect(ids, {giving.get("id", "producer")}, "the producer's id at the consumer")
    done = [(task, "SUCCESS") for task in sent]
    pair.until_told(giving, "done", done, "producer")


@both_ways(False, True)
def check_data_is_appended(pair: Pair, taking: Side, giving: Side, own: bool) -> None:
    """What comes goes behind the data that the buffer has; a buffer that is full takes none."""
    taking.map(_ROOM, own=own)
    giving.map(_ROOM, "source")
    consumer = pair.open_channel(taking, giving)
    taking.write(b"head" + bytes(20), 8)
    buf = taking.buf(8, 10, data_len=4)
    for piece in (b"abc", b"def"):
        taking.post(buf)
        giving.produce(giving.source(piece, 0, "source"), None, consumer)
        pair.until(lambda: taking.get("num_inflight_tasks", "consumer"), 0, "posted receives")
    expect_received(pair, taking, [(b"headabc", None), (b"headabcdef", None)])
    expect(taking.read(0, 24), bytes(8) + b"headabcdef" + bytes(6), "the memory around the buffer")
    taking.post(buf)
    with refused("INVALID_VALUE", "a byte for a buffer that is full"):
        giving.produce(giving.source(b"x", 0, "source"), None, consumer)


@both_ways()
def check_only_the_data_segment_is_sent(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(_ROOM)
    giving.map(_ROOM, "source")
    consumer = pair.open_channel(taking, giving)
    taking.post(taking.buf(0, 100))
    giving.write(b"0123456789", 0, "source")
    giving.produce(giving.buf(0, 10, 4, "source"), None, consumer)
    expect_received(pair, taking, [(b"0123", None)])


@both_ways()
def check_nothing_posted(pair: Pair, taking: Side, giving: Side) -> None:
    """AGAIN leaves the task with the program, which submits it again."""
    taking.map(_ROOM)
    consumer = pair.open_channel(taking, giving)
    task = giving.send_task(None, b"x", consumer)
    for _ in range(3):
        with refused("AGAIN", "a send to a consumer that has posted nothing"):
            giving.submit(task)
    taking.post(None)
    giving.submit(task)
    expect_received(pair, taking, [(None, b"x")])
    with refused("AGAIN", "a send when the one receive is used up"):
        giving.produce(None, b"x", consumer)
    pair.until_told(giving, "done", [(task, "SUCCESS")], "producer")


@both_ways()
def check_what_does_not_fit(pair: Pair, taking: Side, giving: Side) -> None:
    """INVALID_VALUE leaves the posted receive where it is, for the next send that fits."""
    taking.map(_ROOM)
    giving.map(_ROOM, "source")
    taking.consumer()
    taking.set("imm_data_len", 4, "consumer")
    taking.start("consumer")
    giving.producer()
    giving.start("producer")
    pair.until_count(giving, "new", 1)
    pair.until_state(taking, "RUNNING", "consumer")
    consumer = taking.get("id", "consumer")
    buf = taking.buf(0, 10)
    taking.post(buf)
    eleven = giving.source(b"x" * 11, 0, "source")
    with refused("INVALID_VALUE", "11 bytes for a buffer of 10"):
        giving.produce(eleven, None, consumer)
    with refused("INVALID_VALUE", "5 bytes of immediate data for a consumer that takes 4"):
        giving.produce(None, b"12345", consumer)
    expect(taking.data(buf), b"", "the data of the posted buffer after both")
    giving.produce(giving.source(b"y" * 10, 20, "source"), b"1234", consumer)
    expect_received(pair, taking, [(b"y" * 10, b"1234")])
    taking.post(None)
    with refused("INVALID_VALUE", "a byte for a receive without buffer"):
        giving.produce(giving.source(b"x", 0, "source"), None, consumer)
    expect(len(giving.told("failed", "producer")), 0, "failures, besides what was refused")


@both_ways()
def check_unknown_consumer(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(_ROOM)
    consumer = pair.open_channel(taking, giving)
    taking.post(None, repeat=1)
    for wrong in (consumer + 1000, giving.get("id", "producer")):
        with refused("INVALID_VALUE", f"a send to consumer {wrong}, which there is not"):
            giving.produce(None, b"x", wrong)
    task = giving.send_task(None, b"x", consumer + 1000, keep=True)
    giving.set_task(task, "consumer_id", consumer)
    giving.submit(task)
    expect_received(pair, taking, [(None, b"x")])
    taking.stop("consumer")
    pair.until_count(giving, "expired", 1)
    with refused("INVALID_VALUE", "a send to a consumer that has stopped"):
        giving.submit(task)


@both_ways()
def check_tasks_are_used_again_with_other_values(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(_ROOM)
    giving.map(_ROOM, "source")
    consumer = pair.open_channel(taking, giving)
    posted = taking.post(taking.buf(0, 10), keep=True)
    task = giving.send_task(giving.source(b"first", 0, "source"), b"1", consumer, keep=True)
    wanted = {"imm_data": b"1", "consumer_id": consumer}
    expect(giving.task_values(task), wanted, "what a send task says of itself")
    giving.submit(task)
    expect_received(pair, taking, [(b"first", b"1")])
    wanted = {"imm_data": b"1", "producer_id": giving.get("id", "producer")}
    expect(taking.task_values(posted), wanted, "what a completed receive says of itself")
    taking.set_task(posted, "buf", taking.buf(10, 10))
    taking.submit(posted)
    giving.set_task(task, "buf", giving.source(b"second", 100, "source"))
    giving.set_task(task, "imm_data", b"2")
    giving.submit(task)
    expect_received(pair, taking, [(b"first", b"1"), (b"second", b"2")])
    taking.set_task(posted, "buf", taking.buf(20, 10))
    taking.submit(posted)
    giving.set_task(task, "imm_data", None)
    giving.submit(task)
    expect_received(pair, taking, [(b"first", b"1"), (b"second", b"2"), (b"second", None)])


@both_ways()
def check_chained_buffers_are_refused(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(_ROOM)
    consumer = pair.open_channel(taking, giving)
    giving.map(_ROOM, "source")
    for side, key in ((taking, "map"), (giving, "source")):
        first, second = side.buf(0, 10, 10, key), side.buf(10, 10, 10, key)
        side.chain(first, second)
        for buf in (first, second):
            with refused("INVALID_VALUE", "a buffer in a list"):
                if side is taking:
                    side.post(buf)
                else:
                    side.produce(buf, None, consumer)
        side.unchain(first, second)


def check_memory_of_a_consumer(make: Maker) -> None:
    """NOT_PERMITTED for a map without PCI_READ_WRITE, INVALID_VALUE for a buffer of another map."""
    with make() as pair:
        for side in (pair.server, pair.client):
            for name in ("LOCAL_READ_ONLY", "LOCAL_READ_WRITE", "PCI_READ_ONLY"):
                side.map(_ROOM, name, permissions=int(AccessFlag[name]))
                with refused("NOT_PERMITTED", f"a consumer in a map with permission {name}"):
                    side.consumer(lies_in=name)
            side.map(_ROOM, "stopped")
            side.stop_map("stopped")
            with refused("INVALID_VALUE", "a consumer in a map that is not started"):
                side.consumer(lies_in="stopped")
            side.start_map("stopped")
            side.map(_ROOM)
            side.consumer()
            side.start("consumer")
            pair.until_state(side, "RUNNING", "consumer")
            with refused("INVALID_VALUE", "a buffer of another map than the consumer's"):
                side.post(side.buf(0, 10, key="stopped"))


@both_ways()
def check_producers_memory_is_local(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(_ROOM)
    consumer = pair.open_channel(taking, giving)
    for number, name in enumerate(("LOCAL_READ_ONLY", "LOCAL_READ_WRITE", "PCI_READ_ONLY")):
        giving.map(_ROOM, name, permissions=int(AccessFlag[name]), own=bool(number))
        taking.post(taking.buf(100 * number, 100))
        giving.produce(giving.source(name.encode(), 0, name), None, consumer)
    wanted = [(name, None) for name in (b"LOCAL_READ_ONLY", b"LOCAL_READ_WRITE", b"PCI_READ_ONLY")]
    expect_received(pair, taking, wanted)


@both_ways()
def check_submission_to_stopping_contexts_fails(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(_ROOM)
    consumer = pair.open_channel(taking, giving)
    taking.post(None, keep=True)
    for side, key, task in (
        (giving, "producer", giving.send_task(None, b"x", consumer, keep=True)),
        (taking, "consumer", taking.receive_task(None, keep=True)),
    ):
        expect(side.stop(key), "STOPPING", f"the stop of a {key} while a task is held")
        side.submit(task)
        _expect_one_failure(pair, side, key, task)
    expect(taking.told("received", "consumer"), [], "what came")
    expect(giving.told("done", "producer"), [], "what was sent")


def _expect_one_failure(pair: Pair, side: Side, key: str, task: int) -> None:
    def failures() -> int:
        return [number for number, _ in side.told("failed", key)].count(task)

    pair.until(failures, 1, f"how often a task of the {key} failed")
    pair.settle()
    expect(failures(), 1, f"how often it failed in the end, of the {key}")


@both_ways()
def check_receives_that_nothing_came_for_fail_once(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(_ROOM)
    consumer = pair.open_channel(taking, giving)
    tasks = [taking.post(buf) for buf in (None, taking.buf(0, 10), None, taking.buf(10, 10))]
    giving.produce(None, b"x", consumer)
    expect(taking.stop("consumer"), "STOPPING", "the stop of a consumer with posted receives")
    pair.until_state(taking, "IDLE", "consumer")
    pair.settle()
    expect([row[0] for row in taking.told("received", "consumer")], tasks[:1], "the receives that were filled")
    failed = taking.told("failed", "consumer")
    expect([task for task, _ in failed], tasks[1:], "the receives that failed")
    expect("SUCCESS" in [status for _, status in failed], False, "whether a failure is SUCCESS")
    pair.until_count(giving, "done", 1, "producer")


@both_ways()
def check_export_and_import(pair: Pair, taking: Side, giving: Side) -> None:
    """Both sides see the same memory, and a producer may send out of what it has imported."""
    taking.map(_ROOM, "shared")
    giving.import_map(taking.export_map("shared"), "imported")
    taking.write(b"from the owner", 10, "shared")
    expect(giving.read(10, 14, "imported"), b"from the owner", "what the importer reads")
    giving.write(b"from the importer", 100, "imported")
    expect(taking.read(100, 17, "shared"), b"from the importer", "what the owner reads")
    taking.map(_ROOM)
    consumer = pair.open_channel(taking, giving)
    taking.post(taking.buf(0, 100))
    giving.produce(giving.buf(100, 17, 17, "imported"), None, consumer)
    expect_received(pair, taking, [(b"from the importer", None)])
    with refused("INVALID_VALUE", "an import of what is not an export"):
        giving.import_map(b"no export", "another")
