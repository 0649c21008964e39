/* Forks after the library has been used: the child makes its own, the parent's go on. */
#include <sys/wait.h>
#include <unistd.h>

#include "both_sides.h"

static int messages, sends;

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	messages++;
	printf("message '%.*s'\n", (int)length, (char *)buffer);
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	sends++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void send_one(const char *text)
{
	sends = messages = 0;
	MUST(doca_task_submit(new_send(text)));
	PROGRESS_UNTIL(engine, sends && messages);
}

int main(void)
{
	struct doca_dev *devices[2];
	struct doca_dev_rep *representor;
	int status;

	connect_both(devices, &representor, "guest fork");
	send_one("before");
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		connect_both(devices, &representor, "guest fork, child's own");
		send_one("of the child");
		stop(engine, client_ctx);
		PROGRESS_UNTIL(engine, at_server == NULL);
		stop(engine, server_ctx);
		exit(0);
	}
	waitpid(child, &status, 0);
	printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	send_one("after");
	stop(engine, client_ctx);
	return 0;
}
