/* Hello over the comm channel, the service on the DPU: wait for a greeting, answer it with a text. */
#include "common.h"

#include <doca_comm_channel.h>

#include <stdio.h>
#include <string.h>

#define SERVICE_NAME "hello"
#define MAX_MSG_SIZE 4080
#define QUEUE_SIZE 10

static doca_error_t send_text(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer, const char *text,
			      size_t length)
{
	doca_error_t result;

	while ((result = doca_comm_channel_ep_sendto(ep, text, length, DOCA_CC_MSG_FLAG_NONE, peer)) == DOCA_ERROR_AGAIN)
		nap();
	if (result == DOCA_SUCCESS)
		show("sent", text, length);
	return result;
}

static doca_error_t receive(struct doca_comm_channel_ep_t *ep, char *buffer, size_t *length,
			    struct doca_comm_channel_addr_t **peer)
{
	doca_error_t result;

	*length = MAX_MSG_SIZE;
	while ((result = doca_comm_channel_ep_recvfrom(ep, buffer, length, DOCA_CC_MSG_FLAG_NONE, peer)) ==
	       DOCA_ERROR_AGAIN) {
		*length = MAX_MSG_SIZE;
		nap();
	}
	if (result == DOCA_SUCCESS)
		show("received", buffer, *length);
	return result;
}

static doca_error_t talk(struct doca_comm_channel_ep_t *ep, const char *text)
{
	struct doca_comm_channel_addr_t *peer = NULL;
	char buffer[MAX_MSG_SIZE];
	size_t length;
	uint64_t in_flight = 1;
	doca_error_t result = receive(ep, buffer, &length, &peer);

	if (result == DOCA_SUCCESS)
		result = send_text(ep, peer, text, strlen(text));
	if (result == DOCA_SUCCESS)
		result = receive(ep, buffer, &length, &peer);
	if (result == DOCA_SUCCESS)
		result = send_text(ep, peer, buffer, length);
	while (result == DOCA_SUCCESS && in_flight) {
		result = doca_comm_channel_peer_addr_update_info(peer);
		(void)doca_comm_channel_peer_addr_get_send_in_flight_messages(peer, &in_flight);
	}
	(void)doca_comm_channel_ep_disconnect(ep, peer);
	return result;
}

static doca_error_t run(struct doca_dev *dev, struct doca_dev_rep *rep, const char *text)
{
	struct doca_comm_channel_ep_t *ep;
	doca_error_t result = doca_comm_channel_ep_create(&ep);

	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comm_channel_ep_set_device(ep, dev);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_device_rep(ep, rep);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_listen(ep, SERVICE_NAME);
	if (result == DOCA_SUCCESS) {
		printf("listening on %s\n", SERVICE_NAME);
		fflush(stdout);
		result = talk(ep, text);
	}
	(void)doca_comm_channel_ep_destroy(ep);
	return result;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.pci_addr = "03:00.0", .rep_pci = "b1:00.0", .text = "Hello from the DPU"};
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	doca_error_t result = parse("hello_service", argc, argv, &arguments);

	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, NULL, &dev);
	if (result != DOCA_SUCCESS)
		return ended(result);
	result = open_representor(dev, arguments.rep_pci, &rep);
	if (result == DOCA_SUCCESS) {
		result = run(dev, rep, arguments.text);
		(void)doca_dev_rep_close(rep);
	}
	(void)doca_dev_close(dev);
	return ended(result);
}
