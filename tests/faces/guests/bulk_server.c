/* A fast path receiver: takes buffers of 1 MiB from the other side's producer, then leaves in order. */
#include "bulk.h"

struct program {
	struct doca_pe *engine, *fast;
	struct doca_comch_server *server;
	struct doca_comch_connection *connection;
	struct memory memory;
	int received, sent, gone;
};

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	((struct program *)ctx_data.ptr)->sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	union doca_data data;

	(void)event;
	MUST(doca_ctx_get_user_data(doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)), &data));
	struct program *program = data.ptr;
	printf("message '%.*s'\n", (int)length, (char *)buffer);
	program->connection = connection;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)connection;
	(void)successful;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t successful)
{
	union doca_data data;

	(void)event;
	(void)successful;
	MUST(doca_ctx_get_user_data(doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)), &data));
	((struct program *)data.ptr)->gone = 1;
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
}

static void on_buffer(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	struct program *program = ctx_data.ptr;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	const uint8_t *number = doca_comch_consumer_task_post_recv_get_imm_data(task);
	uint32_t length = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
	size_t size;
	void *bytes;

	(void)task_data;
	MUST(doca_buf_get_data_len(buf, &size));
	MUST(doca_buf_get_data(buf, &bytes));
	printf("buffer %u (%u bytes immediate) of %zu bytes, all '%c'%s\n", *number, length, size, *(char *)bytes,
	       memcmp(bytes, (char *)bytes + 1, size - 1) == 0 ? "" : " but not");
	program->received++;
	MUST(doca_buf_reset_data_len(buf));
	if (program->received <= BUFFERS)
		MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	else {
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
		MUST(doca_buf_dec_refcount(buf, NULL));
	}
}

static void on_no_buffer(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct doca_task *plain = doca_comch_consumer_task_post_recv_as_task(task);

	(void)task_data;
	(void)ctx_data;
	printf("post failed: %s\n", doca_error_get_name(doca_task_get_status(plain)));
	MUST(doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL));
	doca_task_free(plain);
}

static void post_all(struct program *program, struct doca_comch_consumer *consumer)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;

	for (int index = 0; index < BUFFERS; index++) {
		MUST(doca_buf_inventory_buf_get_by_addr(program->memory.inventory, program->memory.mmap,
							program->memory.bytes + (size_t)index * BUFFER_SIZE,
							BUFFER_SIZE, &buf));
		MUST(doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &task));
		MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
}

static void serve(struct program *program, struct doca_dev *device, struct doca_dev_rep *representor)
{
	union doca_data data = {.ptr = program};

	MUST(doca_comch_server_create(device, representor, "guest bulk", &program->server));
	struct doca_ctx *ctx = doca_comch_server_as_ctx(program->server);
	MUST(doca_pe_connect_ctx(program->engine, ctx));
	MUST(doca_comch_server_task_send_set_conf(program->server, on_sent, on_sent, 4));
	MUST(doca_comch_server_event_msg_recv_register(program->server, on_message));
	MUST(doca_comch_server_event_connection_status_changed_register(program->server, on_connect, on_disconnect));
	MUST(doca_comch_server_event_consumer_register(program->server, on_consumer, on_consumer));
	MUST(doca_ctx_set_user_data(ctx, data));
	MUST(doca_ctx_start(ctx));
	printf("listening\n");
	fflush(stdout);
}

static struct doca_comch_consumer *consume(struct program *program)
{
	struct doca_comch_consumer *consumer;
	union doca_data data = {.ptr = program};

	MUST(doca_comch_consumer_create(program->connection, program->memory.mmap, &consumer));
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(consumer);
	MUST(doca_pe_connect_ctx(program->fast, ctx));
	MUST(doca_comch_consumer_task_post_recv_set_conf(consumer, on_buffer, on_no_buffer, BUFFERS));
	MUST(doca_comch_consumer_set_imm_data_len(consumer, 4));
	MUST(doca_ctx_set_user_data(ctx, data));
	TELL(doca_ctx_start(ctx));
	PROGRESS_UNTIL(program->engine, (doca_pe_progress(program->fast), state_of(ctx) == DOCA_CTX_STATE_RUNNING));
	return consumer;
}

int main(void)
{
	struct program program = {0};
	struct doca_dev *device = open_device("03:00.0");
	struct doca_dev_rep *representor = open_representor(device, "b1:00.0");

	MUST(doca_pe_create(&program.engine));
	MUST(doca_pe_create(&program.fast));
	make_memory(&program.memory, device, (size_t)BUFFERS * BUFFER_SIZE);
	serve(&program, device, representor);
	PROGRESS_UNTIL(program.engine, program.connection != NULL);
	struct doca_comch_consumer *consumer = consume(&program);
	post_all(&program, consumer);
	PROGRESS_UNTIL(program.fast, program.received == 2 * BUFFERS);
	TELL(doca_comch_server_disconnect(program.server, program.connection));
	stop(program.fast, doca_comch_consumer_as_ctx(consumer));
	TELL(doca_comch_consumer_destroy(consumer));
	PROGRESS_UNTIL(program.engine, program.gone);
	stop(program.engine, doca_comch_server_as_ctx(program.server));
	TELL(doca_comch_server_destroy(program.server));
	free_memory(&program.memory);
	MUST(doca_pe_destroy(program.fast));
	MUST(doca_pe_destroy(program.engine));
	MUST(doca_dev_rep_close(representor));
	TELL(doca_dev_close(device));
	return 0;
}
