/* What leaves a call out of a callback: an exception, or the end of the thread; afterwards calls are refused, and return. */
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <thread>

static bool ends;
static doca_pe *engine;
static doca_comch_client *client;

static void changed(const union doca_data, struct doca_ctx *, enum doca_ctx_states, enum doca_ctx_states)
{
	if (ends)
		pthread_exit(nullptr);
	throw std::runtime_error("out of a callback");
}
static void done(doca_comch_task_send *, union doca_data, union doca_data) {}
static void got(doca_comch_event_msg_recv *, uint8_t *, uint32_t, doca_comch_connection *) {}

static void *work(void *)
{
	doca_devinfo **list;
	doca_dev *dev = nullptr;
	uint32_t number;
	doca_devinfo_create_list(&list, &number);
	for (uint32_t i = 0; i < number; i++) {
		uint8_t same = 0;
		doca_devinfo_is_equal_pci_addr(list[i], "b1:00.0", &same);
		if (same)
			doca_dev_open(list[i], &dev);
	}
	doca_pe_create(&engine);
	doca_comch_client_create(dev, "nobody", &client);
	doca_ctx *ctx = doca_comch_client_as_ctx(client);
	doca_comch_client_task_send_set_conf(client, done, done, 1);
	doca_comch_client_event_msg_recv_register(client, got);
	doca_ctx_set_state_changed_cb(ctx, changed);
	doca_pe_connect_ctx(engine, ctx);
	try {
		std::printf("start: %s\n", doca_error_get_name(doca_ctx_start(ctx)));
	} catch (const std::runtime_error &error) {
		std::printf("caught: %s\n", error.what());
	}
	return nullptr;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	ends = argc > 1 && !std::strcmp(argv[1], "end");
	pthread_create(&thread, nullptr, work, nullptr);
	pthread_join(thread, nullptr);
	size_t number;
	std::printf("stop: %s\n", doca_error_get_name(doca_ctx_stop(doca_comch_client_as_ctx(client))));
	std::printf("tasks: %s\n", doca_error_get_name(doca_pe_get_num_inflight_tasks(engine, &number)));
	while (doca_pe_progress(engine))
		;
	std::printf("client: %s\n", doca_error_get_name(doca_comch_client_destroy(client)));
	std::puts("the end");
	return 0;
}
