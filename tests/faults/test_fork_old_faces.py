"""Fork under the old names: every endpoint and peer that a child inherits says BAD_STATE, and the parent talks on."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from comch_next import outcome
from comm_channel_compat import Device, Endpoint, PeerAddr, Representor, devices, flat, open_device
from tests.compat import support
from tests.differences import differs
from tests.faults.forking import ENDS, Calls, child_that_ends, in_child, only_bad_state

pytestmark = pytest.mark.usefixtures("form")

c: Any = flat  # its names are made at import, from the tables, where mypy cannot see them


def endpoint_calls(ep: Endpoint, peer: PeerAddr) -> Calls:
    """Every method of an endpoint and of a peer."""
    arguments: dict[str, tuple[object, ...]] = {
        "sendto": (b"x", peer),
        "recvfrom": (100,),
        "disconnect": (peer,),
        "listen": ("other",),
        "connect": ("svc",),
        "set_device": (None,),
        "set_device_rep": (None,),
        **{f"set_{size}": (64,) for size in ("max_msg_size", "send_queue_size", "recv_queue_size")},
    }
    names = public(Endpoint)
    assert set(arguments) < set(names)
    calls: Calls = {name: partial(getattr(ep, name), *arguments.get(name, ())) for name in names}
    return {**calls, **peer_calls(peer)}


def public(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))]


def peer_calls(peer: PeerAddr) -> Calls:
    """Every method of a peer."""
    numbers = {"set_user_data": (3,)}
    return {name: partial(getattr(peer, name), *numbers.get(name, ())) for name in public(PeerAddr)}


def opened_calls(opened: Device | Representor) -> Calls:
    """Every method of an open device or representor."""
    arguments = {"open_representor": ("b1:00.1",)}
    names = set(public(type(opened))) - {"modern"}
    return {name: partial(getattr(opened, name), *arguments.get(name, ())) for name in names}


def test_old_devices_and_representors() -> None:
    with open_device(support.DPU) as device, device.open_representor(support.REP) as rep:
        listed = devices(), device.representors()
        only_bad_state(opened_calls(device))
        only_bad_state(opened_calls(rep))
        assert in_child(lambda: _addresses(*listed)) == _addresses(*listed)
        assert in_child(lambda: _leave(rep, device))
        assert rep.as_devinfo().get_pci_addr_str().endswith(support.REP)


def _leave(*blocks: Device | Representor) -> bool:
    for opened in blocks:
        with opened:
            pass
    return True


def _addresses(*lists: list[Any]) -> list[str]:
    return [info.get_pci_addr_str() for each in lists for info in each]


def test_a_peer_that_has_been_disconnected() -> None:
    pair = support.Pair()
    pair.to_service.set_user_data(7)
    pair.client.disconnect(pair.to_service)
    only_bad_state(peer_calls(pair.to_service))
    assert pair.to_service.get_user_data() == 7


def test_a_child_makes_endpoints_of_its_own(form: str) -> None:
    """On a device that it opens itself; the parent's does not help it."""
    pair = support.Pair()
    inherited = pair.client.get_device()

    def body() -> list[str]:
        own = Endpoint()
        own.set_device(inherited)
        said = [outcome(own.connect, support.NAME)[0].name]
        own.set_device(open_device(support.HOST))
        peer = own.connect(support.NAME)
        if differs(form, "waiting clients"):
            support.eventually(peer.update_info)  # the parent's service lets it in by itself
        return [*said, outcome(peer.update_info)[0].name]

    assert in_child(body) == [
        "BAD_STATE",
        "SUCCESS" if differs(form, "waiting clients") else "CONNECTION_INPROGRESS",
    ]


def test_old_endpoints_and_peers() -> None:
    pair = support.Pair()
    fresh = support.client()
    to_client = pair.introduce()
    for ep, peer in ((pair.client, pair.to_service), (pair.service, to_client), (fresh, to_client)):
        only_bad_state(endpoint_calls(ep, peer))
    pair.client.sendto(b"still", pair.to_service)
    assert support.eventually(pair.service.recvfrom, 100) == (b"still", to_client)


def test_old_calls_under_their_c_names() -> None:
    pair = support.Pair()
    ep, peer = pair.client, pair.to_service
    codes = in_child(
        lambda: [
            c.doca_comm_channel_ep_sendto(ep, b"x", 1, c.DOCA_CC_MSG_FLAG_NONE, peer),
            c.doca_comm_channel_ep_recvfrom(ep, 100, c.DOCA_CC_MSG_FLAG_NONE)[0],
            c.doca_comm_channel_peer_addr_update_info(peer),
            c.doca_comm_channel_ep_disconnect(ep, peer),
            c.doca_comm_channel_ep_destroy(ep),
        ]
    )
    assert codes == [c.DOCA_ERROR_BAD_STATE] * 5
    pair.client.destroy()
    pair.service.destroy()
    support.made.clear()


@pytest.mark.parametrize("how", ENDS)
def test_the_end_of_a_child_is_none_of_its_parents(how: str) -> None:
    both = support.Pair()
    to_client = both.introduce()
    child_that_ends(how)
    both.service.sendto(b"still", to_client)
    assert support.eventually(both.client.recvfrom, 100) == (b"still", both.to_service)
    newcomer = support.client()
    support.let_in(both.service, newcomer.connect(support.NAME))
