/* Every log backend at once, with limits of its own; a source of a file, and one that the program registers. */
#include "field.h"

DOCA_LOG_REGISTER(FIELD::LOGS);

static char kept[4096];

static void flush(char *buffer)
{
	strncat(kept, buffer, sizeof(kept) - strlen(kept) - 1);
}

static int lines(FILE *file, const char *word)
{
	char line[1024];
	int found = 0;

	rewind(file);
	while (fgets(line, (int)sizeof(line), file) != NULL)
		found += strstr(line, word) != NULL;
	return found;
}

int main(void)
{
	struct doca_log_backend *to_file, *to_fd, *to_buf, *to_syslog, *of_sdk;
	FILE *first = tmpfile(), *second = tmpfile(), *sdk = tmpfile();
	static char buffer[256];
	int source = -1;
	doca_error_t result = DOCA_SUCCESS;

	if (first == NULL || second == NULL || sdk == NULL)
		return EXIT_FAILURE;
	field_keep(&result, doca_log_backend_create_with_file(first, &to_file));
	field_keep(&result, doca_log_backend_create_with_fd(fileno(second), &to_fd));
	field_keep(&result, doca_log_backend_create_with_buf(buffer, sizeof(buffer), flush, &to_buf));
	field_keep(&result, doca_log_backend_create_with_syslog("field", &to_syslog));
	field_keep(&result, doca_log_backend_create_with_file_sdk(sdk, &of_sdk));
	field_keep(&result, doca_log_backend_set_sdk_level(of_sdk, DOCA_LOG_LEVEL_DEBUG));
	field_keep(&result, doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	field_keep(&result, doca_log_backend_set_level_upper_limit(to_fd, DOCA_LOG_LEVEL_WARNING));
	DOCA_LOG_CRIT("critical %d", 1);
	DOCA_LOG_ERR("error %s", "two");
	DOCA_LOG_WARN("warning %c", '3');
	DOCA_LOG_INFO("information %zu", (size_t)4);
	DOCA_LOG_DBG("debug");
	DOCA_LOG_TRC("trace");
	printf("file %d, descriptor %d\n", lines(first, "[DOCA]"), lines(second, "[DOCA]"));
	field_keep(&result, doca_log_register_source("OWN", &source));
	field_keep(&result, doca_log(DOCA_LOG_LEVEL_ERROR, source, __FILE__, __LINE__, __func__, "%d of %d", 1, 2));
	field_keep(&result, doca_log_unregister_source(source));
	printf("own source %d, buffered %s\n", lines(first, "[OWN]"), strstr(kept, "critical 1") != NULL ? "yes" : "no");
	(void)doca_dev_open(NULL, NULL);
	(void)doca_ctx_start(NULL);
	printf("the library's own %d\n", lines(sdk, "[COMCH]"));
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
