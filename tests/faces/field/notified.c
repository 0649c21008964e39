/* A server and a client on two engines of one process, which sleep in epoll until their engines are notified. */
#include "field.h"

#include <sys/epoll.h>

DOCA_LOG_REGISTER(FIELD::NOTIFIED);

struct end {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection;
	doca_notification_handle_t handle;
	int received;
	bool running, idle;
};

static struct end ends[2]; /* the server's, the client's */
static int set;

static struct end *end_of(struct doca_ctx *ctx)
{
	return ctx == ends[0].ctx ? &ends[0] : &ends[1];
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev_state,
			  enum doca_ctx_states next_state)
{
	(void)user_data;
	(void)prev_state;
	end_of(ctx)->running = next_state == DOCA_CTX_STATE_RUNNING;
	end_of(ctx)->idle = next_state == DOCA_CTX_STATE_IDLE;
}

static void send_done(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void server_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
			    struct doca_comch_connection *comch_connection)
{
	(void)event;
	(void)recv_buffer;
	(void)msg_len;
	ends[0].connection = comch_connection;
	ends[0].received++;
}

static void client_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
			    struct doca_comch_connection *comch_connection)
{
	(void)event;
	(void)recv_buffer;
	(void)msg_len;
	(void)comch_connection;
	ends[1].received++;
}

static void status_changed(struct doca_comch_event_connection_status_changed *event,
			   struct doca_comch_connection *comch_connection, uint8_t change_successful)
{
	(void)event;
	(void)comch_connection;
	(void)change_successful;
}

/* Progress both ends; sleep when neither has anything to do. */
static doca_error_t wait_for(const volatile bool *flag, const volatile int *count)
{
	struct epoll_event woken[2];
	int turn, i, number;

	for (turn = 0; turn < 10000 && !(flag != NULL ? *flag : *count != 0); turn++) {
		if (doca_pe_progress(ends[0].pe) != 0 || doca_pe_progress(ends[1].pe) != 0)
			continue;
		for (i = 0; i < 2; i++)
			if (doca_pe_request_notification(ends[i].pe) != DOCA_SUCCESS)
				return DOCA_ERROR_UNEXPECTED;
		number = epoll_wait(set, woken, 2, 1000);
		if (number < 0)
			return DOCA_ERROR_OPERATING_SYSTEM;
		for (i = 0; i < 2; i++)
			(void)doca_pe_clear_notification(ends[i].pe, ends[i].handle);
	}
	return (flag != NULL ? *flag : *count != 0) ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT;
}

static doca_error_t begin(struct end *end)
{
	struct epoll_event interest;
	doca_error_t result = DOCA_SUCCESS;

	field_keep(&result, doca_pe_create(&end->pe));
	field_keep(&result, doca_pe_connect_ctx(end->pe, end->ctx));
	field_keep(&result, doca_pe_get_notification_handle(end->pe, &end->handle));
	field_keep(&result, doca_ctx_set_state_changed_cb(end->ctx, state_changed));
	if (result != DOCA_SUCCESS)
		return result;
	memset(&interest, 0, sizeof(interest));
	interest.events = EPOLLIN;
	if (epoll_ctl(set, EPOLL_CTL_ADD, end->handle, &interest) < 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	result = doca_ctx_start(end->ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

static doca_error_t talk(struct doca_comch_server *server, struct doca_comch_client *client)
{
	struct doca_comch_connection *connection = NULL;
	struct doca_comch_task_send *task = NULL;
	doca_error_t result = doca_comch_client_get_connection(client, &connection);

	field_keep(&result, doca_comch_client_task_send_alloc_init(client, connection, "ping", 4, &task));
	field_keep(&result, doca_task_submit(doca_comch_task_send_as_task(task)));
	field_keep(&result, wait_for(NULL, &ends[0].received));
	field_keep(&result, doca_comch_server_task_send_alloc_init(server, ends[0].connection, "pong", 4, &task));
	field_keep(&result, doca_task_submit(doca_comch_task_send_as_task(task)));
	field_keep(&result, wait_for(NULL, &ends[1].received));
	return result;
}

int main(void)
{
	struct doca_comch_server *server = NULL;
	struct doca_comch_client *client = NULL;
	struct doca_dev_rep *rep = NULL;
	doca_error_t result = DOCA_SUCCESS, stopped;
	int i;

	set = epoll_create1(0);
	field_keep(&result, field_open_dev("03:00.0", NULL, &ends[0].dev));
	field_keep(&result, field_open_dev("b1:00.0", NULL, &ends[1].dev));
	field_keep(&result, field_open_rep(ends[0].dev, "b1:00.0", &rep));
	field_keep(&result, doca_comch_server_create(ends[0].dev, rep, "field notified", &server));
	field_keep(&result, doca_comch_server_task_send_set_conf(server, send_done, send_done, 4));
	field_keep(&result, doca_comch_server_event_msg_recv_register(server, server_received));
	field_keep(&result, doca_comch_server_event_connection_status_changed_register(server, status_changed,
										       status_changed));
	field_keep(&result, doca_comch_client_create(ends[1].dev, "field notified", &client));
	field_keep(&result, doca_comch_client_task_send_set_conf(client, send_done, send_done, 4));
	field_keep(&result, doca_comch_client_event_msg_recv_register(client, client_received));
	if (result != DOCA_SUCCESS)
		goto end;
	ends[0].ctx = doca_comch_server_as_ctx(server);
	ends[1].ctx = doca_comch_client_as_ctx(client);
	for (i = 0; i < 2; i++)
		field_keep(&result, begin(&ends[i]));
	field_keep(&result, wait_for(&ends[1].running, NULL));
	field_keep(&result, talk(server, client));
	printf("%d and %d received\n", ends[0].received, ends[1].received);
	for (i = 1; i >= 0; i--) {
		stopped = doca_ctx_stop(ends[i].ctx);
		if (stopped == DOCA_ERROR_IN_PROGRESS)
			stopped = wait_for(&ends[i].idle, NULL);
		field_keep(&result, stopped);
	}
	field_keep(&result, doca_comch_client_destroy(client));
	field_keep(&result, doca_comch_server_destroy(server));
	for (i = 0; i < 2; i++)
		field_keep(&result, doca_pe_destroy(ends[i].pe));
	field_keep(&result, doca_dev_rep_close(rep));
	for (i = 0; i < 2; i++)
		field_keep(&result, doca_dev_close(ends[i].dev));
end:
	close(set);
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
