"""The client on the host: sends one buffer to the consumer that the server announces."""

import sys

from lane import *


def send_done(task, task_user_data, ctx_user_data):
    buf = doca_cc_producer_send_task_get_buf(task)
    ctx_user_data.lines.append("sent to %d" % (doca_cc_producer_send_task_get_consumer_id(task) > 0))
    doca_buf_refcount_rm(buf)
    doca_task_free(doca_cc_producer_send_task_as_task(task))


def send_err(task, task_user_data, ctx_user_data):
    ctx_user_data.result = doca_task_get_status(doca_cc_producer_send_task_as_task(task))
    send_done(task, task_user_data, ctx_user_data)


def produce(objects, client, dev):
    rc, connection = doca_cc_client_get_connection(client)
    check(rc, "connection")
    make_memory(objects, dev, DOCA_ACCESS_LOCAL_READ_WRITE)
    rc, objects.producer = doca_cc_producer_create(connection)
    check(rc, "producer")
    rc = doca_cc_producer_send_task_set_conf(objects.producer, send_done, send_err, LOG_NUM_TASKS + 1)
    check(rc, "conf")
    objects.producer_ctx = doca_cc_producer_as_ctx(objects.producer)
    start_ctx(objects, objects.producer_ctx)
    while not objects.remote_id:
        doca_pe_progress(objects.pe)
    text = b"bulk data"
    objects.memory[: len(text)] = text
    rc, buf = doca_buf_inventory_buf_by_data(objects.inv, objects.mmap, objects.memory, len(text))
    check(rc, "buf")
    rc, task = doca_cc_producer_send_task_alloc_init(objects.producer, buf, objects.remote_id)
    check(rc, "alloc")
    rc = doca_task_submit(doca_cc_producer_send_task_as_task(task))
    while rc == DOCA_ERROR_AGAIN:
        doca_pe_progress(objects.pe)
        rc = doca_task_submit(doca_cc_producer_send_task_as_task(task))
    check(rc, "submit")
    while not objects.lines:
        doca_pe_progress(objects.pe)
    stop_ctx(objects, objects.producer_ctx)
    check(doca_cc_producer_destroy(objects.producer), "destroy")
    free_memory(objects)


def main():
    objects = lane_objects()
    rc, infos, n = doca_devinfo_create_list()
    for i in range(n):
        rc, equal = doca_devinfo_is_equal_pci_addr(infos[i], "b1:00.0")
        if equal:
            break
    rc, dev = doca_dev_open(infos[i])
    check(rc, "dev")
    rc, objects.pe = doca_pe_create()
    rc, client = doca_cc_client_create(dev, "bulk")
    check(rc, "client")
    check(doca_cc_client_send_task_set_conf(client, send_freed, send_freed, 0), "conf")
    check(doca_cc_client_event_msg_recv_register(client, no_message), "msg")
    check(doca_cc_client_event_consumer_register(client, new_consumer, expired_consumer), "cons")
    ctx = doca_cc_client_as_ctx(client)
    start_ctx(objects, ctx)
    produce(objects, client, dev)
    while objects.expired != objects.remote_id:
        doca_pe_progress(objects.pe)
    stop_ctx(objects, ctx)
    print(objects.lines, objects.result)
    print("destroy", doca_cc_client_destroy(client), doca_pe_destroy(objects.pe))
    return doca_dev_close(dev)


if __name__ == "__main__":
    sys.exit(main())
