"""Checks of the order of teardown (guide: Comch, Teardown Flow)."""

from comch_next._codes import AccessFlag
from comch_next.testing._pair import Maker, Pair, both_ways
from comch_next.testing._side import Side
from comch_next.testing._waiting import expect, refused


def check_connection_outlives_its_consumers_and_producers(make: Maker) -> None:
    """IN_USE for server_disconnect and ctx_stop while one runs; once they have stopped it ends."""
    with make() as pair:
        for side in (pair.client, pair.server):
            side.map(4096)
            for key, open_one in (("consumer", side.consumer), ("producer", side.producer)):
                open_one()
                side.start(key)
                pair.until_state(side, "RUNNING", key)
                with refused("IN_USE", f"ctx_stop while a {key} runs"):
                    side.stop()
                expect(side.state(), "RUNNING", "the state after a refused stop")
                if side is pair.server:
                    with refused("IN_USE", f"server_disconnect while a {key} runs"):
                        side.disconnect()
                side.stop(key)
                pair.until_state(side, "IDLE", key)
        pair.server.disconnect()
        pair.until_state(pair.client, "IDLE")


def check_starting_consumer_holds_its_connection(make: Maker) -> None:
    with make() as pair:
        pair.client.map(4096)
        pair.client.consumer()
        expect(pair.client.start("consumer"), "STARTING", "the start of a consumer")
        with refused("IN_USE", "ctx_stop while a consumer is starting"):
            pair.client.stop()
        pair.client.stop("consumer")
        pair.until_state(pair.client, "IDLE", "consumer")
        pair.settle()
        came, went = (pair.server.told(kind) for kind in ("new", "expired"))
        expect(went, came, "which consumers expired, of those announced")


def check_contexts_fall_with_the_connection(make: Maker) -> None:
    """The other side's end of a connection stops consumers and producers here; their tasks fail once."""
    for role in ("server", "client"):
        with make() as pair:
            leaving, staying = (pair.server, pair.client) if role == "server" else (pair.client, pair.server)
            staying.map(4096)
            staying.consumer(engine="own")
            staying.producer(engine="own")
            staying.start("producer")
            staying.start("consumer")
            pair.until_state(staying, "RUNNING", "consumer")
            posted = [staying.post(None) for _ in range(3)]
            leaving.stop()
            for key in ("consumer", "producer"):
                pair.until_state(staying, "IDLE", key)
            expect([task for task, _ in staying.told("failed", "consumer")], posted, "the receives that failed")
            expect(staying.told("state", "consumer")[-2:][0][0], "RUNNING", "where the consumer's fall began")
            with refused("BAD_STATE", "a producer on a connection that has ended"):
                staying.producer("another")


@both_ways(False, True)
def check_posted_receives_are_given_up(pair: Pair, taking: Side, giving: Side, own: bool) -> None:
    """Buffers and tasks may be given back while posted: stopped, the consumer is IDLE and its memory free."""
    taking.map(4096, own=own)
    consumer = pair.open_channel(taking, giving)
    bufs = [taking.buf(100 * number, 100) for number in range(4)]
    tasks = [taking.post(buf) for buf in bufs]
    giving.produce(None, b"x", consumer)
    pair.until_count(taking, "received", 1, "consumer")
    for buf, task in zip(bufs[1:], tasks[1:], strict=True):
        taking.give_back(buf)
        taking.free(task)
    taking.give_back(bufs[0])
    expect(taking.stop("consumer"), "STOPPING", "the stop of a consumer whose posted receives were given up")
    pair.until_state(taking, "IDLE", "consumer")
    expect(taking.told("failed", "consumer"), [], "failures of tasks that were freed")
    giving.stop("producer")
    pair.until_state(giving, "IDLE", "producer")
    for side, key in ((taking, "consumer"), (giving, "producer")):
        side.destroy(key)
    taking.destroy_map()


def check_contexts_outlive_nothing_below(make: Maker) -> None:
    """IN_USE for the engine and the device of a context that lives, and for a context that is not IDLE."""
    with make(connect=False) as pair:
        for side in (pair.server, pair.client):
            side.open()
            for call, attempt in (("pe_destroy", side.destroy_engine), ("the close of a device", side.close_device)):
                with refused("IN_USE", f"{call} with an IDLE context"):
                    attempt()
        pair.connect()
        for side in (pair.server, pair.client):
            calls = (("pe_destroy", side.destroy_engine), ("device", side.close_device), ("destroy", side.destroy))
            for call, attempt in calls:
                with refused("IN_USE", f"{call} with a RUNNING context"):
                    attempt()
        pair.client.send(b"works")
        pair.until_told(pair.server, "message", [(0, b"works")])


def check_fast_contexts_outlive_nothing_below(make: Maker) -> None:
    with make() as pair:
        client = pair.client
        client.map(4096)
        client.consumer(engine="own")
        client.producer(engine="own")
        with refused("IN_USE", "pe_destroy with IDLE consumers and producers"):
            client.destroy_engine("own")
        client.start("producer")
        client.start("consumer")
        pair.until_state(client, "RUNNING", "consumer")
        for key in ("consumer", "producer"):
            with refused("IN_USE", f"the destruction of a RUNNING {key}"):
                client.destroy(key)
        client.stop("producer")
        client.stop("consumer")
        client.destroy("producer")
        client.destroy("consumer")
        client.destroy_engine("own")


def check_memory_outlives_its_buffers(make: Maker) -> None:
    with make() as pair:
        client = pair.client
        client.map(4096)
        buf = client.buf(0, 100)
        for call, attempt in (("mmap_stop", client.stop_map), ("mmap_destroy", client.destroy_map)):
            with refused("NOT_PERMITTED", f"{call} with a buffer"):
                attempt()
        with refused("IN_USE", "buf_inventory_destroy with a buffer"):
            client.destroy_inventory()
        client.give_back(buf)
        client.stop_map()
        with refused("BAD_STATE", "a buffer of a map that has been stopped"):
            client.buf(0, 100)
        client.start_map()
        client.give_back(client.buf(0, 100))
        client.destroy_map()


def check_exported_map_cannot_be_stopped(make: Maker) -> None:
    with make() as pair:
        pair.client.map(4096)
        pair.client.export_map()
        with refused("NOT_PERMITTED", "mmap_stop of an exported map"):
            pair.client.stop_map()
        pair.client.map(4096, "local", permissions=int(AccessFlag.LOCAL_READ_WRITE))
        with refused("NOT_PERMITTED", "mmap_export_pci without a PCI permission"):
            pair.client.export_map("local")
