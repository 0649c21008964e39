/* Hello over the comm channel, the service on the DPU: wait for a greeting, answer it with a text. Built with
 *   cc hello_service.c common.c sha256.c -o hello_service $(pkg-config --cflags --libs doca-comm-channel) -lm */
#include "common.h"

#include <stdio.h>
#include <string.h>

static doca_error_t answer(endpoint_t *ep, const char *text)
{
	struct message message;
	peer_t *peer;
	doca_error_t result = receive(ep, &message, &peer);	/* the first message tells who the peer is */

	if (result != DOCA_SUCCESS)
		return result;
	result = send_text(ep, peer, text, strlen(text));
	if (result == DOCA_SUCCESS)
		result = receive(ep, &message, &peer);	/* until here the client is there for sure */
	if (result == DOCA_SUCCESS)
		result = show_statistics(peer);
	if (result == DOCA_SUCCESS)
		result = send_text(ep, peer, message.text, message.length);
	doca_comm_channel_ep_disconnect(ep, peer);
	return result;
}

static doca_error_t serve(struct doca_dev *dev, struct doca_dev_rep *rep, const char *text)
{
	endpoint_t *ep;
	doca_error_t result = create_endpoint(dev, &ep);

	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comm_channel_ep_set_device_rep(ep, rep);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_listen(ep, SERVICE_NAME);
	if (result == DOCA_SUCCESS) {
		printf("listening on %s\n", SERVICE_NAME);
		fflush(stdout);
		result = answer(ep, text);
	}
	doca_comm_channel_ep_destroy(ep);
	return result;
}

int main(int argc, char **argv)
{
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	doca_error_t result = open_device(option(argc, argv, "-p", "03:00.0"), &dev);

	if (result != DOCA_SUCCESS)
		return ended(result);
	result = open_representor(dev, option(argc, argv, "-r", "b1:00.0"), &rep);
	if (result == DOCA_SUCCESS) {
		result = serve(dev, rep, option(argc, argv, "-t", "Hello from the DPU"));
		doca_dev_rep_close(rep);
	}
	doca_dev_close(dev);
	return ended(result);
}
