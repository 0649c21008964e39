/* Callbacks that progress, stop, disconnect, free and destroy what is just calling them. */
#include "both_sides.h"

static int messages, sends;

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)buffer;
	messages++;
	printf("message of %u bytes; progress inside %u\n", length, doca_pe_progress(engine));
	TELL(doca_pe_destroy(engine));
	TELL(doca_comch_server_destroy(server));
	TELL(doca_comch_client_destroy(client));
	TELL(doca_comch_server_disconnect(server, connection));
	TELL(doca_comch_server_disconnect(server, connection));
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct doca_task *plain = doca_comch_task_send_as_task(task);

	(void)task_data;
	(void)ctx_data;
	sends++;
	doca_task_free(plain);
	doca_task_free(plain);
	TELL(doca_task_submit(plain));
	TELL(doca_comch_server_destroy(server));
}

int main(void)
{
	struct doca_dev *devices[2];
	struct doca_dev_rep *representor;

	connect_both(devices, &representor, "guest ending");
	MUST(doca_task_submit(new_send("text")));
	PROGRESS_UNTIL(engine, sends && messages && state_of(client_ctx) == DOCA_CTX_STATE_IDLE);
	stop(engine, server_ctx);
	TELL(doca_comch_server_destroy(server));
	TELL(doca_comch_client_destroy(client));
	TELL(doca_pe_destroy(engine));
	TELL(doca_dev_rep_close(representor));
	TELL(doca_dev_close(devices[0]));
	TELL(doca_dev_close(devices[1]));
	return 0;
}
