/* The service of the two-threaded pair; its sender sleeps until the receiver has met the first peer. */
#include "two_threads.h"

int main(void)
{
	struct doca_dev *device = open_device("03:00.0");
	struct doca_dev_rep *representor = open_representor(device, "b1:00.0");
	struct side side = {.endpoint = new_endpoint(device)};

	TELL(doca_comm_channel_ep_listen(side.endpoint, "guest threads"));
	MUST(doca_comm_channel_ep_set_device_rep(side.endpoint, representor));
	MUST(doca_comm_channel_ep_listen(side.endpoint, "guest threads"));
	printf("listening\n");
	fflush(stdout);
	exchange(&side);
	TELL(doca_comm_channel_ep_destroy(side.endpoint));
	TELL(doca_comm_channel_ep_destroy(side.endpoint));
	TELL(doca_dev_rep_close(representor));
	TELL(doca_dev_close(device));
	return 0;
}
