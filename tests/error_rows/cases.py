"""One provocation for each (function, code) of the tables that can be provoked in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import comch_next as comch
from comch_next import Client, ProgressEngine, Server, State
from tests.control_path.pair import Side, ignore
from tests.error_rows import cases_fast_path, cases_memory
from tests.error_rows.world import Answer, Case, Key, World, with_topology


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


def _stale_device(world: World) -> comch.Device:
    device = comch.open_device("b1:00.0")
    device.close()
    return device


def _unusable_place(world: World) -> None:
    blocker = world.folder / "file"
    blocker.write_text("")
    before = os.environ["COMCH_RUNTIME_DIR"]
    os.environ["COMCH_RUNTIME_DIR"] = str(blocker / "below")
    try:
        world.idle_server.context.start()
    finally:
        os.environ["COMCH_RUNTIME_DIR"] = before


@contextmanager
def _destroyed(world: World) -> Iterator[Client]:
    made = Client(world.host, "gone")
    made.close()
    yield made


def _start_destroyed(world: World) -> None:
    with _destroyed(world) as made:
        made.start()


def _stop_destroyed(world: World) -> None:
    with _destroyed(world) as made:
        made.stop()


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


CASES: dict[Key, Case | Answer] = {
    # The progress engine
    ("doca_pe_destroy", "INVALID_VALUE"): lambda w: w.lib.engines.destroy(None),
    ("doca_pe_destroy", "IN_USE"): lambda w: w.here.engine.destroy(),
    ("doca_pe_get_notification_handle", "INVALID_VALUE"): lambda w: w.lib.engines.get_notification_handle(None),
    ("doca_pe_clear_notification", "OPERATING_SYSTEM"): lambda w: w.here.engine.clear_notification(1 << 20),
    ("doca_pe_get_num_inflight_tasks", "INVALID_VALUE"): lambda w: w.lib.engines.get_num_inflight_tasks(None),
    ("doca_pe_connect_ctx", "INVALID_VALUE"): lambda w: w.here.engine.connect_ctx(None),  # type: ignore[arg-type]
    ("doca_pe_connect_ctx", "BAD_STATE"): _connect_ctx_while_running,
    ("doca_pe_connect_ctx", "NOT_PERMITTED"): _connect_ctx_twice,
    ("doca_task_try_submit", "INVALID_VALUE"): lambda w: w.lib.send_tasks.try_submit(None),
    # Contexts
    ("doca_ctx_start", "INVALID_VALUE"): lambda w: w.lib.contexts.start(None),
    ("doca_ctx_start", "NOT_SUPPORTED"): _start_on_the_wrong_side,
    ("doca_ctx_start", "NOT_CONNECTED"): _start_destroyed,
    ("doca_ctx_start", "INITIALIZATION"): _unusable_place,
    ("doca_ctx_stop", "IN_PROGRESS"): Answer(_stop_with_a_task, State.STOPPING),
    ("doca_ctx_stop", "INVALID_VALUE"): lambda w: w.lib.contexts.stop(None),
    ("doca_ctx_stop", "NOT_CONNECTED"): _stop_destroyed,
    ("doca_ctx_get_num_inflight_tasks", "INVALID_VALUE"): lambda w: w.lib.contexts.get_num_inflight_tasks(None),
    ("doca_ctx_set_user_data", "INVALID_VALUE"): lambda w: w.lib.contexts.set_user_data(None, 1),
    ("doca_ctx_get_user_data", "INVALID_VALUE"): lambda w: w.lib.contexts.get_user_data(None),
    ("doca_ctx_set_state_changed_cb", "INVALID_VALUE"): lambda w: w.here.context.set_state_changed_cb(None),
    ("doca_ctx_get_state", "INVALID_VALUE"): lambda w: w.lib.contexts.get_state(None),
    # Devices
    ("doca_devinfo_create_list", "NOT_FOUND"): with_topology("side = 'moon'", comch.devices),
    ("doca_devinfo_rep_create_list", "INVALID_VALUE"): lambda w: _stale_device(w).representors(),
    ("doca_devinfo_rep_create_list", "NOT_SUPPORTED"): lambda w: w.host.representors(),
    ("doca_devinfo_rep_create_list", "DRIVER"): with_topology(
        "answers = false", lambda: comch.devices()[0].open().representors()
    ),
    ("doca_dev_open", "INVALID_VALUE"): lambda w: w.lib.devices.open(None),
    ("doca_dev_open", "NOT_CONNECTED"): with_topology("working = false", lambda: comch.devices()[0].open()),
    ("doca_dev_open", "INITIALIZATION"): with_topology("limits = { max_open = 2 }", _too_many_open),
    ("doca_dev_close", "IN_USE"): _close_used_device,
    ("doca_dev_rep_open", "INVALID_VALUE"): lambda w: w.lib.devices.rep_open(None),
    ("doca_dev_rep_close", "INVALID_VALUE"): lambda w: w.lib.devices.rep_close(None),
    ("doca_dev_rep_close", "IN_USE"): lambda w: w.there.context.device_rep.close(),
    ("doca_devinfo_get_pci_addr_str", "INVALID_VALUE"): lambda w: w.lib.devices.get_pci_addr_str(None),
    ("doca_devinfo_is_equal_pci_addr", "INVALID_VALUE"): lambda w: w.dpu.devinfo.is_equal_pci_addr("what"),
    ("doca_devinfo_get_iface_name", "INVALID_VALUE"): lambda w: w.lib.devices.get_iface_name(None),
    ("doca_devinfo_get_ibdev_name", "INVALID_VALUE"): lambda w: w.lib.devices.get_ibdev_name(None),
    ("doca_devinfo_rep_get_vuid", "INVALID_VALUE"): lambda w: w.lib.devices.rep_get_vuid(None),
    ("doca_devinfo_rep_get_pci_addr_str", "INVALID_VALUE"): lambda w: w.lib.devices.rep_get_pci_addr_str(None),
    ("doca_devinfo_rep_get_pci_func_type", "INVALID_VALUE"): lambda w: w.lib.devices.rep_get_pci_func_type(None),
    ("doca_devinfo_rep_get_is_hotplug", "INVALID_VALUE"): lambda w: w.lib.devices.rep_get_is_hotplug(None),
    ("doca_devinfo_rep_get_iface_name", "INVALID_VALUE"): lambda w: w.lib.devices.rep_get_iface_name(None),
    ("doca_devinfo_rep_get_vhca_id", "INVALID_VALUE"): lambda w: w.lib.devices.rep_get_vhca_id(None),
    ("doca_devinfo_rep_is_equal_pci_addr", "INVALID_VALUE"): (
        lambda w: w.dpu.representors()[0].is_equal_pci_addr("what")
    ),
    # Capabilities
    ("doca_comch_cap_server_is_supported", "NOT_SUPPORTED"): Answer(
        with_topology("capable = false", lambda: comch.devices()[0].cap_server_is_supported()), False
    ),
    ("doca_comch_cap_client_is_supported", "NOT_SUPPORTED"): Answer(
        lambda w: w.dpu.devinfo.cap_client_is_supported(), False
    ),
    # Servers, connections
    ("doca_comch_server_create", "INVALID_VALUE"): lambda w: Server(w.dpu, "b1:00.0", ""),
    ("doca_comch_server_get_device_rep", "INVALID_VALUE"): lambda w: w.lib.servers.get_device_rep(None),
    ("doca_comch_server_event_connection_status_changed_register", "INVALID_VALUE"): (
        lambda w: w.idle_server.context.event_connection_status_changed_register(ignore, None)
    ),
    ("doca_comch_server_event_connection_status_changed_register", "BAD_STATE"): (
        lambda w: w.there.context.event_connection_status_changed_register(ignore, ignore)
    ),
    ("doca_comch_server_disconnect", "INVALID_VALUE"): lambda w: w.there.context.disconnect(None),
    ("doca_comch_server_disconnect", "IN_USE"): _disconnect_with_a_consumer,
    ("doca_comch_client_create", "INVALID_VALUE"): lambda w: Client(w.host, "a\0b"),
    ("doca_comch_client_get_connection", "INVALID_VALUE"): lambda w: w.lib.clients.get_connection(None),
    ("doca_comch_client_get_connection", "BAD_STATE"): lambda w: w.idle_client.context.connection,
    ("doca_comch_connection_update_info", "INVALID_VALUE"): lambda w: w.lib.connections.update_info(None),
    ("doca_comch_connection_update_info", "CONNECTION_INPROGRESS"): _in_progress,
    ("doca_comch_connection_update_info", "CONNECTION_ABORTED"): _dead,
    ("doca_comch_connection_get_counter", "INVALID_VALUE"): lambda w: w.here.connection.get_counter(5),  # type: ignore[arg-type]
}

for _filter in ("all", "net", "emulated"):
    _call = f"rep_cap_is_filter_{_filter}_supported"
    CASES[f"doca_devinfo_{_call}", "INVALID_VALUE"] = lambda w: w.lib.devices.rep_cap_is_filter_supported(
        None, comch.RepFilter.ALL
    )
    CASES[f"doca_devinfo_{_call}", "NOT_SUPPORTED"] = lambda w, call=_call: getattr(w.host.devinfo, call)()  # type: ignore[misc]
    CASES[f"doca_devinfo_{_call}", "DRIVER"] = with_topology(
        "answers = false",
        lambda call=_call: getattr(comch.devices()[0], call)(),  # type: ignore[misc]
    )

for _cap in (
    "get_max_name_len",
    "get_max_msg_size",
    "get_max_recv_queue_size",
    "get_max_clients",
    "get_max_send_tasks",
    "server_is_supported",
    "client_is_supported",
):
    CASES[f"doca_comch_cap_{_cap}", "INVALID_VALUE"] = lambda w, cap=_cap: getattr(w.lib.devices, f"cap_{cap}")(None)  # type: ignore[misc]


def _set(name: str, value: object) -> Callable[[Side], None]:
    return lambda side: setattr(side.context, name, value)


def _both_kinds(kind: str) -> Iterator[tuple[Key, Case]]:
    """The rows that servers and clients share."""
    prefix = f"doca_comch_{kind}"

    def idle(call: Callable[[Side], object]) -> Case:
        return lambda world: call(world.idle(kind))

    def running(call: Callable[[Side], object]) -> Case:
        return lambda world: call(world.running(kind))

    yield (f"{prefix}_destroy", "INVALID_VALUE"), lambda world: world.lib.contexts.destroy(None)
    yield (f"{prefix}_destroy", "IN_USE"), running(lambda side: side.context.destroy())
    for name in ("max_msg_size", "recv_queue_size"):
        yield (f"{prefix}_set_{name}", "INVALID_VALUE"), idle(_set(name, 0))
        yield (f"{prefix}_set_{name}", "BAD_STATE"), running(_set(name, 64))
        get = f"get_{name}"
        yield (
            (f"{prefix}_{get}", "INVALID_VALUE"),
            lambda world, get=get: getattr(world.lib.contexts, get)(None),  # type: ignore[misc]
        )
    yield (f"{prefix}_get_device", "INVALID_VALUE"), lambda world: world.lib.contexts.get_device(None)
    conf, register = f"{prefix}_task_send_set_conf", f"{prefix}_event_msg_recv_register"
    yield (conf, "INVALID_VALUE"), idle(lambda side: side.context.task_send_set_conf(ignore, ignore, 0))
    yield (conf, "BAD_STATE"), running(lambda side: side.context.task_send_set_conf(ignore, ignore, 1))
    yield (register, "INVALID_VALUE"), idle(lambda side: side.context.event_msg_recv_register(None))
    yield (register, "BAD_STATE"), running(lambda side: side.context.event_msg_recv_register(ignore))
    news = f"{prefix}_event_consumer_register"
    yield (news, "INVALID_VALUE"), idle(lambda side: side.context.event_consumer_register(ignore, None))
    yield (news, "BAD_STATE"), running(lambda side: side.context.event_consumer_register(ignore, ignore))
    alloc = f"{prefix}_task_send_alloc_init"
    yield (alloc, "INVALID_VALUE"), running(lambda side: side.context.task_send_alloc_init(None, b"x"))
    yield (alloc, "NO_MEMORY"), _all_tasks(kind)


for _kind in ("server", "client"):
    CASES.update(_both_kinds(_kind))

CASES.update(cases_memory.CASES)
CASES.update(cases_fast_path.CASES)
