/* The client of the two-threaded pair. */
#include "two_threads.h"

int main(void)
{
	struct doca_dev *device = open_device("0000:b1:00.0");
	struct side side = {.endpoint = new_endpoint(device)};
	doca_error_t result;

	MUST(doca_comm_channel_ep_connect(side.endpoint, "guest threads", &side.peer));
	for (time_t since = time(NULL);; in_time(since))
		if ((result = doca_comm_channel_peer_addr_update_info(side.peer)) != DOCA_ERROR_CONNECTION_INPROGRESS)
			break;
	must(result, "update_info");
	printf("connected\n");
	exchange(&side);
	TELL(doca_comm_channel_ep_disconnect(side.endpoint, side.peer));
	TELL(doca_comm_channel_ep_disconnect(side.endpoint, side.peer));
	TELL(doca_comm_channel_peer_addr_update_info(side.peer));
	TELL(doca_comm_channel_ep_destroy(side.endpoint));
	TELL(doca_dev_close(device));
	return 0;
}
