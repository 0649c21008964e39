#include "common.h"

#include <doca_argp.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

static doca_error_t copy(char *field, size_t size, const char *value)
{
	if (strnlen(value, size) == size)
		return DOCA_ERROR_INVALID_VALUE;
	strcpy(field, value);
	return DOCA_SUCCESS;
}

static doca_error_t take_pci_addr(void *param, void *config)
{
	struct arguments *arguments = config;

	return copy(arguments->pci_addr, sizeof(arguments->pci_addr), param);
}

static doca_error_t take_rep_pci(void *param, void *config)
{
	struct arguments *arguments = config;

	return copy(arguments->rep_pci, sizeof(arguments->rep_pci), param);
}

static doca_error_t take_text(void *param, void *config)
{
	struct arguments *arguments = config;

	return copy(arguments->text, sizeof(arguments->text), param);
}

static doca_error_t flag(const char *short_name, const char *long_name, const char *description,
			 doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param;
	doca_error_t result = doca_argp_param_create(&param);

	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, description);
	doca_argp_param_set_callback(param, callback);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
	return doca_argp_register_param(param);
}

doca_error_t parse(const char *program, int argc, char **argv, struct arguments *arguments)
{
	doca_error_t result = doca_argp_init(program, arguments);

	if (result == DOCA_SUCCESS)
		result = flag("p", "pci-addr", "device PCI address", take_pci_addr);
	if (result == DOCA_SUCCESS)
		result = flag("r", "rep-pci", "representor PCI address", take_rep_pci);
	if (result == DOCA_SUCCESS)
		result = flag("t", "text", "text to be sent", take_text);
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	(void)doca_argp_destroy();
	return result;
}

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
