"""Lists what each device can do: flat for the numbers, objects for what is supported, and errors of every kind."""

import doca_cc
from doca_cc import *
from doca_cc import capabilities as caps

NUMBERS = {
    "message": doca_cc_cap_get_max_msg_size,
    "name": doca_cc_cap_get_max_name_len,
    "queue": doca_cc_cap_get_max_recv_queue_size,
    "clients": doca_cc_cap_get_max_clients,
    "tasks": doca_cc_cap_get_max_send_tasks,
}


def supported(info):
    found = []
    for name, ask in (("server", cap_server_is_supported), ("client", doca_cc.cap_client_is_supported)):
        try:
            ask(info)
        except NotSupported:
            continue
        found.append(name)
    if doca_cc_producer_cap_is_supported(info) == DOCA_SUCCESS:
        found.append("producer")
    if not DOCA_IS_ERROR(doca_cc_cap_is_consumer_supported(info)):
        found.append("consumer")
    return found


def code_of(call, *args):
    try:
        return call(*args) and "fine"
    except DocaError as error:
        return error.name


rc, infos, count = doca_devinfo_create_list()
print(rc, count > 0)
for info in infos[:1]:
    for what, ask in NUMBERS.items():
        rc, number = ask(info)
        print(what, doca_error_get_name(rc), number > 0)
    rc, log = doca_cc_producer_cap_get_max_log_num_tasks(info)
    rc, most = doca_cc_producer_cap_get_max_num_tasks(info)
    print("log", 1 << log <= most, 1 << log == 1 << most.bit_length() - 1)
    print("same", caps.consumer_cap_get_max_consumers(info) == doca_cc_consumer_cap_get_max_consumers(info)[1])
doca_devinfo_destroy_list(infos)

host, dpu = open_device("b1:00.0"), open_device("03:00.0")
print("host", *supported(host.as_devinfo()))
print("dpu", *supported(dpu.as_devinfo()))
print(code_of(open_device, "77:00.0"))
rc, client = doca_cc_client_create(host, "nobody")
print(rc, doca_cc_client_set_max_msg_size(client, 1 << 30) == DOCA_ERROR_INVALID_VALUE)
rc, engine = doca_pe_create()
context = doca_cc_client_as_ctx(client)
print(doca_pe_connect_ctx(engine, context), doca_error_get_name(doca_ctx_start(context)))
print(doca_cc_client_get_connection(client)[0] == DOCA_ERROR_BAD_STATE)
print(doca_ctx_get_state(context))
print(doca_cc_client_destroy(client), doca_pe_destroy(engine), doca_dev_close(host))
dpu.close()
