/* The fast path: a consumer and a producer on one connection, one text each way; the device decides which side it is.
 *
 * Consumer and producer have engines of their own; the control path carries the news of consumers. */
#include "common.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_NAME "data_path_high_speed"
#define BUFFER_SIZE 4096
#define NUM_TASKS 2

struct side {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe, *consumer_pe, *producer_pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_mmap *inbox, *outbox;
	struct doca_buf_inventory *inventory;
	char *memory;
	const char *text;
	uint32_t remote_consumer;
	int sent, received, disconnected;
	doca_error_t result;
};

static struct side *side_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
	union doca_data user_data = {.ptr = NULL};

	(void)doca_ctx_get_user_data(server ? doca_comch_server_as_ctx(server) : doca_comch_client_as_ctx(client),
				     &user_data);
	return user_data.ptr;
}

/* The control path */

static void control_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void control_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
			     struct doca_comch_connection *connection)
{
	(void)event;
	(void)recv_buffer;
	(void)msg_len;
	(void)connection;
}

static void new_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	side_of(connection)->remote_consumer = id;
}

static void expired_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			     uint32_t id)
{
	(void)event;
	(void)id;
	side_of(connection)->remote_consumer = 0;
}

static void connected(struct doca_comch_event_connection_status_changed *event, struct doca_comch_connection *connection,
		      uint8_t change_successful)
{
	struct side *side = side_of(connection);

	(void)event;
	if (change_successful && !side->connection)
		side->connection = connection;
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t change_successful)
{
	(void)event;
	(void)change_successful;
	side_of(connection)->disconnected = 1;
}

static doca_error_t start_control(struct side *side)
{
	const union doca_data user_data = {.ptr = side};
	doca_error_t result;

	result = doca_pe_connect_ctx(side->pe, side->ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(side->ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(side->ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

static doca_error_t serve(struct side *side)
{
	doca_error_t result = doca_comch_server_create(side->dev, side->rep, SERVER_NAME, &side->server);

	if (result != DOCA_SUCCESS)
		return result;
	side->ctx = doca_comch_server_as_ctx(side->server);
	result = doca_comch_server_task_send_set_conf(side->server, control_sent, control_sent, NUM_TASKS);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_msg_recv_register(side->server, control_received);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_connection_status_changed_register(side->server, connected, disconnected);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_consumer_register(side->server, new_consumer, expired_consumer);
	return result == DOCA_SUCCESS ? start_control(side) : result;
}

static doca_error_t connect_to_server(struct side *side)
{
	doca_error_t result = doca_comch_client_create(side->dev, SERVER_NAME, &side->client);

	if (result != DOCA_SUCCESS)
		return result;
	side->ctx = doca_comch_client_as_ctx(side->client);
	result = doca_comch_client_task_send_set_conf(side->client, control_sent, control_sent, NUM_TASKS);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_event_msg_recv_register(side->client, control_received);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_event_consumer_register(side->client, new_consumer, expired_consumer);
	if (result == DOCA_SUCCESS)
		result = start_control(side);
	while (result == DOCA_SUCCESS && !side->connection) {
		enum doca_ctx_states state;

		(void)doca_pe_progress(side->pe);
		result = doca_ctx_get_state(side->ctx, &state);
		if (result == DOCA_SUCCESS && state == DOCA_CTX_STATE_IDLE)
			result = DOCA_ERROR_CONNECTION_ABORTED;
		if (result == DOCA_SUCCESS && state == DOCA_CTX_STATE_RUNNING)
			result = doca_comch_client_get_connection(side->client, &side->connection);
	}
	return result;
}

/* The fast path */

static void give_back(struct doca_task *task, const struct doca_buf *buf)
{
	(void)doca_buf_dec_refcount((struct doca_buf *)buf, NULL);
	doca_task_free(task);
}

static void post_recv_done(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
			   union doca_data ctx_user_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct side *side = ctx_user_data.ptr;
	void *data;
	size_t length;

	(void)task_user_data;
	side->result = doca_buf_get_data(buf, &data);
	if (side->result == DOCA_SUCCESS)
		side->result = doca_buf_get_data_len(buf, &length);
	if (side->result == DOCA_SUCCESS)
		show("received", data, length);
	side->received = 1;
	give_back(doca_comch_consumer_task_post_recv_as_task(task), buf);
}

static void post_recv_failed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
			     union doca_data ctx_user_data)
{
	struct side *side = ctx_user_data.ptr;

	(void)task_user_data;
	side->result = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
	give_back(doca_comch_consumer_task_post_recv_as_task(task), doca_comch_consumer_task_post_recv_get_buf(task));
}

static void send_done(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	struct side *side = ctx_user_data.ptr;

	(void)task_user_data;
	show("sent", side->text, strlen(side->text));
	side->sent = 1;
	give_back(doca_comch_producer_task_send_as_task(task), doca_comch_producer_task_send_get_buf(task));
}

static void send_failed(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	struct side *side = ctx_user_data.ptr;

	(void)task_user_data;
	side->result = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
	give_back(doca_comch_producer_task_send_as_task(task), doca_comch_producer_task_send_get_buf(task));
}

static doca_error_t make_map(struct side *side, char *memory, uint32_t permissions, struct doca_mmap **mmap)
{
	doca_error_t result = doca_mmap_create(mmap);

	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(*mmap, side->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(*mmap, permissions);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(*mmap, memory, BUFFER_SIZE);
	return result == DOCA_SUCCESS ? doca_mmap_start(*mmap) : result;
}

static doca_error_t make_memory(struct side *side)
{
	doca_error_t result;

	side->memory = calloc(2, BUFFER_SIZE);
	if (!side->memory)
		return DOCA_ERROR_NO_MEMORY;
	result = make_map(side, side->memory, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &side->inbox);
	if (result == DOCA_SUCCESS)
		result = make_map(side, side->memory + BUFFER_SIZE, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &side->outbox);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(NUM_TASKS, &side->inventory);
	return result == DOCA_SUCCESS ? doca_buf_inventory_start(side->inventory) : result;
}

static doca_error_t start_fast(struct doca_pe **pe, struct doca_ctx *ctx, struct side *side)
{
	const union doca_data user_data = {.ptr = side};
	doca_error_t result = doca_pe_create(pe);

	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(*pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

static doca_error_t start_streams(struct side *side)
{
	doca_error_t result = doca_comch_consumer_create(side->connection, side->inbox, &side->consumer);

	if (result == DOCA_SUCCESS)
		result = doca_comch_consumer_task_post_recv_set_conf(side->consumer, post_recv_done, post_recv_failed,
								     NUM_TASKS);
	if (result == DOCA_SUCCESS)
		result = start_fast(&side->consumer_pe, doca_comch_consumer_as_ctx(side->consumer), side);
	if (result == DOCA_SUCCESS)
		result = doca_comch_producer_create(side->connection, &side->producer);
	if (result == DOCA_SUCCESS)
		result = doca_comch_producer_task_send_set_conf(side->producer, send_done, send_failed, NUM_TASKS);
	if (result == DOCA_SUCCESS)
		result = start_fast(&side->producer_pe, doca_comch_producer_as_ctx(side->producer), side);
	return result;
}

static int progress(struct side *side)
{
	int moved = doca_pe_progress(side->pe);

	if (side->consumer_pe)
		moved |= doca_pe_progress(side->consumer_pe);
	if (side->producer_pe)
		moved |= doca_pe_progress(side->producer_pe);
	if (!moved)
		nap();
	return side->result == DOCA_SUCCESS;
}

static doca_error_t wait_for(struct side *side, struct doca_ctx *ctx, enum doca_ctx_states wanted)
{
	enum doca_ctx_states state;
	doca_error_t result;

	do {
		if (!progress(side))
			return side->result;
		result = doca_ctx_get_state(ctx, &state);
	} while (result == DOCA_SUCCESS && state != wanted);
	return result;
}

static doca_error_t post_and_send(struct side *side)
{
	struct doca_comch_consumer_task_post_recv *post;
	struct doca_comch_producer_task_send *send;
	struct doca_buf *inbox, *outbox;
	doca_error_t result;

	result = doca_buf_inventory_buf_get_by_addr(side->inventory, side->inbox, side->memory, BUFFER_SIZE, &inbox);
	if (result == DOCA_SUCCESS)
		result = doca_comch_consumer_task_post_recv_alloc_init(side->consumer, inbox, &post);
	if (result == DOCA_SUCCESS)
		result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(post));
	if (result != DOCA_SUCCESS)
		return result;
	strcpy(side->memory + BUFFER_SIZE, side->text);
	result = doca_buf_inventory_buf_get_by_data(side->inventory, side->outbox, side->memory + BUFFER_SIZE,
						    strlen(side->text), &outbox);
	if (result == DOCA_SUCCESS)
		result = doca_comch_producer_task_send_alloc_init(side->producer, outbox, NULL, 0, side->remote_consumer,
								  &send);
	if (result != DOCA_SUCCESS)
		return result;
	while ((result = doca_task_submit(doca_comch_producer_task_send_as_task(send))) == DOCA_ERROR_AGAIN)
		if (!progress(side))
			return side->result;
	return result;
}

static doca_error_t exchange(struct side *side)
{
	doca_error_t result = make_memory(side);

	if (result == DOCA_SUCCESS)
		result = start_streams(side);
	if (result == DOCA_SUCCESS)
		result = wait_for(side, doca_comch_consumer_as_ctx(side->consumer), DOCA_CTX_STATE_RUNNING);
	while (result == DOCA_SUCCESS && !side->remote_consumer)
		if (!progress(side))
			result = side->result;
	if (result == DOCA_SUCCESS)
		result = post_and_send(side);
	while (result == DOCA_SUCCESS && !(side->sent && side->received))
		if (!progress(side))
			result = side->result;
	return result;
}

/* The end */

static void stop(struct side *side, struct doca_ctx *ctx)
{
	if (doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS)
		(void)wait_for(side, ctx, DOCA_CTX_STATE_IDLE);
}

static void clean_up(struct side *side)
{
	if (side->consumer) {
		stop(side, doca_comch_consumer_as_ctx(side->consumer));
		(void)doca_comch_consumer_destroy(side->consumer);
		(void)doca_pe_destroy(side->consumer_pe);
		side->consumer_pe = NULL;
	}
	if (side->producer) {
		stop(side, doca_comch_producer_as_ctx(side->producer));
		(void)doca_comch_producer_destroy(side->producer);
		(void)doca_pe_destroy(side->producer_pe);
		side->producer_pe = NULL;
	}
	if (side->client)
		while (side->remote_consumer && progress(side)) /* the server still uses the connection */
			;
	else
		while (side->connection && !side->disconnected && progress(side))
			;
	if (side->inventory)
		(void)doca_buf_inventory_destroy(side->inventory);
	if (side->inbox)
		(void)doca_mmap_destroy(side->inbox);
	if (side->outbox)
		(void)doca_mmap_destroy(side->outbox);
	free(side->memory);
	if (side->ctx)
		stop(side, side->ctx);
	if (side->server)
		(void)doca_comch_server_destroy(side->server);
	if (side->client)
		(void)doca_comch_client_destroy(side->client);
}

static doca_error_t run(struct side *side)
{
	doca_error_t result = side->rep ? serve(side) : connect_to_server(side);

	if (result == DOCA_SUCCESS && side->rep) {
		printf("listening on %s\n", SERVER_NAME);
		fflush(stdout);
		while (!side->connection)
			(void)progress(side);
	}
	if (result == DOCA_SUCCESS)
		result = exchange(side);
	clean_up(side);
	return result;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.pci_addr = "b1:00.0", .rep_pci = "b1:00.0", .text = "Hello from the host"};
	struct side side = {.text = arguments.text};
	doca_error_t result = parse("data_path_high_speed", argc, argv, &arguments);

	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, NULL, &side.dev);
	if (result != DOCA_SUCCESS)
		return ended(result);
	if (doca_comch_cap_server_is_supported(doca_dev_as_devinfo(side.dev)) == DOCA_SUCCESS)
		result = open_representor(side.dev, arguments.rep_pci, &side.rep);
	if (result == DOCA_SUCCESS)
		result = doca_pe_create(&side.pe);
	if (result == DOCA_SUCCESS) {
		result = run(&side);
		(void)doca_pe_destroy(side.pe);
	}
	if (side.rep)
		(void)doca_dev_rep_close(side.rep);
	(void)doca_dev_close(side.dev);
	return ended(result);
}
