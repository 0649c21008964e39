/* Two threads on two pairs of endpoints, without a lock; each endpoint belongs to one thread. */
#include <pthread.h>

#include <doca_comm_channel.h>

#include "guest.h"

static struct doca_dev *dpu, *host;
static struct doca_dev_rep *representor;

static doca_error_t receive(struct doca_comm_channel_ep_t *endpoint, char *text, struct doca_comm_channel_addr_t **peer)
{
	doca_error_t result;
	size_t length = 64;

	for (time_t since = time(NULL);; in_time(since), length = 64)
		if ((result = doca_comm_channel_ep_recvfrom(endpoint, text, &length, 0, peer)) != DOCA_ERROR_AGAIN)
			break;
	text[result == DOCA_SUCCESS ? length : 0] = 0;
	return result;
}

static void *pair(void *name)
{
	struct doca_comm_channel_ep_t *service, *client;
	struct doca_comm_channel_addr_t *to, *from;
	char text[65], answer[65];
	long wrong = 0;

	MUST(doca_comm_channel_ep_create(&service));
	MUST(doca_comm_channel_ep_create(&client));
	MUST(doca_comm_channel_ep_set_device(service, dpu));
	MUST(doca_comm_channel_ep_set_device_rep(service, representor));
	MUST(doca_comm_channel_ep_set_device(client, host));
	MUST(doca_comm_channel_ep_listen(service, name));
	MUST(doca_comm_channel_ep_connect(client, name, &to));
	size_t length = 64;
	if (doca_comm_channel_ep_recvfrom(service, answer, &length, 0, &from) != DOCA_ERROR_AGAIN)
		return (void *)-1;
	while (doca_comm_channel_peer_addr_update_info(to) == DOCA_ERROR_CONNECTION_INPROGRESS)
		pause_us(10);
	for (int index = 0; index < 2000; index++) {
		snprintf(text, sizeof(text), "%s %d", (char *)name, index);
		MUST(doca_comm_channel_ep_sendto(client, text, strlen(text), 0, to));
		MUST(receive(service, answer, &from));
		wrong += strcmp(text, answer) != 0;
		MUST(doca_comm_channel_ep_sendto(service, answer, strlen(answer), 0, from));
		MUST(receive(client, answer, &from));
		wrong += strcmp(text, answer) != 0 || from != to;
	}
	MUST(doca_comm_channel_ep_destroy(client));
	MUST(doca_comm_channel_ep_destroy(service));
	return (void *)wrong;
}

int main(void)
{
	pthread_t threads[2];
	void *wrong[2];

	dpu = open_device("03:00.0");
	host = open_device("b1:00.0");
	representor = open_representor(dpu, "b1:00.0");
	pthread_create(&threads[0], NULL, pair, "guest one");
	pthread_create(&threads[1], NULL, pair, "guest two");
	for (int index = 0; index < 2; index++)
		pthread_join(threads[index], &wrong[index]);
	printf("%ld and %ld wrong\n", (long)wrong[0], (long)wrong[1]);
	return 0;
}
