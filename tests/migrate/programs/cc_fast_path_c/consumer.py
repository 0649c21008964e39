"""The server on the DPU: posts one buffer and prints what came."""

import sys

from lane import *

objects = lane_objects()
connections = []


def connected(event, cc_connection, change_successful):
    if change_successful:
        connections.append(cc_connection)


def disconnected(event, cc_connection, change_successful):
    connections.clear()


def recv_done(task, task_user_data, ctx_user_data):
    buf = doca_cc_consumer_post_recv_task_get_buf(task)
    rc, length = doca_buf_get_data_len(buf)
    print("got", bytes(ctx_user_data.memory[:length]), task_user_data)
    rc, count = doca_buf_dec_refcount(buf)
    doca_task_free(doca_cc_consumer_post_recv_task_as_task(task))
    ctx_user_data.lines.append(count)


def recv_err(task, task_user_data, ctx_user_data):
    print("err", doca_error_get_name(doca_task_get_status(doca_cc_consumer_post_recv_task_as_task(task))))


def main():
    rc, infos, n = doca_devinfo_list_create()
    dev = None
    for info in infos:
        if doca_devinfo_get_is_pci_addr_equal(info, "03:00.0") == (0, 1):
            rc, dev = doca_dev_open(info)
    check(rc, "dev")
    rc, log = doca_cc_consumer_cap_get_max_log_num_tasks(doca_dev_as_devinfo(dev))
    print("at most", log >= LOG_NUM_TASKS, doca_cc_cap_is_consumer_supported(doca_dev_as_devinfo(dev)))
    doca_devinfo_list_destroy(infos)
    rc, reps, n = doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET)
    rc, rep = doca_dev_rep_open(reps[0])
    rc, objects.pe = doca_pe_create()
    rc, server = doca_cc_server_create(dev, rep, "bulk")
    check(rc, "server")
    check(doca_cc_server_send_task_set_conf(server, send_freed, send_freed, 0), "conf")
    check(doca_cc_server_event_msg_recv_register(server, no_message), "msg")
    check(doca_cc_server_event_connection_register(server, connected, disconnected), "conn")
    check(doca_cc_server_event_consumer_register(server, new_consumer, expired_consumer), "cons")
    start_ctx(objects, doca_cc_server_as_ctx(server))
    print("listening", flush=True)
    while not connections:
        doca_pe_progress(objects.pe)
    make_memory(objects, dev, DOCA_ACCESS_DPU_READ_WRITE)
    rc, objects.consumer = doca_cc_consumer_create(connections[0], objects.mmap)
    check(rc, "consumer")
    check(doca_cc_consumer_post_recv_task_set_conf(objects.consumer, recv_done, recv_err, LOG_NUM_TASKS), "conf")
    objects.consumer_ctx = doca_cc_consumer_as_ctx(objects.consumer)
    start_ctx(objects, objects.consumer_ctx)
    rc, id = doca_cc_consumer_get_id(objects.consumer)
    rc, buf = doca_buf_inventory_buf_by_addr(objects.inv, objects.mmap, objects.memory, BUF_SIZE)
    check(rc, "buf")
    rc, task = doca_cc_consumer_post_recv_task_alloc_init(objects.consumer, buf)
    check(rc, "alloc")
    doca_task_set_user_data(doca_cc_consumer_post_recv_task_as_task(task), "posted")
    check(doca_task_submit(doca_cc_consumer_post_recv_task_as_task(task)), "submit")
    while not objects.lines:
        doca_pe_progress(objects.pe)
    stop_ctx(objects, objects.consumer_ctx)
    check(doca_cc_consumer_destroy(objects.consumer), "destroy")
    free_memory(objects)
    while connections:
        doca_pe_progress(objects.pe)
    stop_ctx(objects, doca_cc_server_as_ctx(server))
    print("destroy", doca_cc_server_destroy(server), doca_pe_destroy(objects.pe))
    return doca_dev_rep_close(rep) or doca_dev_close(dev)


if __name__ == "__main__":
    sys.exit(main())
