"""One provocation for each (function, code) of the tables that can be provoked in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import comch_next as comch
from comch_next import Client, ProgressEngine, Server, State
from tests.control_path.pair import Side, ignore
from tests.error_rows import cases_fast_path, cases_memory
from tests.error_rows.world import Answer, Case, Key, Raises, World, with_topology, without_topology


def _close_used_device(world: World) -> None:
    """Opened once, so that its close is the last."""
    device = comch.open_device("b1:00.3")
    mmap = comch.Mmap(device)
    try:
        device.close()
    finally:
        mmap.destroy()
        device.close()


def _too_many_open() -> None:
    info = comch.devices()[0]
    with info.open(), info.open():
        info.open()


def _unusable_place(world: World) -> None:
    blocker = world.folder / "file"
    blocker.write_text("")
    before = os.environ["COMCH_RUNTIME_DIR"]
    os.environ["COMCH_RUNTIME_DIR"] = str(blocker / "below")
    try:
        world.idle_server.context.start()
    finally:
        os.environ["COMCH_RUNTIME_DIR"] = before


def _start_on_the_wrong_side(world: World) -> None:
    side = Side(Client(world.dpu, "svc"))
    try:
        side.context.start()
    finally:
        side.context.close()


def _stop_with_a_task(world: World) -> State:
    task = world.here.task()
    state: State = world.here.context.stop()
    task.free()
    return state


def _disconnect_with_a_consumer(world: World) -> None:
    world.run(world.inbox)
    world.there.context.disconnect(world.there.connection)


def _in_progress(world: World) -> None:
    world.idle_server.context.start()
    world.idle_client.context.start()
    world.idle_client.connection.update_info()


def _dead(world: World) -> None:
    connection = world.here.connection
    world.here.context.stop()
    connection.update_info()


def _all_tasks(kind: str) -> Case:
    def case(world: World) -> None:
        side = world.running(kind)
        tasks = [side.task() for _ in range(2)]
        try:
            side.task()
        finally:
            for task in tasks:
                task.free()

    return case


def _connect_ctx_while_running(world: World) -> None:
    with ProgressEngine() as other:
        other.connect_ctx(world.here.context)


def _connect_ctx_twice(world: World) -> None:
    with ProgressEngine() as other:
        other.connect_ctx(world.idle_client.context)


def _submit_what_has_lost_its_buffer(world: World) -> None:
    consumer = world.run(world.inbox)
    buf = world.inbox.inventory.buf_get_by_addr(world.inbox.mmap, world.inbox.mmap.addr, 64)
    task = consumer.task_post_recv_alloc_init(buf)
    buf.dec_refcount()
    try:
        task.try_submit()
    finally:
        task.free()


CASES: dict[Key, Raises | Answer] = {
    # The progress engine
    ("doca_pe_destroy", "IN_USE"): Raises(lambda w: w.here.engine.destroy(), "'svc' still connected"),
    ("doca_pe_clear_notification", "OPERATING_SYSTEM"): Raises(
        lambda w: w.here.engine.clear_notification(1 << 20), "1048576 is not"
    ),
    ("doca_pe_connect_ctx", "INVALID_VALUE"): Raises(
        lambda w: w.here.engine.connect_ctx(None),  # type: ignore[arg-type]
        "takes a context, not None",
    ),
    ("doca_pe_connect_ctx", "BAD_STATE"): Raises(_connect_ctx_while_running, "while RUNNING"),
    ("doca_pe_connect_ctx", "NOT_PERMITTED"): Raises(_connect_ctx_twice, "has a progress engine already"),
    ("doca_task_try_submit", "INVALID_VALUE"): Raises(_submit_what_has_lost_its_buffer, "gone back to its inventory"),
    # Contexts
    ("doca_ctx_start", "NOT_SUPPORTED"): Raises(_start_on_the_wrong_side, "cannot run on device"),
    ("doca_ctx_start", "INITIALIZATION"): Raises(_unusable_place, "cannot listen in"),
    ("doca_ctx_stop", "IN_PROGRESS"): Answer(_stop_with_a_task, State.STOPPING),
    ("doca_ctx_set_state_changed_cb", "INVALID_VALUE"): Raises(
        lambda w: w.here.context.set_state_changed_cb(None), "a callback, not None"
    ),
    # Devices
    ("doca_devinfo_create_list", "NOT_FOUND"): Raises(
        without_topology(comch.devices), "nowhere.toml', which cannot be read"
    ),
    ("doca_devinfo_rep_create_list", "INVALID_VALUE"): Raises(
        lambda w: w.dpu.representors(9),  # type: ignore[arg-type]
        "RepFilter bits, not 9",
    ),
    ("doca_devinfo_rep_create_list", "NOT_SUPPORTED"): Raises(lambda w: w.host.representors(), "has no representors"),
    ("doca_devinfo_rep_create_list", "DRIVER"): Raises(
        with_topology("answers = false", lambda: comch.devices()[0].open().representors()), "driver does not answer"
    ),
    ("doca_dev_open", "NOT_CONNECTED"): Raises(
        with_topology("working = false", lambda: comch.devices()[0].open()), "cannot be opened"
    ),
    ("doca_dev_open", "INITIALIZATION"): Raises(
        with_topology("limits = { max_open = 2 }", _too_many_open), "is open 2 times"
    ),
    ("doca_dev_close", "IN_USE"): Raises(_close_used_device, "1 context or memory map still uses 0000:b1:00.3"),
    ("doca_dev_rep_close", "IN_USE"): Raises(
        lambda w: w.there.context.device_rep.close(), "1 server still uses it; destroy it first"
    ),
    ("doca_devinfo_is_equal_pci_addr", "INVALID_VALUE"): Raises(
        lambda w: w.dpu.devinfo.is_equal_pci_addr("what"), "'what' is not a PCI address"
    ),
    ("doca_devinfo_rep_is_equal_pci_addr", "INVALID_VALUE"): Raises(
        lambda w: w.dpu.representors()[0].is_equal_pci_addr("what"), "'what' is not a PCI address"
    ),
    # Capabilities
    ("doca_comch_cap_server_is_supported", "NOT_SUPPORTED"): Answer(
        with_topology("capable = false", lambda: comch.devices()[0].cap_server_is_supported()), False
    ),
    ("doca_comch_cap_client_is_supported", "NOT_SUPPORTED"): Answer(
        lambda w: w.dpu.devinfo.cap_client_is_supported(), False
    ),
    # Servers, connections
    ("doca_comch_server_create", "INVALID_VALUE"): Raises(
        lambda w: Server("03:00.0", "b1:00.0", "svc"),  # type: ignore[arg-type]
        "an open device as device, not '03:00.0'",
    ),
    ("doca_comch_server_event_connection_status_changed_register", "INVALID_VALUE"): Raises(
        lambda w: w.idle_server.context.event_connection_status_changed_register(ignore, None), "a callback, not None"
    ),
    ("doca_comch_server_event_connection_status_changed_register", "BAD_STATE"): Raises(
        lambda w: w.there.context.event_connection_status_changed_register(ignore, ignore), "while RUNNING"
    ),
    ("doca_comch_server_disconnect", "INVALID_VALUE"): Raises(
        lambda w: w.there.context.disconnect(None), "a Connection, not None"
    ),
    ("doca_comch_server_disconnect", "IN_USE"): Raises(_disconnect_with_a_consumer, "still carries consumer"),
    ("doca_comch_client_create", "INVALID_VALUE"): Raises(
        lambda w: Client("b1:00.0", "svc"),  # type: ignore[arg-type]
        "an open device as device, not 'b1:00.0'",
    ),
    ("doca_comch_client_get_connection", "BAD_STATE"): Raises(lambda w: w.idle_client.context.connection, "while IDLE"),
    ("doca_comch_connection_update_info", "CONNECTION_INPROGRESS"): Raises(_in_progress, "still being set up"),
    ("doca_comch_connection_update_info", "CONNECTION_ABORTED"): Raises(_dead, "the connection is dead"),
    ("doca_comch_connection_get_counter", "INVALID_VALUE"): Raises(
        lambda w: w.here.connection.get_counter(5),  # type: ignore[arg-type]
        "a Counter, not 5",
    ),
}

for _filter in ("all", "net", "emulated"):
    _call = f"rep_cap_is_filter_{_filter}_supported"
    CASES[f"doca_devinfo_{_call}", "NOT_SUPPORTED"] = Raises(
        lambda w, call=_call: getattr(w.host.devinfo, call)(),  # type: ignore[misc]
        "has no representors",
    )
    CASES[f"doca_devinfo_{_call}", "DRIVER"] = Raises(
        with_topology(
            "answers = false",
            lambda call=_call: getattr(comch.devices()[0], call)(),  # type: ignore[misc]
        ),
        "driver does not answer",
    )


def _set(name: str, value: object) -> Callable[[Side], None]:
    return lambda side: setattr(side.context, name, value)


def _both_kinds(kind: str) -> Iterator[tuple[Key, Raises]]:
    """The rows that servers and clients share."""
    prefix = f"doca_comch_{kind}"

    def idle(call: Callable[[Side], object], condition: str) -> Raises:
        return Raises(lambda world: call(world.idle(kind)), condition)

    def running(call: Callable[[Side], object], condition: str = "while RUNNING") -> Raises:
        return Raises(lambda world: call(world.running(kind)), condition)

    yield (f"{prefix}_destroy", "IN_USE"), running(lambda side: side.context.destroy())
    for name in ("max_msg_size", "recv_queue_size"):
        yield (f"{prefix}_set_{name}", "INVALID_VALUE"), idle(_set(name, 0), "from 1 to .*, not 0")
        yield (f"{prefix}_set_{name}", "BAD_STATE"), running(_set(name, 64))
    conf, register = f"{prefix}_task_send_set_conf", f"{prefix}_event_msg_recv_register"
    none = "a callback, not None"
    yield (
        (conf, "INVALID_VALUE"),
        idle(lambda side: side.context.task_send_set_conf(ignore, ignore, 0), "from 1 to .*, not 0"),
    )
    yield (conf, "BAD_STATE"), running(lambda side: side.context.task_send_set_conf(ignore, ignore, 1))
    yield (register, "INVALID_VALUE"), idle(lambda side: side.context.event_msg_recv_register(None), none)
    yield (register, "BAD_STATE"), running(lambda side: side.context.event_msg_recv_register(ignore))
    news = f"{prefix}_event_consumer_register"
    yield (news, "INVALID_VALUE"), idle(lambda side: side.context.event_consumer_register(ignore, None), none)
    yield (news, "BAD_STATE"), running(lambda side: side.context.event_consumer_register(ignore, ignore))
    alloc = f"{prefix}_task_send_alloc_init"
    yield (
        (alloc, "INVALID_VALUE"),
        running(lambda side: side.context.task_send_alloc_init(None, b"x"), "a connection of .*, not None"),
    )
    yield (alloc, "NO_MEMORY"), Raises(_all_tasks(kind), "all 2 tasks .* in use")


for _kind in ("server", "client"):
    CASES.update(_both_kinds(_kind))

CASES.update(cases_memory.CASES)
CASES.update(cases_fast_path.CASES)
