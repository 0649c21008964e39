#!/usr/bin/env python3
# What the library refuses, by name: DOCA 2.5, C names.
from doca_cc import *


def report(what, result):
    rc = result if not isinstance(result, tuple) else result[0]
    print(what + ":", doca_error_get_name(rc))
    return rc


def freed(task, task_user_data, ctx_user_data):
    doca_task_free(doca_cc_send_task_as_task(task))


def dropped(event, recv_buffer, msg_len, cc_connection):
    pass


def status(event, cc_connection, change_success):
    pass


def configure(server):
    assert doca_cc_server_send_task_set_conf(server, freed, freed, 4) == DOCA_SUCCESS
    assert doca_cc_server_event_msg_recv_register(server, dropped) == DOCA_SUCCESS
    assert doca_cc_server_event_connection_register(server, status, status) == DOCA_SUCCESS


rc, infos, n = doca_devinfo_create_list()
dev = None
for info in infos:
    rc, equal = doca_devinfo_is_equal_pci_addr(info, "03:00.0")
    if rc == DOCA_SUCCESS and equal:
        rc, dev = doca_dev_open(info)
        rc, max_msg = doca_cc_cap_get_max_msg_size(info)
        rc, max_name = doca_cc_cap_get_max_name_len(info)
rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
rc, rep = doca_dev_rep_open(reps[0])

report("server without device", doca_cc_server_create(None, rep, "probe"))
report("server without name", doca_cc_server_create(dev, rep, None))
report("name too long", doca_cc_server_create(dev, rep, "x" * max_name))
rc, server = doca_cc_server_create(dev, rep, "probe")
assert rc == DOCA_SUCCESS
ctx = doca_cc_server_as_ctx(server)
report("tasks 2 ** 40", doca_cc_server_send_task_set_conf(server, freed, freed, 40))
report("message of 0", doca_cc_server_set_max_msg_size(server, 0))
report("message too large", doca_cc_server_set_max_msg_size(server, max_msg + 1))
rc, pe = doca_pe_create()
assert doca_pe_connect_ctx(pe, ctx) == DOCA_SUCCESS
report("start without configuration", doca_ctx_start(ctx))
rc, client = doca_cc_client_create(dev, "probe")
rc, connection = doca_cc_client_get_connection(client)
print("no connection yet:", connection)
assert doca_cc_client_destroy(client) == DOCA_SUCCESS
configure(server)
report("start", doca_ctx_start(ctx))
rc, other = doca_cc_server_create(dev, rep, "probe")
configure(other)
octx = doca_cc_server_as_ctx(other)
assert doca_pe_connect_ctx(pe, octx) == DOCA_SUCCESS
report("second server", doca_ctx_start(octx))
report("set while running", doca_cc_server_set_recv_queue_size(server, 16))
report("destroy while running", doca_cc_server_destroy(server))
report("stop", doca_ctx_stop(ctx))
print("destroyed:", [doca_cc_server_destroy(other), doca_cc_server_destroy(server), doca_pe_destroy(pe)])
doca_dev_rep_close(rep)
doca_dev_close(dev)
