"""The secure channel over control messages through ctypes: `SIDE NUMBER`, as field/secure_ctrl.c."""

import sys
import time
from ctypes import CDLL, CFUNCTYPE, POINTER, Union, byref, c_int, c_uint8, c_uint32, c_uint64, c_void_p, string_at

SERVICE, TASKS = b"field secure", 16
IN_PROGRESS, IDLE, RUNNING = 26, 0, 2
NET = 2  # of enum doca_devinfo_rep_filter


class Data(Union):
    """union doca_data"""

    _fields_ = [("ptr", c_void_p), ("u64", c_uint64)]


common, comch = CDLL("libdoca_common.so.2"), CDLL("libdoca_comch.so.2")
side, number = sys.argv[1], int(sys.argv[2])
count = {"submitted": 0, "sent": 0, "received": 0, "wrong": 0}
kept = {}
Completion = CFUNCTYPE(None, c_void_p, Data, Data)
Received = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32, c_void_p)
Changed = CFUNCTYPE(None, c_void_p, c_void_p, c_uint8)


def check(result, *also):
    if result not in (0, *also):
        sys.exit(f"error {result}")


def made(call, *args):
    out = c_void_p()
    check(call(*args, byref(out)))
    return out


def of_side(name):
    return getattr(comch, f"doca_comch_{side}_{name}")


def open_device(address):
    devices, length, wanted = POINTER(c_void_p)(), c_uint32(), c_uint8()
    check(common.doca_devinfo_create_list(byref(devices), byref(length)))
    for place in range(length.value):
        info = c_void_p(devices[place])
        check(common.doca_devinfo_is_equal_pci_addr(info, address, byref(wanted)))
        if wanted.value:
            return made(common.doca_dev_open, info)
    return sys.exit("no device")


def open_representor(device):
    representors, length = POINTER(c_void_p)(), c_uint32()
    check(common.doca_devinfo_rep_create_list(device, NET, byref(representors), byref(length)))
    return made(common.doca_dev_rep_open, c_void_p(representors[0]))


def send_next():
    text = b"message %d" % count["submitted"]
    task = made(of_side("task_send_alloc_init"), kept["context"], kept["connection"], text, len(text))
    check(common.doca_task_submit(task))
    count["submitted"] += 1


def begin(connection):
    kept["connection"] = connection
    for _ in range(min(TASKS, number)):
        send_next()


def leave_if_done():
    if side == "client" and count["sent"] == count["received"] == number:
        check(common.doca_ctx_stop(kept["context"]), IN_PROGRESS)


@Completion
def done(task, _task_data, _ctx_data):
    common.doca_task_free(c_void_p(task))
    count["sent"] += 1
    if count["submitted"] < number:
        send_next()
    leave_if_done()


@Completion
def failed(task, _task_data, _ctx_data):
    common.doca_task_free(c_void_p(task))
    count["wrong"] += 1


@Received
def received(_event, data, length, _connection):
    count["wrong"] += string_at(data, length) != b"message %d" % count["received"]
    count["received"] += 1
    leave_if_done()


@Changed
def connected(_event, connection, ok):
    if ok:
        begin(c_void_p(connection))


@Changed
def disconnected(_event, _connection, _ok):
    check(common.doca_ctx_stop(kept["context"]), IN_PROGRESS)


engine = made(common.doca_pe_create)
if side == "server":
    device = open_device(b"03:00.0")
    kept["context"] = made(comch.doca_comch_server_create, device, open_representor(device), SERVICE)
    register = comch.doca_comch_server_event_connection_status_changed_register
    check(register(kept["context"], connected, disconnected))
else:
    kept["context"] = made(comch.doca_comch_client_create, open_device(b"b1:00.0"), SERVICE)
check(of_side("task_send_set_conf")(kept["context"], done, failed, TASKS))
check(of_side("event_msg_recv_register")(kept["context"], received))
check(common.doca_pe_connect_ctx(engine, kept["context"]))
check(common.doca_ctx_start(kept["context"]), IN_PROGRESS)
print("listening", flush=True)
state = c_int()
common.doca_pe_progress.restype = c_uint8
while True:
    check(common.doca_ctx_get_state(kept["context"], byref(state)))
    if state.value == IDLE:
        break
    if side == "client" and state.value == RUNNING and "connection" not in kept:
        begin(made(comch.doca_comch_client_get_connection, kept["context"]))
    if not common.doca_pe_progress(engine):
        time.sleep(1e-5)
check(of_side("destroy")(kept["context"]))
check(common.doca_pe_destroy(engine))
print(f"{count['sent']} sent, {count['received']} received, {count['wrong']} wrong\nDOCA_SUCCESS")
