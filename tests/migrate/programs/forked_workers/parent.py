"""The DPU's end: a parent that watches a child; the child serves."""
import os
import sys
import time

from doca_comm_channel import *

COMMANDS = {b"len": lambda word: b"%d" % len(word), b"rev": lambda word: word[::-1], b"end": lambda word: b"bye " + word}


def fail(what, rc):
    print(what, doca_error_get_name(rc), flush=True)
    os._exit(2)


def child(pipe):
    dev = open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    rc, ep = doca_comm_channel_ep_create()
    if rc: fail("create", rc)
    for what, rc in (("device", doca_comm_channel_ep_set_device(ep, dev)),
                     ("representor", doca_comm_channel_ep_set_device_rep(ep, rep)),
                     ("size", doca_comm_channel_ep_set_max_msg_size(ep, 128)),
                     ("listen", doca_comm_channel_ep_listen(ep, "forked_workers"))):
        if rc: fail(what, rc)
    os.write(pipe, b"listening")
    counts = dict.fromkeys(COMMANDS, 0)
    while not counts[b"end"]:
        rc, msg, size, peer = doca_comm_channel_ep_recvfrom(ep, 128, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_ERROR_AGAIN:
            time.sleep(1e-4)
            continue
        if rc == DOCA_ERROR_CONNECTION_RESET:
            doca_comm_channel_ep_disconnect(ep, peer)
            continue
        if rc: fail("recvfrom", rc)
        command, word = msg.split(b" ", 1)
        counts[command] += 1
        answer = COMMANDS[command](word)
        rc = DOCA_ERROR_AGAIN
        while rc == DOCA_ERROR_AGAIN:
            rc = doca_comm_channel_ep_sendto(ep, answer, len(answer), DOCA_CC_MSG_FLAG_NONE, peer)
    doca_comm_channel_ep_destroy(ep)
    doca_dev_rep_close(rep)
    doca_dev_close(dev)
    return counts[b"len"] + counts[b"rev"]


def main():
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        served = child(writer)
        os._exit(served)
    os.close(writer)
    print("child:", os.read(reader, 100).decode())
    _, status = os.waitpid(pid, 0)
    print("served", os.waitstatus_to_exitcode(status))


sys.exit(main())
