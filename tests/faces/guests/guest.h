/* What the guests share: a call that must succeed, devices by their PCI address, and progress with a deadline. */
#ifndef GUEST_H
#define GUEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#define GUEST_PATIENCE_S 60

static inline void must(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS)
		return;
	printf("%s: %s\n", what, doca_error_get_name(result));
	exit(1);
}

#define MUST(call) must((call), #call)
#define TELL(call) printf("%s: %s\n", #call, doca_error_get_name(call))

static inline struct doca_dev *open_device(const char *address)
{
	struct doca_devinfo **list;
	struct doca_dev *device = NULL;
	uint32_t number;
	uint8_t equal;

	MUST(doca_devinfo_create_list(&list, &number));
	for (uint32_t index = 0; index < number && device == NULL; index++) {
		MUST(doca_devinfo_is_equal_pci_addr(list[index], address, &equal));
		if (equal)
			MUST(doca_dev_open(list[index], &device));
	}
	MUST(doca_devinfo_destroy_list(list));
	must(device == NULL ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS, address);
	return device;
}

static inline struct doca_dev_rep *open_representor(struct doca_dev *device, const char *address)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *representor = NULL;
	uint32_t number;
	uint8_t equal;

	MUST(doca_devinfo_rep_create_list(device, DOCA_DEVINFO_REP_FILTER_ALL, &list, &number));
	for (uint32_t index = 0; index < number && representor == NULL; index++) {
		MUST(doca_devinfo_rep_is_equal_pci_addr(list[index], address, &equal));
		if (equal)
			MUST(doca_dev_rep_open(list[index], &representor));
	}
	MUST(doca_devinfo_rep_destroy_list(list));
	must(representor == NULL ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS, address);
	return representor;
}

static inline void pause_us(long us)
{
	struct timespec pause = {0, us * 1000};

	nanosleep(&pause, NULL);
}

static inline void in_time(time_t since)
{
	must(time(NULL) - since > GUEST_PATIENCE_S ? DOCA_ERROR_TIME_OUT : DOCA_SUCCESS, "waiting");
}

/* Progress until the condition, a C expression, holds. */
#define PROGRESS_UNTIL(engine, condition)                                                                              \
	for (time_t since = time(NULL); !(condition); in_time(since))                                                  \
		if (doca_pe_progress(engine) == 0)                                                                     \
	pause_us(50)

static inline enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	MUST(doca_ctx_get_state(ctx, &state));
	return state;
}

static inline const char *state_name(enum doca_ctx_states state)
{
	static const char *const names[] = {"IDLE", "STARTING", "RUNNING", "STOPPING"};

	return names[state];
}

/* Stop a context and progress until it is idle, as the guide asks for. */
static inline void stop(struct doca_pe *engine, struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);

	if (result != DOCA_ERROR_IN_PROGRESS)
		must(result, "doca_ctx_stop");
	PROGRESS_UNTIL(engine, state_of(ctx) == DOCA_CTX_STATE_IDLE);
}

#endif
