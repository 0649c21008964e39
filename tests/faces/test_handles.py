"""The table of handles, which C reads while Python changes it."""

from __future__ import annotations

import time
from functools import partial
from threading import Thread
from typing import Any

import pytest

from comch_next.capi.handles import HANDLES, Handle, Handles
from tests.faces.world import check, ffi, lib, made


def test_what_is_found_while_it_is_dropped_is_not_kept() -> None:
    """C keeps what it has found until the count of drops changes: another thread may look in between."""
    handles = Handles()
    dropped: Any = handles.for_c()[-2]
    found: list[int] = []

    class Table(dict[int, Handle]):
        def pop(self, *args: Any) -> Any:
            found.append(dropped[0])
            return super().pop(*args)

    handles._by_tag["doca_dev"] = Table()
    handles.drop(handles.new("doca_dev", object()))
    assert len(found) == 1
    assert found[0] != dropped[0]


@pytest.mark.parametrize("is_part", [False, True])
def test_threads_that_see_a_target_first_get_one_handle(is_part: bool) -> None:
    """Another one comes in while the first makes its handle."""
    handles, target = Handles(), object()
    owner = handles.new("doca_dev_rep", object())
    see = partial(handles.within, owner) if is_part else handles.of
    new = handles.new
    others: list[Handle | None] = []

    def made_later(*args: Any) -> Handle:
        if not others:
            others.append(None)
            others[0] = see("doca_dev", target)
        return new(*args)

    handles.new = made_later  # type: ignore[method-assign, assignment]
    handle = see("doca_dev", target)
    assert others == [handle]
    assert list(handles.of_tag("doca_dev").values()) == [handle]


def test_what_an_open_representor_is_known_as_ends_with_that_open() -> None:
    """Another open of the same one has its own, though they describe the same."""
    devices, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    check(lib.doca_devinfo_create_list(devices, number))
    device, listed = made(lib.doca_dev_open, devices[0][0]), ffi.new("struct doca_devinfo_rep ***")
    check(lib.doca_devinfo_rep_create_list(device, lib.DOCA_DEVINFO_REP_FILTER_ALL, listed, number))
    opens = [made(lib.doca_dev_rep_open, listed[0][0]) for _ in range(2)]
    infos = [lib.doca_dev_rep_as_devinfo(each) for each in opens]
    text = ffi.new("char[64]")
    assert infos == [lib.doca_dev_rep_as_devinfo(each) for each in opens]
    for place in range(2):
        check(lib.doca_devinfo_rep_get_pci_addr_str(infos[place], text))
        check(lib.doca_dev_rep_close(opens[place]))
        assert lib.doca_devinfo_rep_get_pci_addr_str(infos[place], text) == lib.DOCA_ERROR_INVALID_VALUE
    check(lib.doca_devinfo_rep_destroy_list(listed[0]))
    check(lib.doca_devinfo_destroy_list(devices[0]))
    check(lib.doca_dev_close(device))


def test_a_device_that_two_threads_open_and_close_is_open_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    devices, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    check(lib.doca_devinfo_create_list(devices, number))
    of = HANDLES.of
    codes: set[int] = set()

    def then_others(*args: Any) -> Handle:
        handle = of(*args)
        time.sleep(0)  # lets other threads run
        return handle

    def open_and_close() -> None:
        out = ffi.new("struct doca_dev **")
        for _ in range(1000):
            codes.add(lib.doca_dev_open(devices[0][0], out))
            codes.add(lib.doca_dev_close(out[0]))

    monkeypatch.setattr(HANDLES, "of", then_others)
    threads = [Thread(target=open_and_close) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(lib.doca_devinfo_destroy_list(devices[0]))
    assert codes == {0}
