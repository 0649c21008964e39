"""Each old call becomes one expression: in place, with its arguments once each and in their order."""

from __future__ import annotations

import ast

import pytest

import comch_next
from migrate.old_api.generation_1x import GENERATION_1X
from migrate.old_api.generations import VOCABULARY
from migrate.rules._registry import load
from tests.migrate.fake_facts import FakeFacts, rewritten

EP, PEER = "doca_comm_channel_ep_", "doca_comm_channel_peer_addr_"

OBJECTS = [
    ("ep = Endpoint()", "ep = comch.Channel(one_sided=True)"),
    ("ep.set_device(dev)", "ep.device = dev"),
    ("ep.set_max_msg_size(size())", "ep.configure(max_msg_size=size())"),
    ("x = ep.set_recv_queue_size(8)", "x = ep.configure(recv_queue_size=8)"),
    ("x = ep.get_max_msg_size()", "x = ep.max_msg_size"),
    ("ep.listen('svc')", "ep.listen('svc')"),
    ("peer = ep.connect(name='svc')", "peer = ep.connect('svc', timeout=0)"),
    ("ep.sendto(msg, peer)", "ep.send_to(msg, peer, timeout=0)"),
    ("ep.sendto(peer=route(), msg=build())", "ep.send_to(connection=route(), data=build(), timeout=0)"),
    ("ep.sendto(msg, peer, 0)", "ep.send_to(msg, peer, timeout=0)"),
    ("msg, peer = ep.recvfrom(64)", "msg, peer = ep.receive(64, timeout=0)"),
    ("s, r = ep.get_event_channel()", "s, r = (ep.send_fd, ep.recv_fd)"),
    (
        "s, r = make().ep.get_event_channel()",
        "s, r = (lambda local_ep: (local_ep.send_fd, local_ep.recv_fd))(make().ep)",
    ),
    ("ep.event_handle_arm_recv()", "ep.arm_recv()"),
    ("fd = ep.get_service_event_channel()", "fd = ep.service_fd"),
    ("ep.update_service_state_info()", "ep.update_info()"),
    ("peers = ep.get_peer_addr_list()", "peers = ep.connections"),
    ("n = ep.get_pending_connections()", "n = ep.pending"),
    ("ep.disconnect(peer)", "ep.disconnect(peer)"),
    ("ep.destroy()", "ep.close()"),
    ("peer.update_info()", "peer.update_info()"),
    ("n = peer.get_send_messages()", "n = peer.get_counter(comch.Counter.SENT_MESSAGES)"),
    ("n = peer.get_recv_bytes()", "n = peer.get_counter(comch.Counter.RECV_BYTES)"),
    ("n = peer.get_send_in_flight_messages()", "n = peer.in_flight"),
    ("peer.set_user_data(7)", "peer.user_data = 7"),
    ("peer.set_user_data(next(ids))", 'setattr(peer, "user_data", next(ids))'),
    ("n = peer.get_user_data()", "n = peer.user_data"),
    ("infos = devices()", "infos = comch.devices()"),
    ("dev = open_device('03:00.0')", "dev = comch.open_device('03:00.0')"),
    ("rep = dev.open_representor(pci_addr=p)", "rep = dev.open_representor(p)"),
    ("x = dev.representors()", "x = dev.representors()"),
    ("x = dev.representors(kind)", "x = dev.representors(kind)"),
    ("dev = info.open()", "dev = info.open()"),
    ("dev.close()", "dev.close()"),
    ("info = dev.as_devinfo()", "info = dev.devinfo"),
    ("x = rep.as_devinfo()", "x = rep.devinfo_rep"),
    ("x = info.is_equal_pci_addr(pci)", "x = info.is_equal_pci_addr(pci)"),
    ("x = info.get_ibdev_name()", "x = info.ibdev_name"),
    ("x = repinfo.get_pci_func_type()", "x = repinfo.pci_func_type"),
    ("x = get_max_message_size(info)", "x = info.cap_get_max_msg_size()"),
    ("x = info.rep_cap_is_filter_net_supported()", "x = info.rep_cap_is_filter_net_supported()"),
    (
        "x = get_max_service_name_len()",
        "x = min((info.cap_get_max_name_len() for info in comch.devices()), default=128)",
    ),
]

FLAT = [
    (f"rc, ep = {EP}create()", "rc, ep = comch.outcome(comch.Channel, one_sided=True)"),
    (f"rc = {EP}set_device(ep, dev)", "rc = comch.outcome(ep.configure, device=dev)[0]"),
    (f"{EP}set_device_rep(ep, rep)", "comch.outcome(ep.configure, device_rep=rep)"),
    (f"rc, n = {EP}get_max_msg_size(ep)", "rc, n = comch.outcome(lambda: ep.max_msg_size)"),
    (
        f"rc, n = {EP}get_rcv_queue_size(make())",
        "rc, n = comch.outcome(lambda ep: ep.recv_queue_size, make())",
    ),
    (f"rc = {EP}listen(ep, name)", "rc = comch.outcome(ep.listen, name)[0]"),
    (f"{EP}listen(ep, name())", "comch.outcome(ep.listen, name())"),
    (f"rc, peer = {EP}connect(ep, name)", "rc, peer = comch.outcome(ep.connect, name, timeout=0)"),
    (f"rc = {EP}sendto(ep, data, len(data), 0, peer)", "rc = ep.try_send_to(data, peer)"),
    (f"rc = {EP}sendto(ep, b'abc', 3, DOCA_CC_MSG_FLAG_NONE, peer)", "rc = ep.try_send_to(b'abc', peer)"),
    (f"rc = {EP}sendto(ep, text, len(text), 0, peer)", "rc = ep.try_send_to(text, length=len(text), connection=peer)"),
    (f"rc = {EP}sendto(ep, data, n, 0, peer)", "rc = ep.try_send_to(data, length=n, connection=peer)"),
    (
        f"rc = {EP}sendto(ep, data, len=n, peer_addr=p(), flags=0)",
        "rc = ep.try_send_to(data, length=n, connection=p())",
    ),
    (f"rc, m, n, p = {EP}recvfrom(ep, 64, 0)", "rc, m, n, p = ep.try_receive(64)"),
    (f"rc = {EP}recvfrom(ep, size(), cc.DOCA_CC_MSG_FLAG_NONE)[0]", "rc = ep.try_receive(size())[0]"),
    (f"rc, s, r = {EP}get_event_channel(ep)", "rc, s, r = comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd))"),
    (f"{EP}event_handle_arm_rcv(ep)", "comch.outcome(ep.arm_recv)"),
    (f"rc, fd = {EP}get_service_event_channel(ep)", "rc, fd = comch.outcome(lambda: ep.service_fd)"),
    (f"rc = {EP}update_service_state_info(ep)", "rc = comch.outcome(ep.update_info)[0]"),
    (f"rc, ps, n = {EP}get_peer_addr_list(ep)", "rc, ps, n = comch.outcome_list(lambda: ep.connections)"),
    (f"rc, n = {EP}get_pending_connections(ep)", "rc, n = comch.outcome(lambda: ep.pending)"),
    (f"rc = {EP}disconnect(ep, peer)", "rc = comch.outcome(ep.disconnect, peer)[0]"),
    (f"rc = {EP}destroy(ep)", "rc = comch.outcome(ep.close)[0]"),
    (f"rc = {PEER}update_info(peer)", "rc = comch.outcome(peer.update_info)[0]"),
    (f"rc, n = {PEER}get_recv_messages(peer)", "rc, n = comch.outcome(peer.get_counter, comch.Counter.RECV_MESSAGES)"),
    (f"rc, n = {PEER}get_send_in_flight_messages(peer)", "rc, n = comch.outcome(lambda: peer.in_flight)"),
    (f"{PEER}set_user_data(peer, 7)", 'comch.outcome(setattr, peer, "user_data", 7)'),
    (f"rc, n = {PEER}user_data_get(peer)", "rc, n = comch.outcome(lambda: peer.user_data)"),
    ("rc, infos, n = doca_devinfo_create_list()", "rc, infos, n = comch.outcome_list(comch.devices)"),
    (
        "rc, reps, n = doca_devinfo_rep_list_create(dev, DOCA_DEVINFO_REP_FILTER_ALL)",
        "rc, reps, n = comch.outcome_list(dev.representors, DOCA_DEVINFO_REP_FILTER_ALL)",
    ),
    ("doca_devinfo_destroy_list(infos)", ""),
    ("doca_devinfo_destroy_list(infos.pop())", "infos.pop()"),
    ("rc = doca_devinfo_destroy_list(infos)", "rc = comch.ErrorCode.SUCCESS"),
    ("rc, dev = doca_dev_open(infos[0])", "rc, dev = comch.outcome(infos[0].open)"),
    ("rc = doca_dev_close(dev)", "rc = comch.outcome(dev.close)[0]"),
    ("info = doca_dev_as_devinfo(dev)", "info = dev.devinfo"),
    (
        "rc, same = doca_devinfo_get_is_pci_addr_equal(info, pci)",
        "rc, same = comch.outcome(lambda: int(info.is_equal_pci_addr(pci)))",
    ),
    (
        "rc, same = doca_devinfo_is_equal_pci_addr(infos[0], pci)",
        "rc, same = comch.outcome(lambda devinfo, pci_addr_str: int(devinfo.is_equal_pci_addr(pci_addr_str)), "
        "infos[0], pci)",
    ),
    ("rc, name = doca_devinfo_get_ibdev_name(info, 64)", "rc, name = comch.outcome(lambda: info.ibdev_name)"),
    ("rc, kind = doca_devinfo_rep_get_pci_func_type(i)", "rc, kind = comch.outcome(lambda: int(i.pci_func_type))"),
    ("rc, n = doca_comm_channel_get_max_message_size(info)", "rc, n = comch.outcome(info.cap_get_max_msg_size)"),
    (
        "rc, n = doca_comm_channel_get_max_service_name_len()",
        "rc, n = comch.outcome(lambda: min((info.cap_get_max_name_len() for info in comch.devices()), default=128))",
    ),
    ("print(doca_get_error_string(rc))", "print(comch.describe(rc))"),
    ("print(doca_error_get_name(error=rc))", "print(comch.code_name(rc))"),
    ("bad = DOCA_IS_ERROR(rc)", "bad = rc != comch.ErrorCode.SUCCESS"),
    ("bad = not DOCA_IS_ERROR(f())", "bad = not (f() != comch.ErrorCode.SUCCESS)"),
    ("rc = DOCA_ERROR_PROPAGATE(rc, then)", "rc = then if rc == comch.ErrorCode.SUCCESS else rc"),
    (
        "rc = DOCA_ERROR_PROPAGATE(rc, stop())",
        "rc = (lambda first, then: then if first == comch.ErrorCode.SUCCESS else first)(rc, stop())",
    ),
    ("doca_log_create_standard_backend()", ""),
    ("rc = doca_log_backend_create_standard()", "rc = comch.ErrorCode.SUCCESS"),
    ("rc, b = doca_log_backend_create_with_fd(2)", "rc, b = comch.outcome(comch.log.Backend, 2)"),
    ("doca_log_backend_level_set(b, n)", "comch.outcome(b.set_level_lower_limit, n)"),
    ("rc = doca_log_level_set_global_sdk_limit(n)", "rc = comch.outcome(comch.log.standard.set_sdk_level, n)[0]"),
    ("n = doca_log_global_level_get()", "n = comch.log.standard.lower_limit"),
    ("rc, s = doca_log_source_register('me')", "rc, s = comch.outcome(comch.log.register_source, 'me')"),
]


def test_every_old_function_has_a_rule() -> None:
    of_flat = [*VOCABULARY.flat.values(), *GENERATION_1X.flat.values()]
    functions = [*of_flat, *VOCABULARY.objects.values(), *VOCABULARY.methods.values()]
    assert {function.name for function in functions} == set(load())


@pytest.mark.parametrize(("before", "after"), OBJECTS)
def test_objects(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize(("before", "after"), FLAT)
def test_flat(before: str, after: str) -> None:
    assert rewritten(before) == after


# The class


@pytest.mark.parametrize(
    ("calls", "cls"),
    [
        ({"listen", "recvfrom"}, "Server"),
        ({"connect", "sendto"}, "Client"),
        ({"connect", "set_device_rep"}, "Channel"),
        ({"connect", "get_pending_connections"}, "Channel"),
        ({"listen", "connect"}, "Channel"),
        (set(), "Channel"),
    ],
)
def test_a_context_is_of_the_class_that_its_calls_ask_for(calls: set[str], cls: str) -> None:
    assert rewritten("ep = Endpoint()", calls=frozenset(calls)) == f"ep = comch.{cls}(one_sided=True)"


# Handles that may be None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"rc = {EP}listen(ep, name)", "rc = comch.outcome(comch.Server.listen, ep, name)[0]"),
        (f"{EP}set_device(ep, f())", "comch.outcome(comch.Server.configure, ep, device=f())"),
        (f"rc = {EP}sendto(ep, data, len(data), 0, p)", "rc = comch.Server.try_send_to(ep, data, p)"),
        (f"r = {EP}recvfrom(ep, 64, 0)", "r = comch.Server.try_receive(ep, 64)"),
        (f"rc, n = {EP}get_device(ep)", "rc, n = comch.outcome(comch.Server.device.fget, ep)"),
        (f"rc = {EP}destroy(ep)", "rc = comch.outcome(comch.Server.close, ep)[0]"),
        (
            f"r = {EP}get_event_channel(ep)",
            "r = comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None "
            "else (comch.ErrorCode.INVALID_VALUE, None, None)",
        ),
        (
            f"rc = {PEER}set_user_data(peer, 1)",
            "rc = comch.outcome(comch.Connection.user_data.fset, peer, 1)[0]",
        ),
        (
            f"rc, s = 0, {EP}get_event_channel(ep)",
            "rc, s = 0, (comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None "
            "else (comch.ErrorCode.INVALID_VALUE, None, None))",
        ),
        (f"rc = {PEER}update_info(peer)", "rc = comch.outcome(comch.Connection.update_info, peer)[0]"),
        ("i = doca_dev_as_devinfo(dev)", "i = dev.devinfo if dev is not None else None"),
        (
            "rc = doca_devinfo_destroy_list(infos)",
            "rc = comch.ErrorCode.SUCCESS if infos is not None else comch.ErrorCode.INVALID_VALUE",
        ),
        (
            f"r = {EP}get_event_channel(table[0])",
            "r = (lambda local_ep: comch.outcomes(2, lambda: (local_ep.send_fd, local_ep.recv_fd)) "
            "if local_ep is not None else (comch.ErrorCode.INVALID_VALUE, None, None))(table[0])",
        ),
    ],
)
def test_none_stays_a_code_in_flat(before: str, after: str) -> None:
    missing = frozenset({"ep", "peer", "dev", "infos", "table[0]"})
    assert rewritten(before, none=missing, calls=frozenset({"listen"})) == after


def test_a_class_that_nobody_knows_is_not_named() -> None:
    facts = FakeFacts(f"r = {EP}disconnect(ep, p)", none=frozenset({"ep"}), origin=ast.arg("ep"))
    after = "r = comch.outcome(ep.disconnect, p)[0] if ep is not None else comch.ErrorCode.INVALID_VALUE"
    assert facts.text(facts.answer()) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"r = {EP}listen(ep, n)", "r = comch.outcome(comch.Server.listen, ep, n)[0]"),
        (f"r = {EP}connect(ep, n)", "r = comch.outcome(comch.Client.connect, ep, n, timeout=0)"),
        (f"r = {EP}get_device(ep)", "r = comch.outcome(comch.Channel.device.fget, ep)"),
        (f"r = {EP}sendto(ep, m, n(), 0, p)", "r = comch.Channel.try_send_to(ep, m, length=n(), connection=p)"),
    ],
)
def test_a_function_of_a_class_serves_every_endpoint_that_comes_there(before: str, after: str) -> None:
    facts = FakeFacts(before, none=frozenset({"ep"}), origin=ast.arg("ep"))
    assert facts.text(facts.answer()) == after


def test_the_functions_that_differ_between_classes_are_known() -> None:
    members = ["arm_send", "arm_recv", "close", "configure", "try_send_to", "try_receive", "update_info"]
    members += ["device", "device_rep", "max_msg_size", "send_queue_size", "recv_queue_size"]
    members += ["service_fd", "connections", "pending"]
    for member in members:
        assert getattr(comch_next.Channel, member) is getattr(comch_next.Server, member), member


def test_none_stays_an_attribute_error_in_objects() -> None:
    assert rewritten("ep.listen(name)", none=frozenset({"ep"})) == "ep.listen(name)"


# What a lambda or a builtin would change


def test_a_class_body_has_no_lambda_around_its_names() -> None:
    after = "r = comch.outcome(lambda local_ep: local_ep.pending, ep)"
    assert rewritten(f"r = {EP}get_pending_connections(ep)", scoped=True) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = peer.set_user_data(1)", 'x = peer.__setattr__("user_data", 1)'),
        (f"x = {PEER}set_user_data(peer, 1)", 'x = comch.outcome(peer.__setattr__, "user_data", 1)[0]'),
        (
            "r = doca_devinfo_rep_get_is_hotplug(i)",
            "r = comch.outcome(lambda: +i.is_hotplug)",
        ),
        (f"x = {EP}sendto(ep, data, len(data), 0, p)", "x = ep.try_send_to(data, length=len(data), connection=p)"),
    ],
)
def test_builtins_that_are_the_programs_own(before: str, after: str) -> None:
    assert rewritten(before, shadowed=frozenset({"setattr", "int", "len"})) == after
