"""The C names of generation 2 as functions: both shapes, arguments and results, and bad ones."""

from __future__ import annotations

import inspect
import itertools
import os
import signal
from typing import Any

import pytest

from comch_next import Again, State
from comch_next.api import constants, functions
from tests.cc.world import TASKS, World, cc, ignore, okay
from tests.interrupts.strike import each_place

FLAT = sorted(name for name in cc.flat.__all__ if name.startswith("doca_") and callable(getattr(cc, name)))


def test_every_name_of_both_shapes_is_there() -> None:
    rows = {row.name for row in functions("cc")}
    assert len(rows) == 91
    assert rows <= set(cc.__all__)
    assert {name: getattr(cc, name) for name in constants("cc")} == dict(constants("cc"))


def test_nothing_is_there_that_comch_added() -> None:
    old = {row.modern for row in functions("cc")}
    added = {row.name.replace("doca_comch", "doca_cc") for row in functions("comch") if row.name not in old}
    assert not [name for name in added - {row.name for row in functions("cc")} if hasattr(cc, name)]
    assert not hasattr(cc.Server, "disconnect")
    assert not hasattr(cc.Server, "event_connection_status_changed_register")


def test_the_signatures_are_those_of_c() -> None:
    for row in functions("cc"):
        assert list(inspect.signature(getattr(cc, row.name)).parameters) == [param.name for param in row.inputs]
    assert cc.doca_cc_server_send_task_set_conf.__doc__.endswith("uint8_t log_num_tasks)")


def test_each_function_is_a_call_of_the_objects() -> None:
    """The method of its first handle, the constructor, or the function, of the name without its prefix."""
    contexts = (cc.Server, cc.Client, cc.Connection, cc.Producer, cc.Consumer)
    homes = (cc.capabilities, *contexts, cc.TaskSend, cc.ProducerTaskSend, cc.ConsumerTaskPostRecv)
    for row in functions("cc"):
        words = row.name.split("_")
        rests = ["_".join(words[start:]) for start in range(1, len(words))]
        assert row.name.endswith("_create") or [1 for home in homes for rest in rests if hasattr(home, rest)], row.name


@pytest.mark.parametrize("name", FLAT)
def test_no_argument_makes_a_call_raise(name: str, runtime_dir: object) -> None:
    function = getattr(cc, name)
    number = len(inspect.signature(function).parameters)
    odd = (None, object(), -1, 2**70, "x", b"\xff", 1.5, [None], True, cc.Server, ignore)
    for arguments in itertools.product(odd, repeat=min(2, number)):
        answer = function(*arguments, *[None] * (number - len(arguments)))
        if isinstance(answer, tuple):
            assert isinstance(answer[0], int)
            assert answer[0] == cc.DOCA_SUCCESS or set(answer[1:]) == {None}


def test_no_other_argument_of_a_living_handle_makes_a_call_raise(world: World) -> None:
    living = {
        "doca_cc_server *": world.server,
        "doca_cc_client *": world.client,
        "doca_cc_connection *": world.connection,
        "doca_cc_producer *": world.producer,
        "doca_cc_consumer *": world.consumer,
        "doca_mmap *": world.mmap,
        "doca_buf_inventory *": world.inventory,
        "doca_buf *": world.buf(),
        "doca_ctx *": world.producer.as_ctx(),
    }
    odd = (None, object(), -1, 2**70, "x", b"\xff", 1.5, [None], True, cc.Server, *living.values())
    for row in (*functions("cc"), *functions("core")):
        function = getattr(cc, row.name, None)
        kind = row.inputs[0].ctype.removeprefix("const ").removeprefix("struct ") if row.inputs else ""
        if function is None or len(row.inputs) < 2 or kind not in living or row.name.endswith("_create"):
            continue
        for arguments in itertools.product(odd, repeat=min(2, len(row.inputs) - 1)):
            answer = function(living[kind], *arguments, *[None] * (len(row.inputs) - 1 - len(arguments)))
            assert isinstance(answer, (int, tuple, type(None)))
    cc.doca_buf_dec_refcount(living["doca_buf *"])


@pytest.mark.parametrize("side", ["server", "client"])
def test_the_counts_of_both_shapes(world: World, side: str) -> None:
    made = getattr(world, side)
    logs, counts = (getattr(cc, f"doca_cc_{side}_{words}_set_conf") for words in ("send_task", "task_send"))
    most = okay(cc.doca_cc_cap_get_max_send_tasks(world.dpu.as_devinfo()))
    assert counts(made, ignore, ignore, most) == cc.DOCA_SUCCESS
    assert counts(made, ignore, ignore, most + 1) == cc.DOCA_ERROR_INVALID_VALUE
    assert logs(made, ignore, ignore, most.bit_length() - 1) == cc.DOCA_SUCCESS
    assert logs(made, ignore, ignore, most.bit_length()) == cc.DOCA_ERROR_INVALID_VALUE
    assert logs(made, ignore, ignore, 0) == cc.DOCA_SUCCESS
    for wrong in (-1, 32, 255, 256, 2**64, 1.0, "1", None, True):
        assert logs(made, ignore, ignore, wrong) == cc.DOCA_ERROR_INVALID_VALUE


def test_the_log2_is_the_number_of_tasks(world: World) -> None:
    client = world.client
    assert cc.doca_cc_client_send_task_set_conf(client, world.sent, world.sent, 3) == cc.DOCA_SUCCESS
    connection = world.connection
    tasks = [okay(cc.doca_cc_client_send_task_alloc_init(client, connection, b"x", 1)) for _ in range(8)]
    assert cc.doca_cc_client_send_task_alloc_init(client, connection, b"x", 1) == (cc.DOCA_ERROR_NO_MEMORY, None)
    for task in tasks:
        assert cc.doca_task_free(cc.doca_cc_send_task_as_task(task)) is None


@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_capabilities_in_both_shapes(world: World, kind: str) -> None:
    info = world.dpu.as_devinfo()
    most = okay(getattr(cc, f"doca_cc_{kind}_cap_get_max_num_tasks")(info))
    log = okay(getattr(cc, f"doca_cc_{kind}_cap_get_max_log_num_tasks")(info))
    assert 1 << log <= most < 2 << log
    asked = (getattr(cc, f"doca_cc_cap_is_{kind}_supported"), getattr(cc, f"doca_cc_{kind}_cap_is_supported"))
    assert [ask(info) for ask in asked] == [cc.DOCA_SUCCESS] * 2


def test_sizes_take_what_either_type_took(world: World) -> None:
    """size_t in DOCA 2.5, uint32_t in 2.6: above the device's limit is refused as such."""
    for size in ("max_msg_size", "recv_queue_size"):
        set_size, get_size = (getattr(cc, f"doca_cc_server_{verb}_{size}") for verb in ("set", "get"))
        most = okay(getattr(cc, f"doca_cc_cap_get_{size.replace('recv', 'max_recv')}")(world.dpu.as_devinfo()))
        assert set_size(world.server, most) == cc.DOCA_SUCCESS
        assert get_size(world.server) == (cc.DOCA_SUCCESS, most)
        for wrong in (most + 1, 2**32, 2**64 - 1, 2**64, -1, 0, True, 8.0):
            assert set_size(world.server, wrong) == cc.DOCA_ERROR_INVALID_VALUE
        assert get_size(world.server) == (cc.DOCA_SUCCESS, most)


def test_getters(world: World) -> None:
    world.connection  # noqa: B018  # both sides are RUNNING
    assert cc.doca_cc_server_get_device(world.server) == (cc.DOCA_SUCCESS, world.dpu)
    assert cc.doca_cc_server_get_device_repr(world.server) == (cc.DOCA_SUCCESS, world.rep)
    assert cc.doca_cc_client_get_device(world.client) == (cc.DOCA_SUCCESS, world.host)
    assert cc.doca_cc_client_get_max_msg_size(world.client) == (cc.DOCA_SUCCESS, 4080)
    there, here = world.connections[0], world.connection
    assert cc.doca_cc_server_get_server_ctx(there) is world.server
    assert cc.doca_cc_client_get_client_ctx(here) is world.client
    assert cc.doca_cc_server_get_server_ctx(here) is cc.doca_cc_client_get_client_ctx(there) is None
    assert cc.doca_cc_client_get_connection(world.client) == (cc.DOCA_SUCCESS, here)
    assert cc.doca_cc_client_as_ctx(world.client) is cc.doca_cc_client_as_ctx(world.client)


def test_user_data(world: World) -> None:
    connection = world.connection
    assert cc.doca_cc_connection_get_user_data(connection) is None
    for value in (7, "text", None, world, True, State.IDLE):
        assert cc.doca_cc_connection_set_user_data(connection, value) == cc.DOCA_SUCCESS
        assert cc.doca_cc_connection_get_user_data(connection) is value
    ctx = cc.doca_cc_client_as_ctx(world.client)
    assert cc.doca_ctx_get_user_data(ctx) == (cc.DOCA_SUCCESS, None)
    assert cc.doca_ctx_set_user_data(ctx, world) == cc.DOCA_SUCCESS
    assert cc.doca_ctx_get_user_data(ctx) == (cc.DOCA_SUCCESS, world)
    task = okay(cc.doca_cc_client_task_send_alloc_init(world.client, connection, b"x", 1))
    generic = cc.doca_cc_task_send_as_task(task)
    assert cc.doca_task_get_user_data(generic) is None
    assert cc.doca_task_set_user_data(generic, 9) is None
    assert (cc.doca_task_get_user_data(generic), cc.doca_task_get_ctx(generic)) == (9, ctx)
    cc.doca_task_free(generic)


def test_callbacks_get_user_data_as_it_is_and_numbers_for_the_rest(world: World) -> None:
    ctx, seen = cc.doca_cc_server_as_ctx(world.server), []
    okay(cc.doca_ctx_set_user_data(ctx, True))
    okay(cc.doca_ctx_set_state_changed_cb(ctx, lambda *passed: seen.append(passed)))
    world.running(world.server)
    user_data, of, *states = seen[0]
    assert (user_data is True, of is ctx, [type(state) for state in states]) == (True, True, [int, int])


def test_capabilities_of_memory(world: World) -> None:
    for dev in (world.dpu, world.host):
        info = cc.doca_dev_as_devinfo(dev)
        assert cc.doca_mmap_cap_is_export_pci_supported(info) == (cc.DOCA_SUCCESS, 1)
        assert cc.doca_mmap_cap_is_create_from_export_pci_supported(info) == (cc.DOCA_SUCCESS, 1)
        assert cc.mmap_cap_is_export_pci_supported(info) is True
        assert cc.mmap_cap_is_create_from_export_pci_supported(info) is True
    assert cc.doca_mmap_cap_is_export_pci_supported(None) == (cc.DOCA_ERROR_INVALID_VALUE, None)


def test_counters_and_lengths(world: World) -> None:
    connection = world.connection
    for message, length in ((b"abcdef", 3), (bytearray(b"xy"), 2), (memoryview(b"z"), 1)):
        task = okay(cc.doca_cc_client_task_send_alloc_init(world.client, connection, message, length))
        assert cc.doca_task_submit(cc.doca_cc_task_send_as_task(task)) == cc.DOCA_SUCCESS
    world.until(lambda: len(world.messages) == 3)
    assert world.messages == [b"abc", b"xy", b"z"]
    assert cc.doca_cc_connection_update_info(connection) == cc.DOCA_SUCCESS
    counters = [okay(cc.doca_cc_connection_get_counter(connection, number)) for number in (1, 2, 3, 4)]
    assert counters == [3, 6, 0, 0]
    for wrong in (2, -1, None, "1", 1.0):
        answer = cc.doca_cc_client_task_send_alloc_init(world.client, connection, b"x", wrong)
        assert answer == (cc.DOCA_ERROR_INVALID_VALUE, None)


def test_what_is_stale_or_another_handle_is_invalid(world: World) -> None:
    server = okay(cc.doca_cc_server_create(world.dpu, world.rep, "gone"))
    ctx = cc.doca_cc_server_as_ctx(server)
    assert cc.doca_cc_server_destroy(server) == cc.DOCA_SUCCESS
    assert cc.doca_cc_server_destroy(server) == cc.DOCA_ERROR_INVALID_VALUE
    assert cc.doca_cc_server_get_device(server) == (cc.DOCA_ERROR_INVALID_VALUE, None)
    assert cc.doca_ctx_start(ctx) == cc.doca_ctx_stop(ctx) == cc.DOCA_ERROR_INVALID_VALUE
    assert cc.doca_ctx_get_state(ctx) == (cc.DOCA_ERROR_INVALID_VALUE, None)
    assert cc.doca_ctx_start(world.server) == cc.DOCA_ERROR_INVALID_VALUE
    assert cc.doca_cc_server_get_max_msg_size(world.client) == (cc.DOCA_ERROR_INVALID_VALUE, None)
    assert cc.doca_cc_client_as_ctx(world.server) is None
    pe = okay(cc.doca_pe_create())
    assert cc.doca_pe_destroy(pe) == cc.DOCA_SUCCESS
    assert (cc.doca_pe_destroy(pe), cc.doca_pe_progress(pe)) == (cc.DOCA_ERROR_INVALID_VALUE, 0)


def test_a_context_needs_an_engine(world: World) -> None:
    client = okay(cc.doca_cc_client_create(world.host, "svc"))
    assert cc.doca_ctx_start(cc.doca_cc_client_as_ctx(client)) == cc.DOCA_ERROR_NOT_CONNECTED
    assert cc.doca_ctx_stop(cc.doca_cc_client_as_ctx(client)) == cc.DOCA_ERROR_NOT_CONNECTED
    assert cc.doca_cc_client_destroy(client) == cc.DOCA_SUCCESS


def test_progress_runs_one_callback_at_a_time(world: World) -> None:
    connection = world.connection
    for number in range(TASKS):
        task = okay(cc.doca_cc_client_task_send_alloc_init(world.client, connection, bytes([number]), 1))
        okay(cc.doca_task_submit(task.as_task()))
    while len(world.messages) < TASKS:
        before = len(world.messages)
        cc.doca_pe_progress(world.pe)
        assert len(world.messages) - before in (0, 1)


def test_what_a_callback_raises_is_raised_by_progress(world: World) -> None:
    def fail(*_: Any) -> None:
        assert cc.doca_pe_progress(world.pe) == 0  # inside of a callback
        raise cc.Again("the program's own")

    okay(cc.doca_cc_server_event_connection_register(world.server, fail, ignore))
    with pytest.raises(cc.Again, match="the program's own"):
        world.until(lambda: world.connection)
    world.connections.append(None)
    with pytest.raises(cc.InvalidValue, match="connect_event_cb"):
        world.server.event_connection_register(None, ignore)


def test_a_misspelled_name_says_what_is_close() -> None:
    with pytest.raises(AttributeError, match=r"generation 2 has no .* did you mean doca_cc_server_create"):
        cc.flat.doca_cc_server_creat()


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("doca_argp_init", "argparse"),
        ("doca_version", "importlib.metadata"),
        ("doca_log", "logging"),
        ("doca_mmap_export_rdma", "doca_mmap_export_pci"),
        ("doca_mmap_set_dmabuf_memrange", "doca_mmap_set_memrange"),
        ("doca_devinfo_get_ipv4_addr", "network"),
    ],
)
def test_a_function_beside_the_channel_is_refused_by_name(name: str, instead: str) -> None:
    assert not hasattr(cc, name)
    with pytest.raises(AttributeError, match=f"generation 2 has no '{name}' in Python: .*{instead}"):
        getattr(cc.flat, name)


# Progress, which has no code for a refusal


def test_progress_goes_on_after_an_interrupt_at_any_place(world: World) -> None:
    world.connection  # noqa: B018  # both sides are RUNNING
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    for strike in each_place(2):
        strike.hit(lambda: cc.doca_pe_progress(world.pe))
    signal.signal(signal.SIGINT, before)
    task = okay(cc.doca_cc_client_task_send_alloc_init(world.client, world.connection, b"x", 1))
    okay(cc.doca_task_submit(cc.doca_cc_task_send_as_task(task)))
    world.until(lambda: world.messages)


def test_an_engine_is_connected_after_an_interrupt_at_any_place(world: World) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    for strike in each_place(20, 5):
        server = okay(cc.doca_cc_server_create(world.dpu, world.rep, "svc"))
        ctx = cc.doca_cc_server_as_ctx(server)
        strike.hit(lambda: cc.doca_pe_connect_ctx(world.pe, ctx))  # noqa: B023
        if strike.place:
            cc.doca_pe_connect_ctx(world.pe, ctx)  # NOT_PERMITTED if it had come to that
        assert cc.doca_ctx_start(ctx) == cc.DOCA_ERROR_BAD_CONFIG, strike.place  # it lacks callbacks only
        okay(cc.doca_cc_server_destroy(server))
    signal.signal(signal.SIGINT, before)


def test_progress_returns_0_in_a_forked_child(world: World) -> None:
    pe = world.pe
    child = os.fork()
    if not child:
        try:
            os._exit(cc.doca_pe_progress(pe))
        except BaseException:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_progress_raises_what_a_callback_raises(world: World) -> None:
    """Also an error of the library's own classes."""

    def sent(*_: object) -> None:
        raise Again("the program's own")

    world.sent = sent  # type: ignore[assignment,method-assign]
    task = okay(cc.doca_cc_client_task_send_alloc_init(world.client, world.connection, b"x", 1))
    okay(cc.doca_task_submit(cc.doca_cc_task_send_as_task(task)))
    with pytest.raises(Again, match="the program's own"):
        world.until(lambda: False)
    cc.doca_task_free(cc.doca_cc_task_send_as_task(task))
