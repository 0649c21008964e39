/* A host program that lends the DPU memory of three kinds, and has it sent back: what it wrote after the export. */
#include "bulk.h"

#define SIZE 100000
#define KINDS 3

static char array[SIZE];

struct program {
	struct doca_pe *engine;
	struct doca_comch_client *client;
	struct doca_comch_consumer *consumer;
	struct memory inbox;
	int received, failed;
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
	(void)connection;
	printf("message '%.*s'\n", (int)length, (char *)buffer);
	program.failed += length == sizeof("gone") - 1;
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
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	size_t size;
	void *bytes;

	(void)task_data;
	(void)ctx_data;
	MUST(doca_buf_get_data_len(buf, &size));
	MUST(doca_buf_get_data(buf, &bytes));
	printf("buffer of %zu bytes, '%s' at the start and '%c' at the end\n", size, (char *)bytes,
	       ((char *)bytes)[size - 1]);
	program.received++;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	MUST(doca_buf_dec_refcount(buf, NULL));
}

static void send_message(const void *message, size_t length)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;

	MUST(doca_comch_client_get_connection(program.client, &connection));
	MUST(doca_comch_client_task_send_alloc_init(program.client, connection, message, length, &task));
	MUST(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static struct doca_mmap *lend(struct doca_dev *device, char *bytes)
{
	struct doca_mmap *mmap;
	const void *description;
	size_t length;

	MUST(doca_mmap_create(&mmap));
	MUST(doca_mmap_add_dev(mmap, device));
	MUST(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	MUST(doca_mmap_set_memrange(mmap, bytes, SIZE));
	MUST(doca_mmap_start(mmap));
	TELL(doca_mmap_export_pci(mmap, device, &description, &length));
	send_message(description, length);
	return mmap;
}

static void connect_to_dpu(struct doca_dev *device)
{
	MUST(doca_comch_client_create(device, "guest lent", &program.client));
	struct doca_ctx *ctx = doca_comch_client_as_ctx(program.client);
	MUST(doca_pe_connect_ctx(program.engine, ctx));
	MUST(doca_comch_client_task_send_set_conf(program.client, on_sent, on_sent, 2 * KINDS + 1));
	MUST(doca_comch_client_event_msg_recv_register(program.client, on_message));
	MUST(doca_comch_client_event_consumer_register(program.client, on_consumer, on_consumer));
	if (doca_ctx_start(ctx) != DOCA_ERROR_IN_PROGRESS)
		exit(1);
	PROGRESS_UNTIL(program.engine, state_of(ctx) == DOCA_CTX_STATE_RUNNING);
}

static void receive(void)
{
	struct doca_comch_connection *connection;
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;

	MUST(doca_comch_client_get_connection(program.client, &connection));
	MUST(doca_comch_consumer_create(connection, program.inbox.mmap, &program.consumer));
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(program.consumer);
	MUST(doca_pe_connect_ctx(program.engine, ctx));
	MUST(doca_comch_consumer_task_post_recv_set_conf(program.consumer, on_buffer, on_buffer, KINDS));
	if (doca_ctx_start(ctx) != DOCA_ERROR_IN_PROGRESS)
		exit(1);
	PROGRESS_UNTIL(program.engine, state_of(ctx) == DOCA_CTX_STATE_RUNNING);
	for (int kind = 0; kind < KINDS; kind++) {
		MUST(doca_buf_inventory_buf_get_by_addr(program.inbox.inventory, program.inbox.mmap,
							program.inbox.bytes + kind * SIZE, SIZE, &buf));
		MUST(doca_comch_consumer_task_post_recv_alloc_init(program.consumer, buf, &task));
		MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
}

int main(void)
{
	struct doca_dev *device = open_device("b1:00.0");
	char *bytes[KINDS] = {malloc(SIZE), NULL, array};
	static const char *const texts[KINDS] = {"of malloc", "of posix_memalign", "of a static array"};
	struct doca_mmap *mmaps[KINDS];

	if (posix_memalign((void **)&bytes[1], 4096, SIZE) != 0)
		return 1;
	MUST(doca_pe_create(&program.engine));
	make_memory(&program.inbox, device, KINDS * SIZE);
	connect_to_dpu(device);
	for (int kind = 0; kind < KINDS; kind++)
		mmaps[kind] = lend(device, bytes[kind]);
	for (int kind = 0; kind < KINDS; kind++) {
		memset(bytes[kind], '0' + kind, SIZE);
		strcpy(bytes[kind], texts[kind]);
	}
	receive();
	PROGRESS_UNTIL(program.engine, program.received == KINDS);
	for (int kind = 0; kind < KINDS; kind++)
		TELL(doca_mmap_destroy(mmaps[kind]));
	send_message("destroyed", 9);
	PROGRESS_UNTIL(program.engine, program.failed);
	free(bytes[0]);
	free(bytes[1]);
	stop(program.engine, doca_comch_consumer_as_ctx(program.consumer));
	MUST(doca_comch_consumer_destroy(program.consumer));
	stop(program.engine, doca_comch_client_as_ctx(program.client));
	MUST(doca_comch_client_destroy(program.client));
	free_memory(&program.inbox);
	MUST(doca_pe_destroy(program.engine));
	TELL(doca_dev_close(device));
	return 0;
}
