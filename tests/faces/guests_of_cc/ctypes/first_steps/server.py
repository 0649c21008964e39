from common import *

create = function(cc, "doca_cc_server_create", c_int, P, P, c_char_p, POINTER(P))
destroy = function(cc, "doca_cc_server_destroy", c_int, P)
as_ctx = function(cc, "doca_cc_server_as_ctx", P, P)
conf = function(cc, "doca_cc_server_task_send_set_conf", c_int, P, SENT, SENT, c_uint32)
alloc = function(cc, "doca_cc_server_task_send_alloc_init", c_int, P, P, c_char_p, c_uint32, POINTER(P))
on_recv = function(cc, "doca_cc_server_event_msg_recv_register", c_int, P, RECEIVED)
on_conn = function(cc, "doca_cc_server_event_connection_register", c_int, P, CONNECTION, CONNECTION)

dev = open_device(b"03:00.0")
reps, n, rep, pe, server = POINTER(P)(), c_uint32(), P(), P(), P()
check(rep_list(dev, 2, byref(reps), byref(n)))
check(rep_open(reps[0], byref(rep)))
check(rep_destroy(reps))
check(pe_create(byref(pe)))
check(create(dev, rep, b"steps", byref(server)))
ctx = as_ctx(server)
left = False


@RECEIVED
def received(event, data, length, connection):
    text = string_at(data, length)
    print("got", text)
    task = P()
    check(alloc(server, connection, text[::-1], length, byref(task)))
    check(submit(as_task(task)))


@CONNECTION
def up(event, connection, successful):
    print("up", successful)


@CONNECTION
def down(event, connection, successful):
    global left
    left = True


check(conf(server, free, free, 10))
check(on_recv(server, received))
check(on_conn(server, up, down))
check(connect_ctx(pe, ctx))
check(start(ctx))
print("listening", flush=True)
while not left:
    progress(pe)
stop(ctx)
while state(ctx):
    progress(pe)
check(destroy(server))
check(pe_destroy(pe))
check(rep_close(rep))
check(dev_close(dev))
