/* The control path on the host: send a text once connected, print what the server answers. */
#include "common.h"

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_pe.h>

#include <stdio.h>
#include <string.h>

#define SERVER_NAME "ctrl_path"
#define MAX_MSG_SIZE 4080
#define RECV_QUEUE_SIZE 10
#define NUM_SEND_TASKS 1024

struct client {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection;
	const char *text;
	doca_error_t result;
	int finished;
};

static void sent(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct client *objects = ctx_user_data.ptr;

	(void)task_user_data;
	show("sent", objects->text, strlen(objects->text));
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct client *objects = ctx_user_data.ptr;

	(void)task_user_data;
	objects->result = doca_task_get_status(doca_comch_task_send_as_task(task));
	doca_task_free(doca_comch_task_send_as_task(task));
	(void)doca_ctx_stop(doca_comch_client_as_ctx(objects->client));
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		     struct doca_comch_connection *connection)
{
	struct client *objects = doca_comch_connection_get_user_data(connection).ptr;

	(void)event;
	show("received", recv_buffer, msg_len);
	objects->result = DOCA_SUCCESS;
	(void)doca_ctx_stop(doca_comch_client_as_ctx(objects->client));
}

static doca_error_t send_text(struct client *objects)
{
	const union doca_data user_data = {.ptr = objects};
	struct doca_comch_task_send *task;
	doca_error_t result;

	result = doca_comch_client_get_connection(objects->client, &objects->connection);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_connection_set_user_data(objects->connection, user_data);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_task_send_alloc_init(objects->client, objects->connection, objects->text,
							strlen(objects->text), &task);
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
	struct client *objects = user_data.ptr;

	(void)prev_state;
	if (next_state == DOCA_CTX_STATE_RUNNING) {
		objects->result = send_text(objects);
		if (objects->result != DOCA_SUCCESS)
			(void)doca_ctx_stop(ctx);
	}
	objects->finished = next_state == DOCA_CTX_STATE_IDLE;
}

static doca_error_t configure(struct client *objects)
{
	struct doca_ctx *ctx = doca_comch_client_as_ctx(objects->client);
	const union doca_data user_data = {.ptr = objects};
	doca_error_t result;

	result = doca_pe_connect_ctx(objects->pe, ctx);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_ctx_set_state_changed_cb(ctx, state_changed);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_task_send_set_conf(objects->client, sent, send_failed, NUM_SEND_TASKS);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_event_msg_recv_register(objects->client, received);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_set_max_msg_size(objects->client, MAX_MSG_SIZE);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_set_recv_queue_size(objects->client, RECV_QUEUE_SIZE);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_ctx_set_user_data(ctx, user_data);
	if (result != DOCA_SUCCESS)
		return result;
	return doca_ctx_start(ctx);
}

static doca_error_t run(struct client *objects)
{
	doca_error_t result = doca_comch_client_create(objects->dev, SERVER_NAME, &objects->client);

	if (result != DOCA_SUCCESS)
		return result;
	result = configure(objects);
	if (result == DOCA_ERROR_IN_PROGRESS) {
		objects->result = DOCA_ERROR_CONNECTION_ABORTED; /* until it has connected */
		while (!objects->finished)
			if (!doca_pe_progress(objects->pe))
				nap();
		result = objects->result;
	}
	(void)doca_comch_client_destroy(objects->client);
	return result;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.pci_addr = "b1:00.0", .text = "Hello from the host"};
	struct client objects = {.text = arguments.text};
	doca_error_t result = parse("ctrl_path_client", argc, argv, &arguments);

	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, doca_comch_cap_client_is_supported, &objects.dev);
	if (result == DOCA_SUCCESS) {
		result = doca_pe_create(&objects.pe);
		if (result == DOCA_SUCCESS) {
			result = run(&objects);
			(void)doca_pe_destroy(objects.pe);
		}
		(void)doca_dev_close(objects.dev);
	}
	return ended(result);
}
