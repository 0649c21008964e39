/* Hello over the comm channel, the client on the host: greet the service, print what it answers. */
#include "common.h"

#include <doca_comm_channel.h>

#include <stdio.h>
#include <string.h>

#define SERVICE_NAME "hello"
#define MAX_MSG_SIZE 4080
#define QUEUE_SIZE 10

static doca_error_t send_text(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer, const char *text)
{
	doca_error_t result;

	while ((result = doca_comm_channel_ep_sendto(ep, text, strlen(text), DOCA_CC_MSG_FLAG_NONE, peer)) ==
	       DOCA_ERROR_AGAIN)
		nap();
	if (result == DOCA_SUCCESS)
		show("sent", text, strlen(text));
	return result;
}

static doca_error_t receive(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t **peer)
{
	char buffer[MAX_MSG_SIZE];
	size_t length = sizeof(buffer);
	doca_error_t result;

	while ((result = doca_comm_channel_ep_recvfrom(ep, buffer, &length, DOCA_CC_MSG_FLAG_NONE, peer)) ==
	       DOCA_ERROR_AGAIN) {
		length = sizeof(buffer);
		nap();
	}
	if (result == DOCA_SUCCESS)
		show("received", buffer, length);
	return result;
}

static doca_error_t talk(struct doca_comm_channel_ep_t *ep, const char *text)
{
	struct doca_comm_channel_addr_t *peer;
	doca_error_t result = doca_comm_channel_ep_connect(ep, SERVICE_NAME, &peer);

	if (result != DOCA_SUCCESS)
		return result;
	while ((result = doca_comm_channel_peer_addr_update_info(peer)) == DOCA_ERROR_CONNECTION_INPROGRESS)
		nap();
	if (result == DOCA_SUCCESS)
		result = send_text(ep, peer, text);
	if (result == DOCA_SUCCESS)
		result = receive(ep, &peer);
	if (result == DOCA_SUCCESS)
		result = send_text(ep, peer, "bye");
	if (result == DOCA_SUCCESS)
		result = receive(ep, &peer);
	(void)doca_comm_channel_ep_disconnect(ep, peer);
	return result;
}

static doca_error_t run(struct doca_dev *dev, const char *text)
{
	struct doca_comm_channel_ep_t *ep;
	doca_error_t result = doca_comm_channel_ep_create(&ep);

	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comm_channel_ep_set_device(ep, dev);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE);
	if (result == DOCA_SUCCESS)
		result = talk(ep, text);
	(void)doca_comm_channel_ep_destroy(ep);
	return result;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.pci_addr = "b1:00.0", .text = "Hello from the host"};
	struct doca_dev *dev;
	doca_error_t result = parse("hello_client", argc, argv, &arguments);

	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, NULL, &dev);
	if (result == DOCA_SUCCESS) {
		result = run(dev, arguments.text);
		(void)doca_dev_close(dev);
	}
	return ended(result);
}
