"""The secure channel over control messages through cffi, by the names of C: `SIDE NUMBER`, as field/secure_ctrl.c."""

import sys
import time

from cffi import FFI

from comch_next.api.prototypes import cdef

SERVICE, TASKS = b"field secure", 16
ffi = FFI()
ffi.cdef(cdef("core", "comch"))
common, comch = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_comch.so.2")
side, number = sys.argv[1], int(sys.argv[2])
IN_PROGRESS, IDLE, RUNNING = common.DOCA_ERROR_IN_PROGRESS, common.DOCA_CTX_STATE_IDLE, common.DOCA_CTX_STATE_RUNNING
count = {"submitted": 0, "sent": 0, "received": 0, "wrong": 0}
kept = {}


def check(result, *also):
    if result not in (0, *also):
        sys.exit(ffi.string(common.doca_error_get_name(result)).decode())


def made(call, *args):
    out = ffi.new(ffi.typeof(call).args[len(args)])
    check(call(*args, out))
    return out[0]


def of_side(name):
    return getattr(comch, f"doca_comch_{side}_{name}")


def open_device(address):
    devices, length = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    check(common.doca_devinfo_create_list(devices, length))
    wanted = ffi.new("uint8_t *")
    for info in devices[0][0 : length[0]]:
        check(common.doca_devinfo_is_equal_pci_addr(info, address, wanted))
        if wanted[0]:
            return made(common.doca_dev_open, info)
    return sys.exit("no device")


def open_representor(device):
    representors, length = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    check(common.doca_devinfo_rep_create_list(device, common.DOCA_DEVINFO_REP_FILTER_NET, representors, length))
    return made(common.doca_dev_rep_open, representors[0][0])


def send_next():
    text = b"message %d" % count["submitted"]
    task = made(of_side("task_send_alloc_init"), kept["context"], kept["connection"], text, len(text))
    check(common.doca_task_submit(comch.doca_comch_task_send_as_task(task)))
    count["submitted"] += 1


def begin(connection):
    kept["connection"] = connection
    for _ in range(min(TASKS, number)):
        send_next()


def leave_if_done():
    if side == "client" and count["sent"] == count["received"] == number:
        check(common.doca_ctx_stop(kept["ctx"]), IN_PROGRESS)


@ffi.callback("doca_comch_task_send_completion_cb_t")
def done(task, _task_data, _ctx_data):
    common.doca_task_free(comch.doca_comch_task_send_as_task(task))
    count["sent"] += 1
    if count["submitted"] < number:
        send_next()
    leave_if_done()


@ffi.callback("doca_comch_task_send_completion_cb_t")
def failed(task, _task_data, _ctx_data):
    common.doca_task_free(comch.doca_comch_task_send_as_task(task))
    count["wrong"] += 1


@ffi.callback("doca_comch_event_msg_recv_cb_t")
def received(_event, data, length, _connection):
    count["wrong"] += ffi.buffer(data, length)[:] != b"message %d" % count["received"]
    count["received"] += 1
    leave_if_done()


@ffi.callback("doca_comch_event_connection_status_changed_cb_t")
def connected(_event, connection, ok):
    if ok:
        begin(connection)


@ffi.callback("doca_comch_event_connection_status_changed_cb_t")
def disconnected(_event, _connection, _ok):
    check(common.doca_ctx_stop(kept["ctx"]), IN_PROGRESS)


engine = made(common.doca_pe_create)
if side == "server":
    device = open_device(b"03:00.0")
    kept["context"] = made(comch.doca_comch_server_create, device, open_representor(device), SERVICE)
    register = comch.doca_comch_server_event_connection_status_changed_register
    check(register(kept["context"], connected, disconnected))
else:
    kept["context"] = made(comch.doca_comch_client_create, open_device(b"b1:00.0"), SERVICE)
ctx = kept["ctx"] = of_side("as_ctx")(kept["context"])
check(of_side("task_send_set_conf")(kept["context"], done, failed, TASKS))
check(of_side("event_msg_recv_register")(kept["context"], received))
check(common.doca_pe_connect_ctx(engine, ctx))
check(common.doca_ctx_start(ctx), IN_PROGRESS)
print("listening", flush=True)
while (state := made(common.doca_ctx_get_state, ctx)) != IDLE:
    if side == "client" and state == RUNNING and "connection" not in kept:
        begin(made(comch.doca_comch_client_get_connection, kept["context"]))
    if not common.doca_pe_progress(engine):
        time.sleep(1e-5)
check(of_side("destroy")(kept["context"]))
check(common.doca_pe_destroy(engine))
print(f"{count['sent']} sent, {count['received']} received, {count['wrong']} wrong\nDOCA_SUCCESS")
