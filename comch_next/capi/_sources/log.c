/* The log (doca_log.h), in C: it works before the interpreter, in static constructors, and with variable arguments.
 *
 * A message goes to every backend of its kind, the program's or the library's own (SDK), whose limits let it pass.
 * Levels grow with verbosity; a limit above another is the more talkative one. */
#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BACKENDS = 64, MOST_SOURCES = 4096, NAME_SIZE = 64, LINE_SIZE = 4096 };

struct doca_log_backend {
	void (*write)(struct doca_log_backend *backend, uint32_t level, const char *line);
	FILE *file;
	int fd;
	char *buffer;
	size_t capacity, used;
	log_flush_callback flush;
	const int *flushing; /* the thread that runs its handler: what is logged meanwhile goes to the others */
	int is_sdk;
	uint32_t lower, upper;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct doca_log_backend backends[MOST_BACKENDS];
static size_t num_backends;
static char sources[MOST_SOURCES][NAME_SIZE], registered[MOST_SOURCES];
static uint32_t global_lower = DOCA_LOG_LEVEL_INFO, global_upper = DOCA_LOG_LEVEL_TRACE;
static uint32_t sdk_limit = DOCA_LOG_LEVEL_WARNING;

/* What writes to a stream of the program's may log, fork, or make a call that is refused. A child that is forked while
 * another thread writes a message writes its own, too. A thread is known by where it counts. */
static __thread int holds, cancel_state;

static void lock_log(void)
{
	if (!holds++)
		pthread_mutex_lock(&lock);
}

static void unlock_log(void)
{
	if (!--holds)
		pthread_mutex_unlock(&lock);
}

/* A thread that is cancelled while it writes ends afterwards. */
static void hold_log(void)
{
	if (!holds)
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	lock_log();
}

static void release_log(void)
{
	unlock_log();
	if (!holds)
		pthread_setcancelstate(cancel_state, NULL);
}

/* What another thread was flushing is the parent's, whose handler has it. */
static void release_log_in_child(void)
{
	size_t i;

	for (i = 0; i < num_backends; i++)
		if (backends[i].flushing && backends[i].flushing != &holds) {
			backends[i].flushing = NULL;
			backends[i].used = 0;
		}
	release_log();
}

static void __attribute__((constructor(101))) follow_forks(void)
{
	pthread_atfork(hold_log, release_log, release_log_in_child);
}

static int is_level(uint32_t level)
{
	return level % 10 == 0 && level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE;
}

static uint32_t at_most(uint32_t level, uint32_t limit)
{
	return level < limit ? level : limit;
}

/* Where the messages go */

static void to_file(struct doca_log_backend *backend, uint32_t level, const char *line)
{
	(void)level;
	fputs(line, backend->file);
	fflush(backend->file);
}

static void to_standard(struct doca_log_backend *backend, uint32_t level, const char *line)
{
	backend->file = level <= DOCA_LOG_LEVEL_WARNING ? stderr : stdout;
	to_file(backend, level, line);
}

static void to_descriptor(struct doca_log_backend *backend, uint32_t level, const char *line)
{
	const ssize_t written = write(backend->fd, line, strlen(line));

	(void)level;
	(void)written; /* nobody is left to be told */
}

static void to_buffer(struct doca_log_backend *backend, uint32_t level, const char *line)
{
	const size_t most = backend->capacity - 1, length = strlen(line) < most ? strlen(line) : most;
	const int state = cancel_state; /* which a handler that logs overwrites */

	(void)level;
	if (backend->used + length >= backend->capacity) {
		backend->flushing = &holds;
		unlock_log(); /* who forks may have what the handler waits for: in a script, the interpreter */
		backend->flush(backend->buffer);
		lock_log();
		cancel_state = state;
		backend->flushing = NULL;
		backend->used = 0;
	}
	memcpy(backend->buffer + backend->used, line, length);
	backend->used += length;
	backend->buffer[backend->used] = '\0';
}

static void to_syslog(struct doca_log_backend *backend, uint32_t level, const char *line)
{
	static const int priorities[] = {LOG_CRIT, LOG_CRIT, LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG, LOG_DEBUG};

	(void)backend;
	syslog(priorities[level / 10 - 1], "%s", line);
}

static doca_error_t add(struct doca_log_backend made, struct doca_log_backend **backend)
{
	doca_error_t result = DOCA_ERROR_FULL;

	made.lower = made.is_sdk ? sdk_limit : DOCA_LOG_LEVEL_DISABLE;
	made.upper = DOCA_LOG_LEVEL_TRACE;
	hold_log();
	if (num_backends < MOST_BACKENDS) {
		backends[num_backends] = made;
		if (backend)
			*backend = &backends[num_backends];
		num_backends++;
		result = DOCA_SUCCESS;
	}
	release_log();
	return result;
}

FACE doca_error_t doca_log_backend_create_standard(void)
{
	static int created;
	doca_error_t result = DOCA_SUCCESS;

	hold_log();
	if (!created)
		result = add((struct doca_log_backend){.write = to_standard}, NULL);
	created = result == DOCA_SUCCESS;
	release_log();
	return result;
}

FACE doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
	if (!fptr || !backend)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.write = to_file, .file = fptr}, backend);
}

FACE doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
	if (!fptr || !backend)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.write = to_file, .file = fptr, .is_sdk = 1}, backend);
}

FACE doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
	if (fd < 0 || !backend)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.write = to_descriptor, .fd = fd}, backend);
}

FACE doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity, log_flush_callback handler,
						   struct doca_log_backend **backend)
{
	if (!buf || capacity < 2 || !handler || !backend)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.write = to_buffer, .buffer = buf, .capacity = capacity, .flush = handler},
		   backend);
}

FACE doca_error_t doca_log_backend_create_with_syslog(const char *name, struct doca_log_backend **backend)
{
	if (!name || !backend)
		return DOCA_ERROR_INVALID_VALUE;
	openlog(name, LOG_PID, LOG_USER);
	return add((struct doca_log_backend){.write = to_syslog}, backend);
}

/* Limits */

static doca_error_t set_limit(uint32_t *limit, uint32_t level)
{
	if (!is_level(level))
		return DOCA_ERROR_INVALID_VALUE;
	__atomic_store_n(limit, level, __ATOMIC_RELAXED);
	return DOCA_SUCCESS;
}

static int is_backend(const struct doca_log_backend *backend)
{
	size_t i;

	for (i = 0; i < num_backends; i++)
		if (backend == &backends[i])
			return 1;
	return 0;
}

FACE doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend, uint32_t level)
{
	return is_backend(backend) ? set_limit(&backend->lower, level) : DOCA_ERROR_INVALID_VALUE;
}

FACE doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend, uint32_t upper_limit)
{
	return is_backend(backend) ? set_limit(&backend->upper, upper_limit) : DOCA_ERROR_INVALID_VALUE;
}

FACE doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
	return doca_log_backend_set_level_lower_limit(backend, level);
}

FACE doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
	return set_limit(&global_lower, level);
}

FACE doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
	return set_limit(&global_upper, upper_limit);
}

FACE doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
	return set_limit(&sdk_limit, level);
}

FACE uint32_t doca_log_level_get_global_lower_limit(void)
{
	return global_lower;
}

static int passes(const struct doca_log_backend *backend, uint32_t level)
{
	const uint32_t common = backend->is_sdk ? DOCA_LOG_LEVEL_DISABLE : global_lower;
	const uint32_t wanted = common > backend->lower ? common : backend->lower;

	return level <= at_most(at_most(wanted, backend->upper), global_upper);
}

/* Messages */

FACE doca_error_t doca_log_register_source(const char *source_name, int *source)
{
	doca_error_t result = DOCA_ERROR_FULL;
	const char *place;

	if (!source_name || !source)
		return DOCA_ERROR_INVALID_VALUE;
	hold_log();
	place = memchr(registered, 0, MOST_SOURCES);
	if (place) {
		*source = (int)(place - registered);
		snprintf(sources[*source], NAME_SIZE, "%s", source_name);
		__atomic_store_n(&registered[*source], 1, __ATOMIC_RELEASE);
		result = DOCA_SUCCESS;
	}
	release_log();
	return result;
}

/* It waits for nobody: programs call it when they end, while another thread may wait for the reader of a backend. */
FACE doca_error_t doca_log_unregister_source(int source)
{
	if (source < 0 || source >= MOST_SOURCES || !__atomic_exchange_n(&registered[source], 0, __ATOMIC_ACQ_REL))
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

/* Copy the name of a source, whose place another thread may register anew, and return whether it is registered. */
static int name_of(int source, char name[NAME_SIZE])
{
	int found;

	hold_log();
	found = source >= 0 && source < MOST_SOURCES && __atomic_load_n(&registered[source], __ATOMIC_ACQUIRE);
	if (found)
		memcpy(name, sources[source], NAME_SIZE);
	release_log();
	return found;
}

/* The first backend from that place on which gets a message. */
static size_t next_of(size_t place, uint32_t level, int is_sdk)
{
	while (place < num_backends && !(backends[place].is_sdk == is_sdk && !backends[place].flushing &&
					 passes(&backends[place], level)))
		place++;
	return place;
}

/* "[12:34:56:789012][pid][DOCA][INF][source][file:line][function] text" */
static void format(char line[LINE_SIZE], uint32_t level, const char *source, const char *place, const char *text)
{
	static const char *const names[] = {"OFF", "CRT", "ERR", "WRN", "INF", "DBG", "TRC"};
	struct timespec now;
	struct tm parts;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &parts);
	if (snprintf(line, LINE_SIZE, "[%02d:%02d:%02d:%06ld][%d][DOCA][%s][%s]%s %s\n", parts.tm_hour, parts.tm_min,
		     parts.tm_sec, now.tv_nsec / 1000, getpid(), names[level / 10 - 1], source, place,
		     text) >= LINE_SIZE)
		line[LINE_SIZE - 2] = '\n';
}

static void print(uint32_t level, int is_sdk, const char *source, const char *place, const char *text)
{
	char line[LINE_SIZE];
	size_t i;

	hold_log(); /* for localtime_r, too, whose own lock a forked child may find taken for ever */
	i = next_of(0, level, is_sdk);
	if (i < num_backends)
		format(line, level, source, place, text);
	for (; i < num_backends; i = next_of(i + 1, level, is_sdk))
		backends[i].write(&backends[i], level, line);
	release_log();
}

FACE doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func, const char *format,
			   ...)
{
	char text[LINE_SIZE / 2], place[NAME_SIZE * 4], name[NAME_SIZE];
	const char *slash;
	va_list arguments;

	if (!is_level(level) || level == DOCA_LOG_LEVEL_DISABLE || !fname || !func || !format || !name_of(source, name))
		return DOCA_ERROR_INVALID_VALUE;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	slash = strrchr(fname, '/');
	snprintf(place, sizeof(place), "[%s:%d][%s]", slash ? slash + 1 : fname, line, func);
	print(level, 0, name, place, text);
	return DOCA_SUCCESS;
}

FACE void comch_face_log(uint32_t level, const char *text)
{
	print(level, 1, "COMCH", "", text);
}

FACE doca_error_t comch_face_invalid(const char *function, const char *parameter, const char *is)
{
	char text[NAME_SIZE * 4];

	snprintf(text, sizeof(text), "%s: %s is %s", function, parameter, is);
	comch_face_log(DOCA_LOG_LEVEL_DEBUG, text);
	return DOCA_ERROR_INVALID_VALUE;
}

FACE void comch_face_report(const char *text)
{
	size_t i;

	for (i = 0; i < num_backends; i++)
		if (backends[i].is_sdk) {
			print(DOCA_LOG_LEVEL_ERROR, 1, "COMCH", "", text);
			return;
		}
	fputs(text, stderr);
}
