/* An endpoint of DOCA 1.4 that one thread destroys while another waits in its receive. */
#include <doca_comm_channel.h>
#include <doca_error.h>

#include <pthread.h>
#include <stdio.h>
#include <time.h>

static struct doca_comm_channel_ep_t *service;

static void *receive(void *nothing)
{
	struct doca_comm_channel_addr_t *peer;
	char text[64];
	size_t length = sizeof(text);

	printf("recvfrom: %s\n", doca_error_get_name(doca_comm_channel_ep_recvfrom(service, text, &length, 0, &peer)));
	return nothing;
}

int main(void)
{
	const struct timespec a_while = {.tv_nsec = 200000000}; /* it has nothing to show for its sleep */
	struct doca_comm_channel_init_attr attributes = {0};
	pthread_t started;

	if (doca_comm_channel_ep_create(&attributes, &service) || doca_comm_channel_ep_listen(service, "svc") ||
	    pthread_create(&started, NULL, receive, NULL))
		return 1;
	nanosleep(&a_while, NULL);
	return doca_comm_channel_ep_destroy(service) || pthread_join(started, NULL);
}
