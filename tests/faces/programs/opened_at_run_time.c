/* A face opened at run time and privately, as programs in other languages do; none of its symbols is linked. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int (*create)(void **) = NULL;
	void *endpoint = NULL, *library;
	int result;

	if (argc != 2)
		return 2;
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (library)
		create = (int (*)(void **))dlsym(library, "doca_comm_channel_ep_create");
	if (!create) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	result = create(&endpoint);
	printf("%d %s\n", result, endpoint ? "an endpoint" : "none");
	return 0;
}
