/* What the stub library does: see stub.py. A client connects to itself, so that every message comes back. */
#include "doca.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MOST = 64, MOST_BYTES = 256 };

void note(const char *call)
{
	const char *path = getenv("STUB_LOG");
	FILE *log = path == NULL ? NULL : fopen(path, "a");
	if (log != NULL) {
		fprintf(log, "%s\n", call);
		fclose(log);
	}
}

const char *doca_version_runtime(void)
{
	return RELEASE ".0085";
}

struct doca_ctx {
	enum doca_ctx_states state;
	struct doca_pe *pe;
	doca_ctx_state_changed_callback_t changed;
	int tasks;
};

struct doca_comch_client {
	struct doca_ctx ctx;
	doca_comch_task_send_completion_cb_t done, failed;
	doca_comch_event_msg_recv_cb_t received;
};

struct doca_task {
	struct doca_comch_client *client;
	uint32_t length;
	uint8_t message[MOST_BYTES];
};

struct doca_pe {
	struct doca_ctx *contexts[MOST];
	struct doca_task *submitted[MOST];
	int number, waiting;
	int handle;
	bool armed;
};

/* A signal comes while the library runs. */
static void strike(void)
{
	if (getenv("STUB_STRIKES") != NULL)
		raise(SIGINT);
}

static void move(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	enum doca_ctx_states before = ctx->state;
	ctx->state = next;
	strike();
	if (before != next && ctx->changed != NULL && getenv("STUB_SAYS_NOTHING") == NULL)
		ctx->changed((union doca_data){0}, ctx, before, next);
}

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	note("doca_pe_create");
	*pe = calloc(1, sizeof(**pe));
	(*pe)->handle = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	note("doca_pe_destroy");
	if (pe->number > 0)
		return DOCA_ERROR_IN_USE;
	close(pe->handle);
	free(pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	pe->contexts[pe->number++] = ctx;
	ctx->pe = pe;
	return DOCA_SUCCESS;
}

static void deliver(struct doca_task *task)
{
	struct doca_comch_client *client = task->client;
	struct doca_comch_task_send *own = (struct doca_comch_task_send *)task;
	union doca_data none = {0};
	if (client->ctx.state != DOCA_CTX_STATE_RUNNING) {
		strike();
		client->failed(own, none, none);
		return;
	}
	if (getenv("STUB_STRIKES_AT_MESSAGES") != NULL)
		strike();
	client->received(NULL, task->message, task->length, (struct doca_comch_connection *)client);
	client->done(own, none, none);
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	for (int number = 0; number < pe->number; number++) {
		struct doca_ctx *ctx = pe->contexts[number];
		if (ctx->state == DOCA_CTX_STATE_STARTING) {
			move(ctx, DOCA_CTX_STATE_RUNNING);
			return 1;
		}
		if (ctx->state == DOCA_CTX_STATE_STOPPING && ctx->tasks == 0) {
			move(ctx, DOCA_CTX_STATE_IDLE);
			return 1;
		}
	}
	if (pe->waiting == 0)
		return 0;
	struct doca_task *task = pe->submitted[0];
	memmove(pe->submitted, pe->submitted + 1, --pe->waiting * sizeof(task));
	deliver(task);
	return 1;
}

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe, doca_notification_handle_t *handle)
{
	*handle = pe->handle;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
	pe->armed = getenv("STUB_RINGS") != NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
	eventfd_t count;
	if (handle != pe->handle)
		return DOCA_ERROR_OPERATING_SYSTEM;
	eventfd_read(pe->handle, &count);
	pe->armed = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
	if (ctx->pe == NULL)
		return DOCA_ERROR_NOT_CONNECTED;
	move(ctx, DOCA_CTX_STATE_STARTING);
	return DOCA_ERROR_IN_PROGRESS;
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	note("doca_ctx_stop");
	move(ctx, ctx->tasks > 0 || getenv("STUB_SAYS_NOTHING") == NULL ? DOCA_CTX_STATE_STOPPING : DOCA_CTX_STATE_IDLE);
	return ctx->state == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
	*state = ctx->state;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx, doca_ctx_state_changed_callback_t cb)
{
	ctx->changed = cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name, struct doca_comch_client **client)
{
	note("doca_comch_client_create");
	*client = calloc(1, sizeof(**client));
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_destroy(struct doca_comch_client *client)
{
	note("doca_comch_client_destroy");
	if (client->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_IN_USE;
	struct doca_pe *pe = client->ctx.pe;
	for (int number = 0; pe != NULL && number < pe->number; number++)
		if (pe->contexts[number] == &client->ctx)
			pe->contexts[number] = pe->contexts[--pe->number];
	free(client);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *client)
{
	return &client->ctx;
}

doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *client,
					      struct doca_comch_connection **connection)
{
	if (client->ctx.state == DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	*connection = (struct doca_comch_connection *)client;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *client,
						       doca_comch_event_msg_recv_cb_t received)
{
	client->received = received;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_task_send_set_conf(struct doca_comch_client *client,
						  doca_comch_task_send_completion_cb_t done,
						  doca_comch_task_send_completion_cb_t failed, uint32_t number)
{
	client->done = done;
	client->failed = failed;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *client,
						    struct doca_comch_connection *peer, const void *msg,
						    uint32_t len, struct doca_comch_task_send **task)
{
	struct doca_task *made = calloc(1, sizeof(*made));
	note("doca_comch_client_task_send_alloc_init");
	made->client = client;
	made->length = len;
	memcpy(made->message, msg, len);
	client->ctx.tasks++;
	*task = (struct doca_comch_task_send *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
	return (struct doca_task *)task;
}

doca_error_t doca_task_submit(struct doca_task *task)
{
	struct doca_pe *pe = task->client->ctx.pe;
	pe->submitted[pe->waiting++] = task;
	if (pe->armed)
		eventfd_write(pe->handle, 1);
	return DOCA_SUCCESS;
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	return DOCA_ERROR_SHUTDOWN;
}

void doca_task_free(struct doca_task *task)
{
	note("doca_task_free");
	task->client->ctx.tasks--;
	free(task);
}

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb, void *opaque)
{
	*(doca_mmap_memrange_free_cb_t **)mmap = free_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
	note("doca_mmap_create");
	*mmap = calloc(1, sizeof(void *));
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
	doca_mmap_memrange_free_cb_t *free_cb = *(doca_mmap_memrange_free_cb_t **)mmap;
	note("doca_mmap_destroy");
	if (free_cb != NULL)
		free_cb((void *)0x1000, 4096, NULL);
	free(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***list, uint32_t *number)
{
	note("doca_devinfo_create_list");
	*list = calloc(1, sizeof(**list));
	**list = (struct doca_devinfo *)0x2000;
	*number = 1;
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	note("doca_dev_open");
	*dev = (struct doca_dev *)0x3000;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *text)
{
	strcpy(text, "0000:b1:00.0");
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***list,
					  uint32_t *number)
{
	note("doca_devinfo_rep_create_list");
	*list = calloc(1, sizeof(**list));
	**list = (struct doca_devinfo_rep *)0x4000;
	*number = 1;
	return DOCA_SUCCESS;
}
