"""Checks of send tasks (guide: Comch, Control Channel Send Task; DOCA Core Task)."""

from comch_next._codes import SubmitFlag
from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side
from comch_next.testing._waiting import expect, refused


@both_ways()
def check_tasks_complete_once_and_in_order(pair: Pair, taking: Side, giving: Side) -> None:
    tasks = [giving.send(b"%d" % number) for number in range(50)]
    done = [(task, "SUCCESS") for task in tasks]
    pair.until_count(giving, "done", 50)
    pair.settle()
    expect(giving.told("done"), done, "the completions in order")
    expect(giving.told("failed"), [], "the failures")
    pair.until_count(taking, "message", 50)
    expect([data for _, data in taking.told("message")], [b"%d" % n for n in range(50)], "the messages")


def check_every_way_to_submit(make: Maker) -> None:
    with make() as pair:
        client = pair.client
        tasks = [client.task(data) for data in (b"submit", b"try", b"flush", b"lazy")]
        client.submit(tasks[0])
        client.submit(tasks[1], "try_submit")
        client.submit(tasks[2], "submit_ex", int(SubmitFlag.FLUSH))
        client.submit(tasks[3], "submit_ex", 0)
        client.flush()
        pair.until_told(client, "done", [(task, "SUCCESS") for task in tasks])
        wanted = [(0, data) for data in (b"submit", b"try", b"flush", b"lazy")]
        pair.until_told(pair.server, "message", wanted)


def check_pool_runs_out(make: Maker) -> None:
    with make(tasks=3) as pair:
        for side in (pair.server, pair.client):
            tasks = [side.task(b"x", keep=True) for _ in range(3)]
            with refused("NO_MEMORY", "a fourth task of a pool of three"):
                side.task(b"x")
            side.free(tasks.pop())
            tasks.append(side.task(b"x", keep=True))
            side.submit(tasks[0])
            pair.until_told(side, "done", [(tasks[0], "SUCCESS")])
            with refused("NO_MEMORY", "another task while a completed one has not been freed"):
                side.task(b"x")
            side.free(tasks[0])
            side.free(side.task(b"x", keep=True))


@both_ways()
def check_resubmission_in_the_callback(pair: Pair, taking: Side, giving: Side) -> None:
    task = giving.task(b"again", repeat=99)
    giving.submit(task)
    pair.until_count(giving, "done", 100)
    pair.until_count(taking, "message", 100)
    pair.settle()
    expect(giving.told("done"), [(task, "SUCCESS")] * 100, "the completions")


def check_submission_while_stopping_fails(make: Maker) -> None:
    """On either side, while the other side is still there."""
    for role in ("client", "server"):
        with make() as pair:
            _submit_while_stopping(pair, getattr(pair, role))
            expect(pair.server.told("message"), [], "what the server got")


def _submit_while_stopping(pair: Pair, side: Side) -> None:
    early = side.task(b"early", keep=True)
    expect(side.stop(), "STOPPING", "the stop while a task is held")
    late = side.task(b"late")
    for task in (early, late):
        side.submit(task)
    pair.until(lambda: [task for task, _ in side.told("failed")], [early, late], "the failures")
    expect("SUCCESS" in [status for _, status in side.told("failed")], False, "whether a failure is SUCCESS")
    expect(side.told("done"), [], "the completions without failure")
    side.free(early)
    pair.until_state(side, "IDLE")


def check_free_rules(make: Maker) -> None:
    """A task is freed once, and not while the library has it; a freed one cannot be submitted."""
    with make(recv_queue_size=1) as pair:
        client = pair.client
        client.send(b"fills the queue")
        task = client.task(b"x", keep=True)
        client.submit(task)
        for call, attempt in (("task_free", client.free), ("task_submit", client.submit)):
            with refused("BAD_STATE", f"{call} of a task that is submitted"):
                attempt(task)
        pair.until_count(client, "done", 2)
        client.submit(task)
        pair.until_count(client, "done", 3)
        client.free(task)
        for call, attempt in (("task_free", client.free), ("task_submit", client.submit)):
            with refused("BAD_STATE", f"{call} of a task that has been freed"):
                attempt(task)


def _send_and_overwrite(side: Side, data: bytes) -> int:
    """The message's memory is the program's again as soon as submit has returned."""
    memory = bytearray(data)
    task = side.send(memory)
    memory[:] = bytes(len(memory))
    return task


@both_ways(recv_queue_size=1)
def check_message_is_copied(pair: Pair, taking: Side, giving: Side) -> None:
    for number in range(4):
        giving.run(_send_and_overwrite, b"%d" % number * 100)
    pair.until_told(taking, "message", [(0, b"%d" % number * 100) for number in range(4)])


def check_tasks_stay_in_flight_while_the_queue_is_full(make: Maker) -> None:
    with make(recv_queue_size=1) as pair:
        client = pair.client
        tasks = [client.send(b"%d" % number) for number in range(4)]
        for _ in range(20):
            client.rest()
        expect(client.told("done"), [(tasks[0], "SUCCESS")], "completions, with one place in the receiver's queue")
        expect(client.get("num_inflight_tasks"), 3, "the tasks in flight of the context")
        pair.until_count(client, "done", 4)
        expect(client.get("num_inflight_tasks"), 0, "the tasks in flight of the context")
        pair.until_count(pair.server, "message", 4)


def check_what_waits_fails_at_stop(make: Maker) -> None:
    """As many messages arrive as tasks succeeded; the others fail, each once."""
    with make(recv_queue_size=2) as pair:
        client = pair.client
        tasks = [client.send(b"%d" % number) for number in range(6)]
        client.stop()
        pair.until_state(client, "IDLE")
        done, failed = client.told("done"), client.told("failed")
        expect([task for task, _ in done + failed], tasks, "the completions in order, failures last")
        expect("SUCCESS" in [status for _, status in failed], False, "whether a failure is SUCCESS")
        expect(len(done), 2, "how many succeeded with two places in the receiver's queue")
        pair.until_count(pair.server, "down", 1)
        wanted = [b"%d" % number for number in range(len(done))]
        expect([data for _, data in pair.server.told("message")], wanted, "what arrived of a client that left")
