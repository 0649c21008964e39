"""Checks of limits, as the capability calls of a device report them (guide: Comch, Device Support)."""

from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side, told_data
from comch_next.testing._waiting import expect, refused, until

_MOST_CLIENTS = 64  # more are not tried
_MOST_BYTES = 1 << 24
_TURNS = 20


def check_max_msg_size(make: Maker) -> None:
    with make(connect=False) as pair:
        most = pair.client.limit("cap_get_max_msg_size")
        for side in (pair.server, pair.client):
            side.open()
            with refused("INVALID_VALUE", f"a max_msg_size of {most + 1}, one above the device's"):
                side.set("max_msg_size", most + 1)
            side.set("max_msg_size", most)
            expect(side.get("max_msg_size"), most, "max_msg_size")
        pair.connect()
        for taking, giving in pair.directions():
            with refused("INVALID_VALUE", f"a message of {most + 1} bytes"):
                giving.task(bytes(most + 1))
            giving.send(b"m" * most)
            pair.until_told(taking, "message", [(0, b"m" * most)])


def check_message_sizes_that_differ_do_not_connect(make: Maker) -> None:
    with make(connect=False) as pair:
        pair.server.open(max_msg_size=1024)
        pair.client.open(max_msg_size=1025)
        pair.server.start()
        pair.client.start()
        pair.until_state(pair.client, "IDLE")
        expect([ok for _, ok in pair.server.told("up") if ok], [], "clients that the server was told of")


def check_message_size_is_taken_from_the_other_side(make: Maker) -> None:
    for role in ("server", "client"):
        with make(connect=False) as pair:
            for side in (pair.server, pair.client):
                side.open()
            getattr(pair, role).set("max_msg_size", 1000)
            pair.connect()
            for side in (pair.server, pair.client):
                with refused("INVALID_VALUE", f"1001 bytes, where the {role} has set 1000"):
                    side.task(bytes(1001))
                side.send(bytes(1000))


def _fill_queue_of_two(pair: Pair, giving: Side) -> None:
    """Send three messages, of which two complete."""
    tasks = [giving.send(b"%d" % number) for number in range(3)]
    done = "whether two messages complete"
    until(lambda: len(giving.told("done")) >= 2, True, done, giving.rest, pair.timeout)
    for _ in range(_TURNS):
        giving.rest()
    expect(giving.told("done"), [(task, "SUCCESS") for task in tasks[:2]], "completions with a queue of two")


def check_recv_queue_size(make: Maker) -> None:
    """As many messages as it says are taken from the sender while their receiver rests."""
    with make(connect=False) as pair:
        for side in (pair.server, pair.client):
            most = side.limit("cap_get_max_recv_queue_size")
            side.open()
            with refused("INVALID_VALUE", f"a recv_queue_size of {most + 1}, one above the device's"):
                side.set("recv_queue_size", most + 1)
            side.set("recv_queue_size", most)
            expect(side.get("recv_queue_size"), most, "recv_queue_size")
        pair.connect()
    with make(recv_queue_size=2) as pair:
        for taking, giving in pair.directions():
            _fill_queue_of_two(pair, giving)
            pair.until_count(taking, "message", 3)


def check_number_of_send_tasks(make: Maker) -> None:
    with make(connect=False) as pair:
        for side in (pair.server, pair.client):
            most = side.limit("cap_get_max_send_tasks")
            side.open()
            with refused("INVALID_VALUE", f"a pool of {most + 1} tasks, one above the device's"):
                side.configure("task_send", tasks=most + 1)
            side.configure("task_send", tasks=most)
        pair.connect()


def check_length_of_names(make: Maker) -> None:
    """The limit counts bytes, and the NUL of C."""
    with make(connect=False) as pair:
        most = pair.client.limit("cap_get_max_name_len")
        longest = pair.service + "é" * ((most - 1 - len(pair.service)) // 2)
        longest += "x" * (most - 1 - len(longest.encode()))
        for side in (pair.server, pair.client):
            for name in (longest + "x", "", "with\0nul"):
                with refused("INVALID_VALUE", f"a name of {len(name.encode())} bytes: {name!r}"):
                    side.open(name=name)
            side.open(name=longest)
        pair.connect()


def check_name_that_is_taken(make: Maker) -> None:
    with make() as pair:
        pair.server.open("second")
        with refused("ALREADY_EXIST", "the start of a second server of the same name"):
            pair.server.start("second")
        expect(pair.server.state("second"), "IDLE", "its state afterwards")
        pair.client.send(b"works")
        pair.until_told(pair.server, "message", [(0, b"works")])


def check_number_of_clients(make: Maker) -> None:
    """Tried only on devices with a small limit."""
    with make() as pair:
        most = pair.server.limit("cap_get_max_clients")
        if not 0 < most <= _MOST_CLIENTS:
            return
        keys = [f"client {number}" for number in range(1, most)]
        for key in keys:
            pair.client.open(key)
            pair.client.start(key)
        for key in keys:
            pair.until_state(pair.client, "RUNNING", key)
        pair.client.open("excess")
        pair.client.start("excess")
        pair.until_state(pair.client, "IDLE", "excess")
        pair.client.stop(keys[0])
        pair.until_count(pair.server, "down", 1)
        pair.client.start("excess")
        pair.until_state(pair.client, "RUNNING", "excess")


def check_number_of_fast_path_tasks(make: Maker) -> None:
    with make() as pair:
        side = pair.client
        side.map(4096)
        side.consumer()
        side.producer()
        for key in ("consumer", "producer"):
            most = side.limit(f"{key}_cap_get_max_num_tasks")
            with refused("INVALID_VALUE", f"a {key}'s pool of {most + 1} tasks, one above the device's"):
                side.configure_fast(key, most + 1)
            side.configure_fast(key, most)
            side.configure_fast(key, 2)
            side.start(key)
            pair.until_state(side, "RUNNING", key)
        tasks = [side.receive_task(None, keep=True) for _ in range(2)]
        with refused("NO_MEMORY", "a third receive of a pool of two"):
            side.receive_task(None)
        tasks += [side.send_task(None, b"x", 1, keep=True) for _ in range(2)]
        with refused("NO_MEMORY", "a third send of a pool of two"):
            side.send_task(None, b"x", 1)
        for task in tasks:
            side.free(task)


def check_number_of_consumers_and_producers(make: Maker) -> None:
    """All that one connection may have, with different ids; one more is NO_MEMORY."""
    with make() as pair:
        for side in (pair.server, pair.client):
            side.map(4096)
            for kind, open_one in (("consumer", side.consumer), ("producer", side.producer)):
                most = side.limit(f"{kind}_cap_get_max_{kind}s")
                ids = [open_one(f"{kind} {number}") for number in range(most)]
                expect(len(set(ids)), most, f"how many different ids {most} {kind}s have")
                with refused("NO_MEMORY", f"one {kind} more than the {most} of a connection"):
                    open_one(f"{kind} too many")
                side.destroy(f"{kind} 0")
                open_one(f"{kind} instead")


@both_ways()
def check_immediate_data_len(pair: Pair, taking: Side, giving: Side) -> None:
    most = taking.limit("consumer_cap_get_max_imm_data_len")
    taking.map(4096)
    taking.consumer()
    with refused("INVALID_VALUE", f"an imm_data_len of {most + 1}, one above the device's"):
        taking.set("imm_data_len", most + 1, "consumer")
    taking.set("imm_data_len", most, "consumer")
    expect(taking.get("imm_data_len", "consumer"), most, "imm_data_len")
    taking.destroy("consumer")
    consumer = pair.open_channel(taking, giving)
    with refused("INVALID_VALUE", f"{most + 1} bytes of immediate data"):
        giving.produce(None, bytes(most + 1), consumer)
    taking.post(None)
    giving.produce(None, b"i" * most, consumer)
    wanted = [(None, b"i" * most)]
    pair.until(
        lambda: [row[1:3] for row in taking.told("received", "consumer")], wanted, "what came"
    )


@both_ways()
def check_max_buf_size(pair: Pair, taking: Side, giving: Side) -> None:
    """Tried only on devices with a small limit."""
    most = min(side.limit(f"{key}_cap_get_max_buf_size") for side, key in ((taking, "consumer"), (giving, "producer")))
    if most > _MOST_BYTES:
        return
    taking.map(most + 1)
    giving.map(most + 1, "source")
    consumer = pair.open_channel(taking, giving)
    with refused("INVALID_VALUE", f"a receive into {most + 1} bytes, one above the device's"):
        taking.post(taking.buf(0, most + 1))
    with refused("INVALID_VALUE", f"a send of {most + 1} bytes, one above the device's"):
        giving.produce(giving.source(bytes(most + 1), 0, "source"), None, consumer)
    taking.post(taking.buf(0, most))
    giving.produce(giving.source(b"b" * most, 0, "source"), None, consumer)
    pair.until(
        lambda: [row[1] for row in taking.told("received", "consumer")], [told_data(b"b" * most)], "what came"
    )


def check_fast_path_capabilities(make: Maker) -> None:
    with make() as pair:
        for side in (pair.server, pair.client):
            for kind in ("consumer", "producer"):
                expect(bool(side.limit(f"{kind}_cap_is_supported")), True, f"whether {kind}s are supported")
                expect(side.limit(f"{kind}_cap_get_max_buf_list_len"), 1, f"a {kind}'s longest list of buffers")
                expect(side.limit(f"{kind}_cap_get_max_buf_size") > 0, True, f"whether a {kind} takes buffers")
