"""Service names are bytes in C: the same service whoever names it, and in whichever spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comm_channel_compat import Endpoint, flat, open_device
from tests.faces.world import World, check, lib, made

NAME = b"\xff\x80 \xed\xa0\x80 caf\xe9"  # Latin-1, and what UTF-8 has for half a character
TEXT = NAME.decode("utf-8", "surrogateescape")


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made_world = World("names")
    yield made_world
    made_world.close()


def _objects(name: Any) -> Endpoint:
    endpoint = Endpoint()
    endpoint.set_device(open_device("b1:00.0"))
    endpoint.connect(name)
    return endpoint


def _flat(name: bytes) -> Endpoint:
    _, endpoint = flat.doca_comm_channel_ep_create()
    endpoint.set_device(open_device("b1:00.0"))
    assert flat.doca_comm_channel_ep_connect(endpoint, name)[0] == 0
    return endpoint  # type: ignore[no-any-return]


CLIENTS: dict[str, Callable[[], Endpoint]] = {
    "objects, bytes": lambda: _objects(NAME),
    "objects, text": lambda: _objects(TEXT),
    "flat": lambda: _flat(NAME),
}


@pytest.mark.parametrize("spelling", CLIENTS)
def test_a_service_in_c_is_found(spelling: str, world: World) -> None:
    service = made(lib.doca_comm_channel_ep_create)
    check(lib.doca_comm_channel_ep_set_device(service, world.dpu))
    check(lib.doca_comm_channel_ep_set_device_rep(service, world.handles["doca_dev_rep"]))
    check(lib.doca_comm_channel_ep_listen(service, NAME))
    CLIENTS[spelling]().destroy()
    check(lib.doca_comm_channel_ep_destroy(service))


def test_a_service_in_python_is_found_from_c(world: World) -> None:
    service, client = Endpoint(), made(lib.doca_comm_channel_ep_create)
    device = open_device("03:00.0")
    service.set_device(device)
    service.set_device_rep(device.open_representor("b1:00.0"))
    service.listen(NAME)
    check(lib.doca_comm_channel_ep_set_device(client, world.host))
    made(lib.doca_comm_channel_ep_connect, client, NAME)
    check(lib.doca_comm_channel_ep_destroy(client))
    service.destroy()


def test_a_server_of_generation_3_is_found_by_comch_next(world: World) -> None:
    server = made(lib.doca_comch_server_create, world.dpu, world.handles["doca_dev_rep"], NAME)
    done, received = (world.callback(f"doca_comch_{what}_cb_t") for what in ("task_send_completion", "event_msg_recv"))
    changed = world.callback("doca_comch_event_connection_status_changed_cb_t")
    check(lib.doca_comch_server_task_send_set_conf(server, done, done, 1))
    check(lib.doca_comch_server_event_msg_recv_register(server, received))
    check(lib.doca_comch_server_event_connection_status_changed_register(server, changed, changed))
    ctx = lib.doca_comch_server_as_ctx(server)
    check(lib.doca_pe_connect_ctx(world.handles["doca_pe"], ctx))
    check(lib.doca_ctx_start(ctx))
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, TEXT)
        client.task_send_set_conf(lambda _: None, lambda _: None, 1)
        client.event_msg_recv_register(lambda *_: None)
        client.start()

        def moved() -> bool:
            client.engine.progress()
            return client.state is comch.State.RUNNING

        world.progress_until(moved)
        client.close()
    check(lib.doca_ctx_stop(ctx), lib.DOCA_ERROR_IN_PROGRESS)
    world.progress_until(lambda: made(lib.doca_ctx_get_state, ctx) == lib.DOCA_CTX_STATE_IDLE)
    check(lib.doca_comch_server_destroy(server))
