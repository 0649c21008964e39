/* The measurement: SIDE CPU WARM_UP PINGS MESSAGES SIZE... as benchmarks/_side.py does it, with the same answer. */
#define _GNU_SOURCE
#include "ping.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct plan {
	int warm_up, pings, messages;
};

void must(const char *what, doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		return;
	fprintf(stderr, "%s: %s\n", what, doca_error_get_name(result));
	exit(1);
}

static struct doca_dev *open_device(const char *pci_addr)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count, i;
	uint8_t equal;

	must("list devices", doca_devinfo_create_list(&list, &count));
	for (i = 0; i < count && !dev; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS && equal)
			must("open device", doca_dev_open(list[i], &dev));
	must("find device", dev ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND);
	doca_devinfo_destroy_list(list);
	return dev;
}

static struct doca_dev_rep *open_representor(struct doca_dev *dev)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep;
	uint32_t count;

	must("list representors", doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count));
	must("find representor", count ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND);
	must("open representor", doca_dev_rep_open(list[0], &rep));
	doca_devinfo_rep_destroy_list(list);
	return rep;
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int ascending(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static void follow(const struct plan *plan, size_t size, const char *data)
{
	int i;

	for (i = 0; i < plan->warm_up + plan->pings; i++) {
		receive_message();
		send_message(data, size);
	}
	for (i = 0; i < plan->messages; i++)
		receive_message();
	send_message(data, size);
}

static void lead(const struct plan *plan, size_t size, const char *data, double *times)
{
	double before;
	int i;

	for (i = -plan->warm_up; i < plan->pings; i++) {
		before = now_us();
		send_message(data, size);
		receive_message();
		if (i >= 0)
			times[i] = now_us() - before;
	}
	qsort(times, plan->pings, sizeof(*times), ascending);
	before = now_us();
	for (i = 0; i < plan->messages; i++)
		send_message(data, size);
	receive_message();
	printf("{\"size\": %zu, \"p50_us\": %f, \"p99_us\": %f, \"rate\": %f}", size, times[plan->pings / 2],
	       times[plan->pings * 99L / 100], plan->messages / (now_us() - before) * 1e6);
}

static void say_listening(void)
{
	puts("listening");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char data[MAX_MSG_SIZE];
	const int serves = argc > 5 && !strcmp(argv[1], "serve");
	struct plan plan;
	cpu_set_t cpus;
	double *times;
	int i;

	if (argc < 7)
		return 64;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[2]), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	plan = (struct plan){atoi(argv[3]), atoi(argv[4]), atoi(argv[5])};
	times = calloc(plan.pings, sizeof(*times));
	if (!times)
		return 1;
	if (serves) {
		struct doca_dev *dev = open_device("03:00.0");

		meet_as_service(dev, open_representor(dev), say_listening);
		for (i = 6; i < argc; i++)
			follow(&plan, atoi(argv[i]), data);
		receive_message();	/* the other end has what it wanted */
	} else {
		meet_as_client(open_device("b1:00.0"));
		putchar('[');
		for (i = 6; i < argc; i++) {
			fputs(i > 6 ? ", " : "", stdout);
			lead(&plan, atoi(argv[i]), data, times);
		}
		puts("]");
		send_message("x", 1);
	}
	leave();
	free(times);
	return 0;
}
