"""Every call of generation 1 and the expression that takes its place, in both spellings."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ROWS", "Row"]

_C = "cc.doca_comm_channel_"


class Row(NamedTuple):
    """One old call, as objects and flat, with what is written for it. `outputs` counts what it returns.

    `on_class` is the form for a handle that may be none: the function of the class, called on whatever it is.
    """

    objects: str
    flat: str
    new_objects: str
    new_flat: str
    on_class: str
    outputs: int = 0


def _call(name: str, old: str, new: str, **kinds: str) -> Row:
    """A call without outputs: `old` are its arguments, `new` the method with its."""
    method, _, arguments = new.partition("(")
    arguments = arguments.removesuffix(")")
    following = f", {arguments}" if arguments else ""
    return Row(
        f"ep.{name}({old})",
        f"{_C}ep_{name}(ep{', ' * bool(old)}{old})",
        kinds.get("statement", f"ep.{new}"),
        f"comch.outcome(ep.{method}{following})[0]",
        f"comch.outcome(comch.Channel.{method}, ep{following})[0]",
    )


def _get(name: str, new: str) -> Row:
    """A call with one output, which is a property now."""
    objects, flat = f"ep.{name}()", f"{_C}ep_{name}(ep)"
    return Row(objects, flat, f"ep.{new}", f"comch.outcome(lambda: ep.{new})", _property("Channel", new, "ep"), 1)


def _property(cls: str, name: str, receiver: str) -> str:
    return f"comch.outcome(comch.{cls}.{name}.fget, {receiver})"


def _counter(name: str, counter: str) -> Row:
    new = f"peer.get_counter(comch.Counter.{counter})"
    return Row(
        f"peer.get_{name}()",
        f"{_C}peer_addr_get_{name}(peer)",
        new,
        f"comch.outcome(peer.get_counter, comch.Counter.{counter})",
        f"comch.outcome(comch.Connection.get_counter, peer, comch.Counter.{counter})",
        1,
    )


def _of_peer(name: str, new: str) -> Row:
    old, flat = f"peer.{name}()", f"{_C}peer_addr_{name}(peer)"
    return Row(old, flat, f"peer.{new}", f"comch.outcome(lambda: peer.{new})", _property("Connection", new, "peer"), 1)


_SIZES = ("max_msg_size", "send_queue_size", "recv_queue_size")

ROWS: dict[str, Row] = {
    **{
        f"set_{name}": _call(f"set_{name}", "x", f"configure({name}=x)", statement=f"ep.{name} = x")
        for name in ("device", "device_rep", *_SIZES)
    },
    **{f"get_{name}": _get(f"get_{name}", name) for name in ("device", "device_rep", *_SIZES)},
    "listen": _call("listen", "name", "listen(name)"),
    "connect": Row(
        "ep.connect(name)",
        f"{_C}ep_connect(ep, name)",
        "ep.connect(name, timeout=0)",
        "comch.outcome(ep.connect, name, timeout=0)",
        "comch.outcome(comch.Channel.connect, ep, name, timeout=0)",
        1,
    ),
    "sendto": Row(
        "ep.sendto(data, peer)",
        f"{_C}ep_sendto(ep, data, len(data), 0, peer)",
        "ep.send_to(data, peer, timeout=0)",
        "ep.try_send_to(data, peer)",
        "comch.Channel.try_send_to(ep, data, peer)",
    ),
    "sendto_length": Row(
        "ep.sendto(first(data, n), peer)",
        f"{_C}ep_sendto(ep, data, n, 0, peer)",
        "ep.send_to(data, peer, timeout=0, length=n)",
        "ep.try_send_to(data, length=n, connection=peer)",
        "comch.Channel.try_send_to(ep, data, length=n, connection=peer)",
    ),
    "recvfrom": Row(
        "ep.recvfrom(size)",
        f"{_C}ep_recvfrom(ep, size, 0)",
        "ep.receive(size, timeout=0)",
        "ep.try_receive(size)",
        "comch.Channel.try_receive(ep, size)",
        3,
    ),
    "get_event_channel": Row(
        "ep.get_event_channel()",
        f"{_C}ep_get_event_channel(ep)",
        "(ep.send_fd, ep.recv_fd)",
        "comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd))",
        "comch.outcome(comch.Channel.send_fd.fget, ep) + comch.outcome(comch.Channel.recv_fd.fget, ep)[1:]",
        2,
    ),
    "event_handle_arm_send": _call("event_handle_arm_send", "", "arm_send()"),
    "event_handle_arm_recv": _call("event_handle_arm_recv", "", "arm_recv()"),
    "get_service_event_channel": _get("get_service_event_channel", "service_fd"),
    "update_service_state_info": _call("update_service_state_info", "", "update_info()"),
    "get_peer_addr_list": Row(
        "(peers := ep.get_peer_addr_list(), len(peers))",
        f"{_C}ep_get_peer_addr_list(ep)",
        "(peers := ep.connections, len(peers))",
        "comch.outcome_list(lambda: ep.connections)",
        "comch.outcome_list(comch.Channel.connections.fget, ep)",
        2,
    ),
    "get_pending_connections": _get("get_pending_connections", "pending"),
    "disconnect": _call("disconnect", "peer", "disconnect(peer)"),
    "destroy": _call("destroy", "", "close()"),
    "peer_update_info": Row(
        "peer.update_info()",
        f"{_C}peer_addr_update_info(peer)",
        "peer.update_info()",
        "comch.outcome(peer.update_info)[0]",
        "comch.outcome(comch.Connection.update_info, peer)[0]",
    ),
    "peer_send_messages": _counter("send_messages", "SENT_MESSAGES"),
    "peer_send_bytes": _counter("send_bytes", "SENT_BYTES"),
    "peer_recv_messages": _counter("recv_messages", "RECV_MESSAGES"),
    "peer_recv_bytes": _counter("recv_bytes", "RECV_BYTES"),
    "peer_in_flight": _of_peer("get_send_in_flight_messages", "in_flight"),
    "peer_get_user_data": _of_peer("get_user_data", "user_data"),
    "peer_set_user_data": Row(
        "peer.set_user_data(x)",
        f"{_C}peer_addr_set_user_data(peer, x)",
        "peer.user_data = x",
        "comch.outcome(setattr, peer, 'user_data', x)[0]",
        "comch.outcome(comch.Connection.user_data.fset, peer, x)[0]",
    ),
}
