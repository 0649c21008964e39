#include "common.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sha256.h"

doca_error_t open_device(const char *pci_addr, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t count, i;
	uint8_t is_equal;
	doca_error_t result = doca_devinfo_create_list(&list, &count);

	if (result != DOCA_SUCCESS)
		return result;
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < count; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_equal) == DOCA_SUCCESS && is_equal) {
			result = doca_dev_open(list[i], dev);
			break;
		}
	doca_devinfo_destroy_list(list);
	return result;
}

doca_error_t open_representor(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep)
{
	struct doca_devinfo_rep **list;
	uint32_t count, i;
	uint8_t is_equal;
	doca_error_t result = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count);

	if (result != DOCA_SUCCESS)
		return result;
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < count; i++)
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &is_equal) == DOCA_SUCCESS && is_equal) {
			result = doca_dev_rep_open(list[i], rep);
			break;
		}
	doca_devinfo_rep_destroy_list(list);
	return result;
}

doca_error_t create_endpoint(struct doca_dev *dev, endpoint_t **ep)
{
	doca_error_t result = doca_comm_channel_ep_create(ep);

	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comm_channel_ep_set_device(*ep, dev);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_max_msg_size(*ep, MAX_MSG_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_send_queue_size(*ep, QUEUE_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_recv_queue_size(*ep, QUEUE_SIZE);
	if (result != DOCA_SUCCESS)
		doca_comm_channel_ep_destroy(*ep);
	return result;
}

void nap(void)
{
	const struct timespec time = {.tv_nsec = 10000};

	nanosleep(&time, NULL);
}

static void show(const char *what, const void *text, size_t length)
{
	char digits[17];

	sha256_begin(text, length, digits);
	printf("peer 1 %s %zu bytes %s\n", what, length, digits);
	fflush(stdout);
}

doca_error_t receive(endpoint_t *ep, struct message *message, peer_t **peer)
{
	doca_error_t result;

	do {
		nap();
		message->length = sizeof(message->text);	/* in and out: to be set again before every try */
		result = doca_comm_channel_ep_recvfrom(ep, message->text, &message->length, DOCA_CC_MSG_FLAG_NONE, peer);
	} while (result == DOCA_ERROR_AGAIN);
	if (result == DOCA_SUCCESS)
		show("received", message->text, message->length);
	return result;
}

doca_error_t send_text(endpoint_t *ep, peer_t *peer, const char *text, size_t length)
{
	doca_error_t result;

	while ((result = doca_comm_channel_ep_sendto(ep, text, length, DOCA_CC_MSG_FLAG_NONE, peer)) == DOCA_ERROR_AGAIN)
		nap();
	if (result == DOCA_SUCCESS)
		show("sent", text, length);
	return result;
}

doca_error_t show_statistics(peer_t *peer)
{
	uint64_t sent, sent_bytes, received, received_bytes;
	doca_error_t result = doca_comm_channel_peer_addr_update_info(peer);

	if (result != DOCA_SUCCESS)
		return result;
	doca_comm_channel_peer_addr_get_send_messages(peer, &sent);
	doca_comm_channel_peer_addr_get_send_bytes(peer, &sent_bytes);
	doca_comm_channel_peer_addr_get_recv_messages(peer, &received);
	doca_comm_channel_peer_addr_get_recv_bytes(peer, &received_bytes);
	printf("peer 1 statistics: sent %lu messages %lu bytes, received %lu messages %lu bytes\n", sent, sent_bytes,
	       received, received_bytes);
	return DOCA_SUCCESS;
}

int ended(doca_error_t result)
{
	printf("result %s\n", doca_error_get_name(result));
	return result != DOCA_SUCCESS;
}

const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
	int i;

	for (i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], name))
			return argv[i + 1];
	return otherwise;
}
