"""What C programs alone ask of an engine."""

from __future__ import annotations

from tests.faces.world import check, lib, made


def test_either_event_mode_can_be_set() -> None:
    engine = made(lib.doca_pe_create)
    for mode in (lib.DOCA_PE_EVENT_MODE_PROGRESS_ALL, lib.DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE):
        check(lib.doca_pe_set_event_mode(engine, mode))
    assert lib.doca_pe_set_event_mode(engine, 2) == lib.DOCA_ERROR_INVALID_VALUE
    check(lib.doca_pe_destroy(engine))
    assert lib.doca_pe_set_event_mode(engine, 0) == lib.DOCA_ERROR_INVALID_VALUE
