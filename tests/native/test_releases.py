"""The release of the libraries decides how a function is spelled, and which there are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import api
from comch_next.driver import load
from comch_next.driver.native._library import Library, ffi
from tests.native.conftest import Log
from tests.native.stub import build
from tests.native.test_callbacks import Loop

OLDER, NEWER = "2.7", "3.0"
RENAMED = {row.name: row.replaced_by for row in api.functions("comch") if row.replaced_by}


@pytest.fixture(scope="module", params=[OLDER, NEWER])
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {release: build(tmp_path_factory.mktemp("release"), release) for release in (OLDER, NEWER)}


def opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("COMCH_DOCA_LIB", str(path))
    return Library()


def test_the_release_is_read(libraries: dict[str, Path], release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(opened(libraries[release], monkeypatch).version) == f"{release}.85"


def test_functions_are_called_as_their_release_spells_them(
    libraries: dict[str, Path], release: str, monkeypatch: pytest.MonkeyPatch, stub_log: Log
) -> None:
    library = opened(libraries[release], monkeypatch)
    older = {new: old for old, new in RENAMED.items()}
    for new, old in older.items():
        library[new](*map(some, api.function(new).params))
        assert stub_log() == [new if release == NEWER else old]


def some(param: api.Param) -> object:
    """Any argument that the stub library bears."""
    if param.is_output:
        return ffi.new(param.ctype)
    return 0 if param.ctype == "uint32_t" else ffi.NULL


def test_of_two_spellings_that_are_exported_the_release_s_own_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As libraries do that keep an old name for a while."""
    library = opened(build(tmp_path, NEWER, also=RENAMED), monkeypatch)
    old, new = next(iter(RENAMED.items()))
    assert new is not None
    assert library[new] is library._exported(api.function(new))
    assert library._exported(api.function(old)) is not None


def test_a_function_that_the_library_lacks_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stub_log: Log
) -> None:
    path = build(tmp_path, NEWER, without=["doca_task_submit_ex", "doca_ctx_flush_tasks"])
    library = opened(path, monkeypatch)
    with pytest.raises(comch.NotSupported, match=rf"doca_task_submit_ex: {path}, of DOCA 3\.0\.85, has no such"):
        library["doca_task_submit_ex"](None, 0)
    assert stub_log() == []


def test_a_library_that_does_not_tell_its_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it exports decides."""
    library = opened(build(tmp_path, OLDER, without=["doca_version_runtime"]), monkeypatch)
    assert library.version is None
    for old, new in RENAMED.items():
        assert new is not None
        assert library[new] is library._exported(api.function(old))
    with pytest.raises(comch.NotSupported, match="of an unknown release"):
        library["doca_task_submit_ex"]()


def test_what_a_call_returned_is_raised_with_what_the_header_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_driver: None
) -> None:
    monkeypatch.setenv("COMCH_DRIVER", "native")
    monkeypatch.setenv("COMCH_DOCA_LIB", str(build(tmp_path, NEWER)))
    device = comch.devices()[0].open()
    with comch.ProgressEngine() as engine:
        client = comch.Client(device, "svc")
        with pytest.raises(comch.NotConnected, match="doca_ctx_start returned DOCA_ERROR_NOT_CONNECTED: no progress"):
            load().contexts.start(client._handle)
        engine.connect_ctx(client)
        client.destroy()
    device.close()


def test_a_data_path_on_the_dpa_that_the_library_refuses(stub: Log) -> None:
    with comch.devices()[0].open() as device:
        contexts: Any = load().contexts
        client = comch.Client(device, "svc")
        contexts.library["doca_ctx_set_datapath_on_dpa"] = lambda *_: comch.ErrorCode.NOT_SUPPORTED
        with pytest.raises(comch.NotSupported, match="doca_ctx_set_datapath_on_dpa returned"):
            contexts.set_datapath_on_dpa(client._handle, 0x1000)
        with pytest.raises(comch.InvalidValue, match="takes an address, not 'x'"):
            contexts.set_datapath_on_dpa(client._handle, "x")
        client.destroy()


def test_what_is_no_address_is_refused(stub: Log) -> None:
    with comch.BufInventory(1) as inventory, comch.devices()[0].open() as device, comch.Mmap(device, 64) as mmap:
        take: Any = load().buf_inventories.buf_get_by_addr
        for wrong in ("x", None, [1]):
            with pytest.raises(comch.InvalidValue, match="takes an address, not"):
                take(inventory._handle, mmap._handle, wrong, 1)


def test_a_task_stays_the_programs_where_the_library_cannot_submit_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_driver: None
) -> None:
    monkeypatch.setenv("COMCH_DRIVER", "native")
    monkeypatch.setenv("COMCH_DOCA_LIB", str(build(tmp_path, NEWER, without=["doca_task_submit_ex"])))
    loop = Loop()
    loop.run()
    task = loop.client.task_send_alloc_init(loop.client.connection, b"x")
    with pytest.raises(comch.NotSupported, match="has no such function"):
        task.submit_ex(comch.SubmitFlag.FLUSH)
    task.submit()
    while loop.engine.progress():
        pass
    loop.close()
