/* A library that a program of Python's loads: what it has ends with the process, after Python. */
#include <doca_error.h>
#include <doca_pe.h>

#include <stdio.h>

static struct doca_pe *engine;

int plugin_open(void);

int plugin_open(void)
{
	return doca_pe_create(&engine);
}

static void __attribute__((destructor)) plugin_close(void)
{
	struct doca_pe *another;

	printf("create: %s\n", doca_error_get_name(doca_pe_create(&another)));
	printf("progress: %d\n", doca_pe_progress(engine));
	printf("destroy: %s\n", doca_error_get_name(doca_pe_destroy(engine)));
}
