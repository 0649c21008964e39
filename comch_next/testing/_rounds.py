"""Checks that no wake-up is lost, by many rounds in which arming and arrival meet as they will.

Each side works by itself, and sleeps whenever nothing moves.
"""

from comch_next.testing._loops import count_told, sleep_until
from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side
from comch_next.testing._waiting import expect

_ROUNDS = 2000
_PEERS = 20
_PEER_ROUNDS = 20
_PEER_MESSAGE = 64


def _ask(side: Side, rounds: int, timeout: float) -> None:
    answers = count_told(side, "message")
    for number in range(rounds):
        side.send(b"%d" % number)
        sleep_until(side, "main", answers, number + 1, timeout, "answers")


def _answer(side: Side, rounds: int, timeout: float) -> None:
    questions, done = count_told(side, "message"), count_told(side, "done")
    for number in range(rounds):
        sleep_until(side, "main", questions, number + 1, timeout, "questions")
        side.send(b"%d" % number)
    sleep_until(side, "main", done, rounds, timeout, "completions")


def check_no_message_is_slept_through(make: Maker) -> None:
    with make() as pair:
        pair.together(
            lambda: pair.server.run(_answer, _ROUNDS, pair.timeout),
            lambda: pair.client.run(_ask, _ROUNDS, pair.timeout),
        )
        for side in (pair.server, pair.client):
            told = [data for _, data in side.told("message")]
            expect(told == [b"%d" % number for number in range(_ROUNDS)], True, "whether all came in order")


def _send_many(side: Side, rounds: int, timeout: float) -> None:
    done = count_told(side, "done")
    for _ in range(4):
        side.submit(side.task(b"x", repeat=rounds - 1))
    sleep_until(side, "main", done, 4 * rounds, timeout, "completions")


def _read_many(side: Side, rounds: int, timeout: float) -> None:
    sleep_until(side, "main", count_told(side, "message"), 4 * rounds, timeout, "messages")


@both_ways(recv_queue_size=2)
def check_no_completion_is_slept_through(pair: Pair, taking: Side, giving: Side) -> None:
    """Two places in the receiver's queue, four tasks that are submitted again and again: both sides sleep often."""
    pair.together(
        lambda: giving.run(_send_many, _ROUNDS // 4, pair.timeout),
        lambda: taking.run(_read_many, _ROUNDS // 4, pair.timeout),
    )
    expect(len(taking.told("message")), _ROUNDS, "how many messages came")
    expect(len(giving.told("done")), _ROUNDS, "how many tasks completed")


def _take(side: Side, engine: str, rounds: int, timeout: float) -> None:
    """Post one receive, say so, sleep until it has been filled."""
    filled = count_told(side, "received", "consumer")
    for number in range(rounds):
        side.post(None)
        side.send(b"posted")
        sleep_until(side, engine, filled, number + 1, timeout, "filled buffers")
        side.progress("main")


def _give(side: Side, engine: str, consumer: int, rounds: int, timeout: float) -> None:
    posted, done = count_told(side, "message"), count_told(side, "done", "producer")
    for number in range(rounds):
        sleep_until(side, "main", posted, number + 1, timeout, "news of posted buffers")
        side.produce(None, b"%d" % number, consumer)
        sleep_until(side, engine, done, number + 1, timeout, "completions")


@both_ways(False, True)
def check_no_filled_buffer_is_slept_through(pair: Pair, taking: Side, giving: Side, own_engines: bool) -> None:
    taking.map(4096)
    consumer = pair.open_channel(taking, giving, own_engines=own_engines)
    sink, source = ("consumer", "producer") if own_engines else ("main", "main")
    pair.together(
        lambda: taking.run(_take, sink, _ROUNDS, pair.timeout),
        lambda: giving.run(_give, source, consumer, _ROUNDS, pair.timeout),
    )
    came = [row[2] for row in taking.told("received", "consumer")]
    expect(came == [b"%d" % number for number in range(_ROUNDS)], True, "whether all came in order")


def _keys() -> list[str]:
    return [f"peer {number}" for number in range(_PEERS)]


def _answer_all(side: Side, rounds: int, timeout: float) -> None:
    """Send every message back from its callback."""
    for key in _keys():
        side.hooks["message", key] = lambda connection, data, key=key: side.send(data, connection, key)
    done = [count_told(side, "done", key) for key in _keys()]
    wanted = rounds * _PEERS
    sleep_until(side, "main", lambda: sum(count() for count in done), wanted, timeout, "answers to all clients")


def _ask_all(side: Side, rounds: int, timeout: float) -> None:
    """One message to every server in each round, then sleep until all have answered."""
    answers = [count_told(side, "message", key) for key in _keys()]
    for number in range(rounds):
        for key in _keys():
            side.send((b"%d" % number).ljust(_PEER_MESSAGE), side.connection_of(key), key)
        wanted = (number + 1) * _PEERS
        sleep_until(side, "main", lambda: sum(count() for count in answers), wanted, timeout, "answers of all servers")


def check_many_contexts_on_one_engine(make: Maker) -> None:
    """A server of its own name for each client, all servers on one engine, all clients on another."""
    with make(connect=False) as pair:
        for key in _keys():
            for side in (pair.server, pair.client):
                side.open(key, name=f"{pair.service}-{key}", tasks=8, recv_queue_size=8)
                side.start(key)
        for key in _keys():
            pair.until_state(pair.client, "RUNNING", key)
            pair.until_count(pair.server, "up", 1, key)
        pair.together(
            lambda: pair.server.run(_answer_all, _PEER_ROUNDS, pair.timeout),
            lambda: pair.client.run(_ask_all, _PEER_ROUNDS, pair.timeout),
        )
        wanted = [(b"%d" % number).ljust(_PEER_MESSAGE) for number in range(_PEER_ROUNDS)]
        for key in _keys():
            for side in (pair.server, pair.client):
                expect([data for _, data in side.told("message", key)] == wanted, True, f"whether {key} got all")
        for side in (pair.client, pair.server):
            for key in _keys():
                side.stop(key)
        for side in (pair.client, pair.server):
            for key in _keys():
                pair.until_state(side, "IDLE", key)
