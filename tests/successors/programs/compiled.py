"""The words of DOCA 2.5 through a module that cffi compiles against the header."""

import importlib
import sys
import tempfile

from cffi import FFI

builder = FFI()
builder.cdef("""
    typedef enum { DOCA_SUCCESS, ... } doca_error_t;
    struct doca_devinfo; struct doca_cc_server; struct doca_cc_connection; struct doca_cc_event_msg_recv;
    struct doca_cc_producer; struct doca_buf; struct doca_cc_producer_send_task;
    typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer,
        size_t msg_len, struct doca_cc_connection *cc_connection);
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);
    doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, size_t *size);
    doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *, doca_cc_event_msg_recv_cb_t);
    doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *, struct doca_buf *, int,
        struct doca_cc_producer_send_task **);
    struct doca_buf *doca_cc_producer_send_task_get_buf(struct doca_cc_producer_send_task *);
    enum doca_cc_counter { DOCA_CC_COUNTER_SENT_MESSAGES, ... };
""")
builder.set_source(
    "_chan_api",
    "#include <doca_dev.h>\n#include <doca_cc.h>\n#include <doca_cc_producer.h>",
    libraries=["doca_cc", "doca_common"],
)
with tempfile.TemporaryDirectory() as folder:
    builder.compile(tmpdir=folder)
    sys.path.insert(0, folder)
    chan = importlib.import_module("_chan_api")
ffi, lib = chan.ffi, chan.lib
infos, n = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
assert lib.doca_devinfo_create_list(infos, n) == lib.DOCA_SUCCESS
size = ffi.new("size_t *")
print(lib.doca_cc_cap_get_max_msg_size(infos[0][0], size), size[0], lib.DOCA_CC_COUNTER_SENT_MESSAGES)
print(lib.doca_cc_producer_send_task_alloc_init(ffi.NULL, ffi.NULL, 1, ffi.NULL))
lib.doca_devinfo_destroy_list(infos[0])
