/* A DPU program that imports what the host lends, and sends it back out of the import. */
#include "bulk.h"

#define KINDS 3

struct program {
	struct doca_dev *device;
	struct doca_pe *engine;
	struct doca_comch_server *server;
	struct doca_comch_connection *connection;
	struct doca_comch_producer *producer;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *imports[KINDS];
	uint32_t consumer_id;
	int lent, destroyed, sent, failed, gone;
};

static struct program program;

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	(void)event;
	program.connection = connection;
	if (program.lent == KINDS)
		program.destroyed = 1;
	else
		TELL(doca_mmap_create_from_export(NULL, buffer, length, program.device,
						  &program.imports[program.lent++]));
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
	(void)event;
	(void)connection;
	(void)successful;
	program.gone = 1;
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
	(void)id;
}

static void give_back(struct doca_comch_producer_task_send *task)
{
	MUST(doca_buf_dec_refcount((struct doca_buf *)doca_comch_producer_task_send_get_buf(task), NULL));
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void on_produced(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	program.sent++;
	give_back(task);
}

static void on_not_produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	doca_error_t status = doca_task_get_status(doca_comch_producer_task_send_as_task(task));

	(void)task_data;
	(void)ctx_data;
	printf("a send failed: %s\n", doca_error_get_name(status));
	program.failed = 1;
	give_back(task);
}

static void serve(struct doca_dev_rep *representor)
{
	MUST(doca_comch_server_create(program.device, representor, "guest lent", &program.server));
	struct doca_ctx *ctx = doca_comch_server_as_ctx(program.server);
	MUST(doca_pe_connect_ctx(program.engine, ctx));
	MUST(doca_comch_server_task_send_set_conf(program.server, on_sent, on_sent, 4));
	MUST(doca_comch_server_event_msg_recv_register(program.server, on_message));
	MUST(doca_comch_server_event_connection_status_changed_register(program.server, on_connect, on_disconnect));
	MUST(doca_comch_server_event_consumer_register(program.server, on_consumer, on_expired));
	MUST(doca_ctx_start(ctx));
	printf("listening\n");
	fflush(stdout);
}

static void produce(struct doca_mmap *mmap)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;
	void *address;
	size_t length;
	doca_error_t result;

	MUST(doca_mmap_get_memrange(mmap, &address, &length));
	MUST(doca_buf_inventory_buf_get_by_data(program.inventory, mmap, address, length, &buf));
	MUST(doca_comch_producer_task_send_alloc_init(program.producer, buf, NULL, 0, program.consumer_id, &task));
	while ((result = doca_task_submit(doca_comch_producer_task_send_as_task(task))) == DOCA_ERROR_AGAIN)
		pause_us(100);
	must(result, "submit");
}

static void send_back(void)
{
	MUST(doca_comch_producer_create(program.connection, &program.producer));
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(program.producer);
	MUST(doca_pe_connect_ctx(program.engine, ctx));
	MUST(doca_comch_producer_task_send_set_conf(program.producer, on_produced, on_not_produced, KINDS));
	MUST(doca_ctx_start(ctx));
	for (int kind = 0; kind < KINDS; kind++)
		produce(program.imports[kind]);
	PROGRESS_UNTIL(program.engine, program.sent == KINDS);
}

static void report(void)
{
	struct doca_comch_task_send *task;

	MUST(doca_comch_server_task_send_alloc_init(program.server, program.connection, "gone", 4, &task));
	MUST(doca_task_submit(doca_comch_task_send_as_task(task)));
	PROGRESS_UNTIL(program.engine, program.gone);
}

int main(void)
{
	program.device = open_device("03:00.0");
	struct doca_dev_rep *representor = open_representor(program.device, "b1:00.0");

	MUST(doca_pe_create(&program.engine));
	MUST(doca_buf_inventory_create(KINDS, &program.inventory));
	MUST(doca_buf_inventory_start(program.inventory));
	serve(representor);
	PROGRESS_UNTIL(program.engine, program.consumer_id && program.lent == KINDS);
	send_back();
	PROGRESS_UNTIL(program.engine, program.destroyed);
	produce(program.imports[0]);
	PROGRESS_UNTIL(program.engine, program.failed);
	stop(program.engine, doca_comch_producer_as_ctx(program.producer));
	MUST(doca_comch_producer_destroy(program.producer));
	report();
	stop(program.engine, doca_comch_server_as_ctx(program.server));
	MUST(doca_comch_server_destroy(program.server));
	for (int kind = 0; kind < KINDS; kind++)
		TELL(doca_mmap_destroy(program.imports[kind]));
	MUST(doca_buf_inventory_destroy(program.inventory));
	MUST(doca_pe_destroy(program.engine));
	MUST(doca_dev_rep_close(representor));
	TELL(doca_dev_close(program.device));
	return 0;
}
