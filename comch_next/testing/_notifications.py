"""Checks of sleeping: the notification handle of every kind of engine, and that no wake-up is lost."""

from collections.abc import Callable

from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side
from comch_next.testing._waiting import expect, until

_QUIET_S = 0.02
_ARMINGS = 3  # of an engine that is to rest


@both_ways()
def check_wait_says_whether_there_is_something(pair: Pair, taking: Side, giving: Side) -> None:
    pair.settle()
    expect(_rests(pair, taking, "main", _wait), True, "whether wait finds nothing, with nothing to do")
    giving.send(b"x")
    expect(taking.wait(pair.timeout), True, "wait, with a message there")
    pair.until_count(taking, "message", 1)
    pair.settle()
    expect(_rests(pair, taking, "main", _wait), True, "whether wait finds nothing, with everything done")


# What wakes an engine: how it comes about, and where it is told afterwards.


@both_ways()
def check_descriptor_wakes_for_a_message(pair: Pair, taking: Side, giving: Side) -> None:
    _expect_wake(pair, taking, "main", lambda: giving.send(b"x"), ("message", "main"))


@both_ways(recv_queue_size=1)
def check_descriptor_wakes_for_a_completion(pair: Pair, taking: Side, giving: Side) -> None:
    """The task waits for room in the other side's queue, which is there once that side has progressed."""
    giving.send(b"fills the queue")
    what = "how many tasks completed"
    until(lambda: len(giving.told("done")), 1, what, giving.rest, pair.timeout)
    giving.send(b"waits")
    giving.turn()

    def read() -> None:
        until(lambda: len(taking.told("message")) > 0, True, "whether it came", taking.rest, pair.timeout)

    _expect_one_wake(pair, giving, "main", read, ("done", "main"))
    pair.until_count(giving, "done", 2)


def check_descriptor_wakes_for_connections(make: Maker) -> None:
    with make(connect=False) as pair:
        pair.server.open()
        pair.client.open()
        pair.server.start()

        def knock() -> None:
            pair.client.start()
            pair.client.turn()

        _expect_one_wake(pair, pair.server, "main", knock, ("up", "main"))
        pair.until_state(pair.client, "RUNNING")
        _expect_one_wake(pair, pair.server, "main", pair.client.stop, ("down", "main"))
        pair.until_state(pair.client, "IDLE")
        pair.connect()
        pair.client.forget()
        _expect_one_wake(pair, pair.client, "main", pair.server.stop, ("state", "main"))


@both_ways()
def check_descriptor_wakes_for_a_consumer(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(4096)
    taking.consumer()

    def start() -> None:
        taking.start("consumer")
        until(lambda: taking.state("consumer"), "RUNNING", "its state", taking.rest, pair.timeout)

    def stop() -> None:
        taking.stop("consumer")
        taking.turn()

    _expect_one_wake(pair, giving, "main", start, ("new", "main"))
    _expect_one_wake(pair, giving, "main", stop, ("expired", "main"))


@both_ways(False, True)
def check_descriptor_wakes_for_a_filled_buffer(pair: Pair, taking: Side, giving: Side, own_engines: bool) -> None:
    taking.map(4096)
    consumer = pair.open_channel(taking, giving, own_engines=own_engines)
    for _ in range(4):
        taking.post(None)
    engine = "consumer" if own_engines else "main"
    _expect_wake(pair, taking, engine, lambda: giving.produce(None, b"x", consumer), ("received", "consumer"))


@both_ways(False, True)
def check_descriptor_wakes_for_a_producer(pair: Pair, taking: Side, giving: Side, own_engines: bool) -> None:
    """Its send has completed."""
    taking.map(4096)
    consumer = pair.open_channel(taking, giving, own_engines=own_engines)
    for _ in range(4):
        taking.post(None)
    engine = "producer" if own_engines else "main"
    _expect_wake(pair, giving, engine, lambda: giving.produce(None, b"x", consumer), ("done", "producer"))


def check_descriptor_wakes_for_a_lost_connection(make: Maker) -> None:
    """That of a consumer's or producer's own engine, once the connection's engine has progressed."""
    for key in ("consumer", "producer"):
        with make() as pair:
            _lose_connection(pair, key, pair.server, pair.client)
        with make() as pair:
            _lose_connection(pair, key, pair.client, pair.server)


def _lose_connection(pair: Pair, key: str, leaving: Side, staying: Side) -> None:
    staying.map(4096)
    if key == "consumer":
        staying.consumer(engine=key)
    else:
        staying.producer(engine=key)
    staying.start(key)
    pair.until_state(staying, "RUNNING", key)
    staying.forget()

    def leave() -> None:
        leaving.stop()
        what = "whether the connection's engine heard of its end"
        until(lambda: len(staying.told("down") + staying.told("state")) > 0, True, what, staying.progress, pair.timeout)

    _expect_one_wake(pair, staying, key, leave, ("state", key))


def _expect_wake(pair: Pair, side: Side, engine: str, cause: Callable[[], object], told: tuple[str, str]) -> None:
    """Ready when it comes after arming, ready when it was there before, not ready without."""
    for _ in range(2):
        _expect_one_wake(pair, side, engine, cause, told)
    known = len(side.told(*told))
    cause()
    side.arm(engine)
    expect(side.ready(pair.timeout, engine), True, f"whether the descriptor is ready for a {told[0]} that was there")
    side.disarm(engine)
    pair.until(lambda: len(side.told(*told)), known + 1, f"how often {told} was told")


def _expect_one_wake(pair: Pair, side: Side, engine: str, cause: Callable[[], object], told: tuple[str, str]) -> None:
    expect(_rests(pair, side, engine), True, f"whether the descriptor rests before any {told[0]}")
    known = len(side.told(*told))
    cause()
    expect(side.ready(pair.timeout, engine), True, f"whether the descriptor is ready for a {told[0]} after arming")
    side.disarm(engine)
    pair.until(lambda: len(side.told(*told)) > known, True, f"whether {told} was told")


def _wait(side: Side, engine: str) -> bool:
    return side.wait(_QUIET_S, engine)


def _poll(side: Side, engine: str) -> bool:
    side.arm(engine)
    if not side.ready(_QUIET_S, engine):
        return False
    side.disarm(engine)
    return True


def _rests(pair: Pair, side: Side, engine: str, wakes: Callable[[Side, str], bool] = _poll) -> bool:
    """Arm an engine that has nothing to do. Whether it sleeps then; a timer of the driver may wake it now and then."""
    for _ in range(_ARMINGS):
        _quieten(pair, side, engine)
        if not wakes(side, engine):
            return True
    return False


def _quieten(pair: Pair, side: Side, engine: str) -> None:
    """Progress this side until its engine has nothing to do; the other side is left alone."""
    until(lambda: side.progress(engine) or side.wait(0, engine), False, "whether it moves", side.turn, pair.timeout)
