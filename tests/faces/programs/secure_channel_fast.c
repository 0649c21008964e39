/* Messages both ways over the fast path: a sending and a receiving thread with engines of their own, the control path
 * in the main thread. At the end posted receives are freed as they are, and their buffers given back. */
#include "common.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_NAME "secure_channel_fast"
#define MSG_SIZE 1024
#define NUM_POSTED 8
#define NUM_MESSAGES 200

struct stream {
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *bufs[NUM_POSTED];
	struct doca_task *tasks[NUM_POSTED];
	char *memory;
	int done;
	doca_error_t result;
};

struct channel {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *_Atomic connection;
	_Atomic uint32_t remote_consumer;
	atomic_int disconnected, finished;
	struct stream in, out;
};

static struct channel channel;

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
	(void)connection;
	channel.remote_consumer = id;
}

static void expired_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			     uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
	channel.remote_consumer = 0;
}

static void connected(struct doca_comch_event_connection_status_changed *event, struct doca_comch_connection *connection,
		      uint8_t change_successful)
{
	(void)event;
	if (change_successful)
		channel.connection = connection;
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t change_successful)
{
	(void)event;
	(void)connection;
	(void)change_successful;
	channel.disconnected = 1;
}

static doca_error_t start(struct doca_pe *pe, struct doca_ctx *ctx)
{
	doca_error_t result = doca_pe_connect_ctx(pe, ctx);

	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

static doca_error_t progress_until(struct doca_pe *pe, struct doca_ctx *ctx, enum doca_ctx_states wanted)
{
	enum doca_ctx_states state;
	doca_error_t result;

	while ((result = doca_ctx_get_state(ctx, &state)) == DOCA_SUCCESS && state != wanted)
		if (!doca_pe_progress(pe))
			nap();
	return result;
}

static doca_error_t open_server(void)
{
	doca_error_t result = doca_comch_server_create(channel.dev, channel.rep, SERVER_NAME, &channel.server);

	if (result == DOCA_SUCCESS)
		result = doca_comch_server_task_send_set_conf(channel.server, control_sent, control_sent, 1);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_msg_recv_register(channel.server, control_received);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_connection_status_changed_register(channel.server, connected,
										    disconnected);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_consumer_register(channel.server, new_consumer, expired_consumer);
	return result == DOCA_SUCCESS ? start(channel.pe, doca_comch_server_as_ctx(channel.server)) : result;
}

static doca_error_t open_client(void)
{
	struct doca_comch_connection *connection;
	doca_error_t result = doca_comch_client_create(channel.dev, SERVER_NAME, &channel.client);

	if (result == DOCA_SUCCESS)
		result = doca_comch_client_task_send_set_conf(channel.client, control_sent, control_sent, 1);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_event_msg_recv_register(channel.client, control_received);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_event_consumer_register(channel.client, new_consumer, expired_consumer);
	if (result == DOCA_SUCCESS)
		result = start(channel.pe, doca_comch_client_as_ctx(channel.client));
	if (result == DOCA_SUCCESS)
		result = progress_until(channel.pe, doca_comch_client_as_ctx(channel.client), DOCA_CTX_STATE_RUNNING);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_get_connection(channel.client, &connection);
	if (result == DOCA_SUCCESS)
		channel.connection = connection;
	return result;
}

/* Memory of a stream */

static doca_error_t prepare(struct stream *stream, uint32_t permissions)
{
	const size_t size = MSG_SIZE * NUM_POSTED;
	doca_error_t result = doca_pe_create(&stream->pe);

	stream->memory = calloc(NUM_POSTED, MSG_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_create(&stream->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(stream->mmap, channel.dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(stream->mmap, permissions);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(stream->mmap, stream->memory, size);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(stream->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(NUM_POSTED, &stream->inventory);
	return result == DOCA_SUCCESS ? doca_buf_inventory_start(stream->inventory) : result;
}

static void give_back(struct stream *stream)
{
	int i;

	for (i = 0; i < NUM_POSTED; i++) {
		if (stream->tasks[i])
			doca_task_free(stream->tasks[i]);
		if (stream->bufs[i])
			(void)doca_buf_dec_refcount(stream->bufs[i], NULL);
	}
	if (doca_ctx_stop(stream->ctx) == DOCA_ERROR_IN_PROGRESS)
		(void)progress_until(stream->pe, stream->ctx, DOCA_CTX_STATE_IDLE);
}

static void close_stream(struct stream *stream)
{
	(void)doca_buf_inventory_destroy(stream->inventory);
	(void)doca_mmap_destroy(stream->mmap);
	(void)doca_pe_destroy(stream->pe);
	free(stream->memory);
}

/* The receiving thread */

static void recv_done(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct stream *stream = &channel.in;
	char expected[32];
	void *data;
	size_t length = 0;

	(void)task_user_data;
	(void)ctx_user_data;
	(void)doca_buf_get_data(buf, &data);
	(void)doca_buf_get_data_len(buf, &length);
	if ((size_t)snprintf(expected, sizeof(expected), "message %d", stream->done) != length ||
	    memcmp(expected, data, length) != 0)
		stream->result = DOCA_ERROR_UNEXPECTED;
	stream->done++;
	(void)doca_buf_reset_data_len(buf);
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != DOCA_SUCCESS)
		stream->result = DOCA_ERROR_BAD_STATE;
}

static void recv_failed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	channel.in.result = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
}

static doca_error_t post_all(struct stream *stream, struct doca_comch_consumer *consumer)
{
	struct doca_comch_consumer_task_post_recv *task;
	doca_error_t result = DOCA_SUCCESS;
	int i;

	for (i = 0; result == DOCA_SUCCESS && i < NUM_POSTED; i++) {
		result = doca_buf_inventory_buf_get_by_addr(stream->inventory, stream->mmap, stream->memory + i * MSG_SIZE,
							    MSG_SIZE, &stream->bufs[i]);
		if (result == DOCA_SUCCESS)
			result = doca_comch_consumer_task_post_recv_alloc_init(consumer, stream->bufs[i], &task);
		if (result != DOCA_SUCCESS)
			break;
		stream->tasks[i] = doca_comch_consumer_task_post_recv_as_task(task);
		result = doca_task_submit(stream->tasks[i]);
	}
	return result;
}

static void *receive_all(void *argument)
{
	struct doca_comch_consumer *consumer = NULL;
	struct stream *stream = argument;

	stream->result = prepare(stream, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (stream->result == DOCA_SUCCESS)
		stream->result = doca_comch_consumer_create(channel.connection, stream->mmap, &consumer);
	if (stream->result == DOCA_SUCCESS)
		stream->result = doca_comch_consumer_task_post_recv_set_conf(consumer, recv_done, recv_failed, NUM_POSTED);
	stream->ctx = doca_comch_consumer_as_ctx(consumer);
	if (stream->result == DOCA_SUCCESS)
		stream->result = start(stream->pe, stream->ctx);
	if (stream->result == DOCA_SUCCESS)
		stream->result = progress_until(stream->pe, stream->ctx, DOCA_CTX_STATE_RUNNING);
	if (stream->result == DOCA_SUCCESS)
		stream->result = post_all(stream, consumer);
	while (stream->result == DOCA_SUCCESS && stream->done < NUM_MESSAGES)
		if (!doca_pe_progress(stream->pe))
			nap();
	give_back(stream);
	(void)doca_comch_consumer_destroy(consumer);
	channel.finished++;
	return NULL;
}

/* The sending thread */

static void send_done(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	(void)task;
	(void)task_user_data;
	(void)ctx_user_data;
	channel.out.done++;
}

static void send_failed(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	channel.out.result = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
}

static doca_error_t send_one(struct stream *stream, int number)
{
	const int length = snprintf(stream->memory, MSG_SIZE, "message %d", number);
	doca_error_t result = doca_buf_set_data(stream->bufs[0], stream->memory, length);

	while (result == DOCA_SUCCESS && (result = doca_task_submit(stream->tasks[0])) == DOCA_ERROR_AGAIN) {
		(void)doca_pe_progress(stream->pe);
		nap();
		result = DOCA_SUCCESS;
	}
	while (result == DOCA_SUCCESS && stream->result == DOCA_SUCCESS && stream->done <= number)
		(void)doca_pe_progress(stream->pe);
	return result;
}

static void *send_all(void *argument)
{
	struct doca_comch_producer_task_send *task;
	struct doca_comch_producer *producer = NULL;
	struct stream *stream = argument;
	int number;

	stream->result = prepare(stream, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (stream->result == DOCA_SUCCESS)
		stream->result = doca_comch_producer_create(channel.connection, &producer);
	if (stream->result == DOCA_SUCCESS)
		stream->result = doca_comch_producer_task_send_set_conf(producer, send_done, send_failed, 1);
	stream->ctx = doca_comch_producer_as_ctx(producer);
	if (stream->result == DOCA_SUCCESS)
		stream->result = start(stream->pe, stream->ctx);
	while (stream->result == DOCA_SUCCESS && !channel.remote_consumer)
		nap();
	if (stream->result == DOCA_SUCCESS)
		stream->result = doca_buf_inventory_buf_get_by_addr(stream->inventory, stream->mmap, stream->memory, MSG_SIZE,
								    &stream->bufs[0]);
	if (stream->result == DOCA_SUCCESS)
		stream->result = doca_comch_producer_task_send_alloc_init(producer, stream->bufs[0], NULL, 0,
									  channel.remote_consumer, &task);
	if (stream->result == DOCA_SUCCESS)
		stream->tasks[0] = doca_comch_producer_task_send_as_task(task);
	for (number = 0; stream->result == DOCA_SUCCESS && number < NUM_MESSAGES; number++)
		stream->result = send_one(stream, number);
	give_back(stream);
	(void)doca_comch_producer_destroy(producer);
	channel.finished++;
	return NULL;
}

/* All of it */

static doca_error_t run(void)
{
	pthread_t sender, receiver;
	struct doca_ctx *ctx;
	doca_error_t result = channel.rep ? open_server() : open_client();

	if (result != DOCA_SUCCESS)
		return result;
	if (channel.server) {
		printf("listening on %s\n", SERVER_NAME);
		fflush(stdout);
	}
	ctx = channel.server ? doca_comch_server_as_ctx(channel.server) : doca_comch_client_as_ctx(channel.client);
	while (!channel.connection)
		if (!doca_pe_progress(channel.pe))
			nap();
	if (pthread_create(&receiver, NULL, receive_all, &channel.in) ||
	    pthread_create(&sender, NULL, send_all, &channel.out))
		return DOCA_ERROR_OPERATING_SYSTEM;
	/* A client leaves when the server's consumer has gone, a server when the client has. */
	while (channel.finished < 2 || (channel.client ? channel.remote_consumer != 0 : !channel.disconnected))
		if (!doca_pe_progress(channel.pe))
			nap();
	pthread_join(sender, NULL);
	pthread_join(receiver, NULL);
	close_stream(&channel.in);
	close_stream(&channel.out);
	if (doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS)
		(void)progress_until(channel.pe, ctx, DOCA_CTX_STATE_IDLE);
	result = channel.server ? doca_comch_server_destroy(channel.server) : doca_comch_client_destroy(channel.client);
	printf("sent %d, received %d\n", channel.out.done, channel.in.done);
	if (channel.out.result != DOCA_SUCCESS)
		return channel.out.result;
	return channel.in.result != DOCA_SUCCESS ? channel.in.result : result;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.pci_addr = "b1:00.0", .rep_pci = "b1:00.0"};
	doca_error_t result = parse("secure_channel_fast", argc, argv, &arguments);

	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, NULL, &channel.dev);
	if (result != DOCA_SUCCESS)
		return ended(result);
	if (doca_comch_cap_server_is_supported(doca_dev_as_devinfo(channel.dev)) == DOCA_SUCCESS)
		result = open_representor(channel.dev, arguments.rep_pci, &channel.rep);
	if (result == DOCA_SUCCESS)
		result = doca_pe_create(&channel.pe);
	if (result == DOCA_SUCCESS) {
		result = run();
		(void)doca_pe_destroy(channel.pe);
	}
	if (channel.rep)
		(void)doca_dev_rep_close(channel.rep);
	(void)doca_dev_close(channel.dev);
	return ended(result);
}
