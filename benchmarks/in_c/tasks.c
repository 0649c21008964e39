/* Generation 3: a send task for every message, freed by its completion, and an engine that is polled. */
#include "ping.h"

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_pe.h>

static struct doca_pe *pe;
static struct doca_comch_server *server;
static struct doca_comch_client *client;
static struct doca_ctx *ctx;
static struct doca_comch_connection *connection;
static unsigned long arrived, taken, free_tasks = QUEUE_SIZE;

static void on_sent(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_task_send_as_task(task));
	free_tasks++;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		       struct doca_comch_connection *comch_connection)
{
	(void)event;
	(void)recv_buffer;
	(void)msg_len;
	(void)comch_connection;
	arrived++;
}

static void on_connected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *comch_connection, uint8_t change_successful)
{
	(void)event;
	(void)change_successful;
	connection = comch_connection;
}

static void on_disconnected(struct doca_comch_event_connection_status_changed *event,
			    struct doca_comch_connection *comch_connection, uint8_t change_successful)
{
	(void)event;
	(void)comch_connection;
	(void)change_successful;
}

static void start(void)
{
	doca_error_t result;

	must("create engine", doca_pe_create(&pe));
	must("connect engine", doca_pe_connect_ctx(pe, ctx));
	result = doca_ctx_start(ctx);
	must("start", result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result);
}

void meet_as_service(struct doca_dev *dev, struct doca_dev_rep *rep, void (*ready)(void))
{
	must("create", doca_comch_server_create(dev, rep, SERVICE_NAME, &server));
	ctx = doca_comch_server_as_ctx(server);
	must("set size", doca_comch_server_set_max_msg_size(server, MAX_MSG_SIZE));
	must("set queue", doca_comch_server_set_recv_queue_size(server, QUEUE_SIZE));
	must("set tasks", doca_comch_server_task_send_set_conf(server, on_sent, on_sent, QUEUE_SIZE));
	must("register", doca_comch_server_event_msg_recv_register(server, on_message));
	must("register", doca_comch_server_event_connection_status_changed_register(server, on_connected,
										      on_disconnected));
	start();
	ready();
	while (!connection)
		doca_pe_progress(pe);
}

void meet_as_client(struct doca_dev *dev)
{
	enum doca_ctx_states state;

	must("create", doca_comch_client_create(dev, SERVICE_NAME, &client));
	ctx = doca_comch_client_as_ctx(client);
	must("set size", doca_comch_client_set_max_msg_size(client, MAX_MSG_SIZE));
	must("set queue", doca_comch_client_set_recv_queue_size(client, QUEUE_SIZE));
	must("set tasks", doca_comch_client_task_send_set_conf(client, on_sent, on_sent, QUEUE_SIZE));
	must("register", doca_comch_client_event_msg_recv_register(client, on_message));
	start();
	do {
		doca_pe_progress(pe);
		must("get state", doca_ctx_get_state(ctx, &state));
	} while (state == DOCA_CTX_STATE_STARTING);
	must("get connection", doca_comch_client_get_connection(client, &connection));
}

void send_message(const void *data, size_t length)
{
	struct doca_comch_task_send *task;

	while (!free_tasks)
		doca_pe_progress(pe);
	free_tasks--;
	if (server)
		must("alloc", doca_comch_server_task_send_alloc_init(server, connection, data, length, &task));
	else
		must("alloc", doca_comch_client_task_send_alloc_init(client, connection, data, length, &task));
	must("submit", doca_task_submit(doca_comch_task_send_as_task(task)));
}

void receive_message(void)
{
	taken++;
	while (arrived < taken)
		doca_pe_progress(pe);
}

void leave(void)
{
	enum doca_ctx_states state;

	doca_ctx_stop(ctx);
	while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
		doca_pe_progress(pe);
	if (server)
		doca_comch_server_destroy(server);
	else
		doca_comch_client_destroy(client);
	doca_pe_destroy(pe);
}
