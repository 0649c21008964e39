/* The control path on the DPU, in the types of DOCA 2.5: answer a client's text with another, end when it has left. */
#include "common.h"

#include <doca_cc.h>
#include <doca_cc_producer.h>
#include <doca_ctx.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SERVER_NAME "ctrl_path"
#define MAX_MSG_SIZE 4080
#define LOG_NUM_SEND_TASKS 10

struct server {
	struct doca_pe *pe;
	struct doca_cc_server *server;
	const char *text;
	doca_error_t result;
	bool finished;
};

static struct server *server_of(struct doca_cc_connection *connection)
{
	union doca_data user_data = {.ptr = NULL};

	(void)doca_ctx_get_user_data(doca_cc_server_as_ctx(doca_cc_server_get_server_ctx(connection)), &user_data);
	return user_data.ptr;
}

static void sent(struct doca_cc_send_task *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct server *objects = ctx_user_data.ptr;

	objects->result = task_user_data.u64 == 7 ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
	show("sent", objects->text, strlen(objects->text));
	doca_task_free(doca_cc_send_task_as_task(task));
}

static void send_failed(struct doca_cc_send_task *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct server *objects = ctx_user_data.ptr;

	(void)task_user_data;
	objects->result = doca_task_get_status(doca_cc_send_task_as_task(task));
	objects->finished = true;
	doca_task_free(doca_cc_send_task_as_task(task));
}

static void received(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer, size_t msg_len,
		     struct doca_cc_connection *connection)
{
	struct server *objects = server_of(connection);
	union doca_data user_data = {.u64 = 7};
	struct doca_cc_send_task *task;

	(void)event;
	show("received", recv_buffer, msg_len);
	objects->result = doca_cc_server_send_task_alloc_init(objects->server, connection, objects->text,
							      strlen(objects->text), &task);
	if (objects->result != DOCA_SUCCESS)
		return;
	doca_task_set_user_data(doca_cc_send_task_as_task(task), user_data);
	objects->result = doca_task_submit(doca_cc_send_task_as_task(task));
}

static void connected(struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *connection,
		      bool change_successful)
{
	(void)event;
	if (!change_successful)
		server_of(connection)->result = DOCA_ERROR_CONNECTION_ABORTED;
}

static void disconnected(struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *connection,
			 bool change_successful)
{
	(void)event;
	(void)change_successful;
	server_of(connection)->finished = true;
}

static doca_error_t limits(const struct doca_devinfo *info)
{
	size_t size, log_num_tasks;
	doca_error_t result = doca_cc_cap_get_max_msg_size(info, &size);

	if (result == DOCA_SUCCESS)
		result = doca_cc_producer_cap_get_max_log_num_tasks(info, &log_num_tasks);
	if (result == DOCA_SUCCESS && (size < MAX_MSG_SIZE || log_num_tasks > 32))
		result = DOCA_ERROR_UNEXPECTED;
	return result != DOCA_SUCCESS ? result : doca_cc_cap_server_is_supported(info);
}

static doca_error_t configure(struct server *objects, struct doca_ctx *ctx)
{
	union doca_data user_data = {.ptr = objects};
	doca_error_t result = doca_cc_server_set_max_msg_size(objects->server, MAX_MSG_SIZE);

	if (doca_cc_server_send_task_set_conf(objects->server, sent, send_failed, 200) != DOCA_ERROR_INVALID_VALUE)
		return DOCA_ERROR_UNEXPECTED;
	if (result == DOCA_SUCCESS)
		result = doca_cc_server_send_task_set_conf(objects->server, sent, send_failed, LOG_NUM_SEND_TASKS);
	if (result == DOCA_SUCCESS)
		result = doca_cc_server_event_msg_recv_register(objects->server, received);
	if (result == DOCA_SUCCESS)
		result = doca_cc_server_event_connection_register(objects->server, connected, disconnected);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(objects->pe, ctx);
	return result == DOCA_SUCCESS ? doca_ctx_start(ctx) : result;
}

static void stop(struct server *objects, struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	(void)doca_ctx_stop(ctx);
	while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
		if (!doca_pe_progress(objects->pe))
			nap();
}

int main(int argc, char **argv)
{
	struct arguments arguments = {"03:00.0", "b1:00.0", "Hello from the DPU"};
	struct server objects = {.text = arguments.text};
	struct doca_dev *dev = NULL;
	struct doca_dev_rep *rep = NULL;
	struct doca_ctx *ctx;
	doca_error_t result = parse(argv[0], argc, argv, &arguments);

	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, limits, &dev);
	if (result == DOCA_SUCCESS)
		result = open_representor(dev, arguments.rep_pci, &rep);
	if (result == DOCA_SUCCESS)
		result = doca_pe_create(&objects.pe);
	if (result == DOCA_SUCCESS)
		result = doca_cc_server_create(dev, rep, SERVER_NAME, &objects.server);
	if (result != DOCA_SUCCESS)
		return ended(result);
	ctx = doca_cc_server_as_ctx(objects.server);
	result = configure(&objects, ctx);
	if (result == DOCA_SUCCESS) {
		puts("listening on " SERVER_NAME);
		fflush(stdout);
		while (!objects.finished)
			if (!doca_pe_progress(objects.pe))
				nap();
		result = objects.result;
	}
	stop(&objects, ctx);
	if (doca_cc_server_destroy(objects.server) != DOCA_SUCCESS || doca_pe_destroy(objects.pe) != DOCA_SUCCESS)
		result = DOCA_ERROR_IN_USE;
	(void)doca_dev_rep_close(rep);
	(void)doca_dev_close(dev);
	return ended(result);
}
