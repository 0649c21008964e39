/* Send numbers to a kernel on the DPA, which answers each with its square, through a message queue each way. Built with
 *   cc msgq_ping_pong.c msgq_ping_pong_kernel.c msgq_common.c -o msgq_ping_pong $(pkg-config --cflags --libs doca-dpa) */
#include "msgq_common.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

doca_dpa_func_t msgq_ping_pong_kernel;

static doca_error_t play(struct lane *lane, uint64_t rounds)
{
	uint64_t number, answer;

	for (number = 0; number < rounds; number++) {
		CHECK(lane_send(lane, &number, sizeof(number)));
		while (lane->received <= number)
			if (!doca_pe_progress(lane->pe))
				CHECK(doca_dpa_peek_at_last_error(lane->dpa));
		memcpy(&answer, lane->message, sizeof(answer));
		if (answer != number * number)
			return DOCA_ERROR_UNEXPECTED;
	}
	printf("%" PRIu64 " round trips\n", rounds);
	return DOCA_SUCCESS;
}

static doca_error_t run(struct doca_dev *dev, uint64_t rounds)
{
	struct lane lane;
	doca_error_t result = lane_open(&lane, dev, msgq_ping_pong_kernel), closed;

	if (result == DOCA_SUCCESS)
		result = lane_run(&lane);
	if (result == DOCA_SUCCESS)
		result = play(&lane, rounds);
	closed = lane_close(&lane);
	return result == DOCA_SUCCESS ? closed : result;
}

int main(int argc, char **argv)
{
	const char *pci_addr = "03:00.0";
	uint64_t rounds = 1000;
	struct doca_dev *dev;
	doca_error_t result;
	int option;

	while ((option = getopt(argc, argv, "p:n:")) != -1) {
		if (option == 'p')
			pci_addr = optarg;
		else if (option == 'n')
			rounds = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	result = open_device(pci_addr, &dev);
	if (result == DOCA_SUCCESS) {
		result = run(dev, rounds);
		if (doca_dev_close(dev) != DOCA_SUCCESS && result == DOCA_SUCCESS)
			result = DOCA_ERROR_IN_USE;
	}
	printf("result %s\n", doca_error_get_name(result));
	return result != DOCA_SUCCESS;
}
