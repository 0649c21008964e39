"""The libraries as files: SONAMEs, links, symbols, headers for C and C++, pkg-config; and handles that end."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from comch_next import api
from comch_next.capi.binding import Function, Param
from comch_next.capi.handles import HANDLES
from comch_next.declarations.comm_channel import FUNCTIONS
from comm_channel_compat.capi._pointers import ENDPOINT, ENDPOINTS, through
from tests.faces.conftest import MODULES
from tests.faces.support import FOLDERS, PROGRAMS, WARNINGS, compiled, pkg_config, run
from tests.faces.world import World, check, ffi, lib, made
from tests.processes import SOON_S

LIBRARIES = {path.name: path for folder in FOLDERS for path in sorted((folder / "lib").glob("*.so.2"))}
HEADERS = sorted(path.name for folder in FOLDERS for path in (folder / "include").glob("*.h"))


def _read(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SOON_S).stdout


def _symbols(path: Path) -> set[str]:
    lines = _read("nm", "--dynamic", "--defined-only", str(path)).splitlines()
    return {line.split()[-1] for line in lines}


def test_every_library_is_there() -> None:
    assert set(LIBRARIES) == {f"libdoca_{name}.so.2" for name in ("argp", "comch", "comm_channel", "common", "dpa")}


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_has_its_soname_and_its_unversioned_link(name: str) -> None:
    assert f"Library soname: [{name}]" in _read("readelf", "--dynamic", str(LIBRARIES[name]))
    assert (LIBRARIES[name].parent / name.removesuffix(".2")).resolve() == LIBRARIES[name].resolve()


@pytest.mark.parametrize("generation", ["core", "comch", "dpa", "comm_channel"])
def test_every_function_of_the_tables_is_exported(generation: api.Generation) -> None:
    exported = set().union(*map(_symbols, LIBRARIES.values()))
    assert {row.name for row in api.functions(generation)} <= exported


@pytest.mark.parametrize("name", LIBRARIES)
def test_nothing_else_is_exported(name: str) -> None:
    every = {row.name for generation in api.GENERATIONS for row in api.functions(generation)}
    shared = ("abandon", "ended", "invalid", "lacks_python", "log", "report", "start")
    own = {f"comch_face_{what}" for what in shared}
    assert _symbols(LIBRARIES[name]) - every <= own


@pytest.mark.parametrize(
    ("compiler", "standard"), [("gcc", "c99"), ("gcc", "gnu17"), ("g++", "c++11"), ("g++", "c++20")]
)
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_stands_by_itself(header: str, compiler: str, standard: str, tmp_path: Path) -> None:
    source = tmp_path / ("alone.cc" if compiler == "g++" else "alone.c")
    source.write_text(f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n", encoding="ascii")
    modules = pkg_config("--cflags", "doca-comch", "doca-comm-channel")
    command = [compiler, f"-std={standard}", *WARNINGS, "-pedantic", "-fsyntax-only", *modules, str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SOON_S)
    assert ended.returncode == 0, ended.stderr


def test_the_arguments_of_a_format_are_checked(tmp_path: Path) -> None:
    source = tmp_path / "formats.c"
    source.write_text('#include <doca_log.h>\nDOCA_LOG_REGISTER(F);\nvoid f(void) { DOCA_LOG_INFO("%s", 1); }\n')
    command = ["gcc", *WARNINGS, "-fsyntax-only", *pkg_config("--cflags", "doca-common"), str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SOON_S, env={**os.environ, "LC_ALL": "C"})
    assert ended.returncode != 0
    assert "-Werror=format" in ended.stderr


def test_the_module_of_the_oldest_releases_brings_every_library_they_had() -> None:
    assert {"-ldoca_comm_channel", "-ldoca_common", "-ldoca_argp"} <= set(pkg_config("--libs", "doca"))


def test_no_path_of_ours_gets_into_a_program() -> None:
    """It would take the stand-ins where real libraries are."""
    assert not [flag for flag in pkg_config("--libs", *MODULES) if "-rpath," in flag]
    assert pkg_config("--variable=libdir", "doca-comch") == [f"{FOLDERS[0]}/pkgconfig/../lib"]


def test_a_cpp_program_compiles_links_and_runs(tmp_path: Path) -> None:
    program = compiled(tmp_path, [PROGRAMS / "devices.cc"], "doca-comch", compiler="g++")
    ended = run(program).finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == ["0000:03:00.0", *(f"0000:b1:00.{function}" for function in range(4))]


def test_what_is_given_back_leaves_no_handle() -> None:
    before = {tag: set(HANDLES.of_tag(tag)) for tag in list(HANDLES._by_tag)}
    world = World("leaving")
    infos = lib.doca_dev_as_devinfo(world.dpu), lib.doca_dev_rep_as_devinfo(world.handles["doca_dev_rep"])
    assert all(infos)
    world.close()
    assert lib.doca_dev_open(infos[0], ffi.new("struct doca_dev **")) == lib.DOCA_ERROR_INVALID_VALUE
    after = {tag: set(HANDLES.of_tag(tag)) for tag in list(HANDLES._by_tag)}
    assert {tag: left for tag in after if (left := after[tag] - before.get(tag, set()))} == {}


def test_a_clients_next_connection_takes_the_place_of_the_one_before() -> None:
    world = World("lives")
    client = made(lib.doca_comch_client_create, world.host, world.name)
    context = lib.doca_comch_client_as_ctx(client)
    event = world.callback("doca_comch_event_consumer_cb_t")
    world._configure("client", client, event, event)

    def move(call: Any, state: int) -> None:
        check(call(context), lib.DOCA_ERROR_IN_PROGRESS)
        world.progress_until(lambda: made(lib.doca_ctx_get_state, context) == state)

    connections = []
    for _ in range(3):
        move(lib.doca_ctx_start, lib.DOCA_CTX_STATE_RUNNING)
        connections.append(made(lib.doca_comch_client_get_connection, client))
        move(lib.doca_ctx_stop, lib.DOCA_CTX_STATE_IDLE)
    codes = [lib.doca_comch_connection_update_info(connection) for connection in connections]
    assert codes == [lib.DOCA_ERROR_INVALID_VALUE] * 2 + [lib.DOCA_ERROR_CONNECTION_ABORTED]
    check(lib.doca_comch_client_destroy(client))
    world.close()


def test_the_buffers_of_a_list_leave_no_handle() -> None:
    world = World("list")
    inventory, mmap = world.handles["doca_buf_inventory"], world.handles["doca_mmap"]
    before = set(HANDLES.of_tag("doca_buf"))
    get = lib.doca_buf_inventory_buf_get_by_addr
    bufs = [made(get, inventory, mmap, world.memory + 64 * number, 64) for number in range(3)]
    for buf in bufs[1:]:
        check(lib.doca_buf_chain_list(bufs[0], buf))
    check(lib.doca_buf_dec_refcount(bufs[0], ffi.NULL))
    assert set(HANDLES.of_tag("doca_buf")) == before
    assert [lib.doca_buf_dec_refcount(buf, ffi.NULL) for buf in bufs] == [lib.DOCA_ERROR_INVALID_VALUE] * 3
    world.close()


def test_two_threads_destroy_an_endpoint() -> None:
    """One of them finds its handle gone when its own call returns."""
    name = "doca_comm_channel_ep_destroy"
    returns, params = FUNCTIONS[name]
    row = Function(name, returns, tuple(Param(*param) for param in params))
    endpoint = HANDLES.new(ENDPOINT, object())

    def destroy(target: object) -> int:
        assert target is endpoint.target
        HANDLES.drop(endpoint)
        return 0

    assert through(row, destroy, ffi)(endpoint.address) == 0
    assert endpoint.address not in ENDPOINTS
