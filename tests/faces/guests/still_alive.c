/* Leaves with everything alive: contexts, tasks in flight, threads that progress and that wait. */
#include <pthread.h>
#include <unistd.h>

#include <doca_comm_channel.h>

#include "both_sides.h"

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)buffer;
	(void)length;
	(void)connection;
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static void *progress_for_ever(void *other)
{
	for (;;)
		doca_pe_progress(other);
	return NULL;
}

static void *sleep_for_ever(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

int main(int argc, char **argv)
{
	struct doca_dev *devices[2];
	struct doca_dev_rep *representor;
	struct doca_comm_channel_ep_t *endpoint;
	struct doca_pe *other;
	pthread_t thread;

	connect_both(devices, &representor, "guest alive");
	MUST(doca_comm_channel_ep_create(&endpoint));
	MUST(doca_comm_channel_ep_set_device(endpoint, devices[0]));
	MUST(doca_comm_channel_ep_set_device_rep(endpoint, representor));
	MUST(doca_comm_channel_ep_listen(endpoint, "guest alive, old"));
	MUST(doca_pe_create(&other));
	pthread_create(&thread, NULL, progress_for_ever, other);
	pthread_create(&thread, NULL, sleep_for_ever, NULL);
	MUST(doca_task_submit(new_send("text")));
	printf("leaving\n");
	fflush(stdout);
	if (argc == 1)
		return 7;
	if (strcmp(argv[1], "exit in a callback's place") == 0)
		exit(7);
	if (strcmp(argv[1], "exit of a thread") == 0)
		pthread_exit(NULL);
	_exit(7);
}
