"""A process without a free descriptor."""

from __future__ import annotations

import pytest

from tests.faces.world import check, ffi, lib, made
from tests.faults.exhausted import full_table


def test_an_engine_can_be_connected(capfd: pytest.CaptureFixture[str]) -> None:
    """It asks whether the program is of generation 2."""
    devices, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    check(lib.doca_devinfo_create_list(devices, number))
    device = made(lib.doca_dev_open, devices[0][1])
    engine, client = made(lib.doca_pe_create), made(lib.doca_comch_client_create, device, b"svc")
    context = lib.doca_comch_client_as_ctx(client)
    with full_table():
        code = lib.doca_pe_connect_ctx(engine, context)
    assert capfd.readouterr().err == ""
    assert code == lib.DOCA_SUCCESS
    for end, thing in (
        (lib.doca_comch_client_destroy, client),
        (lib.doca_pe_destroy, engine),
        (lib.doca_dev_close, device),
        (lib.doca_devinfo_destroy_list, devices[0]),
    ):
        check(end(thing))
