/* A program that knows no header: opens the library by name while it runs, and calls what it finds there. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int (*create)(void **);
typedef int (*destroy)(void *);
typedef int (*get_size)(void *, uint16_t *);
typedef const char *(*get_name)(int);

int main(void)
{
	void *library = dlopen("libdoca_comm_channel.so.2", RTLD_NOW | RTLD_LOCAL), *endpoint;
	void *common = dlopen("libdoca_common.so", RTLD_LAZY);
	uint16_t size = 0;

	if (library == NULL || common == NULL) {
		printf("%s\n", dlerror());
		return 1;
	}
	get_name name = (get_name)dlsym(common, "doca_error_get_name");

	printf("%s\n", name(((create)dlsym(library, "doca_comm_channel_ep_create"))(&endpoint)));
	printf("%s\n", name(((get_size)dlsym(library, "doca_comm_channel_ep_get_max_msg_size"))(endpoint, &size)));
	printf("messages of %u bytes\n", size);
	printf("%s\n", name(((destroy)dlsym(library, "doca_comm_channel_ep_destroy"))(endpoint)));
	printf("%s\n", dlsym(library, "doca_comm_channel_no_such_call") == NULL ? "no such call" : "some call");
	printf("closed %d %d\n", dlclose(library), dlclose(common));
	return 0;
}
