/* A program that has a Python of its own, whose shared library it is given, and ends it. */
#include <doca_comch.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#include <dlfcn.h>
#include <stdio.h>

static void use(const char *when)
{
	struct doca_pe *engine;
	doca_error_t result = doca_pe_create(&engine);

	printf("%s: %s\n", when, doca_error_get_name(result));
	if (result == DOCA_SUCCESS)
		doca_pe_destroy(engine);
}

int main(int argc, char **argv)
{
	void *const python = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	void (*begin)(void), (*end)(void);

	if (!python)
		return 1;
	*(void **)&begin = dlsym(python, "Py_Initialize");
	*(void **)&end = dlsym(python, "Py_Finalize");
	begin();
	use("first");
	end();
	use("after its end");
	begin();
	use("in another");
	printf("a library that was not called before: %s\n",
	       doca_error_get_name(doca_comch_cap_server_is_supported(NULL)));
	end();
	return 0;
}
