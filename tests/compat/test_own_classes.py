"""Classes that a program derives from the old ones: its private attributes are its own, and so are the toolkit's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

import comm_channel_compat as old
from comch_next import InitAttr
from comm_channel_compat import blocking
from tests.cc.world import World, cc
from tests.compat import support
from tests.compat.support import DPU, HOST, NAME, REP

names: Any = old  # the C names are made from tables, which mypy does not see
OURS = ("_compat_", "_comch_")  # how private names of the toolkit begin
# What programs call theirs, and what the toolkit would.
_WORDS = """
    alloc buf cb channel close code connection connections context ctx data destroy dev device engine error fd get
    handle has_engine init lock loop messages modern name owner passing peer peers port progress put put_quick
    queue quickened receive recvfrom recvfrom_code rep repr representor running send sendto sendto_code server
    size start state stop task thread user_data
"""
COMMON = [f"_{word}" for word in _WORDS.split()]
MINE = 4711


def own(kind: Any) -> Any:
    """A class of a program, whose objects have attributes of all these names, from before they are one of ours."""

    class Own(kind):  # type: ignore[misc]
        def __init__(self, *args: object) -> None:
            self.__dict__.update(dict.fromkeys(COMMON, MINE))
            super().__init__(*args)
            self.check()
            self.__dict__.update(dict.fromkeys(COMMON, MINE))

        def check(self) -> None:
            assert {name: vars(self).get(name) for name in COMMON} == dict.fromkeys(COMMON, MINE)

    for name in COMMON:
        setattr(Own, name, None)  # in the place of a method
    return Own


def exposed(found: Iterable[str]) -> set[str]:
    """The private names that a program may have, too."""
    private = {name for name in found if name.startswith("_") and not name.endswith("__")}
    return {name for name in private if not name.startswith(OURS)}


def classes() -> Iterator[type]:
    """Those whose objects take attributes."""
    for module in (old, cc, blocking.endpoint):
        for cls in vars(module).values():
            if isinstance(cls, type) and cls.__module__.startswith(old.__name__) and cls.__dictoffset__:
                yield cls


def test_no_class_has_a_private_name_that_programs_have() -> None:
    found = set(classes())
    assert {old.Endpoint, blocking.endpoint.Endpoint, cc.Server, cc.Mmap, cc.ProgressEngine} < found
    names = {(cls, name) for cls in found for base in cls.__mro__ for name in exposed(vars(base))}
    assert names == set()


@pytest.mark.usefixtures("form")
def test_an_endpoint_of_a_programs_own_class() -> None:
    service, client = own(old.Endpoint)(), own(old.Endpoint)()
    support.made.extend((service, client))
    for ep, address in ((service, DPU), (client, HOST)):
        ep.set_device(old.open_device(address))
    service.set_device_rep(service.get_device().open_representor(REP))
    assert service.get_device_rep().as_devinfo().get_pci_addr_str().endswith(REP)
    service.listen(NAME)
    peer = client.connect(NAME)
    support.let_in(service, peer)
    support.eventually(client.sendto, b"as an object", peer)
    msg, to_client = support.eventually(service.recvfrom, 100)
    assert msg == b"as an object"
    assert names.doca_comm_channel_ep_sendto(service, b"answer", 6, 0, to_client) == 0
    assert support.eventually(client.recvfrom, 100) == (b"answer", peer)
    assert names.doca_comm_channel_ep_recvfrom(client, 100, 0)[0] == names.DOCA_ERROR_AGAIN
    client.get_event_channel()
    client.event_handle_arm_recv()
    service.update_service_state_info()
    assert service.get_peer_addr_list() == [to_client]
    assert old.wrap(old.unwrap(service)) is service
    for ep in (service, client):
        ep.check()
        assert exposed(vars(ep)) == set(COMMON)
    service.disconnect(to_client)
    client.destroy()


def test_an_endpoint_keeps_nothing_under_another_name(pair: support.Pair) -> None:
    pair.introduce()
    rc, of_1_4 = blocking.flat.doca_comm_channel_ep_create(InitAttr())
    assert rc == 0
    for ep in (pair.service, pair.client, of_1_4):
        assert exposed(vars(ep)) == set()


OF_GENERATION_2 = {
    "doca_pe_create": "ProgressEngine",
    "doca_mmap_create": "Mmap",
    "doca_buf_inventory_create": "BufInventory",
    **{f"doca_cc_{name.lower()}_create": name for name in ("Server", "Client", "Producer", "Consumer")},
}


def test_objects_of_generation_2(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    for create, name in OF_GENERATION_2.items():

        def make(*args: object, kind: Any = own(getattr(cc, name))) -> tuple[int, Any]:  # noqa: B008
            made.append(kind(*args))
            return 0, made[-1]

        monkeypatch.setattr(cc, create, make)
    world = World()
    connection, consumer, producer = world.connection, world.running(world.consumer), world.running(world.producer)
    ours = [connection, *world.connections, *(context.as_ctx() for context in (world.server, world.client))]
    for thing in ours:
        assert exposed(vars(thing)) == set()
    world.client.task_send_alloc_init(connection, b"there", 5).as_task().submit()
    world.until(lambda: world.messages and world.consumer_ids)
    receive = consumer.task_post_recv_alloc_init(world.buf())
    send = producer.task_send_alloc_init(world.buf(2048, b"data"), world.consumer_ids[0])
    for task in (receive, send):
        task.as_task().submit()
    world.until(lambda: world.pe.get_num_inflight_tasks() == 0)
    assert (world.messages, receive.get_buf().get_data_len()) == ([b"there"], 4)
    for task in (receive, send):
        task.as_task().free()
        task.get_buf().dec_refcount()
    assert world.server.get_device_repr() is world.rep
    assert connection.get_client_ctx() is world.client
    for thing in made:
        thing.check()
        assert exposed(vars(thing)) == set(COMMON)
        assert cc.wrap(cc.unwrap(thing)) is thing
    assert len(made) == len(OF_GENERATION_2)
    world.close()
