"""The objects of comch_next: C and old spellings get their hint, and unknown attributes are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

import comch_next as comch
from comch_next._spellings import ABSENT, LATER, PREFIXES, SPELLINGS
from tests.fast_path.lane import Lane
from tests.processes import StartPython


@pytest.fixture
def made() -> Iterator[Any]:
    """One object of each kind, by its noun."""
    lane = Lane().run()
    here, there = lane.here.context, lane.there.context
    task, post = lane.here.task(), lane.inbox.consumer.task_post_recv_alloc_init()
    send = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
    inventory = lane.inbox.inventory
    buf = inventory.buf_get_by_addr(lane.inbox.mmap, lane.inbox.mmap.addr, 64)
    yield SimpleNamespace(
        server=there,
        client=here,
        connection=here.connection,
        consumer=lane.inbox.consumer,
        producer=lane.outbox.producer,
        task=task,
        post=post,
        send=send,
        engine=here.engine,
        device=here.device,
        devinfo=here.device.devinfo,
        representor=there.device_rep,
        repinfo=there.device_rep.devinfo_rep,
        mmap=lane.inbox.mmap,
        inventory=inventory,
        buf=buf,
    )
    buf.dec_refcount()
    for each in (task, post, send):
        each.free()
    lane.close()


def refusal(thing: object, name: str) -> str:
    """The text of the error that getting an attribute raises."""
    with pytest.raises(AttributeError) as caught:
        getattr(thing, name)
    return str(caught.value)


def refusal_to_set(thing: object, name: str, value: object = 1) -> str:
    """The text of the error that setting an attribute raises."""
    with pytest.raises(AttributeError) as caught:
        setattr(thing, name, value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("noun", "name", "hint"),
    [
        ("server", "get_max_msg_size", "doca_comch_server_get_max_msg_size is the property max_msg_size"),
        ("server", "set_max_msg_size", "doca_comch_server_set_max_msg_size is the property max_msg_size"),
        ("server", "doca_comch_server_destroy", "doca_comch_server_destroy is the method destroy"),
        ("server", "get_device_repr", "doca_comch_server_get_device_repr is the property device_rep"),
        ("server", "get_state", "doca_ctx_get_state is the property state"),
        ("client", "get_connection", "doca_comch_client_get_connection is the property connection"),
        ("client", "as_ctx", "as_ctx is the object itself"),
        ("server", "server_as_ctx", "server_as_ctx is the object itself"),
        ("task", "task_send_as_task", "task_send_as_task is the object itself"),
        ("client", "recvfrom", "recvfrom is generation 1; here: receive"),
        ("client", "doca_comm_channel_ep_recvfrom", "recvfrom is generation 1; here: receive"),
        ("client", "rcvfrom", "rcvfrom is generation 1; here: receive"),
        ("client", "doca_comm_channel_ep_rcvfrom", "rcvfrom is generation 1; here: receive"),
        ("client", "listen", "listen is generation 1; here: Server.listen"),
        ("server", "connect", "connect is generation 1; here: Client.connect"),
        ("client", "get_service_event_channel", "get_service_event_channel is generation 1; here: Server.service_fd"),
        ("connection", "disconnect", "disconnect is generation 1; here: Server.disconnect or Client.disconnect"),
        ("server", "create", "doca_comch_server_create is Server"),
        ("client", "create", "doca_comch_client_create is Client"),
        ("mmap", "create", "doca_mmap_create is Mmap"),
        ("client", "ep_destroy", "destroy is generation 1; here: close"),
        ("client", "ep_event_handle_arm_recv", "event_handle_arm_recv is generation 1; here: arm_recv"),
        ("server", "get_peer_addr_list", "get_peer_addr_list is generation 1; here: connections"),
        ("server", "ep_get_device", "get_device is generation 1; here: device"),
        ("connection", "sendto", "sendto is generation 1; here: send"),
        ("connection", "get_send_bytes", "get_send_bytes is generation 1; here: get_counter"),
        ("connection", "peer_addr_set_user_data", "set_user_data is generation 1; here: user_data"),
        ("connection", "get_client_ctx", "doca_comch_client_get_client_ctx is the property client"),
        ("consumer", "get_id", "doca_comch_consumer_get_id is the property id"),
        ("producer", "get_id", "doca_comch_producer_get_id is the property id"),
        ("task", "get_ctx", "doca_task_get_ctx is the property context"),
        ("post", "get_ctx", "doca_task_get_ctx is the property consumer"),
        ("send", "get_status", "doca_task_get_status is the property status"),
        ("send", "set_consumer_id", "doca_comch_producer_task_send_set_consumer_id is the property consumer_id"),
        ("engine", "get_notification_handle", "doca_pe_get_notification_handle is the property notification_handle"),
        ("device", "as_devinfo", "doca_dev_as_devinfo is the property devinfo"),
        ("devinfo", "get_pci_addr_str", "doca_devinfo_get_pci_addr_str is the property pci_addr_str"),
        ("devinfo", "get_mac_addr", "has no counterpart (hardware: network properties of a real port)"),
        (
            "devinfo",
            "cap_is_supported",
            "doca_comch_consumer_cap_is_supported is the method consumer_cap_is_supported;"
            " doca_comch_producer_cap_is_supported is the method producer_cap_is_supported",
        ),
        ("representor", "as_devinfo", "doca_dev_rep_as_devinfo is the property devinfo_rep"),
        ("repinfo", "get_vuid", "doca_devinfo_rep_get_vuid is the property vuid"),
        ("mmap", "dev_add", "doca_mmap_dev_add is the method add_dev"),
        ("mmap", "get_memrange", "doca_mmap_get_memrange is the property memrange"),
        ("inventory", "get_num_elements", "doca_buf_inventory_get_num_elements is the property num_elements"),
        ("client", "set_datapath_on_gpu", "has no counterpart (GPU: the data path of another processor)"),
        ("engine", "set_notification_handle", "has no counterpart (Windows: the call is for its completion ports)"),
        ("buf", "refcount_add", "doca_buf_refcount_add is the method inc_refcount"),
    ],
)
def test_a_c_or_old_spelling(made: Any, noun: str, name: str, hint: str) -> None:
    thing = getattr(made, noun)
    text = refusal(thing, name)
    assert text.startswith(f"{type(thing).__name__} has no attribute {name!r}; ")
    assert text.endswith(hint)


def test_the_old_send_leads_to_one_of_these(made: Any) -> None:
    for context in (made.server, made.client):
        for name in ("sendto", "ep_sendto", "doca_comm_channel_ep_sendto"):
            assert "sendto is generation 1; here: " in refusal(context, name)


def test_the_rest_of_every_c_call_leads_to_its_attribute(made: Any) -> None:
    """Of every row whose attribute is not spelled as in C."""
    count = 0
    for thing in vars(made).values():
        classes = {cls.__name__.removeprefix("_") for cls in type(thing).__mro__}
        for c_name, spelling in SPELLINGS.items():
            owner, _, attribute = spelling.partition(".")
            rests = [c_name.removeprefix(prefix) for prefix in PREFIXES if c_name.startswith(prefix)]
            if owner in classes and attribute.isidentifier() and not c_name.endswith("_t"):
                count += 1
                assert f"{attribute}" in refusal(thing, c_name)
                for rest in rests:
                    if not rest.startswith("as_") and not hasattr(type(thing), rest):
                        assert attribute in refusal(thing, rest), (c_name, rest)
    assert count > 150


def test_every_whole_c_name_leads_somewhere_from_everywhere(made: Any) -> None:
    """Whatever class its call is of, and where it has no counterpart."""
    names = [name for table in (SPELLINGS, ABSENT, LATER) for name in table if name.startswith("doca_")]
    for thing in vars(made).values():
        told = {name: refusal(thing, name).partition("; ")[2] for name in names}
        assert [name for name, hint in told.items() if not hint] == [], type(thing)


@pytest.mark.parametrize(
    ("noun", "name", "told"),
    [
        ("client", "max_message_size", "Client has no attribute 'max_message_size'; did you mean 'max_msg_size'?"),
        ("server", "recv_queue", "Server has no attribute 'recv_queue'; did you mean 'recv_queue_size'?"),
        ("client", "foo", "Client has no attribute 'foo'; user_data is for the program's own object"),
        ("connection", "foo", "Connection has no attribute 'foo'; user_data is for the program's own object"),
        ("connection", "userdata", "Connection has no attribute 'userdata'; did you mean 'user_data'?"),
        ("consumer", "foo", "Consumer has no attribute 'foo'; user_data is for the program's own object"),
        ("mmap", "foo", "Mmap has no attribute 'foo'; user_data is for the program's own object"),
        ("mmap", "permission", "Mmap has no attribute 'permission'; did you mean 'set_permissions'?"),
    ],
)
def test_an_unknown_attribute_is_not_set(made: Any, noun: str, name: str, told: str) -> None:
    thing = getattr(made, noun)
    assert refusal_to_set(thing, name) == told
    assert not hasattr(thing, name)


def test_what_is_there_is_set(made: Any) -> None:
    made.connection.user_data = made.client.user_data = made.server.user_data = [1]
    assert made.connection.user_data == made.client.user_data == made.server.user_data == [1]


def test_a_program_extends_a_context_by_what_it_declares() -> None:
    class Chat(comch.Client):
        nick: str
        lines = 0

    with comch.open_device("b1:00.0") as device:
        chat = Chat(device, "svc")
        chat.nick, chat.lines = "me", 1
        assert (chat.nick, chat.lines) == ("me", 1)
        assert "did you mean 'nick'?" in refusal_to_set(chat, "nik")
        told = "; a subclass declares its own on the class, as `seen: object`"
        assert refusal_to_set(chat, "seen").endswith(told)
        chat.close()


def test_contexts_are_told_apart_however_their_class_compares() -> None:
    @dataclass
    class Equal(comch.Client):
        """Equal to every other, and without a hash."""

        device_of: comch.Device

        def __post_init__(self) -> None:
            super().__init__(self.device_of, "svc", engine=engine)

    with comch.open_device("b1:00.0") as device:
        engine = comch.ProgressEngine()
        one, other = Equal(device), Equal(device)
        assert one == other
        one.close()
        with pytest.raises(comch.InUse, match="client 'svc'"):
            engine.destroy()
        other.close()
        engine.destroy()


def test_engines_and_ports_that_are_empty_are_used_all_the_same() -> None:
    class Engine(comch.ProgressEngine):
        def __len__(self) -> int:
            return 0

    class Port(comch.PullPort):
        def __len__(self) -> int:
            return 0

    with comch.open_device("03:00.0") as device, Engine() as engine:
        server = comch.Server(device, "b1:00.0", "svc", engine=engine)
        assert server._engine is engine
        port = Port(server)
        server.listen()
        assert server.port is port
        server.close()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("doca_comch_server_create", "doca_comch_server_create is Server"),
        ("doca_comch_server_set_max_msg_size", "doca_comch_server_set_max_msg_size is Server.max_msg_size"),
        ("DOCA_ERROR_AGAIN", "DOCA_ERROR_AGAIN is ErrorCode.AGAIN"),
        ("doca_devinfo_create_list", "doca_devinfo_create_list is devices"),
        ("doca_devinfo_list_create", "doca_devinfo_list_create is devices"),
        ("doca_cc_client_create", "doca_cc_client_create is of an earlier API; here: Client"),
        ("doca_workq_create", "doca_workq_create is of an earlier API; here: ProgressEngine"),
        ("doca_log_register_source", "doca_log_register_source has no counterpart (logging: use Python's logging)"),
        ("doca_comm_channel_ep_create", "doca_comm_channel_ep_create is of an earlier API; here: Server, Client"),
        ("doca_comm_channel_ep_recvfrom", "recvfrom is generation 1; here: Server.receive or Client.receive"),
        ("doca_comm_channel_ep_rcvfrom", "rcvfrom is generation 1; here: Server.receive or Client.receive"),
        ("doca_comch_server_creat", "did you mean 'doca_comch_server_create'? doca_comch_server_create is Server"),
        ("open_devices", "did you mean 'open_device'?"),
    ],
)
def test_a_name_of_the_package(name: str, hint: str) -> None:
    assert refusal(comch, name) == f"module 'comch_next' has no attribute {name!r}; {hint}"


@pytest.mark.parametrize("name", ["aio", "dpa", "testing"])
def test_a_module_that_has_not_been_imported(start_python: StartPython, name: str) -> None:
    """In a process of its own, where nothing else has imported it."""
    ended = start_python("-c", f"import comch_next; comch_next.{name}").finish()
    told = f"AttributeError: module 'comch_next' has no attribute {name!r}; import comch_next.{name} first"
    assert ended.stderr.splitlines()[-1] == told


def test_a_name_of_the_package_that_is_like_nothing() -> None:
    assert refusal(comch, "xyzzy") == "module 'comch_next' has no attribute 'xyzzy'"
    assert refusal(comch, "__path_of__") == "module 'comch_next' has no attribute '__path_of__'"


def test_modules_below_are_still_found() -> None:
    from comch_next import aio, pull

    assert aio.connect is not None
    assert pull.PullPort is comch.PullPort


def test_a_near_miss_on_a_hot_class_is_left_to_the_interpreter(made: Any) -> None:
    """Which suggests a name in its traceback; a hint of ours would make every attribute slower."""
    client = made.client
    with pytest.raises(AttributeError) as caught:
        client.task_send_alloc_init_  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("task_send_alloc_init_", client)


def test_hints_are_not_listed(made: Any) -> None:
    names = dir(made.client)
    assert "max_msg_size" in names
    assert not [name for name in names if name.startswith("doca_") or name == "get_max_msg_size"]
    assert not hasattr(made.client, "get_max_msg_size")
