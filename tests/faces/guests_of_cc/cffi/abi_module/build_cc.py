"""Writes the module _cc.py beside this file's copy in a scratch folder: cffi's out-of-line ABI mode."""
import tempfile

from cffi import FFI

builder = FFI()
builder.set_source("_cc", None)
builder.cdef("""
    typedef enum { DOCA_SUCCESS, DOCA_ERROR_INVALID_VALUE = 6, DOCA_ERROR_IN_PROGRESS = 26 } doca_error_t;
    enum { COUNTER_SENT_MESSAGES = 1, COUNTER_SENT_BYTES, COUNTER_RECV_MESSAGES, COUNTER_RECV_BYTES };
    typedef struct doca_dev *dev_p; typedef struct doca_cc_connection *connection_p; typedef struct doca_pe *pe_p;
    typedef struct doca_ctx *ctx_p; typedef struct doca_cc_client *client_p; typedef struct doca_cc_server *server_p;
    typedef struct doca_task *task_p; typedef struct doca_cc_task_send *send_p;
    typedef void done_f(send_p, uint64_t, uint64_t);
    typedef void recv_f(void *, uint8_t *, uint32_t, connection_p);
    typedef void conn_f(void *, connection_p, uint8_t);
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***, uint32_t *);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **);
    doca_error_t doca_devinfo_is_equal_pci_addr(struct doca_devinfo *, const char *, uint8_t *);
    doca_error_t doca_devinfo_rep_create_list(dev_p, int, struct doca_devinfo_rep ***, uint32_t *);
    doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **);
    doca_error_t doca_dev_open(struct doca_devinfo *, dev_p *);
    doca_error_t doca_dev_close(dev_p);
    doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *, struct doca_dev_rep **);
    doca_error_t doca_dev_rep_close(struct doca_dev_rep *);
    doca_error_t doca_pe_create(pe_p *);
    doca_error_t doca_pe_destroy(pe_p);
    uint8_t doca_pe_progress(pe_p);
    doca_error_t doca_pe_connect_ctx(pe_p, ctx_p);
    doca_error_t doca_ctx_start(ctx_p);
    doca_error_t doca_ctx_stop(ctx_p);
    doca_error_t doca_ctx_get_state(ctx_p, int *);
    doca_error_t doca_task_submit(task_p);
    void doca_task_free(task_p);
    task_p doca_cc_task_send_as_task(send_p);
    ctx_p doca_cc_server_as_ctx(server_p);
    ctx_p doca_cc_client_as_ctx(client_p);
    doca_error_t doca_cc_server_create(dev_p, struct doca_dev_rep *, const char *, server_p *);
    doca_error_t doca_cc_server_destroy(server_p);
    doca_error_t doca_cc_server_get_device(server_p, dev_p *);
    doca_error_t doca_cc_server_task_send_set_conf(server_p, done_f *, done_f *, uint32_t);
    doca_error_t doca_cc_server_event_msg_recv_register(server_p, recv_f *);
    doca_error_t doca_cc_server_event_connection_register(server_p, conn_f *, conn_f *);
    doca_error_t doca_cc_client_create(dev_p, const char *, client_p *);
    doca_error_t doca_cc_client_destroy(client_p);
    doca_error_t doca_cc_client_get_connection(client_p, connection_p *);
    doca_error_t doca_cc_client_task_send_set_conf(client_p, done_f *, done_f *, uint32_t);
    doca_error_t doca_cc_client_task_send_alloc_init(client_p, connection_p, const void *, uint32_t, send_p *);
    doca_error_t doca_cc_client_event_msg_recv_register(client_p, recv_f *);
    doca_error_t doca_cc_connection_update_info(connection_p);
    doca_error_t doca_cc_connection_get_counter(connection_p, int, uint64_t *);
""")

def build():
    folder = tempfile.TemporaryDirectory()
    builder.compile(tmpdir=folder.name)
    return folder
