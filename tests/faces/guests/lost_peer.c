/* Generation 1 when the other process is killed. `serve`: receives until then; otherwise the client, which tells. */
#include <doca_comm_channel.h>

#include "guest.h"

static struct doca_comm_channel_ep_t *new_endpoint(struct doca_dev *device)
{
	struct doca_comm_channel_ep_t *endpoint;

	MUST(doca_comm_channel_ep_create(&endpoint));
	MUST(doca_comm_channel_ep_set_device(endpoint, device));
	return endpoint;
}

static void serve(void)
{
	struct doca_dev *device = open_device("03:00.0");
	struct doca_comm_channel_ep_t *endpoint = new_endpoint(device);
	struct doca_comm_channel_addr_t *peer;
	char message[4080];

	MUST(doca_comm_channel_ep_set_device_rep(endpoint, open_representor(device, "b1:00.0")));
	MUST(doca_comm_channel_ep_listen(endpoint, "guest lost"));
	printf("listening\n");
	fflush(stdout);
	for (time_t since = time(NULL);; in_time(since)) {
		size_t length = sizeof(message);

		if (doca_comm_channel_ep_recvfrom(endpoint, message, &length, 0, &peer) == DOCA_SUCCESS) {
			MUST(doca_comm_channel_ep_sendto(endpoint, message, length, 0, peer));
			printf("received\n");
			fflush(stdout);
		}
	}
}

int main(int argc, char **argv)
{
	struct doca_comm_channel_ep_t *endpoint;
	struct doca_comm_channel_addr_t *peer, *from = NULL;
	doca_error_t result;
	size_t length = 4080;
	char message[4080];

	if (argc > 1 && strcmp(argv[1], "serve") == 0)
		serve();
	endpoint = new_endpoint(open_device("b1:00.0"));
	MUST(doca_comm_channel_ep_connect(endpoint, "guest lost", &peer));
	for (time_t since = time(NULL);; in_time(since)) {
		result = doca_comm_channel_ep_sendto(endpoint, "text", 4, 0, peer);
		if (result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN)
			break;
		pause_us(1000);
	}
	printf("sendto: %s\n", doca_error_get_name(result));
	TELL(doca_comm_channel_peer_addr_update_info(peer));
	while ((result = doca_comm_channel_ep_recvfrom(endpoint, message, &length, 0, &from)) == DOCA_SUCCESS)
		length = sizeof(message);
	printf("recvfrom: %s, %s\n", doca_error_get_name(result), from == peer ? "of this peer" : "of another");
	TELL(doca_comm_channel_ep_recvfrom(endpoint, message, &length, 0, &from));
	TELL(doca_comm_channel_ep_disconnect(endpoint, peer));
	TELL(doca_comm_channel_ep_connect(endpoint, "guest lost", &peer));
	TELL(doca_comm_channel_ep_destroy(endpoint));
	return 0;
}
