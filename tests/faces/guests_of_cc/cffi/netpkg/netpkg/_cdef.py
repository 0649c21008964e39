"""Text only: the build of the old days made a module of it."""

CORE = """
typedef int doca_error_t;
typedef struct doca_pe doca_pe; typedef struct doca_ctx doca_ctx; typedef struct doca_dev doca_dev;
typedef struct doca_dev_rep doca_dev_rep; typedef struct doca_devinfo doca_devinfo; typedef struct doca_task doca_task;
typedef struct doca_devinfo_rep doca_devinfo_rep;
doca_error_t doca_devinfo_create_list(doca_devinfo ***, uint32_t *);
doca_error_t doca_devinfo_destroy_list(doca_devinfo **);
doca_error_t doca_devinfo_rep_create_list(doca_dev *, int, doca_devinfo_rep ***, uint32_t *);
doca_error_t doca_devinfo_rep_destroy_list(doca_devinfo_rep **);
doca_error_t doca_dev_open(doca_devinfo *, doca_dev **);
doca_error_t doca_dev_close(doca_dev *);
doca_error_t doca_dev_rep_open(doca_devinfo_rep *, doca_dev_rep **);
doca_error_t doca_dev_rep_close(doca_dev_rep *);
doca_error_t doca_pe_create(doca_pe **);
doca_error_t doca_pe_destroy(doca_pe *);
uint8_t doca_pe_progress(doca_pe *);
doca_error_t doca_pe_connect_ctx(doca_pe *, doca_ctx *);
doca_error_t doca_ctx_start(doca_ctx *);
doca_error_t doca_ctx_stop(doca_ctx *);
doca_error_t doca_ctx_get_state(const doca_ctx *, int *);
doca_error_t doca_ctx_set_user_data(doca_ctx *, void *);
doca_error_t doca_task_submit(doca_task *);
void doca_task_free(doca_task *);
const char *doca_error_get_name(doca_error_t);
"""
CHANNEL = """
typedef struct doca_cc_server doca_cc_server; typedef struct doca_cc_client doca_cc_client;
typedef struct doca_cc_connection doca_cc_connection; typedef struct doca_cc_task_send doca_cc_task_send;
typedef void (*completion)(doca_cc_task_send *, void *, void *);
typedef void (*message)(void *, uint8_t *, uint32_t, doca_cc_connection *);
typedef void (*status)(void *, doca_cc_connection *, uint8_t);
doca_error_t doca_cc_cap_server_is_supported(const doca_devinfo *);
doca_error_t doca_cc_cap_client_is_supported(const doca_devinfo *);
doca_task *doca_cc_task_send_as_task(doca_cc_task_send *);
doca_ctx *doca_cc_server_as_ctx(doca_cc_server *);
doca_ctx *doca_cc_client_as_ctx(doca_cc_client *);
doca_error_t doca_cc_server_create(doca_dev *, doca_dev_rep *, const char *, doca_cc_server **);
doca_error_t doca_cc_client_create(doca_dev *, const char *, doca_cc_client **);
doca_error_t doca_cc_server_destroy(doca_cc_server *);
doca_error_t doca_cc_client_destroy(doca_cc_client *);
doca_error_t doca_cc_client_get_connection(const doca_cc_client *, doca_cc_connection **);
doca_error_t doca_cc_server_event_connection_register(doca_cc_server *, status, status);
"""
BOTH = """
doca_error_t doca_cc_%(side)s_task_send_set_conf(doca_cc_%(side)s *, completion, completion, uint32_t);
doca_error_t doca_cc_%(side)s_task_send_alloc_init(doca_cc_%(side)s *, doca_cc_connection *, const void *, uint32_t,
                                                   doca_cc_task_send **);
doca_error_t doca_cc_%(side)s_event_msg_recv_register(doca_cc_%(side)s *, message);
"""
