#include "common.h"

#include <stdio.h>
#include <time.h>

doca_error_t open_device(const char *pci_addr, check_device check, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t number, i;
	uint8_t is_equal;
	doca_error_t result = doca_devinfo_create_list(&list, &number);

	if (result != DOCA_SUCCESS)
		return result;
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < number; i++) {
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_equal) != DOCA_SUCCESS || !is_equal)
			continue;
		if (check && check(list[i]) != DOCA_SUCCESS)
			continue;
		result = doca_dev_open(list[i], dev);
		break;
	}
	doca_devinfo_destroy_list(list);
	return result;
}

doca_error_t open_representor(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep)
{
	struct doca_devinfo_rep **list;
	uint32_t number, i;
	uint8_t is_equal;
	doca_error_t result = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &number);

	if (result != DOCA_SUCCESS)
		return result;
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < number; i++)
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &is_equal) == DOCA_SUCCESS && is_equal) {
			result = doca_dev_rep_open(list[i], rep);
			break;
		}
	doca_devinfo_rep_destroy_list(list);
	return result;
}

void show(const char *what, const void *text, size_t length)
{
	printf("peer 1 %s %zu bytes '%.*s'\n", what, length, (int)length, (const char *)text);
	fflush(stdout);
}

void nap(void)
{
	const struct timespec time = {.tv_nsec = 10000};

	nanosleep(&time, NULL);
}

int ended(doca_error_t result)
{
	if (result != DOCA_SUCCESS)
		fprintf(stderr, "%s: %s\n", doca_error_get_name(result), doca_error_get_descr(result));
	printf("result %s\n", doca_error_get_name(result));
	return result != DOCA_SUCCESS;
}
