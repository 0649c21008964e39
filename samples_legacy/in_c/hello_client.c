/* Hello over the comm channel, the client on the host: greet the service, show what it answers. Built with
 *   cc hello_client.c common.c sha256.c -o hello_client $(pkg-config --cflags --libs doca-comm-channel) -lm */
#include "common.h"

#include <string.h>

static doca_error_t greet(endpoint_t *ep, const char *text)
{
	struct message message;
	peer_t *peer;
	doca_error_t result = doca_comm_channel_ep_connect(ep, SERVICE_NAME, &peer);

	if (result != DOCA_SUCCESS)
		return result;
	while ((result = doca_comm_channel_peer_addr_update_info(peer)) == DOCA_ERROR_CONNECTION_INPROGRESS)
		nap();
	if (result == DOCA_SUCCESS)
		result = send_text(ep, peer, text, strlen(text));
	if (result == DOCA_SUCCESS)
		result = receive(ep, &message, &peer);
	if (result == DOCA_SUCCESS)
		result = show_statistics(peer);		/* the service waits for our goodbye, so counts are final */
	if (result == DOCA_SUCCESS)
		result = send_text(ep, peer, "bye", 3);
	if (result == DOCA_SUCCESS)
		result = receive(ep, &message, &peer);
	doca_comm_channel_ep_disconnect(ep, peer);
	return result;
}

int main(int argc, char **argv)
{
	struct doca_dev *dev;
	endpoint_t *ep;
	doca_error_t result = open_device(option(argc, argv, "-p", "b1:00.0"), &dev);

	if (result != DOCA_SUCCESS)
		return ended(result);
	result = create_endpoint(dev, &ep);
	if (result == DOCA_SUCCESS) {
		result = greet(ep, option(argc, argv, "-t", "Hello from the host"));
		doca_comm_channel_ep_destroy(ep);
	}
	doca_dev_close(dev);
	return ended(result);
}
