"""Telemetry agent: answers a request in frames, the next one submitted when the last is sent (DOCA 2.6, C names)."""

import signal
import struct
import sys

import doca_cc as lib

HEAD = struct.Struct("<HHHH")  # request, offset, total, status
CAP = 64
NUM_TASKS = 1 << 4

running = True


class Agent:
    active = None  # (connection, request, payload, offset)
    frames = 0
    hosts = 0
    left = False

    def __init__(self, server):
        self.server = server

    def next_frame(self):
        connection, request, payload, offset = self.active
        part = payload[offset : offset + CAP - HEAD.size]
        frame = HEAD.pack(request, offset, len(payload), 0) + part
        rc, task = lib.doca_cc_server_task_send_alloc_init(self.server, connection, frame, len(frame))
        if rc != lib.DOCA_SUCCESS:
            raise SystemExit("alloc " + lib.doca_error_get_name(rc))
        generic = lib.doca_cc_task_send_as_task(task)
        lib.doca_task_set_user_data(generic, offset + len(part))
        rc = lib.doca_task_submit(generic)
        if rc != lib.DOCA_SUCCESS:
            raise SystemExit("submit " + lib.doca_error_get_name(rc))

    def finished(self):
        return self.active is None


def frame_sent(task, end, agent):
    lib.doca_task_free(lib.doca_cc_task_send_as_task(task))
    connection, request, payload, offset = agent.active
    agent.frames += 1
    if end < len(payload):
        agent.active = connection, request, payload, end
        agent.next_frame()
    else:
        step = CAP - HEAD.size
        print("request %d of %d bytes in %d frames" % (request, len(payload), (len(payload) + step - 1) // step))
        agent.active = None


def frame_lost(task, end, agent):
    print("lost", end, lib.doca_error_get_name(lib.doca_task_get_status(lib.doca_cc_task_send_as_task(task))))
    lib.doca_task_free(lib.doca_cc_task_send_as_task(task))
    agent.active = None


def asked(event, data, size, connection):
    server = lib.doca_cc_server_get_server_ctx(connection)
    rc, agent = lib.doca_ctx_get_user_data(lib.doca_cc_server_as_ctx(server))
    request, total = struct.unpack("<HH", data)
    if total > 1000 or not agent.finished():
        print("request %d ignored" % request)
        return
    pattern = bytes(n % 44 for n in range(total))
    agent.active = connection, request, pattern, 0
    agent.next_frame()


def joined(event, connection, change_successful):
    rc, agent = lib.doca_ctx_get_user_data(
        lib.doca_cc_server_as_ctx(lib.doca_cc_server_get_server_ctx(connection))
    )
    agent.hosts += change_successful


def left(event, connection, change_successful):
    rc, agent = lib.doca_ctx_get_user_data(
        lib.doca_cc_server_as_ctx(lib.doca_cc_server_get_server_ctx(connection))
    )
    agent.hosts -= 1
    agent.left = True


def interrupted(signum, frame):
    global running
    running = False


def open_pair():
    rc, infos, count = lib.doca_devinfo_create_list()
    while count:
        count -= 1
        rc, wanted = lib.doca_devinfo_is_equal_pci_addr(infos[count], "0000:03:00.0")
        if wanted:
            rc, dev = lib.doca_dev_open(infos[count])
            rc, reps, n = lib.doca_devinfo_rep_create_list(dev, lib.DOCA_DEVINFO_REP_FILTER_NET)
            rc, rep = lib.doca_dev_rep_open(reps[0])
            return dev, rep
    return None, None


def main():
    signal.signal(signal.SIGINT, interrupted)
    dev, rep = open_pair()
    if dev is None:
        print("no device", file=sys.stderr)
        return 1
    rc, server = lib.doca_cc_server_create(dev, rep, "agent")
    agent = Agent(server)
    ctx = lib.doca_cc_server_as_ctx(server)
    rc, pe = lib.doca_pe_create()
    steps = (
        ("connect", lambda: lib.doca_pe_connect_ctx(pe, ctx)),
        ("size", lambda: lib.doca_cc_server_set_max_msg_size(server, CAP)),
        ("user data", lambda: lib.doca_ctx_set_user_data(ctx, agent)),
        ("tasks", lambda: lib.doca_cc_server_task_send_set_conf(server, frame_sent, frame_lost, NUM_TASKS)),
        ("messages", lambda: lib.doca_cc_server_event_msg_recv_register(server, asked)),
        ("connections", lambda: lib.doca_cc_server_event_connection_register(server, joined, left)),
        ("start", lambda: lib.doca_ctx_start(ctx)),
    )
    for what, step in steps:
        rc = step()
        if rc != lib.DOCA_SUCCESS:
            print(what, lib.doca_error_get_descr(rc), file=sys.stderr)
            return 1
    print("listening", flush=True)
    while running and not (agent.left and agent.hosts == 0):
        lib.doca_pe_progress(pe)
    print("frames %d, left %d" % (agent.frames, agent.hosts))
    lib.doca_ctx_stop(ctx)
    rc, state = lib.doca_ctx_get_state(ctx)
    while rc == lib.DOCA_SUCCESS and state != lib.DOCA_CTX_STATE_IDLE:
        lib.doca_pe_progress(pe)
        rc, state = lib.doca_ctx_get_state(ctx)
    results = [
        lib.doca_cc_server_destroy(server),
        lib.doca_pe_destroy(pe),
        lib.doca_dev_rep_close(rep),
        lib.doca_dev_close(dev),
    ]
    return max(results)


sys.exit(main())
