/* A server that waits for one client, answers its message, and stops when the client has left. */
#include "field.h"

DOCA_LOG_REGISTER(FIELD::SERVER);

struct objects {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_connection *connection;
	const char *text;
	doca_error_t result;
	bool received, left, idle;
};

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev_state,
			  enum doca_ctx_states next_state)
{
	struct objects *objects = (struct objects *)user_data.ptr;

	(void)ctx;
	(void)prev_state;
	switch (next_state) {
	case DOCA_CTX_STATE_IDLE:
		DOCA_LOG_DBG("server is idle");
		objects->idle = true;
		break;
	case DOCA_CTX_STATE_STARTING:
		objects->result = DOCA_ERROR_UNEXPECTED;
		break;
	case DOCA_CTX_STATE_RUNNING:
		DOCA_LOG_DBG("server is running");
		break;
	case DOCA_CTX_STATE_STOPPING:
		DOCA_LOG_DBG("server is stopping");
		break;
	default:
		break;
	}
}

static void send_done(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct objects *objects = (struct objects *)ctx_user_data.ptr;

	(void)task_user_data;
	objects->result = doca_task_get_status(doca_comch_task_send_as_task(task));
	DOCA_LOG_ERR("send failed: %s", doca_error_get_descr(objects->result));
	doca_task_free(doca_comch_task_send_as_task(task));
	(void)doca_ctx_stop(doca_comch_server_as_ctx(objects->server));
}

static struct objects *objects_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data user_data;

	if (doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &user_data) != DOCA_SUCCESS)
		exit(2);
	return (struct objects *)user_data.ptr;
}

static void message_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
			     struct doca_comch_connection *comch_connection)
{
	struct objects *objects = objects_of(comch_connection);
	struct doca_comch_task_send *task;

	(void)event;
	printf("received '%.*s'\n", (int)msg_len, (char *)recv_buffer);
	objects->received = true;
	objects->result = doca_comch_server_task_send_alloc_init(objects->server, comch_connection, objects->text,
								 (uint32_t)strlen(objects->text), &task);
	if (objects->result == DOCA_SUCCESS)
		objects->result = doca_task_submit(doca_comch_task_send_as_task(task));
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *comch_connection, uint8_t change_successful)
{
	(void)event;
	if (change_successful)
		objects_of(comch_connection)->connection = comch_connection;
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *comch_connection, uint8_t change_successful)
{
	(void)event;
	(void)change_successful;
	objects_of(comch_connection)->left = true;
}

static doca_error_t start(struct objects *objects, const struct field_config *conf)
{
	union doca_data user_data;
	struct doca_ctx *ctx;
	uint32_t size;
	doca_error_t result;

	result = doca_comch_server_create(objects->dev, objects->rep, "field control", &objects->server);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_comch_server_as_ctx(objects->server);
	result = doca_pe_connect_ctx(objects->pe, ctx);
	if (result != DOCA_SUCCESS)
		goto destroy;
	result = doca_ctx_set_state_changed_cb(ctx, state_changed);
	if (result != DOCA_SUCCESS)
		goto destroy;
	result = doca_comch_server_task_send_set_conf(objects->server, send_done, send_failed, (uint32_t)conf->number);
	if (result != DOCA_SUCCESS)
		goto destroy;
	result = doca_comch_server_event_msg_recv_register(objects->server, message_received);
	if (result != DOCA_SUCCESS)
		goto destroy;
	result = doca_comch_server_event_connection_status_changed_register(objects->server, connected, disconnected);
	if (result != DOCA_SUCCESS)
		goto destroy;
	result = doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(objects->dev), &size);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_set_max_msg_size(objects->server, size < 4080 ? size : 4080);
	if (result != DOCA_SUCCESS)
		goto destroy;
	user_data.ptr = objects;
	result = doca_ctx_set_user_data(ctx, user_data);
	if (result != DOCA_SUCCESS)
		goto destroy;
	result = doca_ctx_start(ctx);
	if (result != DOCA_SUCCESS)
		goto destroy;
	return DOCA_SUCCESS;
destroy:
	(void)doca_comch_server_destroy(objects->server);
	objects->server = NULL;
	return result;
}

int main(int argc, char **argv)
{
	struct field_config conf;
	struct objects objects;
	doca_error_t result;

	memset(&objects, 0, sizeof(objects));
	result = field_begin("ctrl_server", argc, argv, &conf);
	if (result != DOCA_SUCCESS)
		goto end;
	objects.text = conf.text;
	result = field_open_dev(conf.dev_pci_addr, doca_comch_cap_server_is_supported, &objects.dev);
	if (result != DOCA_SUCCESS)
		goto end;
	result = field_open_rep(objects.dev, conf.rep_pci_addr, &objects.rep);
	if (result != DOCA_SUCCESS)
		goto close_dev;
	result = doca_pe_create(&objects.pe);
	if (result != DOCA_SUCCESS)
		goto close_rep;
	result = start(&objects, &conf);
	if (result != DOCA_SUCCESS)
		goto destroy_pe;
	printf("listening\n");
	fflush(stdout);
	result = field_progress(objects.pe, &objects.left);
	field_keep(&result, objects.result);
	field_keep(&result, field_stop(objects.pe, doca_comch_server_as_ctx(objects.server), &objects.idle));
	field_keep(&result, doca_comch_server_destroy(objects.server));
destroy_pe:
	field_keep(&result, doca_pe_destroy(objects.pe));
close_rep:
	field_keep(&result, doca_dev_rep_close(objects.rep));
close_dev:
	field_keep(&result, doca_dev_close(objects.dev));
end:
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
