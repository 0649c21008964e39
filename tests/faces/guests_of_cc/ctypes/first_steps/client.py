import time

from common import *

create = function(cc, "doca_cc_client_create", c_int, P, c_char_p, POINTER(P))
destroy = function(cc, "doca_cc_client_destroy", c_int, P)
as_ctx = function(cc, "doca_cc_client_as_ctx", P, P)
conf = function(cc, "doca_cc_client_task_send_set_conf", c_int, P, SENT, SENT, c_uint32)
alloc = function(cc, "doca_cc_client_task_send_alloc_init", c_int, P, P, c_char_p, c_uint32, POINTER(P))
on_recv = function(cc, "doca_cc_client_event_msg_recv_register", c_int, P, RECEIVED)
get_connection = function(cc, "doca_cc_client_get_connection", c_int, P, POINTER(P))

dev = open_device(b"b1:00.0")
pe, client, connection = P(), P(), P()
answers = []


@RECEIVED
def received(event, data, length, connection):
    answers.append(bytes(data[:length]))


check(pe_create(byref(pe)))
check(create(dev, b"steps", byref(client)))
ctx = as_ctx(client)
check(conf(client, free, free, 10))
check(on_recv(client, received))
check(connect_ctx(pe, ctx))
try:
    check(start(ctx))
except OSError as error:
    print(error.strerror)
while state(ctx) == 1:
    time.sleep(1e-5)
    progress(pe)
check(get_connection(client, byref(connection)))
for word in (b"one", b"", b"a\0b"):
    task = P()
    check(alloc(client, connection, word, len(word), byref(task)))
    check(submit(as_task(task)))
while len(answers) < 3:
    progress(pe)
print(answers)
stop(ctx)
while state(ctx):
    progress(pe)
check(destroy(client))
check(pe_destroy(pe))
check(dev_close(dev))
