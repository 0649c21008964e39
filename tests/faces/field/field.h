/* What the programs share, in the manner of public samples: arguments, log backends, devices, loops with a deadline. */
#ifndef FIELD_H
#define FIELD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define FIELD_NAP_NS (10 * 1000)
#define FIELD_MOST_TURNS (3 * 1000 * 1000)
#define FIELD_TEXT_SIZE 1024

struct field_config {
	char dev_pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	char text[FIELD_TEXT_SIZE];
	int number;
};

static inline void field_nap(void)
{
	struct timespec ts;

	ts.tv_sec = 0;
	ts.tv_nsec = FIELD_NAP_NS;
	nanosleep(&ts, NULL);
}

static inline doca_error_t field_copy(char *field, size_t size, const void *param)
{
	const char *value = (const char *)param;

	if (strnlen(value, size) == size)
		return DOCA_ERROR_INVALID_VALUE;
	strcpy(field, value);
	return DOCA_SUCCESS;
}

static inline doca_error_t field_take_dev(void *param, void *config)
{
	struct field_config *conf = (struct field_config *)config;

	return field_copy(conf->dev_pci_addr, sizeof(conf->dev_pci_addr), param);
}

static inline doca_error_t field_take_rep(void *param, void *config)
{
	struct field_config *conf = (struct field_config *)config;

	return field_copy(conf->rep_pci_addr, sizeof(conf->rep_pci_addr), param);
}

static inline doca_error_t field_take_text(void *param, void *config)
{
	struct field_config *conf = (struct field_config *)config;

	return field_copy(conf->text, sizeof(conf->text), param);
}

static inline doca_error_t field_take_number(void *param, void *config)
{
	((struct field_config *)config)->number = *(int *)param;
	return DOCA_SUCCESS;
}

static inline doca_error_t field_register(const char *short_name, const char *long_name, const char *description,
					  doca_argp_param_cb_t callback, enum doca_argp_type type)
{
	struct doca_argp_param *param;
	doca_error_t result;

	result = doca_argp_param_create(&param);
	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, description);
	doca_argp_param_set_callback(param, callback);
	doca_argp_param_set_type(param, type);
	return doca_argp_register_param(param);
}

/* Log backends first, then the arguments; exits on a bad command line as argp does. */
static inline doca_error_t field_begin(const char *program, int argc, char **argv, struct field_config *conf)
{
	struct doca_log_backend *sdk_log;
	doca_error_t result;

	result = doca_log_backend_create_standard();
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_log_backend_create_with_file_sdk(stderr, &sdk_log);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING);
	if (result != DOCA_SUCCESS)
		return result;
	strcpy(conf->dev_pci_addr, "03:00.0");
	strcpy(conf->rep_pci_addr, "b1:00.0");
	strcpy(conf->text, "Message");
	conf->number = 8;
	result = doca_argp_init(program, conf);
	if (result != DOCA_SUCCESS)
		return result;
	result = field_register("p", "pci-addr", "DOCA device PCI address", field_take_dev, DOCA_ARGP_TYPE_STRING);
	if (result == DOCA_SUCCESS)
		result = field_register("r", "rep-pci", "DOCA representor PCI address", field_take_rep,
					DOCA_ARGP_TYPE_STRING);
	if (result == DOCA_SUCCESS)
		result = field_register("t", "text", "text to be sent", field_take_text, DOCA_ARGP_TYPE_STRING);
	if (result == DOCA_SUCCESS)
		result = field_register("n", "number", "how many", field_take_number, DOCA_ARGP_TYPE_INT);
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	(void)doca_argp_destroy();
	return result;
}

typedef doca_error_t (*field_check)(const struct doca_devinfo *devinfo);

static inline doca_error_t field_open_dev(const char *pci_addr, field_check check, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t number, i;
	uint8_t is_equal = 0;
	doca_error_t result;

	*dev = NULL;
	result = doca_devinfo_create_list(&list, &number);
	if (result != DOCA_SUCCESS)
		return result;
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < number; i++) {
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_equal) != DOCA_SUCCESS || !is_equal)
			continue;
		if (check != NULL && check(list[i]) != DOCA_SUCCESS)
			continue;
		result = doca_dev_open(list[i], dev);
		break;
	}
	(void)doca_devinfo_destroy_list(list);
	return result;
}

static inline doca_error_t field_open_rep(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep)
{
	struct doca_devinfo_rep **list;
	uint32_t number, i;
	uint8_t is_equal = 0;
	doca_error_t result;

	result = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &number);
	if (result != DOCA_SUCCESS)
		return result;
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < number; i++) {
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &is_equal) == DOCA_SUCCESS && is_equal) {
			result = doca_dev_rep_open(list[i], rep);
			break;
		}
	}
	(void)doca_devinfo_rep_destroy_list(list);
	return result;
}

/* Progress until the flag is set; TIME_OUT when that takes too long. */
static inline doca_error_t field_progress(struct doca_pe *pe, const volatile bool *flag)
{
	int turn;

	for (turn = 0; turn < FIELD_MOST_TURNS && !*flag; turn++)
		if (doca_pe_progress(pe) == 0)
			field_nap();
	return *flag ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT;
}

/* Stop a context and progress until its state callback has set the flag for IDLE. */
static inline doca_error_t field_stop(struct doca_pe *pe, struct doca_ctx *ctx, const volatile bool *idle)
{
	doca_error_t result = doca_ctx_stop(ctx);

	if (result == DOCA_ERROR_IN_PROGRESS)
		return field_progress(pe, idle);
	return result;
}

static inline void field_keep(doca_error_t *result, doca_error_t next)
{
	DOCA_ERROR_PROPAGATE(*result, next);
}

#endif
