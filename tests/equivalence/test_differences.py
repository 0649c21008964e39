"""The list of differences: what it says of each side is so."""

# The C names are made at import, from the tables, where mypy cannot see them:
# mypy: disable-error-code="attr-defined"

from __future__ import annotations

from pathlib import Path

import pytest

import comch_next as comch
import comm_channel_compat as cc
from comch_next import ErrorCode
from comch_next.api import functions
from tests.equivalence.differences import DIFFERENCES

SILENT = """
[[device]]
pci_addr = "03:00.0"
side = "dpu"
answers = false
"""


def test_the_calls_are_those_of_the_tables() -> None:
    known = {row.name.removeprefix("doca_").removeprefix("comm_channel_") for row in functions("comm_channel")}
    known |= {row.name.removeprefix("doca_") for row in functions("core")}
    assert {call for difference in DIFFERENCES.values() for call in difference.calls} <= known | {"*"}


def test_codes_and_results_show_alike() -> None:
    old, new = cc.doca_comm_channel_ep_recvfrom(cc.Endpoint(), 5, 0), comch.Channel(one_sided=True).try_receive(5)
    assert (old, type(old), repr(old)) == (new, type(new), repr(new))


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


def test_a_device_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    topology = tmp_path / "silent.toml"
    topology.write_text(SILENT)
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))
    assert cc.doca_comm_channel_get_max_message_size(cc.devices()[0])[0] == ErrorCode.UNEXPECTED
    assert comch.outcome(comch.devices()[0].cap_get_max_msg_size)[0] == ErrorCode.DRIVER


def test_two_opens_and_filters() -> None:
    with cc.open_device("03:00.0") as one, cc.open_device("03:00.0") as other:
        assert one != other
        assert len(one.representors(False)) == 4
    with comch.open_device("03:00.0") as one_device, comch.open_device("03:00.0") as other_device:
        assert one_device == other_device
        with pytest.raises(comch.InvalidValue):
            one_device.representors(False)  # type: ignore[arg-type]
