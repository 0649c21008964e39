/* The fast path's two ends as one noun: a side of a connection with its memory, consumer and producer. */
#ifndef BULK_H
#define BULK_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "guest.h"

#define BUFFER_SIZE (1 << 20)
#define BUFFERS 8

struct memory {
	char *bytes;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

static inline void make_memory(struct memory *memory, struct doca_dev *device, size_t size)
{
	memory->bytes = calloc(1, size);
	MUST(doca_mmap_create(&memory->mmap));
	MUST(doca_mmap_add_dev(memory->mmap, device));
	MUST(doca_mmap_set_permissions(memory->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	MUST(doca_mmap_set_memrange(memory->mmap, memory->bytes, size));
	MUST(doca_mmap_start(memory->mmap));
	MUST(doca_buf_inventory_create(BUFFERS + 1, &memory->inventory));
	MUST(doca_buf_inventory_start(memory->inventory));
}

static inline void free_memory(struct memory *memory)
{
	MUST(doca_buf_inventory_stop(memory->inventory));
	MUST(doca_buf_inventory_destroy(memory->inventory));
	MUST(doca_mmap_destroy(memory->mmap));
	free(memory->bytes);
}

#endif
