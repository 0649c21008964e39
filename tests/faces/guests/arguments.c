/* The argument parser and the log as sample programs use them; what the log writes goes to a file of the program. */
#include <doca_argp.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_version.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

DOCA_LOG_REGISTER(GUEST::ARGUMENTS);

struct config {
	char text[64];
	int number;
	bool flag;
};

static doca_error_t on_text(void *param, void *config)
{
	const char *text = param;

	if (strnlen(text, 64) == 64)
		return DOCA_ERROR_INVALID_VALUE;
	strcpy(((struct config *)config)->text, text);
	return DOCA_SUCCESS;
}

static doca_error_t on_number(void *param, void *config)
{
	((struct config *)config)->number = *(int *)param;
	return DOCA_SUCCESS;
}

static doca_error_t on_flag(void *param, void *config)
{
	((struct config *)config)->flag = *(bool *)param;
	return DOCA_SUCCESS;
}

static doca_error_t add(const char *short_name, const char *long_name, enum doca_argp_type type,
			doca_argp_param_cb_t callback, bool mandatory)
{
	struct doca_argp_param *param;
	doca_error_t result = doca_argp_param_create(&param);

	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, "one of the program's own");
	doca_argp_param_set_callback(param, callback);
	doca_argp_param_set_type(param, type);
	if (mandatory)
		doca_argp_param_set_mandatory(param);
	return doca_argp_register_param(param);
}

int main(int argc, char **argv)
{
	struct config config = {"none", 5, false};
	struct doca_log_backend *sdk, *file;
	doca_error_t result, first = DOCA_SUCCESS;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (doca_log_backend_create_with_file(stdout, &file) != DOCA_SUCCESS ||
	    doca_log_backend_create_with_file_sdk(stderr, &sdk) != DOCA_SUCCESS ||
	    doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING) != DOCA_SUCCESS)
		return 2;
	printf("before init %s\n", doca_error_get_name(doca_argp_start(argc, argv)));
	result = doca_argp_init("guest", &config);
	if (result == DOCA_SUCCESS)
		result = add("t", "text", DOCA_ARGP_TYPE_STRING, on_text, true);
	if (result == DOCA_SUCCESS)
		result = add("n", "number", DOCA_ARGP_TYPE_INT, on_number, false);
	if (result == DOCA_SUCCESS)
		result = add("f", "flag", DOCA_ARGP_TYPE_BOOLEAN, on_flag, false);
	printf("registered %s\n", doca_error_get_name(result));
	result = doca_argp_start(argc, argv);
	DOCA_ERROR_PROPAGATE(first, result);
	DOCA_ERROR_PROPAGATE(first, DOCA_ERROR_UNKNOWN);
	printf("text '%s', number %d, flag %d, %s, %s\n", config.text, config.number, config.flag,
	       doca_error_get_name(result), doca_error_get_name(first));
	DOCA_LOG_INFO("text of %zu bytes", strlen(config.text));
	DOCA_LOG_DBG("not at this level %d", 1);
	DOCA_LOG_ERR("no arguments");
	printf("version %s\n", strcmp(doca_version(), doca_version_runtime()) == 0 ? "one" : "two");
	printf("destroyed %s\n", doca_error_get_name(doca_argp_destroy()));
	printf("again %s\n", doca_error_get_name(doca_argp_destroy()));
	return DOCA_IS_ERROR(result) ? 1 : 0;
}
