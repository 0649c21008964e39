/* Generation 1: sendto and recvfrom on an endpoint, spinning on AGAIN. */
#include "ping.h"

#include <doca_comm_channel.h>

static struct doca_comm_channel_ep_t *ep;
static struct doca_comm_channel_addr_t *peer;

static void create(struct doca_dev *dev)
{
	must("create", doca_comm_channel_ep_create(&ep));
	must("set device", doca_comm_channel_ep_set_device(ep, dev));
	must("set size", doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE));
	must("set queue", doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE));
	must("set queue", doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE));
}

void meet_as_service(struct doca_dev *dev, struct doca_dev_rep *rep, void (*ready)(void))
{
	create(dev);
	must("set representor", doca_comm_channel_ep_set_device_rep(ep, rep));
	must("listen", doca_comm_channel_ep_listen(ep, SERVICE_NAME));
	ready();
	receive_message();	/* a service learns its peer from the first message */
}

void meet_as_client(struct doca_dev *dev)
{
	doca_error_t result;

	create(dev);
	must("connect", doca_comm_channel_ep_connect(ep, SERVICE_NAME, &peer));
	while ((result = doca_comm_channel_peer_addr_update_info(peer)) == DOCA_ERROR_CONNECTION_INPROGRESS)
		;
	must("wait", result);
	send_message("hello", 5);
}

void send_message(const void *data, size_t length)
{
	doca_error_t result;

	do
		result = doca_comm_channel_ep_sendto(ep, data, length, DOCA_CC_MSG_FLAG_NONE, peer);
	while (result == DOCA_ERROR_AGAIN);
	must("sendto", result);
}

void receive_message(void)
{
	static char message[MAX_MSG_SIZE];
	size_t length;
	doca_error_t result;

	do {
		length = sizeof(message);
		result = doca_comm_channel_ep_recvfrom(ep, message, &length, DOCA_CC_MSG_FLAG_NONE, &peer);
	} while (result == DOCA_ERROR_AGAIN);
	must("recvfrom", result);
}

void leave(void)
{
	doca_comm_channel_ep_destroy(ep);
}
