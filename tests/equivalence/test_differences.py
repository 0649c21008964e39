"""The list of differences: what it says of each side is so."""

# The C names are made at import, from the tables, where mypy cannot see them:
# mypy: disable-error-code="attr-defined"

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest

import comch_next as comch
import comm_channel_compat as cc
from comch_next import ErrorCode
from comch_next.api import functions
from tests.compat import support
from tests.equivalence.differences import DIFFERENCES
from tests.processes import SOON_S
from tests.pull.support import Stage

SILENT = """
[[device]]
pci_addr = "03:00.0"
side = "dpu"
answers = false
"""


proved: set[str] = set()
Test = TypeVar("Test", bound=Callable[..., None])


def proves(*rows: str) -> Callable[[Test], Test]:
    """Enter that a test shows these differences."""
    proved.update(rows)
    return lambda test: test


class Ends(NamedTuple):
    """Two ends, and the first one's peer."""

    server: Any
    client: Any
    to_client: Any


@pytest.fixture
def pairs() -> Iterator[tuple[Ends, Ends]]:
    """A listener and a client that it knows, with each one's peer, of the old API and of the new one."""
    old, new = support.Pair(), Stage()
    ends = new.meet(new.server("driver", name="new"), new.client("driver", name="new"))
    old_peer = old.introduce()
    yield (
        Ends(old.service, old.client, old_peer),
        Ends(ends[0].context, ends[1].context, ends[0].connection),
    )
    new.close()
    old.destroy()


def test_each_difference_is_proved() -> None:
    assert proved == DIFFERENCES.keys()


def test_the_calls_are_those_of_the_tables() -> None:
    known = {row.name.removeprefix("doca_").removeprefix("comm_channel_") for row in functions("comm_channel")}
    known |= {row.name.removeprefix("doca_") for row in functions("core")}
    assert {call for difference in DIFFERENCES.values() for call in difference.calls} <= known | {"*"}


def test_codes_and_results_show_alike() -> None:
    old, new = cc.doca_comm_channel_ep_recvfrom(cc.Endpoint(), 5, 0), comch.Channel(one_sided=True).try_receive(5)
    assert (old, type(old), repr(old)) == (new, type(new), repr(new))


@proves("text of an error")
def test_the_text_of_an_error() -> None:
    row = DIFFERENCES["text of an error"]
    old, new = cc.Endpoint(), comch.Channel(one_sided=True)
    same = r"listen: no device has been set; set device first"
    with pytest.raises(comch.BadState, match=same):
        old.listen("old")
    with pytest.raises(comch.BadState, match=same):
        new.listen("new")
    device = comch.open_device("03:00.0")
    old.set_device(cc.open_device("03:00.0"))
    old.set_device_rep(cc.open_device("03:00.0").open_representor("b1:00.0"))
    new.configure(device=device, device_rep=device.open_representor("b1:00.0"))
    old.listen("old")
    new.listen("new")
    with pytest.raises(comch.Again, match=row.old):
        old.recvfrom(5)
    with pytest.raises(comch.Again, match=row.new):
        new.receive(5, timeout=0)
    old.destroy()
    new.close()


def test_clients_of_a_service_on_a_host() -> None:
    old, new = cc.open_device("b1:00.0"), comch.open_device("b1:00.0")
    assert cc.doca_comm_channel_get_service_max_num_connections(old.as_devinfo()) == (ErrorCode.NOT_SUPPORTED, None)
    assert comch.outcome(new.devinfo.max_clients_of_service) == (ErrorCode.NOT_SUPPORTED, None)
    assert new.devinfo.cap_get_max_clients() == 512
    old.close()
    new.close()


@proves("a device that does not answer")
def test_a_device_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    topology = tmp_path / "silent.toml"
    topology.write_text(SILENT)
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))
    assert cc.doca_comm_channel_get_max_message_size(cc.devices()[0])[0] == ErrorCode.UNEXPECTED
    assert comch.outcome(comch.devices()[0].cap_get_max_msg_size)[0] == ErrorCode.DRIVER


@proves("type of a result")
def test_the_type_of_what_was_received(pairs: tuple[Ends, Ends]) -> None:
    old, new = pairs
    old.server.sendto(b"x", old.to_client)
    new.server.send_to(b"x", new.to_client)
    assert type(support.eventually(old.client.recvfrom, 5)) is tuple
    assert type(new.client.receive(timeout=SOON_S)) is comch.Message


@proves("sending and receiving with flags")
def test_flags(pairs: tuple[Ends, Ends]) -> None:
    old, new = pairs
    send, receive = cc.doca_comm_channel_ep_sendto, cc.doca_comm_channel_ep_recvfrom
    assert send(old.server, b"x", 1, 1, old.to_client) == ErrorCode.INVALID_VALUE
    assert receive(old.client, 5, 1)[0] == ErrorCode.INVALID_VALUE
    assert send(old.server, b"x", 1, 0, old.to_client) == ErrorCode.SUCCESS
    for call in (new.server.try_send_to, new.client.try_receive):
        assert "flags" not in inspect.signature(call).parameters


@proves("flags as numbers", "longest name of no device")
def test_what_is_known_of_a_device() -> None:
    with cc.open_device("03:00.0") as old, comch.open_device("03:00.0") as new:
        equal = cc.doca_devinfo_is_equal_pci_addr(old.as_devinfo(), "03:00.0")[1]
        assert (repr(equal), repr(new.devinfo.is_equal_pci_addr("03:00.0"))) == ("1", "True")
        hotplug = cc.doca_devinfo_rep_get_is_hotplug(old.representors()[0])[1]
        assert (repr(hotplug), repr(new.representors()[0].is_hotplug)) == ("0", "False")
        longest = new.devinfo.cap_get_max_name_len()
        assert cc.doca_comm_channel_get_max_service_name_len() == (ErrorCode.SUCCESS, longest)
        assert not hasattr(comch, "cap_get_max_name_len")


@proves("two opens of a device", "False as a filter")
def test_two_opens_and_filters() -> None:
    with cc.open_device("03:00.0") as one, cc.open_device("03:00.0") as other:
        assert one != other
        assert len(one.representors(False)) == 4
    with comch.open_device("03:00.0") as one_device, comch.open_device("03:00.0") as other_device:
        assert one_device == other_device
        with pytest.raises(comch.InvalidValue):
            one_device.representors(False)  # type: ignore[arg-type]
