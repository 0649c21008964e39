"""Polls the agent: a generator asks, another puts frames together."""

import struct

from doca_cc import *

HEAD = struct.Struct("<HHHH")
CAP, NUM_TASKS = 64, 16


def must(what, rc):
    if rc not in {DOCA_SUCCESS, DOCA_ERROR_IN_PROGRESS}:
        raise SystemExit("%s: %s" % (what, doca_error_get_name(rc)))


def assemble():
    """Sent frames, yields (request, payload) when one is whole."""
    whole, parts = None, {}
    while True:
        frame = yield whole
        request, offset, total, status = HEAD.unpack_from(frame)
        part = parts.setdefault(request, bytearray(total))
        part[offset : offset + len(frame) - HEAD.size] = frame[HEAD.size :]
        whole = (request, bytes(parts.pop(request))) if offset + len(frame) - HEAD.size == total else None


frames = assemble()
next(frames)
answers = []


def received(event, recv_buffer, msg_len, cc_connection):
    assert msg_len <= CAP
    if (answer := frames.send(recv_buffer)) is not None:
        answers.append(answer)


def sent(task, task_user_data, ctx_user_data):
    doca_task_free(doca_cc_task_send_as_task(task))


def ask(client, connection, request, total):
    rc, task = doca_cc_client_task_send_alloc_init(client, connection, struct.pack("<HH", request, total), 4)
    must("alloc", rc)
    must("submit", doca_task_submit(doca_cc_task_send_as_task(task)))


def session(client, connection):
    ask(client, connection, 1, 300)
    yield
    ask(client, connection, 2, 2000)
    ask(client, connection, 3, 10)
    yield


rc, infos, count = doca_devinfo_create_list()
must("list", rc)
[info] = [info for info in infos if doca_devinfo_is_equal_pci_addr(info, "b1:00.0")[1]]
rc, dev = doca_dev_open(info)
must("open", rc)
must("destroy list", doca_devinfo_destroy_list(infos))
rc, pe = doca_pe_create()
rc, client = doca_cc_client_create(dev, "agent")
must("client", rc)
ctx = doca_cc_client_as_ctx(client)
must("conf", doca_cc_client_task_send_set_conf(client, sent, sent, num_send_tasks=NUM_TASKS))
must("recv", doca_cc_client_event_msg_recv_register(client, received))
must("size", doca_cc_client_set_max_msg_size(client, CAP))
must("pe", doca_pe_connect_ctx(pe, ctx))
must("start", doca_ctx_start(ctx))
while doca_ctx_get_state(ctx) == (DOCA_SUCCESS, DOCA_CTX_STATE_STARTING):
    doca_pe_progress(pe)
rc, connection = doca_cc_client_get_connection(client)
must("connection", rc)
for number, _ in enumerate(session(client, connection), 1):
    while len(answers) < number or doca_ctx_get_num_inflight_tasks(ctx)[1]:
        doca_pe_progress(pe)
for request, payload in answers:
    print("%d: %d bytes %d..%d" % (request, len(payload), min(payload), max(payload)))
rc, cap = doca_cc_client_get_max_msg_size(client)
print("cap", cap, "tasks", NUM_TASKS)
must("stop", doca_ctx_stop(ctx))
while doca_ctx_get_state(ctx) != (DOCA_SUCCESS, DOCA_CTX_STATE_IDLE):
    doca_pe_progress(pe)
must("destroy", doca_cc_client_destroy(client))
must("pe", doca_pe_destroy(pe))
must("dev", doca_dev_close(dev))
