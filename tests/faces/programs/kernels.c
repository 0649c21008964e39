/* Kernels in C, one scene each: what the kernel and the host saw of it is printed. Run with the name of a scene. */
#include "msgq_common.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_comch_msgq.h>

static struct lane lane;
static volatile int begun, went_on, may_end; /* what a kernel has come to, and a word from the host */

static const struct argument *argument_of(uint64_t arg)
{
	return (const struct argument *)arg;
}

static void progress_until(volatile int *reached)
{
	while (!*reached)
		(void)doca_pe_progress(lane.pe);
}

static void print_code(const char *what, doca_error_t code)
{
	printf("%s %s\n", what, doca_error_get_name(code));
}

/* Wait for the fatal error. */
static void print_failure(void)
{
	while (doca_dpa_peek_at_last_error(lane.dpa) == DOCA_SUCCESS)
		(void)doca_pe_progress(lane.pe);
	print_code("the DPA:", doca_dpa_peek_at_last_error(lane.dpa));
	printf("the kernel went on: %d\n", went_on);
}

/* A call that is refused ends the kernel. */

static void send_too_much(uint64_t arg)
{
	uint8_t imm[33] = {0};

	doca_dpa_dev_comch_producer_post_send_imm_only(argument_of(arg)->producer, argument_of(arg)->cpu_consumer_id, imm,
						       sizeof(imm), 0);
	went_on = 1;
}

static void acknowledge_too_much(uint64_t arg)
{
	doca_dpa_dev_comch_consumer_ack(argument_of(arg)->consumer, DEPTH);
	doca_dpa_dev_comch_consumer_ack(argument_of(arg)->consumer, 1);
	went_on = 1;
}

static void write_to_null(uint64_t arg)
{
	(void)doca_dpa_dev_comch_consumer_get_completion(argument_of(arg)->completion, NULL);
	went_on = 1;
}

/* Reschedule ends the run: the second message begins another. */

static void count_runs(uint64_t arg)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;

	if (!begun++)
		doca_dpa_dev_comch_consumer_ack(argument_of(arg)->consumer, DEPTH);
	while (doca_dpa_dev_comch_consumer_get_completion(argument_of(arg)->completion, &element))
		doca_dpa_dev_comch_consumer_completion_ack(argument_of(arg)->completion, 1);
	doca_dpa_dev_comch_consumer_completion_request_notification(argument_of(arg)->completion);
	doca_dpa_dev_thread_reschedule();
	went_on = 1;
}

static void runs(void)
{
	int before;

	progress_until(&begun);
	for (before = begun; begun == before; )
		if (lane_send(&lane, "again", 5) == DOCA_SUCCESS)
			while (begun == before)
				(void)doca_pe_progress(lane.pe);
	printf("runs: %s\nwent on: %d\n", begun > 1 ? "several" : "one", went_on);
}

/* Storage, the producer's user data, copies. */

static char target[64], seen[128];
static doca_dpa_dev_uintptr_t source; /* as long, in memory of the DPA */
static doca_dpa_dev_mmap_t source_map, target_map;

static void look_around(uint64_t arg)
{
	const struct argument *const argument = argument_of(arg);
	doca_dpa_dev_completion_element_t element;
	const char *read = (const char *)doca_dpa_dev_mmap_get_external_ptr(source_map, source);

	doca_dpa_dev_comch_producer_dma_copy(argument->producer, argument->cpu_consumer_id, target_map, (uintptr_t)target,
					     source_map, source, sizeof(target), (const uint8_t *)"done", 4, 1);
	while (!doca_dpa_dev_get_completion((doca_dpa_dev_completion_t)doca_dpa_dev_thread_get_local_storage(), &element))
		;
	snprintf(seen, sizeof(seen), "type %d, user data %u, read %s", doca_dpa_dev_get_completion_type(element),
		 doca_dpa_dev_get_completion_user_data(element), read);
	doca_dpa_dev_completion_ack((doca_dpa_dev_completion_t)doca_dpa_dev_thread_get_local_storage(), 1);
	doca_dpa_dev_thread_finish();
	went_on = 1;
}

static doca_error_t create_map(struct doca_mmap **mmap)
{
	CHECK(doca_mmap_create(mmap));
	CHECK(doca_mmap_add_dev(*mmap, lane.dev));
	return doca_mmap_set_permissions(*mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static doca_error_t map_memory_of_the_dpa(struct doca_mmap **mmap)
{
	char text[sizeof(target)] = "copied by the DPA";

	CHECK(create_map(mmap));
	CHECK(doca_dpa_mem_alloc(lane.dpa, sizeof(text), &source));
	CHECK(doca_dpa_h2d_memcpy(lane.dpa, source, text, sizeof(text)));
	print_code("beyond:", doca_mmap_set_dpa_memrange(*mmap, lane.dpa, source + 1, sizeof(text)));
	CHECK(doca_mmap_set_dpa_memrange(*mmap, lane.dpa, source, sizeof(text)));
	print_code("twice:", doca_mmap_set_dpa_memrange(*mmap, lane.dpa, source, sizeof(text)));
	CHECK(doca_mmap_start(*mmap));
	print_code("started:", doca_mmap_set_dpa_memrange(*mmap, lane.dpa, source, sizeof(text)));
	return doca_mmap_dev_get_dpa_handle(*mmap, lane.dev, &source_map);
}

static doca_error_t map_memory_of_the_host(struct doca_mmap **mmap)
{
	CHECK(create_map(mmap));
	CHECK(doca_mmap_set_memrange(*mmap, target, sizeof(target)));
	CHECK(doca_mmap_start(*mmap));
	return doca_mmap_dev_get_dpa_handle(*mmap, lane.dev, &target_map);
}

/* Give the thread its storage, and the producer its user data, which needs them stopped. */
static doca_error_t tell_more(void)
{
	struct doca_ctx *const ctx = doca_comch_producer_as_ctx(lane.dpa_producer);
	doca_dpa_dev_completion_t completion;

	CHECK(doca_dpa_completion_get_dpa_handle(lane.producer_comp, &completion));
	CHECK(doca_dpa_thread_stop(lane.thread));
	CHECK(doca_dpa_thread_set_local_storage(lane.thread, completion));
	CHECK(doca_dpa_thread_start(lane.thread));
	CHECK(doca_ctx_stop(ctx));
	CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.u64 = 42}));
	CHECK(doca_comch_producer_dpa_completion_attach(lane.dpa_producer, lane.producer_comp));
	CHECK(doca_ctx_start(ctx));
	return doca_comch_producer_get_dpa_handle(lane.dpa_producer, &lane.argument.producer);
}

static void copies(void)
{
	struct doca_mmap *maps[2];

	print_code("more", tell_more());
	print_code("map", map_memory_of_the_dpa(&maps[0]));
	print_code("map", map_memory_of_the_host(&maps[1]));
	print_code("run", lane_run(&lane));
	while (!lane.received)
		(void)doca_pe_progress(lane.pe);
	print_code("thread", doca_dpa_thread_stop(lane.thread));
	printf("%s\nreceived %.*s: %s\n", seen, (int)lane.length, (const char *)lane.message, target);
	print_code("thread", doca_dpa_thread_start(lane.thread));
	printf("went on: %d\n", went_on);
	print_code("map", doca_mmap_destroy(maps[0]));
	print_code("map", doca_mmap_destroy(maps[1]));
	print_code("free", doca_dpa_mem_free(lane.dpa, source));
}

/* A kernel may not call the host's API. */

static doca_error_t answers[4];

static void call_the_host(uint64_t arg)
{
	enum doca_ctx_states state;

	(void)arg;
	answers[0] = doca_comch_msgq_stop(lane.to_dpa);
	answers[1] = doca_ctx_get_state(doca_comch_consumer_as_ctx(lane.cpu_consumer), &state);
	answers[2] = doca_dpa_thread_stop(lane.thread);
	answers[3] = doca_pe_progress(lane.pe) ? DOCA_ERROR_UNEXPECTED : DOCA_SUCCESS;
	went_on = 1;
}

static void host_calls(void)
{
	int i;

	progress_until(&went_on);
	for (i = 0; i < 4; i++)
		print_code("in a kernel:", answers[i]);
	print_code("the DPA:", doca_dpa_peek_at_last_error(lane.dpa));
}

/* One that does not end. */

static void never_end(uint64_t arg)
{
	(void)arg;
	begun = 1;
	while (!may_end)
		;
}

static void poll_for_ever(uint64_t arg)
{
	for (;; begun = 1)
		(void)doca_dpa_dev_comch_producer_is_consumer_empty(argument_of(arg)->producer,
								    argument_of(arg)->cpu_consumer_id);
}

static void stop_it(void)
{
	progress_until(&begun);
	print_code("stop:", doca_dpa_thread_stop(lane.thread));
	print_code("destroy:", doca_dpa_thread_destroy(lane.thread));
	may_end = 1;
	print_code("stop:", doca_dpa_thread_stop(lane.thread));
	print_code("start:", doca_dpa_thread_start(lane.thread));
}

static void leave_it(void)
{
	progress_until(&begun);
	printf("the process ends\n");
	fflush(stdout);
	exit(0);
}

/* The host makes no device calls; and what it does with memory. */

static void nothing(uint64_t arg)
{
	(void)arg;
}

static void wrong_place(void)
{
	doca_dpa_dev_comch_consumer_completion_element_t element = 7;
	const int found = doca_dpa_dev_comch_consumer_get_completion(lane.argument.completion, &element);

	printf("outside of a kernel: %d, %d\n", found, (int)element);
	doca_dpa_dev_thread_reschedule();
	print_code("the DPA:", doca_dpa_peek_at_last_error(lane.dpa));
}

static void memory(void)
{
	const size_t size = sizeof(lane.argument);
	const doca_dpa_dev_uintptr_t there = lane.argument_on_dpa;
	struct argument back = {0};

	print_code("to it:", doca_dpa_h2d_memcpy(lane.dpa, there, &lane.argument, size));
	print_code("back:", doca_dpa_d2h_memcpy(lane.dpa, &back, there, size));
	printf("the same: %d\n", !memcmp(&back, &lane.argument, size));
	print_code("beyond:", doca_dpa_h2d_memcpy(lane.dpa, there + 1, &lane.argument, size));
	print_code("beyond:", doca_dpa_d2h_memcpy(lane.dpa, &back, there + 1, size));
	print_code("nothing:", doca_dpa_mem_alloc(lane.dpa, 0, &lane.argument_on_dpa));
	printf("left alone: %d\n", lane.argument_on_dpa == there);
	print_code("free:", doca_dpa_mem_free(lane.dpa, there));
	print_code("free:", doca_dpa_mem_free(lane.dpa, there));
	print_code("another:", doca_dpa_mem_alloc(lane.dpa, 1 << 20, &lane.argument_on_dpa));
}

static const struct scene {
	const char *name;
	void (*kernel)(uint64_t);
	void (*host)(void);
	int runs_first;
} scenes[] = {
	{"too_much", send_too_much, print_failure, 1},
	{"acknowledged", acknowledge_too_much, print_failure, 1},
	{"null", write_to_null, print_failure, 1},
	{"runs", count_runs, runs, 1},
	{"copies", look_around, copies, 0},
	{"host_calls", call_the_host, host_calls, 1},
	{"endless", never_end, stop_it, 1},
	{"exit", never_end, leave_it, 1},
	{"exit_polling", poll_for_ever, leave_it, 1},
	{"wrong_place", nothing, wrong_place, 1},
	{"memory", nothing, memory, 0},
};

static int play(const struct scene *scene)
{
	doca_error_t result;
	struct doca_dev *dev;

	if (open_device("03:00.0", &dev) != DOCA_SUCCESS)
		return 1;
	result = lane_open(&lane, dev, (doca_dpa_func_t *)scene->kernel);
	if (result == DOCA_SUCCESS && scene->runs_first)
		result = lane_run(&lane);
	if (result == DOCA_SUCCESS)
		scene->host();
	print_code("close:", lane_close(&lane));
	print_code("close:", doca_dev_close(dev));
	return result != DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(scenes) / sizeof(*scenes); i++)
		if (!strcmp(argv[1], scenes[i].name))
			return play(&scenes[i]);
	return 2;
}
