/* A control path client: the states it passes, two requests one after the other, and its orderly leave. */
#include <doca_comch.h>

#include "guest.h"

struct program {
	struct doca_pe *engine;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection;
	int answers, completions, running, idle;
};

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states old, enum doca_ctx_states new)
{
	struct program *program = data.ptr;

	(void)ctx;
	printf("client %s -> %s\n", state_name(old), state_name(new));
	program->running = new == DOCA_CTX_STATE_RUNNING;
	program->idle = new == DOCA_CTX_STATE_IDLE;
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	((struct program *)ctx_data.ptr)->completions++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	union doca_data data = doca_comch_connection_get_user_data(connection);
	struct program *program = data.ptr;

	(void)event;
	printf("answer of %u bytes '%.*s'%s\n", length, (int)length, (char *)buffer,
	       doca_comch_client_get_client_ctx(connection) == program->client ? "" : ", of another client");
	program->answers++;
}

static void send_text(struct program *program, const char *text)
{
	struct doca_comch_task_send *task;
	int answers = program->answers;

	MUST(doca_comch_client_task_send_alloc_init(program->client, program->connection, text, strlen(text), &task));
	MUST(doca_task_submit(doca_comch_task_send_as_task(task)));
	PROGRESS_UNTIL(program->engine, program->answers > answers && program->completions == program->answers);
}

int main(void)
{
	struct program program = {0};
	union doca_data data = {.ptr = &program};
	struct doca_dev *device = open_device("b1:00.0");
	size_t inflight;

	MUST(doca_pe_create(&program.engine));
	MUST(doca_comch_client_create(device, "guest control", &program.client));
	struct doca_ctx *ctx = doca_comch_client_as_ctx(program.client);
	MUST(doca_pe_connect_ctx(program.engine, ctx));
	MUST(doca_ctx_set_state_changed_cb(ctx, on_state));
	MUST(doca_comch_client_task_send_set_conf(program.client, on_sent, on_sent, 16));
	MUST(doca_comch_client_event_msg_recv_register(program.client, on_message));
	MUST(doca_comch_client_set_max_msg_size(program.client, 4080));
	MUST(doca_comch_client_set_recv_queue_size(program.client, 10));
	MUST(doca_ctx_set_user_data(ctx, data));
	TELL(doca_ctx_start(ctx));
	TELL(doca_comch_client_set_max_msg_size(program.client, 64));
	PROGRESS_UNTIL(program.engine, program.running);
	MUST(doca_comch_client_get_connection(program.client, &program.connection));
	MUST(doca_comch_connection_set_user_data(program.connection, data));
	send_text(&program, "first");
	send_text(&program, "second");
	MUST(doca_pe_get_num_inflight_tasks(program.engine, &inflight));
	printf("%zu in flight\n", inflight);
	TELL(doca_comch_client_destroy(program.client));
	TELL(doca_pe_destroy(program.engine));
	stop(program.engine, ctx);
	TELL(doca_comch_client_destroy(program.client));
	TELL(doca_comch_client_destroy(program.client));
	TELL(doca_pe_destroy(program.engine));
	TELL(doca_dev_close(device));
	TELL(doca_dev_close(device));
	return 0;
}
