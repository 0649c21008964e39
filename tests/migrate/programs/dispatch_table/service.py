"""Tables drive everything: steps of the set-up, commands of clients, what to close."""
import sys
import time

from doca_comm_channel import *


class Context:
    """What the steps fill in."""
    name = "dispatch_table"

    def __init__(self):
        self.results = {}


def step_device(ctx):
    ctx.dev = open_device("03:00.0")
    ctx.rep = ctx.dev.open_representor("b1:00.0")
    return DOCA_SUCCESS


def step_create(ctx):
    rc, ctx.ep = doca_comm_channel_ep_create()
    return rc


def step_listen(ctx):
    return doca_comm_channel_ep_listen(ctx.ep, ctx.name)


STEPS = [
    ("device", step_device),
    ("create", step_create),
    ("set device", lambda ctx: doca_comm_channel_ep_set_device(ctx.ep, ctx.dev)),
    ("set representor", lambda ctx: doca_comm_channel_ep_set_device_rep(ctx.ep, ctx.rep)),
    ("listen", step_listen),
]


def do_add(ctx, *numbers):
    return sum(map(int, numbers))


def do_set(ctx, key, value):
    ctx.results[key] = value
    return "ok"


def do_get(ctx, key):
    return ctx.results.get(key, "nothing")


def do_limits(ctx):
    return "/".join(str(get(ctx.ep)[1]) for get in GETTERS.values())


GETTERS = {
    "messages": doca_comm_channel_ep_get_max_msg_size,
    "send": doca_comm_channel_ep_get_send_queue_size,
    "receive": doca_comm_channel_ep_get_recv_queue_size,
}
COMMANDS = {"add": do_add, "set": do_set, "get": do_get, "limits": do_limits}


def run(ctx):
    idle = 0
    while idle < 500000:
        rc, line, _, peer = doca_comm_channel_ep_recvfrom(ctx.ep, 4080, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_ERROR_AGAIN:
            idle += 1
            time.sleep(1e-4)
            continue
        if rc != DOCA_SUCCESS:
            return rc
        idle = 0
        command, *arguments = line.decode().split()
        if command == "quit":
            return DOCA_SUCCESS
        handler = COMMANDS.get(command)
        answer = str(handler(ctx, *arguments)) if handler else f"no command {command}"
        print(line.decode(), "=", answer)
        while (rc := doca_comm_channel_ep_sendto(ctx.ep, answer.encode(), len(answer), 0, peer)) == DOCA_ERROR_AGAIN:
            time.sleep(1e-5)
        if rc:
            return rc
    return DOCA_ERROR_TIME_OUT


def main():
    ctx = Context()
    for label, step in STEPS:
        rc = step(ctx)
        if rc != DOCA_SUCCESS:
            print(label, "failed:", doca_error_get_name(rc))
            return 1
        print(label, end=", " if label != "listen" else "ing\n")
    rc = run(ctx)
    for close, handle in ((doca_comm_channel_ep_destroy, "ep"), (doca_dev_rep_close, "rep"), (doca_dev_close, "dev")):
        rc = close(getattr(ctx, handle)) or rc
    print("closed", doca_error_get_name(rc))
    return rc


if __name__ == "__main__":
    sys.exit(main())
