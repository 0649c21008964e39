"""Checks of messages, connections and news of consumers (guide: Comch, Events)."""

from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side
from comch_next.testing._waiting import expect, refused, until


@both_ways()
def check_messages_of_every_length(pair: Pair, taking: Side, giving: Side) -> None:
    most = giving.get("max_msg_size")
    sent = [bytes(index % 251 for index in range(length)) for length in (0, 1, 2, 63, 64, 65, most - 1, most)]
    for data in sent:
        giving.send(data)
    pair.until_count(taking, "message", len(sent))
    expect([data for _, data in taking.told("message")] == sent, True, "whether they are what was sent")


def check_messages_keep_their_order(make: Maker) -> None:
    with make(recv_queue_size=8, tasks=512) as pair:
        sent = [b"%d " % number * (number % 90 + 1) for number in range(400)]
        for data in sent:
            pair.client.send(data)
            pair.server.send(data)
        for side in (pair.server, pair.client):
            pair.until_count(side, "message", len(sent))
            expect([data for _, data in side.told("message")] == sent, True, "whether they came as they were sent")


@both_ways()
def check_callbacks_run_inside_progress_only(pair: Pair, taking: Side, giving: Side) -> None:
    task = giving.send(b"x")
    expect(giving.told("done"), [], "completions before progress")
    giving.turn()
    expect(taking.wait(pair.timeout), True, "whether there was something to do")
    expect(taking.told("message"), [], "messages before progress")
    pair.until_told(taking, "message", [(0, b"x")])
    pair.until_told(giving, "done", [(task, "SUCCESS")])


def check_server_is_told_of_its_client(make: Maker) -> None:
    with make() as pair:
        expect(pair.server.told("up"), [(0, True)], "what the server was told of a client that came")
        pair.client.stop()
        pair.until_told(pair.server, "down", [(0, True)])
        expect(len(pair.server.told("up")), 1, "how many clients it saw come")
        with refused("CONNECTION_ABORTED", "connection_update_info of a connection that has ended"):
            pair.server.update_info()


def check_server_disconnects_its_client(make: Maker) -> None:
    with make() as pair:
        task = pair.client.task(b"late", keep=True)
        pair.server.disconnect()
        pair.until_told(pair.server, "down", [(0, True)])
        pair.until_state(pair.client, "STOPPING")
        pair.client.submit(task)
        pair.until_count(pair.client, "failed", 1)
        expect(pair.server.state(), "RUNNING", "the server's state")
        pair.client.free(task)
        pair.until_state(pair.client, "IDLE")
        with refused("INVALID_VALUE", "server_disconnect of what is disconnected"):
            pair.server.disconnect()
        pair.connect()
        pair.client.send(b"back")
        pair.until_told(pair.server, "message", [(1, b"back")])


def check_server_refuses_a_client(make: Maker) -> None:
    """It disconnects inside the callback that reports the connection."""
    with make(connect=False) as pair:
        pair.server.open()
        pair.server.refuse_clients()
        pair.client.open()
        pair.server.start()
        pair.client.start()
        pair.until_state(pair.client, "IDLE")
        pair.until_told(pair.server, "down", [(0, True)])
        expect(pair.server.told("up"), [(0, True)], "what the server was told before")
        expect(pair.server.state(), "RUNNING", "the server's state")


def _count_before_the_end(side: Side) -> None:
    """Have told as "before" how many messages had been told when the end of a connection is."""
    side.hooks["down", "main"] = lambda *_: side.tell("before", "main", len(side.told("message")))


def check_last_words_arrive(make: Maker) -> None:
    """Messages whose tasks completed arrive before the end of the connection is reported."""
    with make() as pair:
        pair.server.run(_count_before_the_end)
        for number in range(20):
            pair.client.send(b"%d" % number)
        done = "how many tasks completed while the server did not progress"
        until(lambda: len(pair.client.told("done")), 20, done, pair.client.rest, pair.timeout)
        pair.client.stop()
        pair.until_count(pair.server, "down", 1)
        expect(pair.server.told("before"), [(20,)], "how many messages came before that")


def check_counters(make: Maker) -> None:
    with make() as pair:
        sent = [b"x" * length for length in (0, 1, 100)]
        for data in sent:
            pair.client.send(data)
        pair.until_count(pair.server, "message", 3)
        pair.until_count(pair.client, "done", 3)
        wanted = {"SENT_MESSAGES": 3, "SENT_BYTES": 101, "RECV_MESSAGES": 0, "RECV_BYTES": 0}
        expect(pair.client.update_info(), wanted, "the client's counters")
        wanted = {"SENT_MESSAGES": 0, "SENT_BYTES": 0, "RECV_MESSAGES": 3, "RECV_BYTES": 101}
        expect(pair.server.update_info(), wanted, "the server's counters")


def check_several_clients(make: Maker) -> None:
    """Each message comes with its connection; the end of one connection does not affect the others."""
    with make() as pair:
        for key in ("second", "third"):
            pair.client.open(key)
            pair.client.start(key)
            pair.until_state(pair.client, "RUNNING", key)
        pair.until(lambda: [number for number, _ in pair.server.told("up")], [0, 1, 2], "the server's connections")
        for number, key in enumerate(("main", "second", "third")):
            pair.client.send(key.encode(), number, key)
            pair.server.send(b"to " + key.encode(), number)
        pair.until_count(pair.server, "message", 3)
        wanted = [(0, b"main"), (1, b"second"), (2, b"third")]
        expect(sorted(pair.server.told("message")), wanted, "the server's messages by connection")
        for number, key in enumerate(("main", "second", "third")):
            told = [(number, b"to " + key.encode())]
            pair.until_told(pair.client, "message", told, key)
        pair.client.stop("second")
        pair.until_told(pair.server, "down", [(1, True)])
        pair.client.send(b"still here", 2, "third")
        pair.until(lambda: pair.server.told("message")[3:], [(2, b"still here")], "what came afterwards")
        with refused("INVALID_VALUE", "a task for a connection of another context"):
            pair.client.task(b"x", 0, "third")


@both_ways()
def check_consumers_are_announced(pair: Pair, taking: Side, giving: Side) -> None:
    """Their ids, which are above 0 and differ, and their end are reported to the other side, and not to this one."""
    known = taking.told("new")
    taking.map(4096)
    keys, announced = ["consumer 1", "consumer 2", "consumer 3"], []
    for key in keys:
        announced.append((0, taking.consumer(key)))
        expect(announced[-1][1] > 0, True, f"whether the id {announced[-1][1]} is above 0")
        taking.start(key)
        pair.until_told(giving, "new", announced)
    expect(len(set(announced)), 3, "how many different ids three consumers have")
    for count, key in enumerate(keys, 1):
        taking.stop(key)
        pair.until_told(giving, "expired", announced[:count])
    expect(taking.told("new"), known, "what the consumers' own side was told")


def check_consumers_expire_with_the_connection(make: Maker) -> None:
    with make() as pair:
        pair.server.map(4096)
        consumer = pair.open_channel(pair.server, pair.client)
        pair.client.stop("producer")
        pair.client.stop()
        pair.until_state(pair.server, "IDLE", "consumer")
        pair.until_state(pair.client, "IDLE")
        pair.until_told(pair.client, "expired", [(0, consumer)])
