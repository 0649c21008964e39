/* Both ends of a control path in one process, on one engine; what happens to a message is the program's affair. */
#ifndef BOTH_SIDES_H
#define BOTH_SIDES_H

#include <doca_comch.h>

#include "guest.h"

static struct doca_pe *engine;
static struct doca_comch_server *server;
static struct doca_comch_client *client;
static struct doca_comch_connection *at_server, *at_client;
static struct doca_ctx *server_ctx, *client_ctx;

/* The program's own, called inside progress. */
static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection);
static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data);

static inline void on_connect(struct doca_comch_event_connection_status_changed *event,
			      struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)successful;
	at_server = connection;
}

static inline void on_disconnect(struct doca_comch_event_connection_status_changed *event,
				 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)successful;
	if (connection == at_server)
		at_server = NULL;
}

static inline void connect_both(struct doca_dev **devices, struct doca_dev_rep **representor, const char *name)
{
	devices[0] = open_device("03:00.0");
	devices[1] = open_device("b1:00.0");
	*representor = open_representor(devices[0], "b1:00.0");
	MUST(doca_pe_create(&engine));
	MUST(doca_comch_server_create(devices[0], *representor, name, &server));
	MUST(doca_comch_client_create(devices[1], name, &client));
	server_ctx = doca_comch_server_as_ctx(server);
	client_ctx = doca_comch_client_as_ctx(client);
	MUST(doca_pe_connect_ctx(engine, server_ctx));
	MUST(doca_pe_connect_ctx(engine, client_ctx));
	MUST(doca_comch_server_task_send_set_conf(server, on_sent, on_sent, 4));
	MUST(doca_comch_client_task_send_set_conf(client, on_sent, on_sent, 4));
	MUST(doca_comch_server_event_msg_recv_register(server, on_message));
	MUST(doca_comch_client_event_msg_recv_register(client, on_message));
	MUST(doca_comch_server_event_connection_status_changed_register(server, on_connect, on_disconnect));
	MUST(doca_ctx_start(server_ctx));
	if (doca_ctx_start(client_ctx) != DOCA_ERROR_IN_PROGRESS)
		exit(1);
	PROGRESS_UNTIL(engine, state_of(client_ctx) == DOCA_CTX_STATE_RUNNING && at_server != NULL);
	MUST(doca_comch_client_get_connection(client, &at_client));
}

static inline struct doca_task *new_send(const char *text)
{
	struct doca_comch_task_send *task;

	MUST(doca_comch_client_task_send_alloc_init(client, at_client, text, strlen(text), &task));
	return doca_comch_task_send_as_task(task);
}

#endif
