/* Sizes and lengths that are nothing: 0, the largest of their type, one too many; and handles of other structs. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comm_channel.h>
#include <doca_mmap.h>

#include "both_sides.h"

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)buffer;
	(void)connection;
	printf("message of %u bytes\n", length);
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void of_messages(void)
{
	static char bytes[70000];
	struct doca_comch_task_send *task = (void *)1;
	uint32_t size = 1;

	TELL(doca_comch_client_task_send_alloc_init(client, at_client, bytes, UINT32_MAX, &task));
	TELL(doca_comch_client_task_send_alloc_init(client, at_client, bytes, 4081, &task));
	TELL(doca_comch_client_task_send_alloc_init(client, at_client, NULL, 4, &task));
	TELL(doca_comch_client_task_send_alloc_init(client, at_server, bytes, 4, &task));
	TELL(doca_comch_client_task_send_alloc_init((void *)server, at_client, bytes, 4, &task));
	printf("output %s\n", task == (void *)1 ? "untouched" : "written");
	TELL(doca_comch_client_get_max_msg_size((void *)client_ctx, &size));
	TELL(doca_comch_client_set_max_msg_size(client, 0));
	TELL(doca_comch_connection_get_counter(at_client, 5, (void *)bytes));
	TELL(doca_ctx_start((void *)engine));
	TELL(doca_ctx_start((void *)bytes));
	TELL(doca_ctx_start((void *)-8));
}

static void of_memory(struct doca_dev *device)
{
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	static char bytes[4096];

	MUST(doca_mmap_create(&mmap));
	TELL(doca_mmap_start(mmap));
	TELL(doca_mmap_set_memrange(mmap, bytes, 0));
	TELL(doca_mmap_set_memrange(mmap, bytes, SIZE_MAX));
	TELL(doca_mmap_set_permissions(mmap, UINT32_MAX));
	TELL(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	MUST(doca_mmap_add_dev(mmap, device));
	MUST(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	MUST(doca_mmap_start(mmap));
	TELL(doca_buf_inventory_create(0, &inventory));
	TELL(doca_buf_inventory_create(SIZE_MAX, &inventory));
	MUST(doca_buf_inventory_create(1, &inventory));
	MUST(doca_buf_inventory_start(inventory));
	TELL(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, SIZE_MAX, &buf));
	TELL(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes - 1, 2, &buf));
	TELL(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes + 4095, 2, &buf));
	TELL(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 4096, &buf));
	TELL(doca_buf_set_data(buf, bytes + 4096, 1));
	TELL(doca_buf_set_data(buf, bytes, SIZE_MAX));
	TELL(doca_buf_set_data_len(buf, SIZE_MAX));
	TELL(doca_mmap_destroy(mmap));
	TELL(doca_buf_dec_refcount(buf, NULL));
	TELL(doca_buf_dec_refcount(buf, NULL));
	TELL(doca_mmap_destroy(mmap));
	TELL(doca_mmap_destroy(mmap));
	TELL(doca_buf_inventory_destroy(inventory));
	TELL(doca_mmap_create_from_export(NULL, bytes, SIZE_MAX, device, &mmap));
	TELL(doca_mmap_create_from_export(NULL, bytes, 0, device, &mmap));
}

static void of_endpoints(struct doca_dev *device)
{
	struct doca_comm_channel_ep_t *endpoint;
	struct doca_comm_channel_addr_t *peer = NULL;
	static char name[100000];
	char message[16] = {0};
	size_t length = SIZE_MAX;

	memset(name, 'n', sizeof(name) - 1);
	MUST(doca_comm_channel_ep_create(&endpoint));
	TELL(doca_comm_channel_ep_set_max_msg_size(endpoint, 0));
	TELL(doca_comm_channel_ep_set_send_queue_size(endpoint, UINT16_MAX));
	MUST(doca_comm_channel_ep_set_device(endpoint, device));
	TELL(doca_comm_channel_ep_connect(endpoint, name, &peer));
	TELL(doca_comm_channel_ep_connect(endpoint, "", &peer));
	TELL(doca_comm_channel_ep_recvfrom(endpoint, message, &length, 0, &peer));
	TELL(doca_comm_channel_ep_recvfrom(endpoint, message, &length, 1, &peer));
	TELL(doca_comm_channel_ep_sendto(endpoint, message, SIZE_MAX, 0, (void *)at_client));
	TELL(doca_comm_channel_ep_sendto(endpoint, message, UINT32_MAX, 0, (void *)at_client));
	TELL(doca_comm_channel_ep_sendto((void *)engine, message, 1, 0, peer));
	TELL(doca_comm_channel_ep_destroy((void *)client));
	TELL(doca_comm_channel_ep_destroy(endpoint));
	TELL(doca_comm_channel_ep_destroy(endpoint));
}

int main(void)
{
	struct doca_dev *devices[2];
	struct doca_dev_rep *representor;

	setvbuf(stdout, NULL, _IOLBF, 0);
	connect_both(devices, &representor, "guest sizes");
	of_messages();
	of_memory(devices[1]);
	of_endpoints(devices[1]);
	TELL(doca_dev_close(devices[1]));
	return 0;
}
