/* See remote.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sys/uio.h>

#include "remote.h"

int comch_copy_remote(int pid, uint64_t here, uint64_t there, uint64_t length, int writing)
{
    while (length) {
        struct iovec own = {(void *)(uintptr_t)here, length}, other = {(void *)(uintptr_t)there, length};
        ssize_t copied = writing ? process_vm_writev(pid, &own, 1, &other, 1, 0)
                                 : process_vm_readv(pid, &own, 1, &other, 1, 0);
        if (copied <= 0)
            return copied ? errno : EFAULT;
        here += (uint64_t)copied;
        there += (uint64_t)copied;
        length -= (uint64_t)copied;
    }
    return 0;
}
