/* A control path server: states, user data at every place that holds some, an echo, counters, a client's leave. */
#include <doca_comch.h>

#include "guest.h"

struct program {
	struct doca_comch_server *server;
	uint64_t numbers; /* the user data of the sends that have completed, added up */
	int connected, disconnected, completed;
};

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states old, enum doca_ctx_states new)
{
	struct program *program = data.ptr;

	if (ctx != doca_comch_server_as_ctx(program->server))
		printf("another context\n");
	printf("server %s -> %s\n", state_name(old), state_name(new));
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct program *program = ctx_data.ptr;

	must(doca_task_get_status(doca_comch_task_send_as_task(task)), "status");
	program->numbers += task_data.u64;
	program->completed++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_error(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	printf("failed\n");
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_comch_task_send *task;
	union doca_data data = doca_comch_connection_get_user_data(connection);

	(void)event;
	printf("received %u bytes '%.*s' from connection %llu\n", length, (int)length, (char *)buffer,
	       (unsigned long long)data.u64);
	MUST(doca_comch_server_task_send_alloc_init(server, connection, buffer, length, &task));
	data.u64 = UINT64_MAX / 4 - length;
	doca_task_set_user_data(doca_comch_task_send_as_task(task), data);
	MUST(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t successful)
{
	union doca_data data = {.u64 = 40 + successful}, program;
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);

	(void)event;
	MUST(doca_comch_connection_set_user_data(connection, data));
	MUST(doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &program));
	((struct program *)program.ptr)->connected++;
	printf("connected, successful %d\n", successful);
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t successful)
{
	union doca_data data = doca_comch_connection_get_user_data(connection), program;
	struct doca_ctx *ctx = doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection));
	uint64_t sent, received;

	(void)event;
	TELL(doca_comch_connection_update_info(connection));
	MUST(doca_comch_connection_get_counter(connection, DOCA_COMCH_COUNTER_SENT_BYTES, &sent));
	MUST(doca_comch_connection_get_counter(connection, DOCA_COMCH_COUNTER_RECV_MESSAGES, &received));
	MUST(doca_ctx_get_user_data(ctx, &program));
	((struct program *)program.ptr)->disconnected++;
	printf("connection %llu gone, successful %d, %llu bytes sent, %llu messages received\n",
	       (unsigned long long)data.u64, successful, (unsigned long long)sent, (unsigned long long)received);
}

int main(void)
{
	struct program program = {0};
	union doca_data data = {.ptr = &program};
	struct doca_pe *engine;
	struct doca_dev *device = open_device("03:00.0");
	struct doca_dev_rep *representor = open_representor(device, "b1:00.0");

	MUST(doca_pe_create(&engine));
	MUST(doca_comch_server_create(device, representor, "guest control", &program.server));
	struct doca_ctx *ctx = doca_comch_server_as_ctx(program.server);
	MUST(doca_pe_connect_ctx(engine, ctx));
	MUST(doca_ctx_set_state_changed_cb(ctx, on_state));
	MUST(doca_comch_server_task_send_set_conf(program.server, on_sent, on_error, 16));
	MUST(doca_comch_server_event_msg_recv_register(program.server, on_message));
	MUST(doca_comch_server_event_connection_status_changed_register(program.server, on_connect, on_disconnect));
	MUST(doca_comch_server_set_max_msg_size(program.server, 4080));
	MUST(doca_comch_server_set_recv_queue_size(program.server, 10));
	MUST(doca_ctx_set_user_data(ctx, data));
	MUST(doca_ctx_start(ctx));
	printf("listening\n");
	fflush(stdout);
	PROGRESS_UNTIL(engine, program.disconnected == 1);
	stop(engine, ctx);
	MUST(doca_comch_server_destroy(program.server));
	MUST(doca_pe_destroy(engine));
	MUST(doca_dev_rep_close(representor));
	MUST(doca_dev_close(device));
	printf("%d connected, %d completed, %llu\n", program.connected, program.completed,
	       (unsigned long long)program.numbers);
	return 0;
}
