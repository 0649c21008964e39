/* A client that sends its text when it is running, and leaves when it has an answer. */
#include "field.h"

DOCA_LOG_REGISTER(FIELD::CLIENT);

struct objects {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_comch_client *client;
	const char *text;
	doca_error_t result;
	bool finished, idle;
};

static doca_error_t send_text(struct objects *objects)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;
	doca_error_t result;

	result = doca_comch_client_get_connection(objects->client, &connection);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_task_send_alloc_init(objects->client, connection, objects->text,
							(uint32_t)strlen(objects->text), &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
	return result;
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev_state,
			  enum doca_ctx_states next_state)
{
	struct objects *objects = (struct objects *)user_data.ptr;

	(void)ctx;
	if (next_state == DOCA_CTX_STATE_RUNNING) {
		objects->result = send_text(objects);
	} else if (next_state == DOCA_CTX_STATE_IDLE) {
		objects->idle = true;
		if (prev_state == DOCA_CTX_STATE_STARTING) {
			objects->result = DOCA_ERROR_CONNECTION_ABORTED;
			objects->finished = true;
		}
	}
}

static void send_done(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	DOCA_LOG_DBG("sent");
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct objects *objects = (struct objects *)ctx_user_data.ptr;

	(void)task_user_data;
	objects->result = doca_task_get_status(doca_comch_task_send_as_task(task));
	objects->finished = true;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void message_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
			     struct doca_comch_connection *comch_connection)
{
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(comch_connection);
	union doca_data user_data;

	(void)event;
	printf("received '%.*s'\n", (int)msg_len, (char *)recv_buffer);
	if (doca_ctx_get_user_data(doca_comch_client_as_ctx(client), &user_data) == DOCA_SUCCESS)
		((struct objects *)user_data.ptr)->finished = true;
}

static doca_error_t start(struct objects *objects)
{
	union doca_data user_data;
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_comch_client_create(objects->dev, "field control", &objects->client);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_comch_client_as_ctx(objects->client);
	user_data.ptr = objects;
	result = doca_pe_connect_ctx(objects->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_state_changed_cb(ctx, state_changed);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_task_send_set_conf(objects->client, send_done, send_failed, 4);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_event_msg_recv_register(objects->client, message_received);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_set_max_msg_size(objects->client, 4080);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	if (result == DOCA_ERROR_IN_PROGRESS)
		return DOCA_SUCCESS;
	(void)doca_comch_client_destroy(objects->client);
	return result;
}

int main(int argc, char **argv)
{
	struct field_config conf;
	struct objects objects;
	doca_error_t result;

	memset(&objects, 0, sizeof(objects));
	result = field_begin("ctrl_client", argc, argv, &conf);
	if (result != DOCA_SUCCESS)
		goto end;
	objects.text = conf.text;
	result = field_open_dev(conf.dev_pci_addr, doca_comch_cap_client_is_supported, &objects.dev);
	if (result != DOCA_SUCCESS)
		goto end;
	result = doca_pe_create(&objects.pe);
	if (result != DOCA_SUCCESS)
		goto close_dev;
	result = start(&objects);
	if (result != DOCA_SUCCESS)
		goto destroy_pe;
	result = field_progress(objects.pe, &objects.finished);
	field_keep(&result, objects.result);
	if (!objects.idle)
		field_keep(&result, field_stop(objects.pe, doca_comch_client_as_ctx(objects.client), &objects.idle));
	field_keep(&result, doca_comch_client_destroy(objects.client));
destroy_pe:
	field_keep(&result, doca_pe_destroy(objects.pe));
close_dev:
	field_keep(&result, doca_dev_close(objects.dev));
end:
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
