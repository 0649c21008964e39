"""A context is made first, set in any order, and connected last (design: create, configure, connect)."""

from __future__ import annotations

import gc
import itertools
from typing import Any

import pytest

from tests.orders.support import (
    HOST,
    NAME,
    OTHER_NAME,
    REP,
    World,
    accepts,
    comch,
    connect,
    introduce,
    is_up,
    open_descriptors,
    talk,
    until,
)

WRONG_VALUE = (comch.InvalidValue, TypeError)


def test_a_client_in_separate_statements(world: World) -> None:
    server = world.server()
    client = world.keep(comch.Client())
    client.device = world.host
    client.max_msg_size = 4080
    client.recv_queue_size = 16
    client.send_queue_size = 8
    talk(client, server)
    assert (client.device, client.max_msg_size, client.recv_queue_size) == (world.host, 4080, 16)


SETTINGS = ["device", "max_msg_size", "recv_queue_size", "send_queue_size"]


@pytest.mark.parametrize("order", list(itertools.permutations(SETTINGS)), ids="-".join)
def test_settings_come_in_any_order(world: World, order: tuple[str, ...]) -> None:
    values = {"device": world.host, "max_msg_size": 100, "recv_queue_size": 4, "send_queue_size": 4}
    server = world.server()
    client = world.keep(comch.Client())
    for setting in order:
        setattr(client, setting, values[setting])
        assert getattr(client, setting) == values[setting]
    talk(client, server)


def test_a_server_in_separate_statements(world: World) -> None:
    server = world.keep(comch.Server())
    server.device_rep = world.rep
    server.max_msg_size = 4080
    server.device = world.dpu
    server.listen(NAME)
    talk(world.client(), server)
    assert (server.device, server.device_rep) == (world.dpu, world.rep)


def test_a_representor_is_named_by_its_address(world: World) -> None:
    server = world.keep(comch.Server())
    server.device = world.dpu
    server.device_rep = REP  # design silent: as the constructor takes it
    server.listen(NAME)
    talk(world.client(), server)


@pytest.mark.parametrize("made_with", ["constructor", "configure", "call"])
def test_keywords_and_arguments_are_the_same_settings(world: World, made_with: str) -> None:
    sizes = {"max_msg_size": 512, "recv_queue_size": 4, "send_queue_size": 4}
    if made_with == "constructor":
        server = world.keep(comch.Server(device=world.dpu, device_rep=world.rep, name=NAME, **sizes))
        client = world.keep(comch.Client(device=world.host, name=NAME, **sizes))
        server.listen()
        connection = client.connect(timeout=0)
    else:
        server, client = world.keep(comch.Server()), world.keep(comch.Client())
        server.configure(device=world.dpu, device_rep=world.rep, **sizes)
        client.configure(device=world.host, **sizes)
        if made_with == "configure":
            server.configure(name=NAME)
            client.configure(name=NAME)
            server.listen()
            connection = client.connect(timeout=0)
        else:
            server.listen(NAME)
            connection = client.connect(NAME, timeout=0)
    until(lambda: is_up(connection, server))
    introduce(connection, server)
    assert client.max_msg_size == server.max_msg_size == 512


@pytest.mark.parametrize("at_once", [False, True])
def test_none_is_the_default_again(world: World, at_once: bool) -> None:
    """As in the constructor, also after a life of the context."""
    sizes = {"max_msg_size": 512, "recv_queue_size": 4, "send_queue_size": 4}
    narrow, narrower = world.server(max_msg_size=512), world.server(OTHER_NAME, max_msg_size=256)
    client = world.client(**sizes)
    talk(client, narrow)
    client.disconnect()
    if at_once:
        client.configure(**dict.fromkeys(sizes))
    else:
        for size in sizes:
            setattr(client, size, None)
    assert (client.max_msg_size, client.recv_queue_size, client.send_queue_size) == (4080, 64, None)
    talk(client, narrower, OTHER_NAME)
    assert client.max_msg_size == 256


def test_the_argument_of_connect_replaces_the_name(world: World) -> None:
    server = world.server(OTHER_NAME)
    client = world.keep(comch.Client(world.host, NAME))
    talk(client, server, OTHER_NAME)  # design silent: the later setting holds


@pytest.mark.parametrize("one_sided", [False, True])
def test_the_name_of_a_connect_that_fails(world: World, one_sided: bool) -> None:
    client = world.client(name=NAME, one_sided=one_sided)
    with pytest.raises(comch.ConnectionAborted):
        client.connect(OTHER_NAME)
    assert client.name == (NAME if one_sided else OTHER_NAME)


@pytest.mark.parametrize("one_sided", [False, True])
def test_the_name_of_a_listen_that_fails(world: World, one_sided: bool) -> None:
    world.server(OTHER_NAME)
    server = world.keep(comch.Server(world.dpu, world.rep, NAME, one_sided=one_sided))
    with pytest.raises((comch.AlreadyExist, comch.ConnectionAborted)):
        server.listen(OTHER_NAME)
    assert server.name == (NAME if one_sided else OTHER_NAME)


def test_a_setting_may_be_changed_before_it_is_used(world: World) -> None:
    server = world.server()
    client = world.client()
    client.device = world.other_host
    client.device = world.host
    client.max_msg_size = 64
    client.max_msg_size = 128
    talk(client, server)
    assert client.max_msg_size == 128


def test_a_context_that_is_only_made_holds_nothing(world: World) -> None:
    gc.collect()  # what an earlier test has left is none of this one's
    before = open_descriptors()
    contexts = [make() for make in (comch.Client, comch.Server, comch.Channel) for _ in range(10)]
    assert open_descriptors() == before
    for context in contexts:
        context.close()
        context.close()


def test_a_context_that_is_only_made_needs_no_close() -> None:
    """No device is held, so it can be closed while the context lives."""
    device = comch.open_device(HOST)
    client = comch.Client()
    client.device = device
    client.max_msg_size = 100
    client.close()
    device.close()


# Values are checked where they are given


@pytest.mark.parametrize("setting", ["max_msg_size", "recv_queue_size", "send_queue_size"])
@pytest.mark.parametrize("value", [0, -1, 1 << 40, "16", 1.5, b"16", [16]])
def test_a_wrong_size_is_refused_at_its_line(world: World, setting: str, value: Any) -> None:
    client = world.client()
    before = getattr(client, setting)
    with pytest.raises(WRONG_VALUE):  # design silent: which of the two
        setattr(client, setting, value)
    assert getattr(client, setting) == before


def test_a_size_that_the_device_lacks_is_refused_once_both_are_known(world: World) -> None:
    limit = world.host.devinfo.cap_get_max_msg_size()
    client = world.keep(comch.Client())
    client.device = world.host
    client.max_msg_size = limit
    with pytest.raises(comch.InvalidValue):
        client.max_msg_size = limit + 1
    assert client.max_msg_size == limit


def test_a_size_given_before_the_device_is_refused_at_last_when_it_is_used(world: World) -> None:
    client = world.keep(comch.Client())
    too_large = world.host.devinfo.cap_get_max_msg_size() + 1

    def complete() -> None:
        """Which of these lines refuses it the design leaves open."""
        client.max_msg_size = too_large
        client.device = world.host
        client.connect(NAME, timeout=0)

    with pytest.raises(comch.InvalidValue):
        complete()


@pytest.mark.parametrize("value", [HOST, 3, object(), b"", ()])
def test_a_wrong_device_is_refused_at_its_line(world: World, value: Any) -> None:
    client = world.keep(comch.Client())
    with pytest.raises(WRONG_VALUE):
        client.device = value


def test_a_representor_is_no_device_and_a_device_no_representor(world: World) -> None:
    server = world.keep(comch.Server())
    with pytest.raises(WRONG_VALUE):
        server.device = world.rep
    with pytest.raises(WRONG_VALUE):
        server.device_rep = world.dpu


@pytest.mark.parametrize("setting", ["device", "device_rep", "engine"])
@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("make", ["Server", "Channel"])
def test_what_is_not_open_any_more_is_refused_at_its_line(
    world: World, make: str, one_sided: bool, setting: str
) -> None:
    context = world.keep(getattr(comch, make)(one_sided=one_sided))
    opened = {
        "device": lambda: comch.open_device(HOST),
        "device_rep": lambda: world.dpu.open_representor(HOST),
        "engine": comch.ProgressEngine,
    }
    with opened[setting]() as gone:
        pass
    with pytest.raises(comch.InvalidValue, match="is not open any more"):
        setattr(context, setting, gone)
    if setting == "engine":
        with pytest.raises(comch.InvalidValue, match="is not open any more"):
            gone.connect_ctx(context)


@pytest.mark.parametrize("name", ["", "x" * 128, "x" * 5000, "a\0b", 7, b"svc", ["svc"]])
def test_a_wrong_name_is_refused(world: World, name: Any) -> None:
    client = world.client()
    with pytest.raises(WRONG_VALUE):
        client.connect(name, timeout=0)
    server = world.server()
    talk(client, server)


@pytest.mark.parametrize("timeout", [-1, "1", float("nan"), b""])
def test_a_wrong_timeout_leaves_the_client_usable(world: World, timeout: Any) -> None:
    server = world.server()
    client = world.client()
    with pytest.raises(WRONG_VALUE):
        client.connect(NAME, timeout=timeout)
    talk(client, server)


# Unknown attributes


@pytest.mark.parametrize("make", [comch.Client, comch.Server, lambda: comch.Channel()])
@pytest.mark.parametrize(
    ("wrong", "hint"),
    [("max_message_size", "max_msg_size"), ("recv_queue_sise", "recv_queue_size"), ("devise", "device")],
)
def test_an_unknown_attribute_is_refused_with_a_hint(make: Any, wrong: str, hint: str) -> None:
    context = make()
    with pytest.raises(AttributeError, match=hint):
        setattr(context, wrong, 1)
    with pytest.raises(AttributeError):
        getattr(context, wrong)
    with pytest.raises((TypeError, AttributeError, comch.InvalidValue)):  # design silent: which of them
        context.configure(**{wrong: 1})
    context.close()


def test_maps_and_connections_refuse_unknown_attributes(world: World) -> None:
    server, client = world.server(), world.client()
    connection = connect(client, server)
    with pytest.raises(AttributeError, match="user_data"):
        connection.userdata = 1
    connection.user_data = {"any": "object"}
    mmap = comch.Mmap()
    with pytest.raises(AttributeError, match="permissions"):
        mmap.permission = comch.AccessFlag.PCI_READ_WRITE
    mmap.destroy()


def test_a_client_has_no_representor(world: World) -> None:
    with pytest.raises(AttributeError):
        world.client().device_rep = world.rep


def test_configure_sets_all_or_nothing(world: World) -> None:
    client = world.client()
    before = client.recv_queue_size
    with pytest.raises(WRONG_VALUE):
        client.configure(recv_queue_size=32, max_msg_size=-5)
    assert client.recv_queue_size == before  # design silent


# After a disconnect everything may be set anew


def test_everything_is_set_anew_after_disconnect(world: World) -> None:
    first, second = world.server(), world.keep(comch.Server())
    second.configure(device=world.dpu, device_rep="b1:00.1", max_msg_size=256)
    second.listen(OTHER_NAME)
    client = world.client()
    talk(client, first)
    client.disconnect()
    client.device = world.other_host
    client.max_msg_size = 256
    client.recv_queue_size = 4
    client.send_queue_size = 2
    talk(client, second, OTHER_NAME)
    assert client.max_msg_size == 256
    client.disconnect()
    client.device = world.host
    client.max_msg_size = first.max_msg_size
    talk(client, first)


def test_the_name_is_remembered_over_a_disconnect(world: World) -> None:
    server, client = world.server(), world.client()
    talk(client, server)
    client.disconnect()
    connection = client.connect(timeout=0)  # design silent: the last name is still set
    until(lambda: accepts(server, connection))


def test_two_contexts_do_not_share_settings(world: World) -> None:
    one, two = world.client(), world.client()
    one.max_msg_size = 64
    assert two.max_msg_size != 64
