/* The set-up of the msgq samples: see msgq_common.h. */
#include "msgq_common.h"

#include <stdio.h>
#include <string.h>

doca_error_t open_device(const char *pci_addr, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t number, i;
	uint8_t is_equal;
	doca_error_t result = DOCA_ERROR_NOT_FOUND;

	CHECK(doca_devinfo_create_list(&list, &number));
	for (i = 0; i < number && result == DOCA_ERROR_NOT_FOUND; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_equal) == DOCA_SUCCESS && is_equal)
			result = doca_dev_open(list[i], dev);
	doca_devinfo_destroy_list(list);
	return result;
}

static doca_error_t create_thread(struct lane *lane, doca_dpa_func_t *kernel)
{
	CHECK(doca_dpa_create(lane->dev, &lane->dpa));
	CHECK(doca_dpa_start(lane->dpa));
	CHECK(doca_dpa_mem_alloc(lane->dpa, sizeof(lane->argument), &lane->argument_on_dpa));
	CHECK(doca_dpa_thread_create(lane->dpa, &lane->thread));
	CHECK(doca_dpa_thread_set_func_arg(lane->thread, kernel, lane->argument_on_dpa));
	CHECK(doca_dpa_thread_start(lane->thread));
	return DOCA_SUCCESS;
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static doca_error_t create_queue_to_dpa(struct lane *lane)
{
	struct doca_ctx *ctx;

	CHECK(doca_comch_msgq_create(lane->dev, &lane->to_dpa));
	CHECK(doca_comch_msgq_set_dpa_consumer(lane->to_dpa, lane->dpa));
	CHECK(doca_comch_msgq_start(lane->to_dpa));
	CHECK(doca_comch_consumer_completion_create(&lane->consumer_comp));
	CHECK(doca_comch_consumer_completion_set_dpa_thread(lane->consumer_comp, lane->thread));
	CHECK(doca_comch_consumer_completion_start(lane->consumer_comp));

	CHECK(doca_comch_msgq_consumer_create(lane->to_dpa, &lane->dpa_consumer));
	ctx = doca_comch_consumer_as_ctx(lane->dpa_consumer);
	CHECK(doca_ctx_set_datapath_on_dpa(ctx, lane->dpa));
	CHECK(doca_comch_consumer_set_completion(lane->dpa_consumer, lane->consumer_comp, 0));
	CHECK(doca_comch_consumer_set_dev_max_num_recv(lane->dpa_consumer, DEPTH));
	CHECK(doca_ctx_start(ctx));

	CHECK(doca_comch_msgq_producer_create(lane->to_dpa, &lane->cpu_producer));
	ctx = doca_comch_producer_as_ctx(lane->cpu_producer);
	CHECK(doca_pe_connect_ctx(lane->pe, ctx));
	CHECK(doca_comch_producer_task_send_set_conf(lane->cpu_producer, on_sent, on_sent, DEPTH));
	CHECK(doca_ctx_start(ctx));

	CHECK(doca_comch_consumer_get_id(lane->dpa_consumer, &lane->dpa_consumer_id));
	CHECK(doca_comch_consumer_get_dpa_handle(lane->dpa_consumer, &lane->argument.consumer));
	CHECK(doca_comch_consumer_completion_get_dpa_handle(lane->consumer_comp, &lane->argument.completion));
	return DOCA_SUCCESS;
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	struct lane *const lane = ctx_user_data.ptr;

	(void)task_user_data;
	lane->length = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
	memcpy(lane->message, doca_comch_consumer_task_post_recv_get_imm_data(task), lane->length);
	lane->received++;
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task)); /* it stops */
}

static void on_not_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
			    union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static doca_error_t post_receives(struct lane *lane)
{
	struct doca_comch_consumer_task_post_recv *task;
	int i;

	for (i = 0; i < DEPTH; i++) {
		CHECK(doca_comch_consumer_task_post_recv_alloc_init(lane->cpu_consumer, NULL, &task));
		CHECK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
	return DOCA_SUCCESS;
}

static doca_error_t start_cpu_consumer(struct lane *lane)
{
	struct doca_ctx *const ctx = doca_comch_consumer_as_ctx(lane->cpu_consumer);
	enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
	doca_error_t result;

	CHECK(doca_pe_connect_ctx(lane->pe, ctx));
	CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = lane}));
	CHECK(doca_comch_consumer_task_post_recv_set_conf(lane->cpu_consumer, on_received, on_not_received, DEPTH));
	result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		CHECK(result);
	while (state != DOCA_CTX_STATE_RUNNING) {
		(void)doca_pe_progress(lane->pe);
		CHECK(doca_ctx_get_state(ctx, &state));
	}
	return post_receives(lane);
}

static doca_error_t create_queue_from_dpa(struct lane *lane)
{
	struct doca_ctx *ctx;

	CHECK(doca_comch_msgq_create(lane->dev, &lane->from_dpa));
	CHECK(doca_comch_msgq_set_dpa_producer(lane->from_dpa, lane->dpa));
	CHECK(doca_comch_msgq_start(lane->from_dpa));
	CHECK(doca_dpa_completion_create(lane->dpa, DEPTH, &lane->producer_comp));
	CHECK(doca_dpa_completion_start(lane->producer_comp));

	CHECK(doca_comch_msgq_producer_create(lane->from_dpa, &lane->dpa_producer));
	ctx = doca_comch_producer_as_ctx(lane->dpa_producer);
	CHECK(doca_ctx_set_datapath_on_dpa(ctx, lane->dpa));
	CHECK(doca_comch_producer_dpa_completion_attach(lane->dpa_producer, lane->producer_comp));
	CHECK(doca_comch_producer_set_dev_max_num_send(lane->dpa_producer, DEPTH));
	CHECK(doca_ctx_start(ctx));

	CHECK(doca_comch_msgq_consumer_create(lane->from_dpa, &lane->cpu_consumer));
	CHECK(start_cpu_consumer(lane));
	CHECK(doca_comch_producer_get_dpa_handle(lane->dpa_producer, &lane->argument.producer));
	CHECK(doca_comch_consumer_get_id(lane->cpu_consumer, &lane->argument.cpu_consumer_id));
	return DOCA_SUCCESS;
}

doca_error_t lane_run(struct lane *lane)
{
	CHECK(doca_dpa_h2d_memcpy(lane->dpa, lane->argument_on_dpa, &lane->argument, sizeof(lane->argument)));
	CHECK(doca_dpa_thread_run(lane->thread));
	return DOCA_SUCCESS;
}

doca_error_t lane_send(struct lane *lane, const void *message, uint32_t length)
{
	struct doca_comch_producer_task_send *task;
	doca_error_t result;

	CHECK(doca_comch_producer_task_send_alloc_init(lane->cpu_producer, NULL, (uint8_t *)message, length,
						       lane->dpa_consumer_id, &task));
	while ((result = doca_task_submit(doca_comch_producer_task_send_as_task(task))) == DOCA_ERROR_AGAIN)
		(void)doca_pe_progress(lane->pe); /* the kernel has posted no receive yet */
	return result;
}

/* Stop a context that has not stopped by itself; that takes progress while it has tasks. */
static doca_error_t stop(struct lane *lane, struct doca_ctx *ctx)
{
	enum doca_ctx_states state;
	doca_error_t result = doca_ctx_get_state(ctx, &state);

	if (result == DOCA_SUCCESS && state == DOCA_CTX_STATE_RUNNING)
		result = doca_ctx_stop(ctx);
	while ((result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS) && state != DOCA_CTX_STATE_IDLE) {
		(void)doca_pe_progress(lane->pe);
		result = doca_ctx_get_state(ctx, &state);
	}
	return result;
}

static void keep(doca_error_t *first, doca_error_t result)
{
	if (*first == DOCA_SUCCESS)
		*first = result;
}

doca_error_t lane_close(struct lane *lane)
{
	doca_error_t first = DOCA_SUCCESS;

	/* The kernel may still run when its last answer has come. */
	keep(&first, doca_dpa_thread_stop(lane->thread));
	keep(&first, stop(lane, doca_comch_consumer_as_ctx(lane->cpu_consumer)));
	keep(&first, doca_comch_consumer_destroy(lane->cpu_consumer));
	keep(&first, stop(lane, doca_comch_producer_as_ctx(lane->dpa_producer)));
	keep(&first, doca_comch_producer_destroy(lane->dpa_producer));
	keep(&first, doca_dpa_completion_stop(lane->producer_comp));
	keep(&first, doca_dpa_completion_destroy(lane->producer_comp));
	keep(&first, doca_comch_msgq_stop(lane->from_dpa));
	keep(&first, doca_comch_msgq_destroy(lane->from_dpa));

	keep(&first, stop(lane, doca_comch_producer_as_ctx(lane->cpu_producer)));
	keep(&first, doca_comch_producer_destroy(lane->cpu_producer));
	keep(&first, stop(lane, doca_comch_consumer_as_ctx(lane->dpa_consumer)));
	keep(&first, doca_comch_consumer_destroy(lane->dpa_consumer));
	keep(&first, doca_comch_consumer_completion_stop(lane->consumer_comp));
	keep(&first, doca_comch_consumer_completion_destroy(lane->consumer_comp));
	keep(&first, doca_comch_msgq_stop(lane->to_dpa));
	keep(&first, doca_comch_msgq_destroy(lane->to_dpa));

	keep(&first, doca_dpa_thread_destroy(lane->thread));
	keep(&first, doca_dpa_mem_free(lane->dpa, lane->argument_on_dpa));
	keep(&first, doca_dpa_stop(lane->dpa));
	keep(&first, doca_dpa_destroy(lane->dpa));
	keep(&first, doca_pe_destroy(lane->pe));
	return first;
}

doca_error_t lane_open(struct lane *lane, struct doca_dev *dev, doca_dpa_func_t *kernel)
{
	memset(lane, 0, sizeof(*lane));
	lane->dev = dev;
	CHECK(doca_pe_create(&lane->pe));
	CHECK(create_thread(lane, kernel));
	CHECK(create_queue_to_dpa(lane));
	CHECK(create_queue_from_dpa(lane));
	return DOCA_SUCCESS;
}
