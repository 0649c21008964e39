/* Where a filter of system calls keeps processes from reading each other: what exports and imports of memory that the
 * program brought say then, and the reason in the library's log. */
#include <stddef.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <doca_log.h>
#include <doca_mmap.h>

#include "guest.h"

static char bytes[4096], others[4096];

static int filter_reading(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(steps) / sizeof(*steps), steps};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static struct doca_mmap *map(struct doca_dev *device, char *memory)
{
	struct doca_mmap *mmap;

	MUST(doca_mmap_create(&mmap));
	MUST(doca_mmap_add_dev(mmap, device));
	MUST(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(bytes)));
	MUST(doca_mmap_start(mmap));
	return mmap;
}

int main(void)
{
	struct doca_dev *device = open_device("b1:00.0");
	struct doca_log_backend *backend;
	struct doca_mmap *lent = map(device, bytes), *mine = map(device, others), *import;
	const void *description;
	size_t length;

	MUST(doca_log_backend_create_with_file_sdk(stdout, &backend));
	TELL(doca_mmap_export_pci(lent, device, &description, &length));
	if (filter_reading())
		return 1;
	TELL(doca_mmap_create_from_export(NULL, description, length, device, &import));
	TELL(doca_mmap_export_pci(mine, device, &description, &length));
	MUST(doca_mmap_destroy(mine));
	MUST(doca_mmap_destroy(lent));
	MUST(doca_dev_close(device));
	return 0;
}
