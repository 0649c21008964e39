"""Squares numbers: the thread of the engine only moves messages, a worker computes (DOCA 2.6)."""

import queue
import struct
import threading

import doca_cc
from doca_cc import (
    DOCA_CTX_STATE_IDLE,
    DOCA_DEVINFO_REP_FILTER_NET,
    DOCA_SUCCESS,
    doca_cc_server_task_send_alloc_init as alloc,
    doca_cc_task_send_as_task as as_task,
)

JOB = struct.Struct("!Iq")
todo, done = queue.Queue(), queue.Queue()
peers, served, history = set(), [], []


def checked(result):
    rc, *rest = result if isinstance(result, tuple) else (result,)
    if rc != DOCA_SUCCESS:
        raise OSError(rc, doca_cc.doca_error_get_descr(rc))
    return rest[0] if len(rest) == 1 else rest


def worker():
    while (job := todo.get()) is not None:
        connection, number, value = job
        done.put((connection, JOB.pack(number, value * value)))
    done.put(None)


def free(task, task_user_data, ctx_user_data):
    doca_cc.doca_task_free(as_task(task))


def on_job(event, recv_buffer, msg_len, cc_connection):
    assert msg_len == JOB.size
    todo.put((cc_connection, *JOB.unpack(recv_buffer)))


def on_connection(event, cc_connection, change_successful):
    if change_successful:
        peers.add(cc_connection)
        served.append(cc_connection)


def on_disconnection(event, cc_connection, change_successful):
    peers.discard(cc_connection)


def on_state(user_data, ctx, prev_state, next_state):
    history.append(next_state)


def open_both():
    infos, count = checked(doca_cc.doca_devinfo_create_list())
    for info in infos:
        if checked(doca_cc.doca_devinfo_is_equal_pci_addr(info, "03:00.0")):
            dev = checked(doca_cc.doca_dev_open(info))
    checked(doca_cc.doca_devinfo_destroy_list(infos))
    reps, count = checked(doca_cc.doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET))
    rep = checked(doca_cc.doca_dev_rep_open(reps[0]))
    checked(doca_cc.doca_devinfo_rep_destroy_list(reps))
    return dev, rep


def main():
    dev, rep = open_both()
    pe = checked(doca_cc.doca_pe_create())
    server = checked(doca_cc.doca_cc_server_create(dev, rep, "farm"))
    ctx = doca_cc.doca_cc_server_as_ctx(server)
    for rc in [
        doca_cc.doca_pe_connect_ctx(pe, ctx),
        doca_cc.doca_ctx_set_state_changed_cb(ctx, on_state),
        doca_cc.doca_cc_server_task_send_set_conf(server, free, free, 64),
        doca_cc.doca_cc_server_event_msg_recv_register(server, on_job),
        doca_cc.doca_cc_server_event_connection_register(server, on_connection, on_disconnection),
        doca_cc.doca_ctx_start(ctx),
    ]:
        checked(rc)
    thread = threading.Thread(target=worker, name="worker")
    thread.start()
    print("listening", flush=True)
    answered = 0
    while len(served) < 2 or peers:
        doca_cc.doca_pe_progress(pe)
        try:
            connection, answer = done.get_nowait()
        except queue.Empty:
            continue
        checked(doca_cc.doca_task_submit(as_task(checked(alloc(server, connection, answer, len(answer))))))
        answered += 1
    todo.put(None)
    thread.join()
    assert done.get() is None
    print("served", answered, "jobs of", len(served), "clients")
    rc = doca_cc.doca_ctx_stop(ctx)
    while checked(doca_cc.doca_ctx_get_state(ctx)) != DOCA_CTX_STATE_IDLE:
        doca_cc.doca_pe_progress(pe)
    names = {getattr(doca_cc, name): name for name in dir(doca_cc) if name.startswith("DOCA_CTX_STATE_")}
    first, *others = [names[state] for state in history if names[state] != "DOCA_CTX_STATE_STARTING"]
    print(first, *[name.rpartition("_")[2] for name in others])
    checked(doca_cc.doca_cc_server_destroy(server))
    checked(doca_cc.doca_pe_destroy(pe))
    checked(doca_cc.doca_dev_rep_close(rep))
    checked(doca_cc.doca_dev_close(dev))


if __name__ == "__main__":
    main()
