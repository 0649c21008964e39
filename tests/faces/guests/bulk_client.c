/* A fast path sender: sends 16 buffers of 1 MiB with immediate data, then leaves. */
#include "bulk.h"

struct program {
	struct doca_pe *engine;
	struct doca_comch_client *client;
	struct memory memory;
	uint32_t consumer_id;
	int sent, produced, expired;
	struct doca_comch_producer_task_send *idle_task;
};

static struct program program;

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	program.sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	(void)buffer;
	(void)length;
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	program.consumer_id = id;
}

static void on_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	program.expired += id == program.consumer_id;
}

static void on_produced(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	if (doca_task_get_status(doca_comch_producer_task_send_as_task(task)) != DOCA_SUCCESS)
		printf("a buffer was not sent\n");
	program.produced++;
	program.idle_task = task;
}

static void produce(void)
{
	struct doca_comch_producer *producer;
	struct doca_buf *buf;
	struct doca_task *task;
	uint8_t number[4] = {0};
	doca_error_t result;

	struct doca_comch_connection *connection;
	MUST(doca_comch_client_get_connection(program.client, &connection));
	MUST(doca_comch_producer_create(connection, &producer));
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(producer);
	MUST(doca_pe_connect_ctx(program.engine, ctx));
	MUST(doca_comch_producer_task_send_set_conf(producer, on_produced, on_produced, 1));
	TELL(doca_ctx_start(ctx));
	MUST(doca_buf_inventory_buf_get_by_data(program.memory.inventory, program.memory.mmap, program.memory.bytes,
						BUFFER_SIZE, &buf));
	MUST(doca_comch_producer_task_send_alloc_init(producer, buf, number, sizeof(number), program.consumer_id,
						      &program.idle_task));
	for (int index = 0; index < 2 * BUFFERS; index++) {
		number[0] = index;
		doca_comch_producer_task_send_set_imm_data(program.idle_task, number, sizeof(number));
		memset(program.memory.bytes, 'a' + index, BUFFER_SIZE);
		task = doca_comch_producer_task_send_as_task(program.idle_task);
		while ((result = doca_task_submit(task)) == DOCA_ERROR_AGAIN)
			pause_us(100);
		must(result, "submit");
		PROGRESS_UNTIL(program.engine, program.produced == index + 1);
	}
	printf("%d sent\n", program.produced);
	TELL(doca_ctx_stop(ctx));
	doca_task_free(doca_comch_producer_task_send_as_task(program.idle_task));
	PROGRESS_UNTIL(program.engine, state_of(ctx) == DOCA_CTX_STATE_IDLE);
	TELL(doca_comch_producer_destroy(producer));
	MUST(doca_buf_dec_refcount(buf, NULL));
}

int main(void)
{
	struct doca_dev *device = open_device("b1:00.0");
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;
	const void *description;
	size_t length;

	MUST(doca_pe_create(&program.engine));
	make_memory(&program.memory, device, BUFFER_SIZE);
	MUST(doca_comch_client_create(device, "guest bulk", &program.client));
	struct doca_ctx *ctx = doca_comch_client_as_ctx(program.client);
	MUST(doca_pe_connect_ctx(program.engine, ctx));
	MUST(doca_comch_client_task_send_set_conf(program.client, on_sent, on_sent, 4));
	MUST(doca_comch_client_event_msg_recv_register(program.client, on_message));
	MUST(doca_comch_client_event_consumer_register(program.client, on_consumer, on_expired));
	if (doca_ctx_start(ctx) != DOCA_ERROR_IN_PROGRESS)
		return 1;
	PROGRESS_UNTIL(program.engine, state_of(ctx) == DOCA_CTX_STATE_RUNNING);
	MUST(doca_comch_client_get_connection(program.client, &connection));
	TELL(doca_mmap_export_pci(program.memory.mmap, device, &description, &length));
	MUST(doca_comch_client_task_send_alloc_init(program.client, connection, "start", 5, &task));
	MUST(doca_task_submit(doca_comch_task_send_as_task(task)));
	PROGRESS_UNTIL(program.engine, program.sent && program.consumer_id);
	produce();
	PROGRESS_UNTIL(program.engine, program.expired);
	stop(program.engine, ctx);
	TELL(doca_comch_client_destroy(program.client));
	free_memory(&program.memory);
	MUST(doca_pe_destroy(program.engine));
	TELL(doca_dev_close(device));
	return 0;
}
