/* The event channel of an endpoint of DOCA 1.4, also once the library cannot be called any more. */
#include <doca_comm_channel.h>
#include <doca_error.h>

#include <pthread.h>
#include <stdio.h>

static struct doca_comm_channel_ep_t *service;

static void show(const char *when)
{
	const doca_event_channel_t channel = doca_comm_channel_ep_event_channel_get(service);

	if (channel > 2)
		printf("%s: a descriptor\n", when);
	else
		printf("%s: %d\n", when, channel);
}

static void *leave(void *nothing)
{
	struct doca_comm_channel_addr_t *peer;
	char text[64];
	size_t length = sizeof(text);

	pthread_cancel(pthread_self());
	(void)doca_comm_channel_ep_recvfrom(service, text, &length, 0, &peer); /* waits for a client */
	return nothing;
}

int main(void)
{
	struct doca_comm_channel_init_attr attributes = {0};
	pthread_t started;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("create: %s\n", doca_error_get_name(doca_comm_channel_ep_create(&attributes, &service)));
	printf("listen: %s\n", doca_error_get_name(doca_comm_channel_ep_listen(service, "svc")));
	show("before");
	if (pthread_create(&started, NULL, leave, NULL) || pthread_join(started, NULL))
		return 1;
	show("after");
	return 0;
}
