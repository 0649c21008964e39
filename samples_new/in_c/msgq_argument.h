/* What the host tells the kernel: handles are numbers there. */
#ifndef MSGQ_ARGUMENT_H
#define MSGQ_ARGUMENT_H

#include <doca_comch.h>

#define DEPTH 16 /* receives that a side has posted at most */

struct argument {
	doca_dpa_dev_comch_consumer_t consumer;
	doca_dpa_dev_comch_consumer_completion_t completion;
	doca_dpa_dev_comch_producer_t producer;
	uint32_t cpu_consumer_id;
	uint32_t posted;
};

#endif
