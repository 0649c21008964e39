/* The set-up of the msgq samples: a DPA with one thread, and a message queue each way (guide: Comch, MsgQ). */
#ifndef MSGQ_COMMON_H
#define MSGQ_COMMON_H

#include <stdio.h>

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_dpa.h>

#include "msgq_argument.h"

#define CHECK(call) \
	do { \
		doca_error_t result_ = (call); \
		if (result_ != DOCA_SUCCESS) { \
			fprintf(stderr, "%s: %s\n", #call, doca_error_get_descr(result_)); \
			return result_; \
		} \
	} while (0)

/* Both queues with all of their ends, and the last message that came from the kernel. */
struct lane {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct doca_comch_consumer_completion *consumer_comp;
	struct doca_dpa_completion *producer_comp;
	struct doca_comch_consumer *dpa_consumer, *cpu_consumer;
	struct doca_comch_producer *cpu_producer, *dpa_producer;
	struct argument argument;
	doca_dpa_dev_uintptr_t argument_on_dpa;
	uint32_t dpa_consumer_id;
	uint8_t message[32];
	uint32_t length;
	uint64_t received;
};

doca_error_t open_device(const char *pci_addr, struct doca_dev **dev);

/* Make everything but run nothing. */
doca_error_t lane_open(struct lane *lane, struct doca_dev *dev, doca_dpa_func_t *kernel);

/* Give everything back, in the opposite order; returns the first failure. What has not been made is NULL, which the
 * library refuses. */
doca_error_t lane_close(struct lane *lane);

/* Give the kernel its argument, and have it run. */
doca_error_t lane_run(struct lane *lane);

/* Send to the kernel, as soon as it has posted a receive. */
doca_error_t lane_send(struct lane *lane, const void *message, uint32_t length);

#endif
