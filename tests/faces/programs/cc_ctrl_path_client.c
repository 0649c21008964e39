/* The control path on the host, in the types of DOCA 2.6: send a text once connected, show what the server answers. */
#include "common.h"

#include <doca_cc.h>
#include <doca_ctx.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SERVER_NAME "ctrl_path"
#define MAX_MSG_SIZE 4080
#define NUM_SEND_TASKS 1024

struct client {
	struct doca_pe *pe;
	struct doca_cc_client *client;
	const char *text;
	doca_error_t result;
	bool answered;
};

static void sent(struct doca_cc_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct client *objects = ctx_user_data.ptr;

	(void)task_user_data;
	show("sent", objects->text, strlen(objects->text));
	doca_task_free(doca_cc_task_send_as_task(task));
}

static void send_failed(struct doca_cc_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct client *objects = ctx_user_data.ptr;

	(void)task_user_data;
	objects->result = doca_task_get_status(doca_cc_task_send_as_task(task));
	doca_task_free(doca_cc_task_send_as_task(task));
}

static struct client *client_of(struct doca_cc_connection *connection)
{
	union doca_data user_data = {.ptr = NULL};

	(void)doca_ctx_get_user_data(doca_cc_client_as_ctx(doca_cc_client_get_client_ctx(connection)), &user_data);
	return user_data.ptr;
}

static void received(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		     struct doca_cc_connection *connection)
{
	(void)event;
	show("received", recv_buffer, msg_len);
	client_of(connection)->answered = true;
}

static doca_error_t send_text(struct client *objects)
{
	struct doca_cc_connection *connection;
	struct doca_cc_task_send *task;
	doca_error_t result = doca_cc_client_get_connection(objects->client, &connection);

	if (result == DOCA_SUCCESS)
		result = doca_cc_client_task_send_alloc_init(objects->client, connection, objects->text,
							     strlen(objects->text), &task);
	return result == DOCA_SUCCESS ? doca_task_submit(doca_cc_task_send_as_task(task)) : result;
}

static void changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev_state,
		    enum doca_ctx_states next_state)
{
	struct client *objects = user_data.ptr;

	(void)ctx;
	if (next_state == DOCA_CTX_STATE_RUNNING)
		objects->result = send_text(objects);
	else if (next_state == DOCA_CTX_STATE_IDLE && prev_state == DOCA_CTX_STATE_STARTING)
		objects->result = DOCA_ERROR_CONNECTION_ABORTED;
}

static doca_error_t limits(const struct doca_devinfo *info)
{
	uint32_t size;
	doca_error_t result = doca_cc_cap_get_max_msg_size(info, &size);

	if (result == DOCA_SUCCESS && size < MAX_MSG_SIZE)
		result = DOCA_ERROR_UNEXPECTED;
	return result != DOCA_SUCCESS ? result : doca_cc_cap_client_is_supported(info);
}

static doca_error_t configure(struct client *objects, struct doca_ctx *ctx)
{
	union doca_data user_data = {.ptr = objects};
	doca_error_t result = doca_cc_client_set_max_msg_size(objects->client, MAX_MSG_SIZE);

	if (result == DOCA_SUCCESS)
		result = doca_cc_client_task_send_set_conf(objects->client, sent, send_failed, NUM_SEND_TASKS);
	if (result == DOCA_SUCCESS)
		result = doca_cc_client_event_msg_recv_register(objects->client, received);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_state_changed_cb(ctx, changed);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(objects->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {"b1:00.0", "", "Hello from the host"};
	struct client objects = {.text = arguments.text};
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
	struct doca_dev *dev = NULL;
	struct doca_ctx *ctx;
	size_t inflight = 0;
	doca_error_t result = parse(argv[0], argc, argv, &arguments);

	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, limits, &dev);
	if (result == DOCA_SUCCESS)
		result = doca_pe_create(&objects.pe);
	if (result == DOCA_SUCCESS)
		result = doca_cc_client_create(dev, SERVER_NAME, &objects.client);
	if (result != DOCA_SUCCESS)
		return ended(result);
	ctx = doca_cc_client_as_ctx(objects.client);
	objects.result = configure(&objects, ctx);
	while (objects.result == DOCA_SUCCESS && (!objects.answered || inflight)) {
		if (!doca_pe_progress(objects.pe))
			nap();
		(void)doca_ctx_get_num_inflight_tasks(ctx, &inflight);
	}
	(void)doca_ctx_stop(ctx);
	while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
		if (!doca_pe_progress(objects.pe))
			nap();
	if (doca_cc_client_destroy(objects.client) != DOCA_SUCCESS || doca_pe_destroy(objects.pe) != DOCA_SUCCESS)
		objects.result = DOCA_ERROR_IN_USE;
	(void)doca_dev_close(dev);
	return ended(objects.result);
}
