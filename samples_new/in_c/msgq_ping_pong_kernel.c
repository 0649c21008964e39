/* The kernel of msgq_ping_pong: answer each number with its square. Compiled by DPACC for a card, by any compiler here. */
#include "msgq_argument.h"

#include <string.h>

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_comch_msgq.h>

static void answer(const struct argument *argument, doca_dpa_dev_comch_consumer_completion_element_t element)
{
	uint32_t length;
	uint64_t number;

	memcpy(&number, doca_dpa_dev_comch_consumer_get_completion_imm(element, &length), sizeof(number));
	doca_dpa_dev_comch_consumer_completion_ack(argument->completion, 1);
	doca_dpa_dev_comch_consumer_ack(argument->consumer, 1);
	number *= number;
	while (doca_dpa_dev_comch_producer_is_consumer_empty(argument->producer, argument->cpu_consumer_id))
		;
	doca_dpa_dev_comch_producer_post_send_imm_only(argument->producer, argument->cpu_consumer_id,
						       (const uint8_t *)&number, sizeof(number), 0);
}

__dpa_global__ void msgq_ping_pong_kernel(uint64_t arg)
{
	struct argument *const argument = (struct argument *)arg;
	doca_dpa_dev_comch_consumer_completion_element_t element;

	if (!argument->posted) {
		argument->posted = 1;
		doca_dpa_dev_comch_consumer_ack(argument->consumer, DEPTH);
	}
	while (doca_dpa_dev_comch_consumer_get_completion(argument->completion, &element))
		answer(argument, element);
	doca_dpa_dev_comch_consumer_completion_request_notification(argument->completion);
	doca_dpa_dev_thread_reschedule();
}
