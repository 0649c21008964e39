"""What the rules write for the core calls gives what the old calls gave, on the emulated devices."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

import pytest

import comch_next
import comm_channel_compat
from tests.migrate.fake_facts import FakeFacts

ADDRESSES = ["'03:00.0'", "'0000:b1:00.0'", "b'b1:00.0'", "'ff:00.0'", "'nonsense'", "None", "3"]
FILTERS = ["0", "2", "4", "6", "1", "None", "DOCA_DEVINFO_REP_FILTER_NET"]
DEVICES = ["infos[0]", "infos[1]", "None"]

_OF_INFOS = [
    "get_pci_addr_str({})",
    "get_iface_name({}, 256)",
    "get_ibdev_name({}, 64)",
    "rep_cap_is_filter_all_supported({})",
]
_OF_INFOS += ["rep_cap_is_filter_net_supported({})", "rep_get_is_list_emulated_supported({})"]
_OF_REPS = ["get_pci_addr_str({})", "get_pci_func_type({})", "get_vuid({}, 128)", "get_iface_name({}, 256)"]
_OF_REPS += ["get_vhca_id({})", "get_is_hotplug({})"]
_LIMITS = ["get_max_message_size({})", "get_max_send_queue_size({})", "get_max_recv_queue_size({})"]

FLAT = [
    "doca_devinfo_create_list()",
    "doca_devinfo_destroy_list(infos)",
    "doca_devinfo_destroy_list(None)",
    "doca_log_backend_create_standard()",
    "doca_comm_channel_get_max_service_name_len()",
    *(f"doca_devinfo_{call.format(info)}" for call in _OF_INFOS for info in DEVICES),
    *(f"doca_devinfo_rep_{call.format(info)}" for call in _OF_REPS for info in ("reps[0]", "reps[3]", "None")),
    *(f"doca_comm_channel_{call.format(info)}" for call in _LIMITS for info in DEVICES),
    "doca_comm_channel_get_service_max_num_connections(infos[0])",
    *(f"doca_devinfo_is_equal_pci_addr(infos[0], {address})" for address in ADDRESSES),
    *(f"doca_devinfo_rep_is_equal_pci_addr(reps[0], {address})" for address in ADDRESSES),
    *(f"doca_devinfo_rep_create_list({dev}, {kind})" for dev in ("dpu", "host", "None") for kind in FILTERS),
    *(f"doca_dev_open({info})" for info in DEVICES),
    "doca_dev_close(None)",
    "doca_dev_as_devinfo(dpu)",
    "doca_dev_as_devinfo(None)",
    "doca_dev_rep_as_devinfo(doca_dev_rep_open(reps[0])[1])",
    *(f"doca_error_get_{what}({code})" for what in ("name", "descr") for code in (0, 5, 99, -1, "None", "'x'")),
    *(f"DOCA_IS_ERROR({code})" for code in (0, 5, "None")),
    *(f"DOCA_ERROR_PROPAGATE({first}, {then})" for first in (0, 5) for then in (0, 6)),
    *(f"doca_log_backend_create_with_{what}" for what in ("fd(2)", "syslog('x')", "file(infos)")),
    *(f"doca_log_backend_set_{what}({backend}, {level})"
      for what in ("level_lower_limit", "level_upper_limit", "sdk_level")
      for backend in ("backend", "None") for level in ("50", "51", "None", "DOCA_LOG_LEVEL_TRACE")),
    *(f"doca_log_level_set_global_{what}_limit({level})" for what in ("lower", "upper", "sdk") for level in (40, 41)),
    "doca_log_level_get_global_lower_limit()",
    "doca_log_register_source(3)",
    "doca_log_unregister_source(10000)",
]  # fmt: skip
OBJECTS = [
    "devices()",
    *(f"open_device({address})" for address in ADDRESSES),
    *(f"dpu.open_representor({address})" for address in ADDRESSES),
    "host.open_representor('b1:00.0')",
    "dpu.representors()",
    *(f"dpu.representors({kind})" for kind in FILTERS),
    *(f"info.{call}" for call in ("get_pci_addr_str()", "get_ibdev_name()", "get_iface_name()", "open()")),
    *(f"repinfo.get_{what}()" for what in ("vuid", "pci_func_type", "is_hotplug", "vhca_id", "iface_name")),
    "repinfo.open()",
    "info.is_equal_pci_addr(b'03:00.0')",
    "get_max_service_name_len()",
    "get_max_message_size(info)",
    "get_service_max_num_connections(info)",
]  # fmt: skip

_KINDS = {"dpu": "device", "host": "device"}


class _Facts(FakeFacts):
    def kinds(self, node: Any) -> frozenset[str]:
        text = re.sub(r"\W.*", "", ast.unparse(node))
        return frozenset({_KINDS[text]}) if text in _KINDS else super().kinds(node)

    def may_be_none(self, node: Any) -> bool:
        return ast.unparse(node) == "None"

    def constant(self, node: Any) -> object | None:
        return {"DOCA_DEVINFO_REP_FILTER_NET": 2}.get(ast.unparse(node), super().constant(node))


def _world(library: Any, names: dict[str, Any]) -> dict[str, Any]:
    infos = library.devices()
    dpu, host = library.open_device("03:00.0"), library.open_device("b1:00.0")
    reps = dpu.representors()
    own = {"infos": infos, "dpu": dpu, "host": host, "reps": reps, "info": infos[0], "repinfo": reps[0]}
    constants = {"DOCA_DEVINFO_REP_FILTER_NET": 2, "DOCA_LOG_LEVEL_TRACE": 70}
    return {**names, **own, **constants, "backend": comch_next.log.Backend()}


@pytest.fixture(scope="module")
def old() -> dict[str, Any]:
    return _world(comm_channel_compat, vars(comm_channel_compat))


@pytest.fixture(scope="module")
def new() -> dict[str, Any]:
    return _world(comch_next, {"comch": comch_next, "doca_dev_rep_open": lambda info: (0, info.open())})


def _seen(call: Callable[[], Any]) -> Any:
    """What a program can tell of a result: texts and numbers by value, objects by their class, errors by their code."""
    try:
        return _plain(call())
    except comch_next.DocaError as error:
        return type(error).__name__
    except (TypeError, AttributeError) as error:
        return type(error).__name__


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [_plain(item) for item in value]
    if isinstance(value, comch_next.ErrorCode):
        return repr(int(value))
    if value is None or isinstance(value, (str, bytes, int)):
        return repr(value)
    return type(value).__name__


@pytest.mark.parametrize("call", [*FLAT, *OBJECTS])
def test_the_new_expression_gives_what_the_old_call_gave(call: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    facts = _Facts(f"r = {call}")
    text = facts.text(facts.answer()).removeprefix("r = ")
    assert _seen(lambda: eval(text, new)) == _seen(lambda: eval(call, old)), text
