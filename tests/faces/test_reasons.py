"""Why a call of generation 1 was refused stands in the SDK log, as for those of the later generations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import python

LOGGED = """
import sys
from tests.faces.world import World, check, ffi, lib, made
file = open(sys.argv[1], "wb")
backend = made(lib.doca_log_backend_create_with_file_sdk, file)
check(lib.doca_log_backend_set_sdk_level(backend, int(sys.argv[2])))
world = World("reasons")
client, peer = (world.handles[f"doca_comm_channel_{kind}_t"] for kind in ("ep", "addr"))
buffer, length, sender = ffi.new("char[64]"), ffi.new("size_t *", 64), ffi.new("struct doca_comm_channel_addr_t **")

def expect(code, result):
    assert result == code, ffi.string(lib.doca_error_get_name(result))

expect(lib.DOCA_ERROR_AGAIN, lib.doca_comm_channel_ep_sendto(client, b"x", 1, 0, peer))
expect(lib.DOCA_ERROR_AGAIN, lib.doca_comm_channel_ep_recvfrom(client, buffer, length, 0, sender))
new = made(lib.doca_comm_channel_ep_create)
print(lib.doca_comm_channel_ep_listen(new, b"x"))
print(lib.doca_comm_channel_ep_set_max_msg_size(client, 100))
print(lib.doca_comm_channel_ep_sendto(client, b"x", 1, 7, peer))
print(lib.doca_comm_channel_ep_recvfrom(new, buffer, length, 0, sender))
check(lib.doca_comm_channel_ep_destroy(new))
print(lib.doca_comm_channel_ep_sendto(new, b"x", 1, 0, peer))
print(lib.doca_comm_channel_ep_recvfrom(new, buffer, length, 0, sender))
peers, number = ffi.new("struct doca_comm_channel_addr_t ***"), ffi.new("uint32_t *")
print(lib.doca_comm_channel_ep_get_peer_addr_list(new, peers, number))
world.close()
"""
WARNING, INFO, DEBUG = 40, 50, 60
REASONS = ("device", "max_msg_size", "flags 7", "listen or connect first", "ep_t", "ep_t", "NULL")


def logged(tmp_path: Path, level: int, program: str = LOGGED) -> tuple[list[int], list[str]]:
    """The codes of the calls that are refused, and what stands in the log."""
    log = tmp_path / "log"
    ended = python("-c", program, str(log), str(level)).finish()
    assert ended.returncode == 0, ended.stderr
    return [int(code) for code in ended.stdout.split()], log.read_text(encoding="utf-8").splitlines()


def test_each_refusal_is_logged_once_with_its_reason(tmp_path: Path) -> None:
    codes, lines = logged(tmp_path, DEBUG)
    lines = [line for line in lines if "[INF]" not in line]  # what became of connections
    assert all(codes)
    assert len(lines) == len(codes) == len(REASONS), lines
    for line, reason in zip(lines, REASONS, strict=True):
        assert "[COMCH]" in line
        assert reason in line


def test_a_program_that_asks_for_warnings_is_not_bothered(tmp_path: Path) -> None:
    _, lines = logged(tmp_path, WARNING)
    assert lines == []


EVENTS = """
import sys
from tests.faces.world import World, check, ffi, lib, made
file = open(sys.argv[1], "wb")
backend = made(lib.doca_log_backend_create_with_file_sdk, file)
check(lib.doca_log_backend_set_sdk_level(backend, int(sys.argv[2])))
world = World("events")
event = world.callback("doca_comch_event_consumer_cb_t")
changed = world.callback("doca_comch_event_connection_status_changed_cb_t")
rep = world.handles["doca_dev_rep"]

def made_with(side, size, *args):
    context = made(getattr(lib, f"doca_comch_{side}_create"), *args)
    world._configure(side, context, event, event)
    check(getattr(lib, f"doca_comch_{side}_set_max_msg_size")(context, size))
    return context

server = made_with("server", 1000, world.dpu, rep, b"sized")
check(lib.doca_comch_server_event_connection_status_changed_register(server, changed, changed))
check(lib.doca_ctx_start(lib.doca_comch_server_as_ctx(server)))
for name in (b"nobody", b"sized"):
    ctx = lib.doca_comch_client_as_ctx(made_with("client", 100, world.host, name))
    check(lib.doca_ctx_start(ctx), lib.DOCA_ERROR_IN_PROGRESS)
    world.progress_until(lambda: made(lib.doca_ctx_get_state, ctx) == lib.DOCA_CTX_STATE_IDLE)
"""


def test_why_a_connection_could_not_be_made(tmp_path: Path) -> None:
    _, lines = logged(tmp_path, INFO, EVENTS)
    text = "\n".join(lines)
    assert "connection to 'nobody' failed: nobody listens on it" in text
    assert "server 'sized' refuses the client of process" in text
    assert "connection to 'sized' failed: the server refuses" in text
    _, lines = logged(tmp_path, WARNING, EVENTS)
    assert [line.partition("[COMCH]")[0][-5:] for line in lines] == ["[WRN]"]


OF_1_4 = """
import ctypes, sys
from comm_channel_compat.libraries import find
channel, common = ctypes.CDLL(find("libdoca_comm_channel.so.2")), ctypes.CDLL(find("libdoca_common.so.2"))
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
log, backend = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w")), ctypes.c_void_p()
assert common.doca_log_backend_create_with_file_sdk(log, ctypes.byref(backend)) == 0
assert common.doca_log_backend_set_sdk_level(backend, int(sys.argv[2])) == 0
endpoint, attributes = ctypes.c_void_p(), (ctypes.c_uint32 * 4)()
assert channel.doca_comm_channel_ep_create(attributes, ctypes.byref(endpoint)) == 0
buffer, length, sender = ctypes.create_string_buffer(64), ctypes.c_size_t(64), ctypes.c_void_p()
print(channel.doca_comm_channel_ep_sendto(endpoint, buffer, ctypes.c_size_t(1), 0, None))
print(channel.doca_comm_channel_ep_recvfrom(endpoint, buffer, ctypes.byref(length), 0, ctypes.byref(sender)))
libc.fflush(None)
"""


def test_the_calls_of_1_4_that_wait_have_reasons_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_COMPAT_DOCA", "1.4")
    codes, lines = logged(tmp_path, DEBUG, OF_1_4)
    assert all(codes)
    assert ["send_to" in lines[0], "receive" in lines[1], len(lines)] == [True, True, 2], lines
