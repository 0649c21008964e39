"""The C names as functions: shapes of arguments and results, spellings, constants, and NULL everywhere."""

# The C names are made at import, from the tables, where mypy cannot see them:
# mypy: disable-error-code="name-defined"

from __future__ import annotations

import inspect
import itertools
import sys
from typing import Any

import pytest

import comm_channel_compat as cc
from comch_next.api import aliases, constants, functions
from comm_channel_compat import *
from tests.compat import support

pytestmark = pytest.mark.usefixtures("form")

FLAT = sorted(name for name in cc.__all__ if name.startswith("doca_") and callable(getattr(cc, name)))


def connected() -> tuple[Any, Any, Any, Any]:
    """Service and client with each one's peer, made as a flat script makes them."""
    rc, devs, count = doca_devinfo_create_list()
    assert (rc, count) == (DOCA_SUCCESS, len(devs))
    dpu, host = open_by_address(devs, "03:00.0"), open_by_address(devs, "b1:00.0")
    assert doca_devinfo_destroy_list(devs) == DOCA_SUCCESS
    rc, reps, count = doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET)
    assert (rc, count) == (DOCA_SUCCESS, 4)
    rc, rep = doca_dev_rep_open(reps[0])
    assert rc == doca_devinfo_rep_destroy_list(reps) == DOCA_SUCCESS
    rc, service = doca_comm_channel_ep_create()
    rc, client = doca_comm_channel_ep_create()
    support.made.extend([service, client])
    assert doca_comm_channel_ep_set_device(service, dpu) == DOCA_SUCCESS
    assert doca_comm_channel_ep_set_device_rep(service, rep) == DOCA_SUCCESS
    assert doca_comm_channel_ep_set_device(client, host) == DOCA_SUCCESS
    assert doca_comm_channel_ep_listen(service, "svc") == DOCA_SUCCESS
    rc, to_service = doca_comm_channel_ep_connect(client, "svc")
    assert rc == DOCA_SUCCESS
    for _ in range(1_000_000):
        if doca_comm_channel_peer_addr_update_info(to_service) == DOCA_SUCCESS:
            break
        assert doca_comm_channel_ep_recvfrom(service, 0, 0) == (DOCA_ERROR_AGAIN, None, None, None)
    assert doca_comm_channel_ep_sendto(client, b"hello", 5, DOCA_CC_MSG_FLAG_NONE, to_service) == DOCA_SUCCESS
    rc, msg, length, to_client = received(service, 100)
    assert (rc, msg, length) == (DOCA_SUCCESS, b"hello", 5)
    return service, client, to_service, to_client


def open_by_address(devs: list[Any], address: str) -> Any:
    for info in devs:
        rc, equal = doca_devinfo_is_equal_pci_addr(info, address)
        if equal:
            rc, dev = doca_dev_open(info)
            assert rc == DOCA_SUCCESS
            return dev
    raise AssertionError(address)


def received(ep: Any, size: int) -> Any:
    """What recvfrom says when it says anything but AGAIN."""
    for _ in range(1_000_000):
        answer = doca_comm_channel_ep_recvfrom(ep, size, DOCA_CC_MSG_FLAG_NONE)
        if answer[0] != DOCA_ERROR_AGAIN:
            return answer
    raise AssertionError("nothing came")


def test_every_name_of_the_tables_is_there() -> None:
    rows = {row.name for row in functions("comm_channel")}
    assert len(rows) == 37
    spellings = {alias for alias, name in aliases().items() if name in rows}
    older = {alias for alias, name in aliases().items() if hasattr(cc, name)}
    assert rows | spellings | older <= set(cc.__all__)


def test_every_constant_is_there_as_an_int() -> None:
    wanted = {**constants("core"), **constants("comm_channel")}
    assert {name: getattr(cc, name) for name in wanted} == wanted
    assert {type(getattr(cc, name)) for name in wanted} == {int}
    assert not [name for name in constants("comch") if name not in wanted and hasattr(cc, name)]


def test_every_alias_is_the_same_function() -> None:
    for alias, name in aliases().items():
        if hasattr(cc, name):
            assert getattr(cc, alias) is getattr(cc, name)


def test_the_signatures_are_those_of_c() -> None:
    for row in functions("comm_channel"):
        assert list(inspect.signature(getattr(cc, row.name)).parameters) == [each.name for each in row.inputs]
    assert doca_comm_channel_ep_listen.__doc__ == (
        "C: doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name)"
    )


def test_codes_are_plain_ints() -> None:
    rc = doca_comm_channel_ep_destroy(None)
    assert (type(rc), rc) == (int, 14)
    assert type(doca_comm_channel_ep_recvfrom(doca_comm_channel_ep_create()[1], 1, 0)[0]) is int


def test_a_conversation() -> None:
    service, client, to_service, to_client = connected()
    assert doca_comm_channel_ep_sendto(service, b"answer", 6, DOCA_CC_MSG_FLAG_NONE, to_client) == DOCA_SUCCESS
    assert received(client, 100) == (DOCA_SUCCESS, b"answer", 6, to_service)
    assert doca_comm_channel_peer_addr_update_info(to_service) == DOCA_SUCCESS
    for get, value in (
        (doca_comm_channel_peer_addr_get_send_messages, 1),
        (doca_comm_channel_peer_addr_get_send_bytes, 5),
        (doca_comm_channel_peer_addr_get_recv_messages, 1),
        (doca_comm_channel_peer_addr_get_recv_bytes, 6),
        (doca_comm_channel_peer_addr_get_send_in_flight_messages, 0),
    ):
        assert get(to_service) == (DOCA_SUCCESS, value)
    assert doca_comm_channel_peer_addr_user_data_set(to_service, 7) == DOCA_SUCCESS
    assert doca_comm_channel_peer_addr_get_user_data(to_service) == (DOCA_SUCCESS, 7)
    assert doca_comm_channel_ep_disconnect(client, to_service) == DOCA_SUCCESS
    assert doca_comm_channel_ep_sendto(client, b"x", 1, 0, to_service) == DOCA_ERROR_NOT_CONNECTED
    for ep in (client, service):
        dev = doca_comm_channel_ep_get_device(ep)[1]
        assert doca_comm_channel_ep_destroy(ep) == DOCA_SUCCESS
        assert doca_dev_close(dev) == DOCA_SUCCESS


def test_properties() -> None:
    _, ep = doca_comm_channel_ep_create()
    assert doca_comm_channel_ep_set_rcv_queue_size(ep, 10) == DOCA_SUCCESS
    assert doca_comm_channel_ep_get_recv_queue_size(ep) == (DOCA_SUCCESS, 16)
    assert doca_comm_channel_ep_set_max_msg_size(ep, 0) == DOCA_ERROR_INVALID_VALUE
    assert doca_comm_channel_ep_get_device(ep) == (DOCA_ERROR_INVALID_VALUE, None)
    assert doca_comm_channel_ep_listen(ep, "svc") == DOCA_ERROR_BAD_STATE
    assert doca_comm_channel_ep_connect(ep, "svc") == (DOCA_ERROR_BAD_STATE, None)


def test_only_len_bytes_are_sent() -> None:
    service, client, to_service, _ = connected()
    for msg in (b"abcdef", bytearray(b"abcdef"), memoryview(b"abcdef")):
        assert doca_comm_channel_ep_sendto(client, msg, 3, 0, to_service) == DOCA_SUCCESS
        assert received(service, 100)[1:3] == (b"abc", 3)
    for length in (7, -1, None, "3", 2.0):
        assert doca_comm_channel_ep_sendto(client, b"abcdef", length, 0, to_service) == DOCA_ERROR_INVALID_VALUE
    assert doca_comm_channel_ep_recvfrom(service, 100, 0)[0] == DOCA_ERROR_AGAIN


def test_the_length_that_would_be_needed() -> None:
    service, client, to_service, to_client = connected()
    doca_comm_channel_ep_sendto(client, b"123456", 6, 0, to_service)
    assert received(service, 5) == (DOCA_ERROR_INVALID_VALUE, None, 6, None)
    assert received(service, 6) == (DOCA_SUCCESS, b"123456", 6, to_client)


def test_the_peer_that_is_in_the_error_state() -> None:
    service, client, to_service, _ = connected()
    assert doca_comm_channel_ep_destroy(service) == DOCA_SUCCESS
    assert doca_comm_channel_peer_addr_update_info(to_service) == DOCA_SUCCESS
    assert doca_comm_channel_ep_sendto(client, b"lost", 4, 0, to_service) == DOCA_SUCCESS
    assert doca_comm_channel_ep_sendto(client, b"x", 1, 0, to_service) == DOCA_ERROR_CONNECTION_RESET
    assert received(client, 100) == (DOCA_ERROR_CONNECTION_RESET, None, None, to_service)
    assert doca_comm_channel_ep_recvfrom(client, 100, 0) == (DOCA_ERROR_AGAIN, None, None, None)


def test_keywords_are_the_c_names() -> None:
    _, ep = doca_comm_channel_ep_create()
    assert doca_comm_channel_ep_listen(name="svc", local_ep=ep) == DOCA_ERROR_BAD_STATE
    assert doca_comm_channel_ep_recvfrom(ep, len=1, flags=0)[0] == DOCA_ERROR_NOT_CONNECTED


@pytest.mark.parametrize("arguments", [(), (None, None, None)])
def test_the_number_of_arguments_is_pythons_business(arguments: tuple[None, ...]) -> None:
    with pytest.raises(TypeError, match=r"doca_comm_channel_ep_listen\(\) .*argument"):
        doca_comm_channel_ep_listen(*arguments)


@pytest.mark.parametrize("name", FLAT)
def test_no_argument_makes_a_call_raise(name: str) -> None:
    function = getattr(cc, name)
    odd = (None, object(), -1, 2**70, "x", b"\xff", 1.5, [None], cc.Endpoint(), cc.Endpoint)
    for arguments in itertools.product(odd, repeat=min(2, len(inspect.signature(function).parameters))):
        rest = [None] * (len(inspect.signature(function).parameters) - len(arguments))
        answer = function(*arguments, *rest)
        if isinstance(answer, tuple):
            assert isinstance(answer[0], int)
            assert answer[0] == DOCA_SUCCESS or set(answer[1:]) == {None}


def test_names_may_be_bytes() -> None:
    service = support.service("bytes")
    rc, ep = doca_comm_channel_ep_create()
    support.made.append(ep)
    assert doca_comm_channel_ep_set_device(ep, support.client().get_device()) == DOCA_SUCCESS
    rc, peer = doca_comm_channel_ep_connect(ep, b"bytes\0")
    assert rc == DOCA_SUCCESS
    support.let_in(service, peer)


def test_infos_of_devices() -> None:
    info = doca_devinfo_create_list()[1][0]
    assert doca_devinfo_get_pci_addr_str(info) == (DOCA_SUCCESS, "0000:03:00.0")
    assert doca_devinfo_get_is_pci_addr_equal(info, "0000:03:00.0") == (DOCA_SUCCESS, 1)
    assert doca_devinfo_is_equal_pci_addr(info, "03:00.1") == (DOCA_SUCCESS, 0)
    assert doca_devinfo_is_equal_pci_addr(info, "nonsense") == (DOCA_ERROR_INVALID_VALUE, None)
    assert doca_devinfo_rep_cap_is_filter_net_supported(info) == (DOCA_SUCCESS, 1)
    rc, name = doca_devinfo_get_iface_name(info, DOCA_DEVINFO_IFACE_NAME_SIZE)
    assert rc == DOCA_SUCCESS
    assert doca_devinfo_get_iface_name(info, len(name) + 1) == (DOCA_SUCCESS, name)
    assert doca_devinfo_get_iface_name(info, len(name)) == (DOCA_ERROR_INVALID_VALUE, None)
    rc, dev = doca_dev_open(info)
    assert doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(dev)) == (DOCA_SUCCESS, "0000:03:00.0")
    assert doca_dev_as_devinfo(None) is None


def test_a_second_close_is_refused() -> None:
    dev = doca_dev_open(doca_devinfo_create_list()[1][0])[1]
    rep = doca_dev_rep_open(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL)[1][0])[1]
    assert [doca_dev_rep_close(rep) for _ in range(2)] == [DOCA_SUCCESS, DOCA_ERROR_INVALID_VALUE]
    assert [doca_dev_close(dev) for _ in range(2)] == [DOCA_SUCCESS, DOCA_ERROR_INVALID_VALUE]


def test_infos_of_representors() -> None:
    dev = doca_dev_open(doca_devinfo_create_list()[1][0])[1]
    rc, reps, count = doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_ALL)
    kinds = [doca_devinfo_rep_get_pci_func_type(each) for each in reps]
    assert kinds == [(0, DOCA_PCI_FUNC_TYPE_PF)] * 2 + [(0, DOCA_PCI_FUNC_TYPE_VF), (0, DOCA_PCI_FUNC_TYPE_SF)]
    rc, rep = doca_dev_rep_open(reps[3])
    assert doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(rep)) == (0, "0000:b1:00.3")
    assert doca_devinfo_rep_is_equal_pci_addr(reps[3], "b1:00.3") == (DOCA_SUCCESS, 1)
    assert doca_devinfo_rep_get_is_hotplug(reps[3]) == (DOCA_SUCCESS, 0)
    assert doca_dev_rep_close(rep) == doca_dev_close(dev) == DOCA_SUCCESS
    for combined, count in ((DOCA_DEVINFO_REP_FILTER_EMULATED, 0), (6, 4), (1, None), (8, None)):
        rc = DOCA_SUCCESS if count is not None else DOCA_ERROR_INVALID_VALUE
        dev = doca_dev_open(doca_devinfo_create_list()[1][0])[1]
        assert doca_devinfo_rep_create_list(dev, combined)[::2] == (rc, count)


def test_a_host_device_has_no_representors() -> None:
    _, dev = doca_dev_open(doca_devinfo_create_list()[1][1])
    answer = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL)
    assert answer == (DOCA_ERROR_NOT_SUPPORTED, None, None)


def test_the_address_as_numbers() -> None:
    bdf = doca_devinfo_get_pci_addr(doca_devinfo_create_list()[1][4])[1]
    assert bdf == (0xB1 | 0 << 8 | 3 << 13, 0xB1, 0, 3)
    assert bdf.raw == 0x60B1


def test_the_texts_of_codes() -> None:
    assert doca_error_get_name(5) == doca_get_error_name(5) == "DOCA_ERROR_AGAIN"
    assert doca_error_get_descr(5) == doca_get_error_string(5) == "no room or nothing yet, retry"
    for unknown in (31, -1, None, "x"):
        assert doca_error_get_name(unknown) == doca_error_get_descr(unknown) == "unknown error"
    assert [DOCA_IS_ERROR(code) for code in (DOCA_SUCCESS, DOCA_ERROR_AGAIN)] == [False, True]
    assert [DOCA_ERROR_PROPAGATE(first, 5) for first in (0, 6)] == [5, 6]


def test_log_levels_are_kept() -> None:
    assert doca_log_backend_create_standard() == doca_log_create_standard_backend() == DOCA_SUCCESS
    before = doca_log_level_get_global_lower_limit()
    assert doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG) == DOCA_SUCCESS
    assert doca_log_global_level_get() == DOCA_LOG_LEVEL_DEBUG
    assert doca_log_global_level_set(before) == DOCA_SUCCESS
    rc, backend = doca_log_backend_create_with_file_sdk(sys.stderr)
    assert rc == doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING) == DOCA_SUCCESS
    assert doca_log_backend_set_sdk_level(backend, 41) == DOCA_ERROR_INVALID_VALUE
    rc, source = doca_log_register_source("APP")
    assert rc == doca_log_unregister_source(source) == DOCA_SUCCESS
    assert doca_log_unregister_source(source) == doca_log_unregister_source(-1) == DOCA_ERROR_INVALID_VALUE
    assert doca_log_register_source("AGAIN") == (DOCA_SUCCESS, source)
    assert doca_log_unregister_source(source) == DOCA_SUCCESS


def test_a_misspelled_name_says_what_is_close() -> None:
    with pytest.raises(AttributeError, match="did you mean doca_comm_channel_ep_listen"):
        cc.flat.doca_comm_channel_ep_lisen()
