"""Programs whose flat calls are checked one by one, and left for in the same way, each of them failing once."""

from __future__ import annotations

from tests.migrate.idioms.program import ENDS

__all__ = ["LEAVES"]

MAIN = """
def main(address, size, queue, name):
    dev = cc.open_device(address)
    rc, ep = cc.doca_comm_channel_ep_create()
    LEAVE
    rc = cc.doca_comm_channel_ep_set_device(ep, dev)
    LEAVE
    rc = cc.doca_comm_channel_ep_set_max_msg_size(ep, size)
    LEAVE
    rc = cc.doca_comm_channel_ep_set_send_queue_size(ep, queue)
    LEAVE
    rc, peer = cc.doca_comm_channel_ep_connect(ep, name)
    LEAVE
    while (rc := cc.doca_comm_channel_peer_addr_update_info(peer)) == cc.DOCA_ERROR_CONNECTION_INPROGRESS:
        time.sleep(1e-4)
    LEAVE
    while True:
        rc = cc.doca_comm_channel_ep_sendto(ep, b"hello", 5, cc.DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != cc.DOCA_ERROR_AGAIN:
            break
        time.sleep(1e-4)
    LEAVE
    rc = cc.DOCA_ERROR_AGAIN
    while rc == cc.DOCA_ERROR_AGAIN:
        rc, msg, length, sender = cc.doca_comm_channel_ep_recvfrom(ep, 8, cc.DOCA_CC_MSG_FLAG_NONE)
    LEAVE
    rc = cc.doca_comm_channel_peer_addr_update_info(peer)
    LEAVE
    rc, sent = cc.doca_comm_channel_peer_addr_get_send_messages(peer)
    LEAVE
    print(msg, sent)
    rc = cc.doca_comm_channel_ep_disconnect(ep, peer)
    LEAVE
    rc = cc.doca_comm_channel_ep_disconnect(ep, peer)
    LEAVE
    return rc
"""
TALK = """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    for reply in (b"a reply that is too long", b"short", b"short"):
        while True:
            try:
                data, peer = ep.recvfrom(4080)
                ep.sendto(reply, peer)
                break
            except cc.Again:
                time.sleep(1e-4)
            except cc.ConnectionReset as error:
                ep.disconnect(error.connection)
    os.read(go, 1)

def tried(*args):
    try:
        print(args, main(*args))
    except (RuntimeError, SystemExit) as error:
        print(args, type(error).__name__, error)

child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)
for values in (
    ("03:00.0", 4080, 16, "idioms"),
    ("b1:00.0", 100000, 16, "idioms"),
    ("b1:00.0", 4080, 0, "idioms"),
    ("b1:00.0", 4080, 16, "nobody"),
    ("b1:00.0", 4080, 16, ""),
    ("b1:00.0", 4080, 16, "idioms"),
    ("b1:00.0", 4080, 16, "idioms"),
):
    tried(*values)
os.kill(child, 9)
"""
CHECKS = {
    "returned": """if rc != cc.DOCA_SUCCESS:
        return rc""",
    "said": """if cc.DOCA_IS_ERROR(rc):
        print("failed:", cc.doca_error_get_name(rc))
        return int(rc)""",
    "raised": """if cc.DOCA_SUCCESS != rc:
        raise RuntimeError(f"failed: {rc:d}")""",
    "exit": """if rc:
        sys.exit(rc)""",
}
LEAVES = {name: "import sys" + ENDS + MAIN.replace("LEAVE", check) + TALK for name, check in CHECKS.items()}
