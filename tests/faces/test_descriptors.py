"""A process without a free descriptor."""

from __future__ import annotations

import pytest

from comch_next.errors import ErrorCode
from tests.faces.world import check, ffi, lib, made
from tests.faults.exhausted import full_table
from tests.processes import StartPython


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


FIRST_CALL = """
import ctypes
from pathlib import Path
import comch_next
from tests.faults.exhausted import full_table

library = ctypes.CDLL(str(Path(comch_next.__file__).parent / "capi" / "lib" / "libdoca_dpa.so.2"))
with full_table():
    codes = [library.doca_dpa_start(None) for _ in range(2)]
print(*codes, library.doca_dpa_start(None))
"""


def test_a_first_call_without_one_is_not_the_last(start_python: StartPython) -> None:
    """What it imports is imported by the next, when there are descriptors again; the reason is reported once."""
    done = start_python("-c", FIRST_CALL).finish()
    assert done.stderr.count("Too many open files") == 1, done.stderr
    refused = ErrorCode.INITIALIZATION
    assert done.stdout.split() == [str(int(code)) for code in (refused, refused, ErrorCode.INVALID_VALUE)]
