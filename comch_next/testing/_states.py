"""Checks of the states of contexts (guide: Comch, Context State Machine)."""

from collections.abc import Callable
from itertools import pairwise

from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side
from comch_next.testing._waiting import expect, refused

_UP = [("IDLE", "STARTING"), ("STARTING", "RUNNING")]
_DOWN = [("RUNNING", "STOPPING"), ("STOPPING", "IDLE")]


def check_server_runs_at_once(make: Maker) -> None:
    with make(connect=False) as pair:
        pair.server.open()
        expect(pair.server.state(), "IDLE", "the state of a new server")
        expect(pair.server.start(), "RUNNING", "the start of a server")
        pair.until_told(pair.server, "state", [("IDLE", "RUNNING")])


def check_client_passes_through_starting(make: Maker) -> None:
    with make(connect=False) as pair:
        pair.server.open()
        pair.client.open()
        pair.server.start()
        expect(pair.client.start(), "STARTING", "the start of a client")
        with refused("CONNECTION_INPROGRESS", "connection_update_info while STARTING"):
            pair.client.update_info()
        pair.until_told(pair.client, "state", _UP)
        expect(pair.client.state(), "RUNNING", "the client's state")
        pair.client.update_info()


def check_client_without_server_falls_back(make: Maker) -> None:
    with make(connect=False) as pair:
        pair.client.open()
        expect(pair.client.start(), "STARTING", "the start of a client that nobody listens to")
        pair.until_state(pair.client, "IDLE")
        wanted = [("IDLE", "STARTING"), ("STARTING", "IDLE")]
        expect(pair.client.told("state"), wanted, "what its callback was told")
        with refused("CONNECTION_ABORTED", "connection_update_info afterwards"):
            pair.client.update_info()


@both_ways()
def check_producer_runs_at_once(pair: Pair, taking: Side, giving: Side) -> None:
    giving.producer()
    expect(giving.start("producer"), "RUNNING", "the start of a producer")
    pair.until_told(giving, "state", [("IDLE", "RUNNING")], "producer")


@both_ways()
def check_consumer_needs_its_connections_engine(pair: Pair, taking: Side, giving: Side) -> None:
    """Neither its own engine alone makes a consumer run, nor the connection's alone."""
    taking.map(4096)
    consumer = taking.consumer(engine="own")
    expect(taking.start("consumer"), "STARTING", "the start of a consumer")
    for _ in range(50):
        taking.progress("own")
    expect(taking.state("consumer"), "STARTING", "its state after progress of its own engine only")
    for _ in range(50):
        taking.progress("main")
    expect(taking.told("state", "consumer"), _UP[:1], "what was told outside of progress of its own engine")
    pair.until_told(taking, "state", _UP, "consumer")
    expect(taking.state("consumer"), "RUNNING", "its state after progress of both engines")
    pair.until_told(giving, "new", [(0, consumer)])


def check_stop_with_nothing_outstanding(make: Maker) -> None:
    """IDLE at once: a server without clients, a producer and a consumer without tasks."""
    with make() as pair:
        for taking, giving in pair.directions():
            taking.map(4096)
            pair.open_channel(taking, giving)
            expect(giving.stop("producer"), "IDLE", "the stop of a producer without tasks")
            expect(taking.stop("consumer"), "IDLE", "the stop of a consumer without tasks")
        expect(pair.client.stop(), "STOPPING", "the stop of a connected client")
        pair.until_state(pair.client, "IDLE")
        pair.until_count(pair.server, "down", 1)
        expect(pair.server.stop(), "IDLE", "the stop of a server without clients and tasks")
        expect(pair.client.told("state"), _UP + _DOWN, "what the client's callback was told")
        wanted = [("IDLE", "RUNNING"), ("RUNNING", "IDLE")]
        pair.until_told(pair.server, "state", wanted)


def check_stop_of_a_server_with_a_client(make: Maker) -> None:
    with make() as pair:
        expect(pair.server.stop(), "STOPPING", "the stop of a server with a client")
        expect(pair.server.stop(), "STOPPING", "a second stop")
        pair.until_state(pair.server, "IDLE")
        pair.until_told(pair.client, "state", _UP + _DOWN)
        expect(pair.server.told("state"), [("IDLE", "RUNNING"), *_DOWN], "what the server's callback was told")


def check_stop_waits_for_tasks(make: Maker) -> None:
    """STOPPING lasts until the last task that the program holds has been freed, and one progress more."""
    with make() as pair:
        for taking, giving in pair.directions():
            taking.map(4096)
            consumer = pair.open_channel(taking, giving)
            held = giving.send_task(None, b"x", consumer, keep=True)
            _stop_and_free(pair, giving, "producer", held)
            held = taking.receive_task(None, keep=True)
            _stop_and_free(pair, taking, "consumer", held)
        _stop_and_free(pair, pair.client, "main", pair.client.task(b"x", keep=True))


def _stop_and_free(pair: Pair, side: Side, key: str, task: int) -> None:
    expect(side.stop(key), "STOPPING", f"the stop of {key} while a task is held")
    pair.settle()
    expect(side.state(key), "STOPPING", f"the state of {key} while a task is held")
    side.free(task)
    expect(side.state(key), "STOPPING", f"the state of {key} before the next progress")
    pair.until_state(side, "IDLE", key)


@both_ways()
def check_changes_of_state_are_told_without_gaps(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(4096)
    for _ in range(3):
        pair.open_channel(taking, giving)
        taking.post(None)
        for side, key in ((taking, "consumer"), (giving, "producer")):
            side.stop(key)
            pair.until_state(side, "IDLE", key)
            _expect_chain(side, key)
            side.destroy(key)
            side.forget()


def _expect_chain(side: Side, key: str) -> None:
    told = side.told("state", key)
    expect([told[0][0], told[-1][1]], ["IDLE", "IDLE"], f"where the states of {key} begin and end")
    for before, behind in pairwise(told):
        expect(behind[0], before[1], f"the old state of {key} in the change after {before}")


@both_ways()
def check_fast_path_restarts(pair: Pair, taking: Side, giving: Side) -> None:
    taking.map(4096)
    pair.open_channel(taking, giving)
    giving.stop("producer")
    taking.stop("consumer")
    pair.until_count(giving, "expired", 1)
    taking.start("consumer")
    giving.start("producer")
    pair.until_count(giving, "new", 2)
    pair.until_state(taking, "RUNNING", "consumer")
    taking.post(None)
    giving.produce(None, b"again", giving.told("new")[-1][1])
    pair.until(lambda: [row[2] for row in taking.told("received", "consumer")], [b"again"], "what the consumer got")


def check_servers_and_clients_restart(make: Maker) -> None:
    with make() as pair:
        for side in (pair.client, pair.server):
            side.stop()
        for side in (pair.client, pair.server):
            pair.until_state(side, "IDLE")
        pair.connect()
        pair.client.send(b"again")
        pair.until(lambda: [data for _, data in pair.server.told("message")], [b"again"], "what the server got")


def check_start_without_mandatory_configuration(make: Maker) -> None:
    with make(connect=False) as pair:
        for side, lacking in (
            *((pair.server, part) for part in ("task_send", "message", "connection")),
            *((pair.client, part) for part in ("task_send", "message")),
        ):
            side.open(lacking=lacking)
            with refused("BAD_CONFIG", f"a start without {lacking}"):
                side.start()
            expect(side.state(), "IDLE", "the state after a refused start")
            side.configure(lacking)
            side.destroy()
        pair.server.open()
        pair.client.open()
        pair.connect()
        pair.client.map(4096)
        pair.client.consumer(lacking="post_recv")
        pair.client.producer(lacking="send")
        for key in ("consumer", "producer"):
            with refused("BAD_CONFIG", f"the start of a {key} without its task configuration"):
                pair.client.start(key)


def check_fast_path_without_consumer_event(make: Maker) -> None:
    """A server or client that has not registered for consumers has no fast path, and all the rest."""
    with make(connect=False) as pair:
        for lacking, other in ((pair.server, pair.client), (pair.client, pair.server)):
            lacking.open(lacking="consumer")
            other.open()
            pair.connect()
            lacking.map(4096)
            lacking.consumer()
            lacking.producer()
            for key in ("consumer", "producer"):
                with refused("BAD_CONFIG", f"the start of a {key} without the consumer event"):
                    lacking.start(key)
                expect(lacking.state(key), "IDLE", "the state after a refused start")
                lacking.destroy(key)
            known = len(other.told("message"))
            lacking.send(b"still works")
            pair.until_count(other, "message", known + 1)
            for side in (pair.client, pair.server):
                side.stop()
            for side in (pair.client, pair.server):
                pair.until_state(side, "IDLE")
                side.destroy()
            lacking.destroy_map()


# Calls that a state does not allow. The side has a task that it keeps as number `task`, where tasks can be had.

Attempt = Callable[[Side], object]

_CONFIGURE: dict[str, Attempt] = {
    "set_max_msg_size": lambda side: side.set("max_msg_size", 1024),
    "set_recv_queue_size": lambda side: side.set("recv_queue_size", 8),
    "task_send_set_conf": lambda side: side.configure("task_send"),
    "event_msg_recv_register": lambda side: side.configure("message"),
    "event_consumer_register": lambda side: side.configure("consumer"),
    "connect_ctx": lambda side: side.connect_engine("other"),
    "ctx_start": lambda side: side.start(),
}
_OF_SERVER: dict[str, Attempt] = {"event_connection_register": lambda side: side.configure("connection")}
_USE: dict[str, Attempt] = {"task_send_alloc_init": lambda side: side.task(b"x")}
_DISCONNECT: dict[str, Attempt] = {"server_disconnect": lambda side: side.disconnect()}
_STOP: dict[str, Attempt] = {"ctx_stop": lambda side: side.stop(), "ctx_flush_tasks": lambda side: side.flush()}
_GET: dict[str, Attempt] = {"client_get_connection": lambda side: side.connection_of()}


def _expect_refusals(side: Side, state: str, *groups: dict[str, Attempt]) -> None:
    for group in groups:
        for call, attempt in group.items():
            expect(side.state(), state, f"the state before {call}")
            with refused("BAD_STATE", f"{call} while {state}"):
                attempt(side)


def check_calls_refused_by_state(make: Maker) -> None:
    with make() as pair:
        server, client = pair.server, pair.client
        held = [server.task(b"x", keep=True), client.task(b"x", keep=True)]
        _expect_refusals(client, "RUNNING", _CONFIGURE)
        _expect_refusals(server, "RUNNING", _CONFIGURE, _OF_SERVER)
        client.stop()
        server.stop()
        _expect_refusals(client, "STOPPING", _CONFIGURE)
        _expect_refusals(server, "STOPPING", _CONFIGURE, _OF_SERVER, _DISCONNECT)
        for side, task in zip((server, client), held, strict=True):
            side.free(task)
            pair.until_state(side, "IDLE")
        _expect_refusals(client, "IDLE", _STOP, _USE, _GET)
        _expect_refusals(server, "IDLE", _STOP, _USE, _DISCONNECT)
        with refused("NOT_PERMITTED", "a second engine for an IDLE context"):
            client.connect_engine("other")
        server.start()
        client.start()
        _expect_refusals(client, "STARTING", _CONFIGURE, _USE)


_CONSUMER: dict[str, Attempt] = {
    "consumer_set_imm_data_len": lambda side: side.set("imm_data_len", 8, "consumer"),
    "consumer_task_post_recv_set_conf": lambda side: side.configure_fast("consumer", 4),
    "ctx_start": lambda side: side.start("consumer"),
    "connect_ctx": lambda side: side.connect_engine("other", "consumer"),
}
_PRODUCER: dict[str, Attempt] = {
    "producer_task_send_set_conf": lambda side: side.configure_fast("producer", 4),
    "ctx_start": lambda side: side.start("producer"),
    "connect_ctx": lambda side: side.connect_engine("other", "producer"),
}
_ALLOC: dict[str, Attempt] = {
    "task_post_recv_alloc_init": lambda side: side.receive_task(None),
    "producer_task_send_alloc_init": lambda side: side.send_task(None, b"x", 1),
}
_STOP_FAST: dict[str, Attempt] = {
    f"{call} of a {key}": lambda side, method=method, key=key: getattr(side, method)(key)  # type: ignore[misc]
    for key in ("consumer", "producer")
    for call, method in (("ctx_stop", "stop"), ("ctx_flush_tasks", "flush"))
}


def check_fast_path_calls_refused_by_state(make: Maker) -> None:
    with make() as pair:
        side = pair.client
        side.map(4096)
        side.consumer()
        side.producer()
        _expect_fast_refusals(side, _ALLOC, _STOP_FAST)
        side.start("consumer")
        _expect_fast_refusals(side, _CONSUMER, {"task_post_recv_alloc_init": _ALLOC["task_post_recv_alloc_init"]})
        side.start("producer")
        pair.until_state(side, "RUNNING", "consumer")
        held = [side.receive_task(None, keep=True), side.send_task(None, b"x", 1, keep=True)]
        _expect_fast_refusals(side, _CONSUMER, _PRODUCER)
        for key in ("consumer", "producer"):
            expect(side.stop(key), "STOPPING", f"the stop of the {key}")
        _expect_fast_refusals(side, _CONSUMER, _PRODUCER)
        for task in held:
            side.free(task)


def _expect_fast_refusals(side: Side, *groups: dict[str, Attempt]) -> None:
    states = f"consumer {side.state('consumer')}, producer {side.state('producer')}"
    for group in groups:
        for call, attempt in group.items():
            with refused("BAD_STATE", f"{call} with {states}"):
                attempt(side)
