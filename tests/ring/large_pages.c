/* A kernel with pages of 64 KiB, as arm64 may have: shared memory begins on one, and advice is refused elsewhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGE = 64 << 10 };

static void *map(void *at, size_t length, int access, int flags, int file, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, length, access, flags, file, offset);
}

void *mmap(void *at, size_t length, int access, int flags, int file, off_t offset)
{
    char *found;

    if (at || !(flags & MAP_SHARED))
        return map(at, length, access, flags, file, offset);
    found = map(NULL, length + LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED)
        return found;
    found += -(uintptr_t)found % LARGE;
    return map(found, length, access, flags | MAP_FIXED, file, offset);
}

int madvise(void *at, size_t length, int advice)
{
    if ((uintptr_t)at % LARGE) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, at, length, advice);
}

long sysconf(int name)
{
    long (*next)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");

    return name == _SC_PAGESIZE ? LARGE : next(name);
}
