/* A service that takes a count in network order, then as many messages, and answers with the sum of their bytes. */
#include <arpa/inet.h>

#include "channel.h"

DOCA_LOG_REGISTER(FIELD::SERVICE);

static doca_error_t take(struct channel *channel, uint32_t *sum)
{
	static uint8_t message[CHANNEL_MSG_SIZE];
	uint32_t count, i;
	size_t length, at;
	doca_error_t result;

	result = channel_receive(channel, message, &length);
	if (result != DOCA_SUCCESS || length != sizeof(count))
		return result != DOCA_SUCCESS ? result : DOCA_ERROR_UNEXPECTED;
	memcpy(&count, message, sizeof(count));
	count = ntohl(count);
	for (i = 0; i < count; i++) {
		result = channel_receive(channel, message, &length);
		if (result != DOCA_SUCCESS)
			return result;
		for (at = 0; at < length; at++)
			*sum += message[at];
	}
	printf("%u messages\n", count);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	struct field_config conf;
	struct channel channel;
	static uint8_t goodbye[CHANNEL_MSG_SIZE];
	uint32_t sum = 0, answer;
	size_t length;
	doca_error_t result, closed;

	memset(&channel, 0, sizeof(channel));
	result = field_begin("channel_service", argc, argv, &conf);
	if (result == DOCA_SUCCESS)
		result = field_open_dev(conf.dev_pci_addr, NULL, &channel.dev);
	if (result == DOCA_SUCCESS)
		result = field_open_rep(channel.dev, conf.rep_pci_addr, &channel.rep);
	if (result == DOCA_SUCCESS)
		result = channel_open(&channel);
	if (result != DOCA_SUCCESS)
		goto end;
	result = doca_comm_channel_ep_listen(channel.ep, CHANNEL_SERVICE);
	if (result == DOCA_SUCCESS)
		result = channel_watch(&channel);
	if (result != DOCA_SUCCESS)
		goto close;
	printf("listening\n");
	fflush(stdout);
	result = take(&channel, &sum);
	if (result != DOCA_SUCCESS)
		goto close;
	answer = htonl(sum);
	result = channel_send(&channel, &answer, sizeof(answer));
	if (result == DOCA_SUCCESS) /* the client says goodbye */
		result = channel_receive(&channel, goodbye, &length);
close:
	closed = channel_close(&channel);
	field_keep(&result, closed);
end:
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
