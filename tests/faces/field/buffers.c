/* Maps, inventories and buffers: references, data segments, lists, and what is refused while something is in use. */
#include "field.h"

#include <doca_types.h>

#define SIZE 65536
#define TELL(call) printf("%s: %s\n", #call, doca_error_get_name(call))

static int freed;

static void memory_freed(void *addr, size_t len, void *cookie)
{
	freed += len == SIZE && addr != NULL && cookie == &freed;
}

static void use(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, char *memory)
{
	struct doca_buf *first, *second, *copy, *last;
	uint16_t count = 0;
	uint32_t length = 0, elements = 0;
	size_t data_len = 0;
	void *data, *head;

	TELL(doca_buf_inventory_buf_get_by_args(inventory, mmap, memory, 100, memory + 10, 20, &first));
	TELL(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + 1000, 100, &second));
	TELL(doca_buf_get_head(first, &head));
	TELL(doca_buf_get_data(first, &data));
	TELL(doca_buf_get_data_len(first, &data_len));
	printf("data at %d of %zu bytes\n", (int)((char *)data - (char *)head), data_len);
	TELL(doca_buf_inc_refcount(first, &count));
	TELL(doca_buf_dec_refcount(first, NULL));
	TELL(doca_buf_chain_list(first, second));
	TELL(doca_buf_get_list_len(first, &length));
	TELL(doca_buf_get_last_in_list(first, &last));
	printf("%u in the list, the last one %s\n", length, last == second ? "is the second" : "is another");
	TELL(doca_buf_inventory_buf_dup(inventory, first, &copy));
	TELL(doca_buf_inventory_get_num_free_elements(inventory, &elements));
	printf("%u free\n", elements);
	TELL(doca_buf_dec_refcount(copy, &count));
	TELL(doca_buf_dec_refcount(second, &count));
	TELL(doca_mmap_destroy(mmap));
	TELL(doca_buf_dec_refcount(first, &count));
	TELL(doca_buf_inventory_get_num_free_elements(inventory, &elements));
	printf("%u free\n", elements);
}

int main(void)
{
	void *aligned = NULL;
	char *memory;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_dev *dev;
	size_t size = 0;
	void *address;

	if (posix_memalign(&aligned, 4096, SIZE) != 0)
		return EXIT_FAILURE;
	memory = (char *)aligned;
	if (field_open_dev("b1:00.0", NULL, &dev) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	TELL(doca_mmap_create(&mmap));
	TELL(doca_mmap_start(mmap));
	TELL(doca_mmap_add_dev(mmap, dev));
	TELL(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	TELL(doca_mmap_set_memrange(mmap, memory, SIZE));
	TELL(doca_mmap_set_free_cb(mmap, memory_freed, &freed));
	TELL(doca_mmap_start(mmap));
	TELL(doca_mmap_set_memrange(mmap, memory, SIZE));
	TELL(doca_mmap_get_memrange(mmap, &address, &size));
	printf("%zu bytes, %s\n", size, address == memory ? "the program's" : "others");
	TELL(doca_buf_inventory_create(4, &inventory));
	TELL(doca_buf_inventory_start(inventory));
	use(inventory, mmap, memory);
	TELL(doca_buf_inventory_stop(inventory));
	TELL(doca_buf_inventory_destroy(inventory));
	TELL(doca_mmap_destroy(mmap));
	printf("freed %d\n", freed);
	TELL(doca_dev_close(dev));
	free(memory);
	return EXIT_SUCCESS;
}
