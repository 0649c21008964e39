/* A secure channel over control messages: both sides send a number of them at once and count what they get. The device
 * decides the side. Contexts are stopped inside callbacks, with tasks in flight, and destroyed when they report IDLE. */
#include "field.h"

DOCA_LOG_REGISTER(FIELD::SECURE_CHANNEL);

#define SERVICE "field secure"
#define TASKS 16

struct channel {
	struct field_config conf;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection;
	int submitted, sent, received, wrong;
	bool ready, idle;
	doca_error_t result;
};

static struct channel channel;

static void stop_now(void)
{
	doca_error_t result = doca_ctx_stop(channel.ctx);

	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		channel.result = result;
}

/* The client has all; the server stops when the client has left. */
static void leave_if_done(void)
{
	if (channel.client != NULL && channel.sent == channel.conf.number && channel.received == channel.conf.number)
		stop_now();
}

static doca_error_t send_next(void)
{
	struct doca_comch_task_send *task;
	char text[64];
	doca_error_t result;
	int length;

	length = snprintf(text, sizeof(text), "message %d", channel.submitted);
	if (channel.server != NULL)
		result = doca_comch_server_task_send_alloc_init(channel.server, channel.connection, text,
								(uint32_t)length, &task);
	else
		result = doca_comch_client_task_send_alloc_init(channel.client, channel.connection, text,
								(uint32_t)length, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result == DOCA_SUCCESS)
		channel.submitted++;
	else
		doca_task_free(doca_comch_task_send_as_task(task));
	return result;
}

static void send_done(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_task_send_as_task(task));
	channel.sent++;
	if (channel.submitted < channel.conf.number)
		channel.result = send_next();
	leave_if_done();
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	channel.result = doca_task_get_status(doca_comch_task_send_as_task(task));
	doca_task_free(doca_comch_task_send_as_task(task));
	stop_now();
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		     struct doca_comch_connection *comch_connection)
{
	char expected[64];
	int length;

	(void)event;
	(void)comch_connection;
	length = snprintf(expected, sizeof(expected), "message %d", channel.received);
	if ((uint32_t)length != msg_len || memcmp(expected, recv_buffer, msg_len) != 0)
		channel.wrong++;
	channel.received++;
	leave_if_done();
}

static void begin(struct doca_comch_connection *connection)
{
	int i;

	channel.connection = connection;
	channel.ready = true;
	for (i = 0; channel.result == DOCA_SUCCESS && i < TASKS && channel.submitted < channel.conf.number; i++)
		channel.result = send_next();
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *comch_connection, uint8_t change_successful)
{
	(void)event;
	if (change_successful)
		begin(comch_connection);
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *comch_connection, uint8_t change_successful)
{
	(void)event;
	(void)comch_connection;
	(void)change_successful;
	stop_now();
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev_state,
			  enum doca_ctx_states next_state)
{
	struct doca_comch_connection *connection;

	(void)user_data;
	(void)ctx;
	(void)prev_state;
	if (next_state == DOCA_CTX_STATE_IDLE)
		channel.idle = true;
	if (next_state != DOCA_CTX_STATE_RUNNING || channel.client == NULL)
		return;
	channel.result = doca_comch_client_get_connection(channel.client, &connection);
	if (channel.result == DOCA_SUCCESS)
		begin(connection);
}

static doca_error_t make_server(void)
{
	doca_error_t result = doca_comch_server_create(channel.dev, channel.rep, SERVICE, &channel.server);

	if (result != DOCA_SUCCESS)
		return result;
	channel.ctx = doca_comch_server_as_ctx(channel.server);
	field_keep(&result, doca_comch_server_task_send_set_conf(channel.server, send_done, send_failed, TASKS));
	field_keep(&result, doca_comch_server_event_msg_recv_register(channel.server, received));
	field_keep(&result, doca_comch_server_event_connection_status_changed_register(channel.server, connected,
										       disconnected));
	field_keep(&result, doca_comch_server_set_recv_queue_size(channel.server, TASKS));
	return result;
}

static doca_error_t make_client(void)
{
	doca_error_t result = doca_comch_client_create(channel.dev, SERVICE, &channel.client);

	if (result != DOCA_SUCCESS)
		return result;
	channel.ctx = doca_comch_client_as_ctx(channel.client);
	field_keep(&result, doca_comch_client_task_send_set_conf(channel.client, send_done, send_failed, TASKS));
	field_keep(&result, doca_comch_client_event_msg_recv_register(channel.client, received));
	field_keep(&result, doca_comch_client_set_recv_queue_size(channel.client, TASKS));
	return result;
}

static doca_error_t run(void)
{
	doca_error_t result = channel.rep != NULL ? make_server() : make_client();

	field_keep(&result, doca_pe_connect_ctx(channel.pe, channel.ctx));
	field_keep(&result, doca_ctx_set_state_changed_cb(channel.ctx, state_changed));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_ctx_start(channel.ctx);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		return result;
	if (channel.server != NULL) {
		printf("listening\n");
		fflush(stdout);
	}
	result = field_progress(channel.pe, &channel.idle);
	field_keep(&result, channel.result);
	return result;
}

int main(int argc, char **argv)
{
	doca_error_t result = field_begin("secure_ctrl", argc, argv, &channel.conf);

	if (result != DOCA_SUCCESS)
		goto end;
	result = field_open_dev(channel.conf.dev_pci_addr, NULL, &channel.dev);
	if (result != DOCA_SUCCESS)
		goto end;
	if (doca_comch_cap_server_is_supported(doca_dev_as_devinfo(channel.dev)) == DOCA_SUCCESS)
		result = field_open_rep(channel.dev, channel.conf.rep_pci_addr, &channel.rep);
	if (result != DOCA_SUCCESS)
		goto close_dev;
	result = doca_pe_create(&channel.pe);
	if (result != DOCA_SUCCESS)
		goto close_rep;
	result = run();
	if (channel.server != NULL)
		field_keep(&result, doca_comch_server_destroy(channel.server));
	if (channel.client != NULL)
		field_keep(&result, doca_comch_client_destroy(channel.client));
	field_keep(&result, doca_pe_destroy(channel.pe));
close_rep:
	if (channel.rep != NULL)
		field_keep(&result, doca_dev_rep_close(channel.rep));
close_dev:
	field_keep(&result, doca_dev_close(channel.dev));
end:
	printf("%d sent, %d received, %d wrong\n", channel.sent, channel.received, channel.wrong);
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
