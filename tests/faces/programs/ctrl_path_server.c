/* The control path on the DPU: answer a client's text with another, end when it has left. */
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

struct server {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	const char *text;
	doca_error_t result;
	int finished;
};

static struct server *server_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data user_data = {.ptr = NULL};

	(void)doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &user_data);
	return user_data.ptr;
}

static void sent(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct server *objects = ctx_user_data.ptr;

	(void)task_user_data;
	objects->result = DOCA_SUCCESS;
	show("sent", objects->text, strlen(objects->text));
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct server *objects = ctx_user_data.ptr;

	(void)task_user_data;
	objects->result = doca_task_get_status(doca_comch_task_send_as_task(task));
	doca_task_free(doca_comch_task_send_as_task(task));
	(void)doca_ctx_stop(doca_comch_server_as_ctx(objects->server));
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		     struct doca_comch_connection *connection)
{
	struct server *objects = server_of(connection);
	struct doca_comch_task_send *task;

	(void)event;
	show("received", recv_buffer, msg_len);
	objects->result = doca_comch_server_task_send_alloc_init(objects->server, connection, objects->text,
								 strlen(objects->text), &task);
	if (objects->result != DOCA_SUCCESS)
		return;
	objects->result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (objects->result != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
}

static void connected(struct doca_comch_event_connection_status_changed *event, struct doca_comch_connection *connection,
		      uint8_t change_successful)
{
	(void)event;
	(void)connection;
	if (!change_successful)
		fprintf(stderr, "a connection failed\n");
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t change_successful)
{
	struct server *objects = server_of(connection);

	(void)event;
	(void)change_successful;
	(void)doca_ctx_stop(doca_comch_server_as_ctx(objects->server));
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev_state,
			  enum doca_ctx_states next_state)
{
	struct server *objects = user_data.ptr;

	(void)ctx;
	(void)prev_state;
	objects->finished = next_state == DOCA_CTX_STATE_IDLE;
}

static doca_error_t configure(struct server *objects)
{
	struct doca_ctx *ctx = doca_comch_server_as_ctx(objects->server);
	const union doca_data user_data = {.ptr = objects};
	doca_error_t result;

	result = doca_pe_connect_ctx(objects->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_state_changed_cb(ctx, state_changed);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_task_send_set_conf(objects->server, sent, send_failed, NUM_SEND_TASKS);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_msg_recv_register(objects->server, received);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_connection_status_changed_register(objects->server, connected, disconnected);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_set_max_msg_size(objects->server, MAX_MSG_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_set_recv_queue_size(objects->server, RECV_QUEUE_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	return result == DOCA_SUCCESS ? doca_ctx_start(ctx) : result;
}

static doca_error_t run(struct server *objects)
{
	doca_error_t result;

	result = doca_comch_server_create(objects->dev, objects->rep, SERVER_NAME, &objects->server);
	if (result != DOCA_SUCCESS)
		return result;
	result = configure(objects);
	if (result == DOCA_SUCCESS) {
		printf("listening on %s\n", SERVER_NAME);
		fflush(stdout);
		while (!objects->finished)
			if (!doca_pe_progress(objects->pe))
				nap();
		result = objects->result;
	}
	(void)doca_comch_server_destroy(objects->server);
	return result;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.pci_addr = "03:00.0", .rep_pci = "b1:00.0", .text = "Hello from the DPU"};
	struct server objects = {.text = arguments.text};
	doca_error_t result = parse("ctrl_path_server", argc, argv, &arguments);

	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, doca_comch_cap_server_is_supported, &objects.dev);
	if (result != DOCA_SUCCESS)
		return ended(result);
	result = open_representor(objects.dev, arguments.rep_pci, &objects.rep);
	if (result == DOCA_SUCCESS) {
		result = doca_pe_create(&objects.pe);
		if (result == DOCA_SUCCESS) {
			result = run(&objects);
			(void)doca_pe_destroy(objects.pe);
		}
		(void)doca_dev_rep_close(objects.rep);
	}
	(void)doca_dev_close(objects.dev);
	return ended(result);
}
