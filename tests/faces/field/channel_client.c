/* A client that sends a count, then as many messages as its queue cannot hold at once, and checks the service's sum. */
#include <arpa/inet.h>

#include "channel.h"

DOCA_LOG_REGISTER(FIELD::CLIENT);

static doca_error_t connect_to_service(struct channel *channel)
{
	doca_error_t result;
	int turn;

	result = doca_comm_channel_ep_connect(channel->ep, CHANNEL_SERVICE, &channel->peer);
	if (result == DOCA_SUCCESS)
		result = channel_watch(channel);
	for (turn = 0; result == DOCA_SUCCESS && turn < FIELD_MOST_TURNS; turn++) {
		if ((result = doca_comm_channel_peer_addr_update_info(channel->peer)) !=
		    DOCA_ERROR_CONNECTION_INPROGRESS)
			return result;
		result = DOCA_SUCCESS;
		field_nap();
	}
	return result != DOCA_SUCCESS ? result : DOCA_ERROR_TIME_OUT;
}

static doca_error_t talk(struct channel *channel, uint32_t count)
{
	static uint8_t message[CHANNEL_MSG_SIZE];
	uint32_t word = htonl(count), sum = 0, i;
	size_t length;
	doca_error_t result;

	result = channel_send(channel, &word, sizeof(word));
	for (i = 0; result == DOCA_SUCCESS && i < count; i++) {
		memset(message, (int)(i % 251), sizeof(message));
		sum += (uint32_t)(i % 251 * sizeof(message));
		result = channel_send(channel, message, sizeof(message));
	}
	if (result == DOCA_SUCCESS)
		result = channel_receive(channel, message, &length);
	if (result != DOCA_SUCCESS)
		return result;
	memcpy(&word, message, sizeof(word));
	printf("the sum %s\n", length == sizeof(word) && ntohl(word) == sum ? "agrees" : "differs");
	return channel_send(channel, "bye", 3);
}

static doca_error_t show_statistics(struct channel *channel)
{
	uint64_t messages = 0, bytes = 0;
	doca_error_t result = doca_comm_channel_peer_addr_update_info(channel->peer);

	field_keep(&result, doca_comm_channel_peer_addr_get_recv_messages(channel->peer, &messages));
	field_keep(&result, doca_comm_channel_peer_addr_get_recv_bytes(channel->peer, &bytes));
	printf("%llu message of %llu bytes\n", (unsigned long long)messages, (unsigned long long)bytes);
	return result;
}

int main(int argc, char **argv)
{
	struct field_config conf;
	struct channel channel;
	doca_error_t result, closed;

	memset(&channel, 0, sizeof(channel));
	result = field_begin("channel_client", argc, argv, &conf);
	if (result == DOCA_SUCCESS)
		result = field_open_dev(conf.dev_pci_addr, NULL, &channel.dev);
	if (result == DOCA_SUCCESS)
		result = channel_open(&channel);
	if (result != DOCA_SUCCESS)
		goto end;
	result = connect_to_service(&channel);
	if (result == DOCA_SUCCESS)
		result = talk(&channel, (uint32_t)conf.number);
	if (result == DOCA_SUCCESS)
		result = show_statistics(&channel);
	closed = channel_close(&channel);
	field_keep(&result, closed);
end:
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
