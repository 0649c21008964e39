/* What no program should do and some do: each by its name as the one argument. */
#include "common.h"

#include <doca_comch.h>
#include <doca_comm_channel.h>
#include <doca_ctx.h>
#include <doca_log.h>
#include <doca_pe.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call) \
	do { \
		const doca_error_t result_ = (call); \
		if (result_ != DOCA_SUCCESS) { \
			printf("%s: %s\n", #call, doca_error_get_name(result_)); \
			exit(1); \
		} \
	} while (0)
#define SHOW(call) printf("%s: %s\n", #call, doca_error_get_name(call))

struct pair {
	struct doca_dev *dpu, *host;
	struct doca_dev_rep *rep;
	struct doca_comm_channel_ep_t *service, *client;
	struct doca_comm_channel_addr_t *peer;
};

static void open_pair(struct pair *pair, const char *name)
{
	CHECK(open_device("03:00.0", NULL, &pair->dpu));
	CHECK(open_device("b1:00.0", NULL, &pair->host));
	CHECK(open_representor(pair->dpu, "b1:00.0", &pair->rep));
	CHECK(doca_comm_channel_ep_create(&pair->service));
	CHECK(doca_comm_channel_ep_set_device(pair->service, pair->dpu));
	CHECK(doca_comm_channel_ep_set_device_rep(pair->service, pair->rep));
	CHECK(doca_comm_channel_ep_listen(pair->service, name));
	CHECK(doca_comm_channel_ep_create(&pair->client));
	CHECK(doca_comm_channel_ep_set_device(pair->client, pair->host));
	CHECK(doca_comm_channel_ep_connect(pair->client, name, &pair->peer));
}

static int echo(struct pair *pair, int rounds)
{
	struct doca_comm_channel_addr_t *from;
	char text[64];
	int round;

	for (round = 0; round < rounds; round++) {
		size_t length = sizeof(text);
		doca_error_t result;

		while (doca_comm_channel_ep_sendto(pair->client, "ping", 4, 0, pair->peer) == DOCA_ERROR_AGAIN) {
			length = sizeof(text);
			(void)doca_comm_channel_ep_recvfrom(pair->service, text, &length, 0, &from);
		}
		do {
			length = sizeof(text);
			result = doca_comm_channel_ep_recvfrom(pair->service, text, &length, 0, &from);
		} while (result == DOCA_ERROR_AGAIN);
		if (result != DOCA_SUCCESS || length != 4 || memcmp(text, "ping", 4) != 0)
			return 0;
	}
	return 1;
}

/* Everything is alive at the end. */
static int leave_alive(void)
{
	struct doca_pe *pe;
	struct pair pair;

	open_pair(&pair, "alive");
	CHECK(doca_pe_create(&pe));
	printf("%s\n", echo(&pair, 3) ? "echoed" : "lost");
	return 0;
}

/* A child makes its own; the parent goes on; what the child inherited is refused there. */
static int fork_after_load(void)
{
	struct pair pair, own;
	int status = 0;
	pid_t child;

	open_pair(&pair, "parent");
	if (!echo(&pair, 3))
		return 1;
	child = fork();
	if (child == 0) {
		open_pair(&own, "child");
		printf("the child %s\n", echo(&own, 3) ? "echoed" : "lost");
		printf("the child has the parent's: %s\n",
		       doca_comm_channel_ep_sendto(pair.client, "ping", 4, 0, pair.peer) == DOCA_SUCCESS ? "yes" : "no");
		exit(0);
	}
	waitpid(child, &status, 0);
	printf("the parent %s, the child %d\n", echo(&pair, 3) ? "echoed" : "lost", status);
	return 0;
}

static void *echo_in_thread(void *argument)
{
	struct pair pair;

	open_pair(&pair, argument);
	return echo(&pair, 200) ? argument : NULL;
}

/* Threads that Python has never seen, each with its own endpoints; the first of them starts the interpreter. */
static int threads(void)
{
	char names[4][16];
	pthread_t started[4];
	void *result;
	int i, good = 0;

	for (i = 0; i < 4; i++) {
		snprintf(names[i], sizeof(names[i]), "thread %d", i);
		if (pthread_create(&started[i], NULL, echo_in_thread, names[i]))
			return 1;
	}
	for (i = 0; i < 4; i++) {
		pthread_join(started[i], &result);
		good += result != NULL;
	}
	printf("%d threads echoed\n", good);
	return 0;
}

static struct pair shared;
static volatile int over;

static void *use_without_lock(void *argument)
{
	struct doca_comm_channel_addr_t *from;
	char text[64];

	while (!over) {
		size_t length = sizeof(text);

		(void)doca_comm_channel_ep_sendto(shared.client, "ping", 4, 0, shared.peer);
		(void)doca_comm_channel_ep_recvfrom(shared.service, text, &length, 0, &from);
	}
	return argument;
}

/* Two threads on one endpoint without a lock: whatever they get, another one works. */
static int one_without_lock(void)
{
	pthread_t started[2];
	struct pair other;
	int i, good;

	open_pair(&shared, "shared");
	open_pair(&other, "other");
	for (i = 0; i < 2; i++)
		if (pthread_create(&started[i], NULL, use_without_lock, NULL))
			return 1;
	good = echo(&other, 500);
	over = 1;
	for (i = 0; i < 2; i++)
		pthread_join(started[i], NULL);
	printf("the other endpoint %s\n", good ? "echoed" : "lost");
	return 0;
}

DOCA_LOG_REGISTER(UNKIND);

static volatile int begun, done;

static void *call_first(void *arg)
{
	begun = 1;
	(void)doca_dev_close(NULL);
	done = 1;
	return arg;
}

/* Another thread starts the interpreter meanwhile. */
static int fork_beside_another(void)
{
	pthread_t started;
	int status = 0, last = 0;
	pid_t child;

	if (pthread_create(&started, NULL, call_first, NULL))
		return 1;
	while (!begun)
		;
	while (status == 0 && !last) {
		last = done;
		child = fork();
		if (child == 0)
			_exit(doca_dev_close(NULL) != DOCA_ERROR_INVALID_VALUE);
		waitpid(child, &status, 0);
	}
	pthread_join(started, NULL);
	printf("the children ended: %s\n", status == 0 ? "well" : "badly");
	return 0;
}

/* Another thread than the one that forks has started the interpreter. */
static int fork_after_another(void)
{
	pthread_t started;
	int status = 1;
	pid_t child;

	if (pthread_create(&started, NULL, call_first, NULL))
		return 1;
	pthread_join(started, NULL);
	child = fork();
	if (child == 0) {
		SHOW(doca_dev_close(NULL));
		exit(0);
	}
	printf("the child ended: %s\n", waitpid(child, &status, 0) == child && status == 0 ? "well" : "badly");
	return 0;
}

static void *log_without_end(void *argument)
{
	for (;;)
		DOCA_LOG_INFO("busy");
	return argument;
}

/* Children are forked while other threads write to the log, and write to it, too. */
static int fork_while_logging(void)
{
	struct doca_log_backend *backend;
	pthread_t started;
	int i, ended = 0, status;

	CHECK(doca_log_backend_create_with_file(fopen("/dev/null", "w"), &backend));
	for (i = 0; i < 2; i++)
		if (pthread_create(&started, NULL, log_without_end, NULL))
			return 1;
	for (i = 0; i < 50; i++) {
		const pid_t child = fork();

		if (child == 0) {
			alarm(60);
			DOCA_LOG_INFO("a child");
			_exit(0);
		}
		ended += waitpid(child, &status, 0) == child && status == 0;
	}
	printf("%d children logged\n", ended);
	fflush(stdout);
	_exit(0);
}

static int flushes;

static void flush(char *buffer)
{
	(void)buffer;
	flushes++;
	DOCA_LOG_ERR("flushing");
	(void)doca_dev_close(NULL); /* whose refusal is logged, too */
	if (flushes == 1) {
		int status = 1;
		const pid_t child = fork();

		if (child == 0) {
			DOCA_LOG_ERR("a child");
			_exit(0);
		}
		printf("the child logged: %s\n", waitpid(child, &status, 0) == child && status == 0 ? "yes" : "no");
	}
}

/* A handler of the log logs, forks, and makes a call that is refused. */
static int log_while_flushing(void)
{
	struct doca_log_backend *to_buffer, *to_file;
	static char buffer[256];
	int i;

	CHECK(doca_log_backend_create_with_buf(buffer, sizeof(buffer), flush, &to_buffer));
	CHECK(doca_log_backend_create_with_file_sdk(fopen("/dev/null", "w"), &to_file));
	CHECK(doca_log_backend_set_sdk_level(to_file, DOCA_LOG_LEVEL_DEBUG));
	for (i = 0; i < 20; i++)
		DOCA_LOG_ERR("message %d", i);
	printf("flushed: %s, the last is %s\n", flushes > 1 ? "often" : "seldom",
	       strstr(buffer, "message 19") ? "there" : "lost");
	return 0;
}

static struct doca_pe *engine;
static struct doca_comch_server *server;
static int called;

static void sent(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		     struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	printf("progress in a callback: %d\n", doca_pe_progress(engine));
	SHOW(doca_comch_server_destroy(server));
	SHOW(doca_pe_destroy(engine));
	memset(recv_buffer, '!', msg_len); /* the program's own, for as long as the callback runs */
	called++;
}

static void changed(struct doca_comch_event_connection_status_changed *event, struct doca_comch_connection *connection,
		    uint8_t change_successful)
{
	(void)event;
	(void)connection;
	(void)change_successful;
}

static void cancel_thread(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states before,
			  enum doca_ctx_states next)
{
	(void)user_data;
	(void)ctx;
	(void)before;
	(void)next;
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

static void *start_context(void *ctx)
{
	(void)doca_ctx_start(ctx);
	pthread_testcancel();
	return NULL;
}

static void *log_once(void *nothing)
{
	pthread_cancel(pthread_self());
	DOCA_LOG_INFO("the last");
	pthread_testcancel();
	return nothing;
}

static int cancels_flushing;

static void flush_cancelled(char *buffer)
{
	(void)buffer;
	if (cancels_flushing)
		pthread_cancel(pthread_self());
	DOCA_LOG_INFO("flushing");
	pthread_testcancel();
}

static void *log_often(void *nothing)
{
	int i;

	for (i = 0; i < 20; i++)
		DOCA_LOG_INFO("message %d", i);
	pthread_testcancel();
	return nothing;
}

static int ends_cancelled(void *(*run)(void *), void *argument)
{
	pthread_t started;
	void *result;

	return !pthread_create(&started, NULL, run, argument) && !pthread_join(started, &result) && result == PTHREAD_CANCELED;
}

/* A thread that is cancelled within a call makes it to its end. */
static int cancel_threads(void)
{
	struct doca_log_backend *backend;
	struct doca_comch_client *client;
	struct doca_dev *host;
	static char buffer[256];

	CHECK(doca_log_backend_create_with_file(fopen("/dev/null", "w"), &backend));
	CHECK(open_device("b1:00.0", NULL, &host));
	CHECK(doca_pe_create(&engine));
	CHECK(doca_comch_client_create(host, "nobody", &client));
	CHECK(doca_comch_client_task_send_set_conf(client, sent, sent, 1));
	CHECK(doca_comch_client_event_msg_recv_register(client, received));
	CHECK(doca_ctx_set_state_changed_cb(doca_comch_client_as_ctx(client), cancel_thread));
	CHECK(doca_pe_connect_ctx(engine, doca_comch_client_as_ctx(client)));
	printf("cancelled: %d\n", ends_cancelled(start_context, doca_comch_client_as_ctx(client)));
	printf("cancelled: %d\n", ends_cancelled(log_once, NULL));
	DOCA_LOG_INFO("still there");
	CHECK(doca_log_backend_create_with_buf(buffer, sizeof(buffer), flush_cancelled, &backend));
	cancels_flushing = 1;
	printf("cancelled: %d\n", ends_cancelled(log_often, NULL));
	cancels_flushing = 0;
	(void)log_often(NULL);
	printf("the last is %s\n", strstr(buffer, "message 19") ? "there" : "lost");
	SHOW(doca_comch_client_destroy(client));
	return 0;
}

/* progress and destroy inside a callback are refused, and all goes on. */
static int nested(void)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;
	struct doca_comch_client *client;
	struct doca_dev *dpu, *host;
	struct doca_dev_rep *rep;
	enum doca_ctx_states state;

	CHECK(open_device("03:00.0", NULL, &dpu));
	CHECK(open_device("b1:00.0", NULL, &host));
	CHECK(open_representor(dpu, "b1:00.0", &rep));
	CHECK(doca_pe_create(&engine));
	CHECK(doca_comch_server_create(dpu, rep, "nested", &server));
	CHECK(doca_comch_client_create(host, "nested", &client));
	CHECK(doca_pe_connect_ctx(engine, doca_comch_server_as_ctx(server)));
	CHECK(doca_pe_connect_ctx(engine, doca_comch_client_as_ctx(client)));
	CHECK(doca_comch_server_task_send_set_conf(server, sent, sent, 4));
	CHECK(doca_comch_client_task_send_set_conf(client, sent, sent, 4));
	CHECK(doca_comch_server_event_msg_recv_register(server, received));
	CHECK(doca_comch_client_event_msg_recv_register(client, received));
	CHECK(doca_comch_server_event_connection_status_changed_register(server, changed, changed));
	CHECK(doca_ctx_start(doca_comch_server_as_ctx(server)));
	SHOW(doca_ctx_start(doca_comch_client_as_ctx(client)));
	do {
		(void)doca_pe_progress(engine);
		CHECK(doca_ctx_get_state(doca_comch_client_as_ctx(client), &state));
	} while (state != DOCA_CTX_STATE_RUNNING);
	CHECK(doca_comch_client_get_connection(client, &connection));
	CHECK(doca_comch_client_task_send_alloc_init(client, connection, "x", 1, &task));
	CHECK(doca_task_submit(doca_comch_task_send_as_task(task)));
	while (!called)
		(void)doca_pe_progress(engine);
	SHOW(doca_comch_client_destroy(client));
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} deeds[] = {
		{"alive", leave_alive}, {"fork", fork_after_load},     {"threads", threads},
		{"nested", nested},     {"unlocked", one_without_lock}, {"logging", fork_while_logging},
		{"flushing", log_while_flushing}, {"another", fork_after_another},
		{"beside", fork_beside_another}, {"cancelled", cancel_threads},
	};
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(deeds) / sizeof(*deeds); i++)
		if (argc == 2 && strcmp(argv[1], deeds[i].name) == 0)
			return deeds[i].run();
	return 2;
}
