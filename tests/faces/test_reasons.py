"""Why a call of generation 1 was refused stands in the SDK log, as for those of the later generations."""

from __future__ import annotations

from pathlib import Path

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
WARNING, DEBUG = 40, 60
REASONS = ("device", "max_msg_size", "flags 7", "listen or connect first", "ep_t", "ep_t", "NULL")


def logged(tmp_path: Path, level: int) -> tuple[list[int], list[str]]:
    """The codes of the calls that are refused, and what stands in the log."""
    log = tmp_path / "log"
    ended = python("-c", LOGGED, str(log), str(level)).finish()
    assert ended.returncode == 0, ended.stderr
    return [int(code) for code in ended.stdout.split()], log.read_text(encoding="utf-8").splitlines()


def test_each_refusal_is_logged_once_with_its_reason(tmp_path: Path) -> None:
    codes, lines = logged(tmp_path, DEBUG)
    assert all(codes)
    assert len(lines) == len(codes) == len(REASONS), lines
    for line, reason in zip(lines, REASONS, strict=True):
        assert "[COMCH]" in line
        assert reason in line


def test_a_program_that_asks_for_warnings_is_not_bothered(tmp_path: Path) -> None:
    _, lines = logged(tmp_path, WARNING)
    assert lines == []
