/* Arguments of every kind: mandatory, flags, short and long names, a refusal by a callback, a version. */
#include "field.h"

struct config {
	char name[32];
	int count;
	bool loud;
	int calls;
};

static doca_error_t take_name(void *param, void *config)
{
	struct config *conf = (struct config *)config;

	conf->calls++;
	return field_copy(conf->name, sizeof(conf->name), param);
}

static doca_error_t take_count(void *param, void *config)
{
	struct config *conf = (struct config *)config;

	conf->calls++;
	conf->count = *(int *)param;
	return conf->count < 100 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t take_loud(void *param, void *config)
{
	struct config *conf = (struct config *)config;

	conf->calls++;
	conf->loud = *(bool *)param;
	return DOCA_SUCCESS;
}

static doca_error_t show_version(void *param, void *config)
{
	(void)param;
	(void)config;
	printf("version 1\n");
	(void)doca_argp_destroy();
	exit(EXIT_SUCCESS);
}

static doca_error_t register_name(void)
{
	struct doca_argp_param *param;
	doca_error_t result = doca_argp_param_create(&param);

	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_long_name(param, "name");
	doca_argp_param_set_description(param, "who it is");
	doca_argp_param_set_callback(param, take_name);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
	doca_argp_param_set_mandatory(param);
	return doca_argp_register_param(param);
}

int main(int argc, char **argv)
{
	struct config conf;
	doca_error_t result;

	memset(&conf, 0, sizeof(conf));
	result = doca_argp_init("argument_kinds", &conf);
	if (result != DOCA_SUCCESS)
		goto end;
	field_keep(&result, doca_argp_register_version_callback(show_version));
	field_keep(&result, register_name());
	field_keep(&result, field_register("c", "count", "how often", take_count, DOCA_ARGP_TYPE_INT));
	field_keep(&result, field_register("L", "loud", "whether to shout", take_loud, DOCA_ARGP_TYPE_BOOLEAN));
	field_keep(&result, doca_argp_start(argc, argv));
	field_keep(&result, doca_argp_destroy());
end:
	printf("%s %d times%s, %d calls\n", conf.name, conf.count, conf.loud ? ", loud" : "", conf.calls);
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
