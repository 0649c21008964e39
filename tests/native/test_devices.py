"""Devices on the native driver: what their library is not asked."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver import load
from comch_next.driver.native._handle import lives
from tests.native.conftest import Log


@pytest.mark.parametrize("wrong", [1, 8, -1, 1 << 40, True, None, "NET"])
def test_what_is_no_filter_of_representors(stub: Log, wrong: Any) -> None:
    """A number that C has no room for is refused like any other."""
    with comch.devices()[0].open() as device:
        with pytest.raises(comch.InvalidValue, match="takes RepFilter bits"):
            device.representors(wrong)
        with pytest.raises(comch.InvalidValue, match="takes RepFilter bits"):
            load().devices.rep_cap_is_filter_supported(device.devinfo._handle, wrong)
    assert "doca_devinfo_rep_create_list" not in stub()


def test_the_last_close_of_a_device_collects_what_lies_in_a_circle(stub: Log) -> None:
    gc.collect()
    device, before = comch.devices()[0].open(), len(lives())
    library: Any = load().devices.library  # type: ignore[attr-defined]
    library["doca_dev_close"] = lambda _: comch.ErrorCode.IN_USE if len(lives()) > before else comch.ErrorCode.SUCCESS
    gc.disable()
    try:
        circle: list[Any] = [comch.Mmap(device, 64)]
        circle.append(circle)
        with pytest.raises(comch.InUse):
            device.close()
        del circle
        device.close()
    finally:
        gc.enable()
