"""The emulated library refuses NULL and handles of another kind, which only C can pass.

These checks go to the driver itself; docs/errors.md claims no row by them.
"""

from __future__ import annotations

from typing import Any

import pytest

from comch_next import InvalidValue, RepFilter
from comch_next.driver import load
from tests.control_path.pair import ignore
from tests.error_rows.world import World

_CAPS = ("cap_is_supported", "cap_get_max_num_tasks", "cap_get_max_buf_size", "cap_get_max_buf_list_len")

# The driver's noun -> its calls that are given NULL, and the arguments that would be good.
CALLS: dict[str, dict[str, tuple[Any, ...]]] = {
    "engines": dict.fromkeys(("destroy", "get_notification_handle", "get_num_inflight_tasks"), ()),
    "contexts": {
        **dict.fromkeys(("start", "stop", "destroy", "get_num_inflight_tasks", "get_user_data", "get_state"), ()),
        **dict.fromkeys(("get_max_msg_size", "get_recv_queue_size", "get_device"), ()),
        "set_user_data": (1,),
    },
    "devices": {
        **dict.fromkeys(("open", "rep_open", "rep_close", "get_pci_addr_str", "get_iface_name", "get_ibdev_name"), ()),
        **dict.fromkeys(("rep_get_vuid", "rep_get_pci_addr_str", "rep_get_pci_func_type", "rep_get_is_hotplug"), ()),
        **dict.fromkeys(("rep_get_iface_name", "rep_get_vhca_id"), ()),
        **dict.fromkeys(("cap_get_max_name_len", "cap_get_max_msg_size", "cap_get_max_recv_queue_size"), ()),
        **dict.fromkeys(("cap_get_max_clients", "cap_get_max_send_tasks"), ()),
        **dict.fromkeys(("cap_server_is_supported", "cap_client_is_supported"), ()),
        "rep_cap_is_filter_supported": (RepFilter.ALL,),
    },
    "servers": {"get_device_rep": ()},
    "clients": {"get_connection": ()},
    "connections": {"update_info": ()},
    "consumers": {
        **dict.fromkeys(_CAPS, ()),
        **dict.fromkeys(("get_id", "get_imm_data_len", "cap_get_max_consumers", "cap_get_max_imm_data_len"), ()),
    },
    "producers": {**dict.fromkeys(_CAPS, ()), **dict.fromkeys(("get_id", "cap_get_max_producers"), ())},
    "mmaps": {
        **dict.fromkeys(("destroy", "start", "stop", "get_memrange", "get_user_data", "get_max_num_devices"), ()),
        **dict.fromkeys(("get_num_bufs", "get_exported", "get_from_export", "enable_thread_safety"), ()),
        **dict.fromkeys(("cap_is_export_pci_supported", "cap_is_create_from_export_pci_supported"), ()),
        **dict.fromkeys(("add_dev", "rm_dev", "export_pci", "export_rdma"), (None,)),
        **dict.fromkeys(("set_max_num_devices", "set_user_data", "set_permissions"), (1,)),
        "set_memrange": (bytearray(1),),
        "set_free_cb": (ignore, None),
    },
    "buf_inventories": {
        **dict.fromkeys(("destroy", "start", "stop", "get_num_elements", "get_num_free_elements"), ()),
        "get_user_data": (),
        "buf_dup": (None,),
        **dict.fromkeys(("set_user_data", "expand"), (1,)),
    },
    "bufs": dict.fromkeys(("get_last_in_list", "get_list_len"), ()),
}


@pytest.mark.parametrize(("noun", "call"), [(noun, call) for noun, calls in CALLS.items() for call in calls])
def test_null_is_refused(noun: str, call: str) -> None:
    with pytest.raises(InvalidValue, match="not None"):
        getattr(getattr(load(), noun), call)(None, *CALLS[noun][call])


@pytest.mark.parametrize("noun", ["send_tasks", "post_recv_tasks", "producer_send_tasks"])
def test_try_submit_refuses_what_is_no_task_of_its_kind(world: World, noun: str) -> None:
    made = {
        "send_tasks": world.here.task(),
        "post_recv_tasks": world.run(world.inbox).task_post_recv_alloc_init(),
        "producer_send_tasks": world.run(world.outbox).task_send_alloc_init(None, b"x", 1),
    }
    others = [task._handle for kind, task in made.items() if kind != noun]
    for wrong in (None, object(), *others):
        with pytest.raises(InvalidValue, match="task_try_submit takes a"):
            getattr(load(), noun).try_submit(wrong)
    for task in made.values():
        task.free()


def test_the_device_of_a_running_context(world: World) -> None:
    assert load().contexts.get_device(world.here.context._handle) is not None
